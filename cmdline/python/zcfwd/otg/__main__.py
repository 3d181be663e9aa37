# SPDX-License-Identifier: BSD-3-Clause
"""python3 -m zcfwd.otg"""
import sys

from . import main

sys.exit(main())
