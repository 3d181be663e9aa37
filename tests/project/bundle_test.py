# SPDX-License-Identifier: BSD-3-Clause
"""The folder that travels to a machine with a GPU: it has all that it needs, and its script proves things, and fails when they are wrong."""
import csv
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

from conftest import ROOT, binary_path
from session import lcore_args

BUILD = binary_path().parent
MOCK = BUILD / "tests/model_nic/mock/mock.so"  # built where the drivers' sources are
LIBC = re.compile(r"(ld-linux.*|lib(c|m|dl|rt|pthread|resolv|util)\.so.*)")


@pytest.fixture(scope="module")
def bundle(tmp_path_factory):
    if not (BUILD / "build.ninja").exists():
        pytest.skip("the program is not in the folder where it was built")
    folder = tmp_path_factory.mktemp("far") / "away"
    done = subprocess.run([ROOT / "devtools/bundle", BUILD, folder], capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    yield folder
    shutil.rmtree(folder)


def bare(**more):
    """An environment of its own."""
    return {"PATH": "/usr/bin:/bin", "ZCFWD_CHECK": "1", **more}


def run_gpu(bundle, to, *options, **env):
    done = subprocess.run([bundle / "run-gpu", to, "--quick", *options], capture_output=True, text=True, check=False, cwd="/", env=bare(**env), timeout=400)
    return done, to / "report.md"


def test_own_libraries(bundle):
    """From anywhere, without an environment: what is loaded is the bundle's, but libc."""
    child = subprocess.Popen([bundle / "zcfwd", *lcore_args("0"), "--no-huge", "-m", "128", "--no-shconf", "--no-pci", "--no-telemetry", "--file-prefix=bundle",
                              "--vdev=net_null0", "--", "-i", "--no-mlockall", "--total-num-mbufs=2048"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                             cwd="/", env=bare())
    try:
        for line in child.stdout:
            if line.startswith("Done"):
                break
        maps = pathlib.Path(f"/proc/{child.pid}/maps").read_text(encoding="ascii")
        text, _ = child.communicate("quit\n", timeout=60)
    finally:
        child.kill()
    assert "Bye..." in text and child.returncode == 0
    loaded = {pathlib.Path(path) for path in re.findall(r"\s(/\S+\.so[.\d]*)$", maps, re.M)}
    strange = {str(path) for path in loaded if bundle not in path.parents and not LIBC.fullmatch(path.name)}
    assert not strange and any(path.name.startswith("librte_net_null") for path in loaded), strange or loaded


def test_size(bundle):
    assert sum(path.stat().st_size for path in bundle.rglob("*")) < 64 << 20


def test_without_gpu(bundle, tmp_path):
    """It says why there is none, does what needs none, and that is no failure."""
    if pathlib.Path("/dev/nvidiactl").exists():
        pytest.skip("here is a GPU")
    done, report = run_gpu(bundle, tmp_path, "--parts=machine,checks,bench", LD_LIBRARY_PATH=str(tmp_path))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "no CUDA driver found" in report.read_text(encoding="utf-8")
    assert "a driver of another version | ok" in report.read_text(encoding="utf-8")
    assert not (tmp_path / "bench.csv").exists()


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="needs two CPUs")
def test_standin(bundle, tmp_path):
    """All checks and a few points of the bench, over the stand-in."""
    done, report = run_gpu(bundle, tmp_path, "--parts=machine,checks,bench", "--standin", OUT="/nowhere")
    assert done.returncode == 0, done.stdout + done.stderr
    with open(tmp_path / "checks.csv", encoding="utf-8") as f:
        checks = list(csv.reader(f))[1:]
    assert len(checks) >= 25 and {row[1] for row in checks} <= {"ok", "refused"}, checks
    with open(tmp_path / "bench.csv", encoding="utf-8") as f:
        points = list(csv.DictReader(f))
    assert len(points) >= 24 and all(float(point["Mpps"]) > 0 and not point["failure"] for point in points if point["batch"]), points
    text = report.read_text(encoding="utf-8")
    assert "figures mean nothing" in text and "Target at 1500 bytes" in text, text
    assert len(list(tmp_path.iterdir())) <= 8


def test_wrong_results_fail(bundle, tmp_path):
    """A GPU that makes mistakes does not pass."""
    done, report = run_gpu(bundle, tmp_path, "--parts=checks", "--standin", FAKE_CUDA="wrong=1000")
    assert done.returncode == 1 and "'wrong': 1" in report.read_text(encoding="utf-8"), done.stdout + done.stderr


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="needs two CPUs")
def test_lab(bundle, tmp_path):
    """Rows of cards and of hardware counters, over modelled cards and a simulated CPU: each is in the file, and said to be modelled."""
    ticks = os.environ.get("PERF_TICKS", "")
    done = subprocess.run([bundle / "run-lab", tmp_path, "--quick", "--no-huge", "--nic", "model", "--load", "100000", "--unequal", "60", "--only", "^(nic/extbuf|nic/recycle/no|nic/pipeline/vector|pmu/vector/ipc)"], capture_output=True, text=True,
                          check=False, cwd="/", env=bare(LD_PRELOAD=ticks), timeout=400)
    assert done.returncode == 0, done.stdout + done.stderr
    (path,) = tmp_path.glob("lab-*.csv")
    with open(path, encoding="utf-8") as f:
        cases = {row["case"] for row in csv.DictReader(line for line in f if not line.startswith("#"))}
    assert cases == {"nic/extbuf/cycles", "nic/recycle/no-fast-free/cycles", "nic/pipeline/vector/cycles", *(["pmu/vector/ipc"] if ticks else [])}, done.stdout + done.stderr
    for row in ("1 lcore, a card", "without, cards", "vector, a card"):
        assert re.search(row + r" .*, modelled\n", done.stdout), done.stdout
    assert re.search(r"ipc, vector .* modelled\n" if ticks else r"ipc, vector .* waits for hardware counters\n", done.stdout), done.stdout


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="needs two CPUs")
def test_trial(bundle, tmp_path):
    """One sample each: a row has a figure, or says why not. Its file is refused by the page of figures."""
    done = subprocess.run([bundle / "run-lab", tmp_path, "--trial", "--no-huge", "--only", "^(extbuf/(null|mlx5)|l3fwd/recycled/lpm/xl710)"], capture_output=True, text=True,
                          check=False, cwd="/", env=bare(), timeout=200)
    assert done.returncode == 1 and "A trial: one sample per row" in done.stdout, done.stdout + done.stderr
    (path,) = tmp_path.glob("lab-*.csv")
    with open(path, encoding="utf-8") as f:
        rows = [row for row in csv.DictReader(line for line in f if not line.startswith("#"))]
    assert {row["sample"] for row in rows} == {"1"} and {row["case"] for row in rows} == {"extbuf/null/64", *(["extbuf/mlx5/64"] if MOCK.exists() else [])}, done.stdout
    assert re.search(r"DPDK's l3fwd +\S+.*failed: DPDK's l3fwd is built from the tree", done.stdout), done.stdout
    page = subprocess.run([sys.executable, ROOT / "tests/bench/published.py", path], capture_output=True, text=True, check=False, timeout=60)
    assert page.returncode == 1 and "it is a trial" in page.stderr


def test_bad_input(bundle, tmp_path):
    done, _ = run_gpu(bundle, tmp_path, "--parts=all")
    assert done.returncode == 2 and "expected some of machine,checks,bench,lcores" in done.stderr
    done = subprocess.run([bundle / "run-lab", tmp_path, "--only=^nix"], capture_output=True, text=True, check=False, cwd="/", env=bare(), timeout=60)
    assert done.returncode == 1 and "--only ^nix: expected" in done.stderr and not list(tmp_path.glob("lab-*")), done.stdout + done.stderr
    full = tmp_path / "full"
    full.mkdir()
    (full / "precious").touch()
    done = subprocess.run([sys.executable, ROOT / "devtools/bundle", BUILD, full], capture_output=True, text=True, check=False, env=dict(os.environ), timeout=300)
    assert done.returncode == 1 and "is no bundle" in done.stderr and (full / "precious").exists()
