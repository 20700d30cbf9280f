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
    k, d = contacts.points.shape[-2:]
    rows = int(np.prod(contacts.batch))
    return Contacts(
        contacts.points.reshape(rows, k, d), contacts.normals.reshape(rows, k, d), contacts.made.reshape(rows, k)
    )


def made_rows(contacts: Contacts, k: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return points and normals (n, k, d) of the made contacts of grasps (n,) that have exactly k of them each."""
    shape = (k, contacts.dimension)
    points, normals = contacts.points[contacts.made], contacts.normals[contacts.made]
    batch = (len(contacts),)
    first, second = (flat("contacts", a.reshape(-1, *shape), batch, shape) for a in (points, normals))
    return first, second
