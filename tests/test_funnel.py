"""Reasons and the law of the funnel: sampled = kept + rejected."""

import pickle

import numpy as np
import pytest

from grasp import Funnel, InvalidValue, PerceptionError, Reason, UnknownPreset


def random_codes(rng, n):
    return rng.choice([reason.code for reason in Reason], n).astype(np.uint8)


def test_every_reason_has_its_own_code_and_sentence():
    codes, sentences = [r.code for r in Reason], [r.sentence for r in Reason]
    assert len(set(codes)) == len(set(sentences)) == len(Reason)
    assert Reason.OK.code == 0
    for reason in Reason:
        assert Reason.from_code(np.uint8(reason.code)) is Reason(str(reason)) is reason
        assert reason.sentence[0].isupper()
        assert reason.sentence.endswith(".")
        assert reason.value == reason.name.lower()


def test_codes_written_to_files_keep_their_meaning():
    kept = {"ok": 0, "empty_mask": 2, "no_valid_depth": 7, "overlaps": 30, "too_wide": 31, "one_sided": 34}
    kept |= {"hits_table": 36, "unbalanced": 37, "gripper_in_object": 38, "no_closure": 60, "grip_shortfall": 80}
    assert {name: Reason(name).code for name in kept} == kept


def test_unknown_code_or_name_is_refused():
    with pytest.raises(InvalidValue, match="reason code = 255"):
        Reason.from_code(255)
    with pytest.raises(InvalidValue, match="reason = 'too_wyde'"):
        Reason("too_wyde")


@pytest.mark.parametrize("n", [0, 1, 1000])
def test_counts_of_codes_add_up(n):
    codes = random_codes(np.random.default_rng(n), n)
    funnel = Funnel.of(codes)
    assert funnel.sampled == n == funnel.kept + sum(funnel.rejected.values())
    assert funnel.kept == sum(code == 0 for code in codes)
    for reason in Reason:
        if reason is not Reason.OK:
            assert funnel.rejected.get(reason, 0) == sum(code == reason.code for code in codes)


def test_fresh_codes_are_all_kept():
    codes = Reason.accepted(5)
    assert codes.dtype == np.uint8
    assert Funnel.of(codes) == Funnel(5, {}, 5)


def test_sum_is_the_funnel_of_the_whole_whatever_the_split():
    codes = random_codes(np.random.default_rng(3), 500)
    for parts in (1, 2, 7):
        assert sum(map(Funnel.of, np.array_split(codes, parts)), Funnel()) == Funnel.of(codes)


@pytest.mark.parametrize(
    ("sampled", "rejected", "kept"),
    [(3, {}, 2), (3, {Reason.TOO_WIDE: 1}, 3), (0, {Reason.TOO_WIDE: -1}, 1), (1, {Reason.OK: 1}, 0), (-1, {}, -1)],
)
def test_counts_that_break_the_law_are_refused(sampled, rejected, kept):
    with pytest.raises(InvalidValue, match="funnel"):
        Funnel(sampled, rejected, kept)


def test_zeros_are_left_out_and_order_is_by_code():
    funnel = Funnel(3, {Reason.NO_CLOSURE: 1, Reason.OVERLAPS: 2, Reason.TOO_WIDE: 0}, 0)
    assert list(funnel.rejected.items()) == [(Reason.OVERLAPS, 2), (Reason.NO_CLOSURE, 1)]


def test_chief_is_the_commonest_reason_the_lowest_code_of_equals():
    assert Funnel().chief is Reason.NO_CANDIDATES
    assert Funnel(5, {Reason.NO_CLOSURE: 3, Reason.OVERLAPS: 2}, 0).chief is Reason.NO_CLOSURE
    assert Funnel(4, {Reason.NO_CLOSURE: 2, Reason.OVERLAPS: 2}, 0).chief is Reason.OVERLAPS


def test_errors_survive_the_way_out_of_a_worker_process():
    for error in (PerceptionError(Reason.EMPTY_MASK, "0 of 400 pixels are set."), UnknownPreset("gripper", "gte", ["get"])):
        copy = pickle.loads(pickle.dumps(error))
        assert str(copy) == str(error)
        assert vars(copy) == vars(error)
    assert str(PerceptionError(Reason.EMPTY_MASK, "0 px.")) == "The mask is empty: no object was found. 0 px."
