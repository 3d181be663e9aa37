# SPDX-License-Identifier: BSD-3-Clause
"""The mutants of tests/mutants/ (devtools/mutants runs them): each still changes the source it is about, by tests that there are."""
import importlib.machinery
import json
import os
import re
import shutil
import subprocess

import pytest

from conftest import ROOT, binary_path

PATCHES = sorted((ROOT / "tests/mutants").glob("*.patch"))


@pytest.fixture(scope="module", name="known")
def known_tests():
    done = subprocess.run(["meson", "introspect", "--tests", binary_path().parent], capture_output=True, check=True, timeout=60)
    return {one["name"] for one in json.loads(done.stdout)}


@pytest.mark.needs()
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
    if not tests <= known and (os.environ.get("DPDK_SOURCE") == "" or os.environ.get("MOCK_UNTESTED") or not shutil.which("clang")):
        pytest.skip("the drivers' source of this very release or clang is not there")
    assert tests <= known


# What made-up tests print: some of whole tests that run, fail or are skipped, and of their cases.
MADE = {
    "passes": "1..1\nok 1 - one",
    "fails": "1..1\nnot ok 1 - one",
    "skipped": "1..0 # SKIP no AVX-512",
    "cases_skipped": "1..2\nok 1 - one # SKIP no AVX-512\nok 2 - two # SKIP no AVX-512",
    "partly": "1..3\nok 1 - one\nok 2 - two # SKIP no AVX-512\nok 3 - three",
}


@pytest.fixture(scope="module", name="devtool")
def made_tree(tmp_path_factory):
    """devtools/mutants on a tree of shell scripts, in the place of its copy of this one."""
    tmp_path = tmp_path_factory.mktemp("made")
    tool = importlib.machinery.SourceFileLoader("mutants", str(ROOT / "devtools/mutants")).load_module()
    for tree in (tmp_path / "root", tmp_path / "copy"):
        tree.mkdir()
        rows = "".join(f"test('{name}', sh, args: files('{name}.sh'), protocol: 'tap')\n" for name in MADE)
        (tree / "meson.build").write_text(f"project('made')\nsh = find_program('sh')\n{rows}test('bare', sh, args: ['-c', 'exit 77'])\n", encoding="utf-8")
        for name, lines in MADE.items():
            (tree / f"{name}.sh").write_text("".join(f"echo '{line}'\n" for line in lines.splitlines()), encoding="utf-8")
    for name, path in (("ROOT", "root"), ("COPY", "copy"), ("BUILD", "copy/build"), ("LOG", "log")):
        setattr(tool, name, tmp_path / path)
    subprocess.run(["meson", "setup", tool.BUILD, tool.COPY], check=True, capture_output=True, timeout=60)
    return tool


@pytest.mark.parametrize("tests, verdict", [
    (["passes"], ("SURVIVED", "")),
    (["passes", "fails"], ("killed", "fails FAIL")),
    (["skipped", "fails"], ("killed", "fails FAIL")),
    (["skipped"], ("skipped", "skipped: no AVX-512")),
    (["cases_skipped", "skipped"], ("skipped", "cases_skipped: no AVX-512; skipped: no AVX-512")),
    (["bare"], ("skipped", "bare: skip")),
    (["partly"], ("SURVIVED", "1 of 3 cases skipped: partly: no AVX-512")),
    (["passes", "skipped"], ("SURVIVED", "1 of 2 cases skipped: skipped: no AVX-512")),
], ids=lambda value: "+".join(value) if isinstance(value, list) else value[0])
def test_verdict(devtool, tests, verdict):
    """A test that was skipped is none that passed: the verdict says so, and why."""
    assert devtool.Suite().verdict(tests) == verdict


@pytest.mark.parametrize("name, to, word", [("passes", "not ok 1 - one", "killed"), ("passes", "ok 1 - two", "SURVIVED"), ("skipped", "1..0 # SKIP worse", "skipped")])
def test_mutant_is_undone(devtool, tmp_path, name, to, word):
    """The tests run on the changed copy, which is as before afterwards."""
    line = f"echo '{MADE[name].splitlines()[-1]}'"
    n = len(MADE[name].splitlines())
    before = "".join(f" echo '{line}'\n" for line in MADE[name].splitlines()[:-1])
    patch = tmp_path / "made.patch"
    patch.write_text(f"Fault: made up\nTests: {name}\ndiff --git a/{name}.sh b/{name}.sh\n--- a/{name}.sh\n+++ b/{name}.sh\n"
                     f"@@ -1,{n} +1,{n} @@\n{before}-{line}\n+echo '{to}'\n", encoding="utf-8")
    suite = devtool.Suite()
    assert devtool.try_mutant(suite, devtool.Mutant(patch)).word == word
    assert (devtool.COPY / f"{name}.sh").read_text(encoding="utf-8").splitlines()[-1] == line
