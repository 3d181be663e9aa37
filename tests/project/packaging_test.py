# SPDX-License-Identifier: BSD-3-Clause
"""Debian and RPM packages, of amd64: their version comes from meson.build and doc/changelog.md alone; each installed file is in one package."""
import fnmatch
import glob
import json
import os
import re
import shutil
import subprocess

import pytest

from conftest import ROOT, binary_path
from modelled import needs_model_nic

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
    for path in (*(ROOT / "devtools/debian").rglob("*"), ROOT / "devtools/zcfwd.spec"):
        assert path.is_dir() or VERSION not in path.read_text(), path


@needs_model_nic
@pytest.mark.skipif(not glob.glob("/usr/lib/*/dpdk/pmds-23.0/librte_net_null.so.23*"), reason="no Debian package of DPDK 22.11")
def test_recommended_drivers_exist():
    """Each driver that devtools/debian/rules recommends is one of this DPDK."""
    rules = (ROOT / "devtools/debian/rules").read_text().replace("\\\n", " ")
    names = [name for line in re.findall(r"(?m)^\w*DRIVERS = (.*)$", rules) for name in line.split()]
    assert {"net_e1000", "net_igc", "net_vmxnet3", "net_ena", "net_bnxt"} < set(names)
    assert [name for name in names if not glob.glob(f"/usr/lib/*/dpdk/pmds-23.0/librte_{name}.so.23*")] == []


def debian_files():
    """Of each package the patterns of its files, relative to the root."""
    rules = (ROOT / "devtools/debian/rules").read_text()
    packages = {path.stem: [line for line in path.read_text().split() if not line.startswith("debian/")] for path in (ROOT / "devtools/debian").glob("*.install")}
    for plugin, package in re.findall(r"debian/tmp/(\S+)\); do dh_install -p (\S+) ", rules):
        packages[package].append(plugin)
    return packages


def rpm_files():
    spec = (ROOT / "devtools/zcfwd.spec").read_text()
    folders = {"_prefix": "usr", "_bindir": "usr/bin", "_libexecdir": "usr/libexec", "_includedir": "usr/include", "_libdir": "usr/lib/*", "_datadir": "usr/share", "_mandir": "usr/share/man"}
    packages = {}
    for name, lines in re.findall(r"(?ms)^%files(.*?)$(.*?)(?=^%files|\Z)", spec):
        packages[name.split(" -f ")[0].split()[-1] if name.split(" -f ")[0].strip() else "zcfwd"] = [
            re.sub(r"%\{(\w+)\}", lambda found: folders[found[1]], line) for line in re.findall(r"(?m)^%\{.*$", lines) if not re.search(r"/zcfwd-(report|openmetrics|otg)\.1", line)]
    for package, plugin in re.findall(r"(?m)^list (\S+) (\S+\.so)$", spec):
        packages[package].append(f"usr/lib/*/zcfwd/{plugin}")
    return packages


@needs_model_nic
@pytest.mark.parametrize("packages", [debian_files, rpm_files])
def test_each_file_is_in_one_package(packages):
    """And each line of a package has a file, but for plugins that are not in every build; a file that is installed twice is listed once."""
    listed = json.loads(subprocess.run(["meson", "introspect", "--installed", binary_path().parent], check=True, capture_output=True, text=True, timeout=60).stdout)
    files = [re.sub("^/usr/local/lib(64)?/(?=lib|pkgconfig|zcfwd)", "/usr/local/lib/any/", path).replace("/usr/local/", "usr/", 1) for path in listed.values()]
    patterns = [(package, pattern) for package, of in packages().items() for pattern in of]
    assert len(files) > 12 and len(patterns) > 12

    def has(pattern, path):
        return fnmatch.fnmatch(path, pattern) or fnmatch.fnmatch(path, pattern + "/*")
    for path in files:
        owners = {package for package, pattern in patterns if has(pattern, path)}
        assert len(owners) == 1, f"{path}: {owners}"
    idle = {pattern for package, pattern in patterns if not any(has(pattern, path) for path in files)}
    assert {pattern.rsplit("/", 1)[1] for pattern in idle} <= {"recycle.so", "dma_adaptive.so", "wireshark", "zcfwd-extcap"}
