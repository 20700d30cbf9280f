"""Silhouette: the shadow of a mesh and its top surface against closed forms."""

import numpy as np
import pytest
import shapely
import trimesh

from get2d.silhouette import silhouette
from grasp import PerceptionError, Reason
from grasp.mesh import Mesh
from tests.seen import LARGEST, SETTINGS


def view(solid, lift=0.0):
    """Return a trimesh solid as a Mesh standing on the table, `lift` metres above it."""
    return Mesh(solid.vertices - [0, 0, solid.bounds[0, 2] - lift], solid.faces)


def test_box_is_its_rectangle():
    polygon, heights, notes = silhouette(view(trimesh.creation.box((0.06, 0.04, 0.05))), SETTINGS)
    assert polygon.symmetric_difference(shapely.box(-0.03, -0.02, 0.03, 0.02)).area < 1e-12
    np.testing.assert_allclose(heights.height, 0.05, atol=1e-9)
    assert heights.height.shape == (40, 60)
    assert notes == ()


def test_ring_keeps_its_hole_and_has_no_height_in_it():
    solid = trimesh.creation.annulus(0.02, 0.04, 0.03, sections=128)
    polygon, heights, _ = silhouette(view(solid), SETTINGS)
    assert len(polygon.interiors) == 1
    assert abs(polygon.area / (np.pi * (0.04**2 - 0.02**2)) - 1) < 0.03
    assert np.isnan(heights.top_near(np.zeros((1, 2)), 0.001)).all()


def test_top_of_a_ball_is_a_sphere():
    solid = trimesh.creation.icosphere(subdivisions=4, radius=0.03)
    _, heights, _ = silhouette(view(solid), SETTINGS)
    rows, columns = np.nonzero(np.isfinite(heights.height))
    rho = np.hypot(*(heights.corner[:, None] + heights.cell * np.array([columns, rows])))
    inner = rho < 0.025
    expected = 0.03 + np.sqrt(0.03**2 - rho[inner] ** 2)
    np.testing.assert_allclose(heights.height[rows, columns][inner], expected, atol=1e-4)  # facets lie below the ball


@pytest.mark.parametrize("flip", [False, True])
def test_winding_does_not_matter(flip):
    solid = trimesh.creation.cylinder(0.02, 0.05, sections=48)
    if flip:
        solid.invert()
    polygon, heights, _ = silhouette(view(solid), SETTINGS)
    assert abs(polygon.area / (np.pi * 0.02**2) - 1) < 0.06
    assert np.isclose(np.nanmax(heights.height), 0.05)


def test_overhang_counts():
    post, head = trimesh.creation.box((0.02, 0.02, 0.06)), trimesh.creation.box((0.08, 0.03, 0.01))
    head.apply_translation([0, 0, 0.035])
    polygon, _, _ = silhouette(view(trimesh.util.concatenate([post, head])), SETTINGS)
    assert polygon.symmetric_difference(shapely.box(-0.04, -0.015, 0.04, 0.015)).area < 1e-12


def test_separate_bodies_are_several_objects():
    parts = [trimesh.creation.box((0.02, 0.02, 0.02)), trimesh.creation.box((0.03, 0.03, 0.02))]
    parts[1].apply_translation([0.1, 0, 0])
    mesh = view(trimesh.util.concatenate(parts))
    with pytest.raises(PerceptionError) as error:
        silhouette(mesh, SETTINGS)
    assert error.value.reason is Reason.SEVERAL_OBJECTS
    polygon, _, notes = silhouette(mesh, LARGEST)
    assert np.isclose(polygon.area, 9e-4)
    assert notes == ("The largest of 2 objects was taken; they have 900, 400 cells.",)


def test_mesh_without_a_shadow():
    wall = Mesh(np.array([[0, 0, 0], [0.1, 0, 0], [0, 0, 0.1]]), np.array([[0, 1, 2]]))
    with pytest.raises(PerceptionError) as error:
        silhouette(wall, SETTINGS)
    assert error.value.reason is Reason.EMPTY_MASK
