# SPDX-License-Identifier: BSD-3-Clause
"""Prints where modules for all versions of the code go below a prefix, so that this Python finds them: folder.py PREFIX"""
import re
import site
import sys

prefix = sys.argv[1].rstrip("/")
pattern = re.compile(re.escape(prefix) + r"/lib/python3(\.\d+)?/(dist|site)-packages")
found = [folder for folder in site.getsitepackages() if pattern.fullmatch(folder)]
print(found[0] if found else f"{prefix}/lib/python3.{sys.version_info[1]}/site-packages")
