# SPDX-License-Identifier: BSD-3-Clause
"""The mutants of tests/mutants/ (devtools/mutants runs them): each still changes the source it is about, by tests that there are."""
import json
import os
import re
import subprocess

import pytest

from conftest import ROOT, binary_path

PATCHES = sorted((ROOT / "tests/mutants").glob("*.patch"))


@pytest.fixture(scope="module", name="known")
def known_tests():
    done = subprocess.run(["meson", "introspect", "--tests", binary_path().parent], capture_output=True, check=True, timeout=60)
    return {one["name"] for one in json.loads(done.stdout)}


@pytest.mark.parametrize("path", PATCHES, ids=lambda path: path.stem)
def test_fits(path, known):
    done = subprocess.run(["patch", "--dry-run", "--directory", ROOT, "-p1", "--fuzz=0", "--input", path], capture_output=True, text=True,
                          check=False, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
    head = path.read_text(encoding="utf-8").partition("\ndiff ")[0]
    assert re.search(r"^Fault: \S", head)
    if re.search(r"^Run: \S", head, re.M):
        return
    tests = set(re.search(r"^Tests: ((?:.+\n?)+)", head, re.M)[1].split())
    if not tests <= known and os.environ.get("DPDK_SOURCE") == "":
        pytest.skip("the drivers' source is not there")
    assert tests <= known
