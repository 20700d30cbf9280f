"""The common judge: known grasps of boxes, every reason, one scale for all jaws, the same draws for all; and the ranks."""

from dataclasses import replace

import numpy as np
import pytest
import trimesh
from scipy.stats import kendalltau

from experiments.ranks import compared
from experiments.rescore import CommonJudge, stripes
from get3d.collide import Room
from grasp import Gripper, InvalidValue, presets
from grasp.circles import circles
from grasp.frames import pose_top_down
from grasp.judge import Judge
from grasp.plan import Grasp, Metrics
from grasp.strict import build
from objects.solid import Solid
from wrench import Contacts, Perturbation, quality

GET, NARROW, WIDE = (Gripper.preset(name) for name in ("get", "two_narrow", "two_wide"))
OWN = presets.read("judge", "common") | {"quality": Judge.preset("paper")}
OWN |= {"perturbation": Perturbation(**OWN["perturbation"]), "room": Room(**OWN["room"])}
JUDGE = replace(build(CommonJudge, OWN, "judge"), perturbation=Perturbation(0.002, 20))


def box(x=0.04, y=0.08, z=0.05):
    return Solid.from_trimesh("box", trimesh.creation.box((x, y, z), transform=np.diag([1, 1, 1, 1]) + lifted(z / 2)))


def lifted(z):
    T = np.zeros((4, 4))
    T[2, 3] = z
    return T


def grasp(x=0.0, y=0.0, z=0.01, opening=0.06, angle=0.0):
    nothing = Contacts(np.zeros((3, 2)), np.zeros((3, 2)), np.zeros(3, bool))
    return Grasp(pose_top_down([x, y], angle, z), opening, nothing, "test", Metrics())


def score(planned, gripper=GET, solid=None, judge=JUDGE, seed=0):
    return judge.score(planned, gripper, solid or box(), np.random.default_rng(seed))


def test_three_pads_on_a_box_are_worth_what_three_points_are():
    """Pads of 65 mm from 10 mm up to above the top of 50 mm touch its sides at mid height of what they cover, 30 mm."""
    found = score(grasp())
    points = [[-0.02, 0.015, 0.03], [-0.02, -0.015, 0.03], [0.02, 0, 0.03]]
    normals = [[1, 0, 0], [1, 0, 0], [-1, 0, 0]]
    scale = 2 * np.linalg.norm([0.02, 0.04, 0.025])
    expected = quality(
        Contacts.all_made(points, normals), friction=0.75, origin=[0, 0, 0.025], torque_scale=scale, gap=JUDGE.quality.gap
    )
    assert (found["judge_reason"], found["judge_holds"], found["judge_contacts"]) == ("ok", True, 3)
    assert found["judge_torque_scale_m"] == pytest.approx(scale)
    assert found["judge_epsilon"] <= expected.epsilon_upper * (1 + 1e-6)
    assert found["judge_epsilon_upper"] >= expected.epsilon * (1 - 1e-6)
    assert found["judge_epsilon_upper"] <= found["judge_epsilon"] * (1 + 2 * JUDGE.quality.gap)


def test_two_narrow_jaws_never_hold_in_space():
    found = score(grasp(), NARROW)
    assert (found["judge_reason"], found["judge_holds"], found["judge_contacts"]) == ("ok", False, 2)
    assert (found["judge_closure_rate"], found["judge_epsilon"], found["judge_mean_contacts"]) == (0, 0, 2)


def test_two_wide_jaws_touch_along_their_width_and_hold():
    found = score(grasp(), WIDE)
    assert (found["judge_holds"], found["judge_contacts"]) == (True, 8)
    assert 0 < found["judge_epsilon"] < found["judge_epsilon_upper"] < 1.2 * found["judge_epsilon"]


@pytest.mark.parametrize(
    ("planned", "reason"),
    [
        (grasp(z=0.0), "hits_table"),
        (grasp(x=0.015), "overlaps"),
        (grasp(y=0.2), "one_sided"),
        (grasp(z=0.06), "one_sided"),
        (grasp(x=0.1), "one_sided"),
    ],
)
def test_what_cannot_be_carried_out_has_its_reason_and_does_not_hold(planned, reason):
    found = score(planned)
    assert (found["judge_reason"], found["judge_holds"]) == (reason, False)


def test_a_palm_inside_a_tall_object_is_found():
    found = score(grasp(), solid=box(z=0.2))
    assert (found["judge_reason"], found["judge_holds"]) == ("gripper_in_object", False)


def test_only_pose_and_opening_count_and_draws_are_those_of_the_generator():
    same = score(replace(grasp(), sampler="other", metrics=Metrics(closure_rate=0.5)))
    assert same == score(grasp())
    off = grasp(y=0.026)  # a finger of the wide jaw 1 mm beyond the end of the box
    assert score(off, seed=1)["judge_closed"] == score(off, seed=1)["judge_closed"]
    assert len({score(off, seed=seed)["judge_closed"] for seed in range(6)}) > 1


@pytest.mark.parametrize(("y", "rate"), [(0.0, 1.0), (0.2, 0.0)])
def test_without_displacement_every_draw_is_the_grasp_itself(y, rate):
    found = score(grasp(y=y), judge=replace(JUDGE, perturbation=Perturbation(0.0, 5)))
    assert found["judge_closure_rate"] == rate
    assert found["judge_mean_epsilon"] == pytest.approx(found["judge_epsilon"], rel=1e-12)
    assert found["judge_closure_rate_lower"] <= rate <= found["judge_closure_rate_upper"]


@pytest.mark.parametrize("gripper", [GET, NARROW, WIDE], ids=lambda gripper: gripper.name)
def test_stripes_lie_where_the_planar_circles_lie(gripper):
    striped = stripes(gripper)
    assert [pad.offset for pad in striped.pads] == pytest.approx(circles(gripper).offset.tolist())
    assert sum(pad.width for pad in striped.pads) == pytest.approx(sum(pad.width for pad in gripper.pads))
    assert stripes(striped) == striped


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"perturbation": Perturbation(0.002, 5, rotation=0.1)}, "rotation"),
        ({"quality": replace(JUDGE.quality, cone=8)}, "cone"),
        ({"edges": 2}, "edges"),
    ],
)
def test_what_this_judge_cannot_do_is_refused(change, field):
    with pytest.raises(InvalidValue, match=field):
        replace(JUDGE, **change)


def test_ranks_of_equal_and_of_opposite_orders():
    order = np.array([4, 2, 9, 7])
    assert compared(order, order, 2) == {"rank_correlation": 1, "top_kept": 1, "top": 2, "best_rank": 1}
    assert compared(order, order[::-1], 2) == {"rank_correlation": -1, "top_kept": 0, "top": 2, "best_rank": 4}


def test_ranks_count_only_what_both_accept():
    first, second = np.array([5, 1, 3, 8]), np.array([3, 6, 5])
    found = compared(first, second, 3)
    assert found == {"rank_correlation": -1, "top_kept": pytest.approx(2 / 3), "top": 3, "best_rank": 3}
    assert compared(first, np.array([6]), 3) == {"rank_correlation": None, "top_kept": 0, "top": 3, "best_rank": None}
    assert compared(first[:0], second[:0], 3)["top_kept"] is None


def test_rank_correlation_is_kendalls():
    rng = np.random.default_rng(3)
    first, second = rng.permutation(30), rng.permutation(30)
    places = [np.argsort(order) for order in (first, second)]
    assert compared(first, second, 5)["rank_correlation"] == pytest.approx(kendalltau(*places)[0], abs=1e-12)
