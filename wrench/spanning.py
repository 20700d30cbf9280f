"""Positive spanning of R^3: the test behind closure in the plane, and, by the contact plane, in space.

Vectors positively span R^3 when no closed half-space holds them all; equivalently the origin lies strictly inside their
convex hull (Murray, Li & Sastry 1994, section 5.3). A half-space that held them all could be turned about the origin until
its border contains two of them, so it is enough to try the planes through every pair.
"""

from __future__ import annotations

from numba import njit

ZERO = 1e-12  # a determinant of vectors of length about 1 below this is zero


@njit(cache=True, inline="always")
def cross(a, b):
    """Return a x b of two triples."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@njit(cache=True, inline="always")
def dot(a, b):
    """Return a . b of two triples."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@njit(cache=True, inline="always")
def row(w, i):
    """Return row i of an (n, 3) array as a triple."""
    return w[i, 0], w[i, 1], w[i, 2]


@njit(cache=True)
def positively_spans(w, n):
    """Tell whether the first n rows of w, of length about 1, positively span R^3; strict."""
    independent = False
    for i in range(n - 1):
        wi = row(w, i)
        for j in range(i + 1, n):
            normal = cross(wi, row(w, j))
            least = most = 0.0
            for k in range(n):
                side = dot(normal, row(w, k))
                least, most = min(least, side), max(most, side)
            if least < -ZERO and most > ZERO:
                independent = True
            elif dot(normal, normal) >= ZERO * ZERO:
                return False
    return independent
