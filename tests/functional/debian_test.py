# SPDX-License-Identifier: BSD-3-Clause
"""The version of Debian packages comes from meson.build and the sections of doc/changelog.md, and stands nowhere else."""
import glob
import os
import re
import shutil
import subprocess

import pytest

from conftest import ROOT

SCRIPT = "devtools/debian-changelog"
VERSION = re.search(r"version: '([^']*)'", (ROOT / "meson.build").read_text())[1]
EPOCH = {**os.environ, "SOURCE_DATE_EPOCH": "1700000000"}  # 2023-11-14 22:13:20 UTC


def changelog(tree):
    return subprocess.run([tree / SCRIPT], env=EPOCH, capture_output=True, text=True, timeout=60)


@pytest.fixture
def tree(tmp_path):
    """As much of the project as the version is made of, to be changed."""
    for name in (SCRIPT, "devtools/debian/control", "doc/changelog.md", "meson.build"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def section(tree, text):
    (tree / "doc/changelog.md").write_text("# Changelog\n\n" + text + "\n\n## 0.0.1\n\n- Not this.\n")


@pytest.mark.parametrize("heading,version,distribution", [
    ("Next", f"{VERSION}+20231114.221320", "UNRELEASED"),
    (VERSION, VERSION, "unstable"),
])
def test_version_is_mesons(tree, heading, version, distribution):
    section(tree, f"## {heading}\n\n- New.")
    assert changelog(tree).stdout.startswith(f"zcfwd ({version}) {distribution}; urgency=medium\n")


def test_another_version_is_refused(tree):
    section(tree, "## 99.1\n\n- New.")
    run = changelog(tree)
    assert run.returncode == 1
    assert run.stderr == f"debian-changelog: doc/changelog.md begins with 99.1: expected Next or {VERSION}, the version in meson.build\n"


def test_lines_are_the_sections(tree):
    section(tree, "## Next\n\n**New**\n- One thing ([page](page.md)) that takes so many words that they do not go into\n  a line of eighty columns.\n"
            "- `two`.\n\n**Mended**\n- Three.")
    assert changelog(tree).stdout.splitlines()[2:] == [
        "  [ New ]",
        "  * One thing (page) that takes so many words that they do not go into a line",
        "    of eighty columns.",
        "  * `two`.",
        "",
        "  [ Mended ]",
        "  * Three.",
        "",
        " -- zcfwd developers <zcfwd@packages.invalid>  Tue, 14 Nov 2023 22:13:20 +0000",
    ]


def test_every_item_of_ours_is_there():
    text = (ROOT / "doc/changelog.md").read_text()
    ours = re.split(r"^## .*$", text, maxsplit=2, flags=re.M)[1]
    lines = changelog(ROOT).stdout.splitlines()
    assert sum(line.startswith("  * ") for line in lines) >= len(re.findall("^- ", ours, re.M))
    assert max(map(len, lines)) <= 80


def test_no_second_version():
    for path in (ROOT / "devtools/debian").rglob("*"):
        assert path.is_dir() or VERSION not in path.read_text(), path


@pytest.mark.skipif(not glob.glob("/usr/lib/*/dpdk/pmds-23.0/librte_net_null.so.23*"), reason="no Debian package of DPDK 22.11")
def test_recommended_drivers_exist():
    """Each driver that devtools/debian/rules recommends is one of this DPDK."""
    rules = (ROOT / "devtools/debian/rules").read_text().replace("\\\n", " ")
    names = [name for line in re.findall(r"(?m)^\w*DRIVERS = (.*)$", rules) for name in line.split()]
    assert {"net_e1000", "net_igc", "net_vmxnet3", "net_ena", "net_bnxt"} < set(names)
    assert [name for name in names if not glob.glob(f"/usr/lib/*/dpdk/pmds-23.0/librte_{name}.so.23*")] == []
