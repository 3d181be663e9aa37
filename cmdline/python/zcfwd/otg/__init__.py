# SPDX-License-Identifier: BSD-3-Clause
"""Open Traffic Generator's API in front of a zcfwd (doc/otg.md): the program zcfwd-otg."""
from ._main import main

__all__ = ["main"]
