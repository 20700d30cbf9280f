"""How arrays of any batch shape reach the kernels: one batch axis, contiguous, read-only."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wrench.contacts import Contacts
from wrench.errors import InvalidValue


def flat(field: str, array: ArrayLike, batch: tuple[int, ...], own: tuple[int, ...] = ()) -> NDArray[np.float64]:
    """Return `array`, broadcast to (*batch, *own), as (n, *own).

    Raises
    ------
    InvalidValue
        Its shape does not broadcast to the batch.
    """
    try:
        whole = np.broadcast_to(np.asarray(array, float), batch + own)
    except ValueError:
        raise InvalidValue(f"{field}.shape", np.shape(array), f"broadcastable to the contacts' {batch + own}") from None
    rows = np.ascontiguousarray(whole).reshape(-1, *own)
    rows.setflags(write=False)  # of this view only; one kind of array means one compiled kernel
    return rows


def flat_contacts(contacts: Contacts) -> Contacts:
    """Return the same contacts with one batch axis."""
    if len(contacts.batch) == 1:
        return contacts
    return contacts.reshape(int(np.prod(contacts.batch)))


def made_rows(contacts: Contacts, rows: NDArray[np.intp], k: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return points and normals (m, k, d) of the made contacts of grasps `rows` (m,), which have exactly k of them each."""
    if len(rows) == len(contacts) and contacts.made.shape[-1] == k:
        return contacts.points, contacts.normals  # the usual case: nothing to pick, nothing to copy
    made, shape = contacts.made[rows], (k, contacts.dimension)
    points, normals = (a[rows][made].reshape(-1, *shape) for a in (contacts.points, contacts.normals))
    return flat("points", points, rows.shape, shape), flat("normals", normals, rows.shape, shape)
