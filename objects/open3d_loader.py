"""Open3D, imported where it is used and with the system library it lacks."""

from __future__ import annotations

import ctypes
from functools import cache
from types import ModuleType

from wrench.errors import GraspError


@cache
def open3d() -> ModuleType:
    """Return the module Open3D. The first call takes about a second.

    Open3D needs the system library libusb-1.0, which a fresh machine does not have. The wheel libusb-package carries it;
    loaded beforehand with global symbols, it is the one that Open3D finds.

    Raises
    ------
    GraspError
        One of the two is not installed; the message holds the command that installs both.
    """
    try:
        import libusb_package

        ctypes.CDLL(str(libusb_package.get_library_path()), ctypes.RTLD_GLOBAL)
        import open3d as module
    except (ImportError, OSError) as error:
        message = f"Open3D cannot be loaded ({error}); install it with: pip install open3d libusb-package"
        raise GraspError(message) from error
    return module
