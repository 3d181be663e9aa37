# SPDX-License-Identifier: BSD-3-Clause
"""DPDK's own tests of dmadev, on dma_adaptive as a plugin of their program."""
import os
import re
import shutil
import subprocess

import pytest
from conftest import binary_path
from modelled import loadable

ADAPTIVE = binary_path().parent / "pmd_shims/drivers/dma_adaptive/dma_adaptive.so"
SCRIPTED = binary_path().parent / "tests/fixtures/dma_scripted_plugin.so"
DPDK_TEST = shutil.which("dpdk-test")
DMA_PERF = shutil.which("dpdk-test-dma-perf")
LCORES = sorted(os.sched_getaffinity(0))[:2]
EAL = ["--no-huge", "--no-pci", "--no-shconf", "--no-telemetry", "-l", ",".join(map(str, LCORES)), "--iova-mode=va"]

SOAK = pytest.mark.soak  # half a minute each
pytestmark = [pytest.mark.skipif(not ADAPTIVE.exists(), reason="built without DPDK's source"),
              pytest.mark.skipif(DPDK_TEST is None, reason="no dpdk-test: package dpdk-dev")]


def autotest(engine, arguments, min_len):
    """What dmadev_autotest says of dma_adaptive0 over the engine."""
    done = subprocess.run(
        [DPDK_TEST, *EAL, "-m", "128", "-d", loadable(ADAPTIVE), "-d", loadable(SCRIPTED), f"--vdev={engine}0{arguments}",
         f"--vdev=dma_adaptive0,dev={engine}0,min_len={min_len}"],
        env=dict(os.environ, DPDK_TEST="dmadev_autotest"), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=200, check=False)
    text = re.sub(r"Ops submitted:[^\n]*\r", "", done.stdout + done.stderr)
    assert done.returncode == 0 and "Test OK" in text, text
    # Newer releases test more of each device before, and write error_handling.
    return re.split(r"### Test dmadev instance \d+ \[dma_adaptive0\]", text)[1].split("### Test dmadev")[0].replace("_", " ")


# The copies of these tests are 1024 bytes long, their fills 8 to 1024.
@pytest.mark.parametrize("min_len", [0, pytest.param(512, marks=SOAK), pytest.param(2**32 - 1, marks=SOAK)])
def test_skeleton(min_len):
    said = autotest("dma_skeleton", "", min_len)
    assert "Running copy Tests" in said and "Running burst capacity Tests" in said


# An engine that tells of failures, stops at them, fills. At the longest length only what fails is the engine's.
@pytest.mark.parametrize("arguments, min_len", [pytest.param("", 2**32 - 1, marks=SOAK), pytest.param(",halts=1", 0, marks=SOAK), (",lists=1", 512)])
def test_failures(arguments, min_len):
    said = autotest("dma_scripted", arguments, min_len)
    assert "Running error handling Tests" in said
    assert ("Running fill Tests" in said) == ("lists" in arguments)


# Of case1 for 24.11, GLOBAL for later releases.
PERF = """[GLOBAL]
eal_args={eal}
cache_flush=0
test_seconds=1

[case1]
eal_args={eal}
type=DMA_MEM_COPY
mem_size=4
buf_size=1024,4096,4,MUL
dma_ring_size=1024
kick_batch=32
src_numa_node=0
dst_numa_node=0
cache_flush=0
test_seconds=1
lcore_dma0=lcore={lcore},dev=dma_adaptive0,dir=mem2mem
"""


@pytest.mark.skipif(DMA_PERF is None, reason="no dpdk-test-dma-perf: DPDK 23.11 and newer")
def test_perf(tmp_path, capsys):
    """DPDK's own benchmark over the plugin: a length for the CPU and one for the engine."""
    config, result = tmp_path / "config.ini", tmp_path / "result.csv"
    eal = [*EAL, "-m", "256", "-d", loadable(ADAPTIVE), "--vdev=dma_skeleton0", "--vdev=dma_adaptive0,dev=dma_skeleton0,min_len=2048"]
    config.write_text(PERF.format(lcore=LCORES[1], eal=" ".join(eal)), encoding="ascii")
    done = subprocess.run(
        [DMA_PERF, "--config", str(config), "--result", str(result)],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=100, check=False)
    rows = [line.split(",") for line in result.read_text(encoding="ascii").splitlines() if ",dma_adaptive0," in line]
    assert [int(row[5]) for row in rows] == [1024, 4096], done.stdout + done.stderr
    with capsys.disabled():
        for row in rows:
            print(f"dma-perf: {row[5]} bytes: {row[8]} cycles, {row[9]} Gbit/s")
    assert done.returncode == 0 and all(float(row[10]) > 0 for row in rows), done.stdout + done.stderr
