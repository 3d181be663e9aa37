# SPDX-License-Identifier: BSD-3-Clause
"""DPDK's own tests of dmadev, on dma_adaptive as a plugin of their program."""
import os
import re
import shutil
import subprocess

import pytest
from conftest import binary_path
from modelled import loadable

ADAPTIVE = binary_path().parent / "pmd_shims/dma/dma_adaptive.so"
SCRIPTED = binary_path().parent / "tests/fixtures/dma_scripted_plugin.so"
DPDK_TEST = shutil.which("dpdk-test")

SOAK = pytest.mark.soak  # half a minute each
pytestmark = [pytest.mark.skipif(not ADAPTIVE.exists(), reason="built without DPDK's source"),
              pytest.mark.skipif(DPDK_TEST is None, reason="no dpdk-test: package dpdk-dev")]


def autotest(engine, arguments, min_len):
    """What dmadev_autotest says of dma_adaptive0 over the engine."""
    lcores = ",".join(map(str, sorted(os.sched_getaffinity(0))[:2]))
    done = subprocess.run(
        [DPDK_TEST, "--no-huge", "-m", "128", "--no-pci", "--no-shconf", "--no-telemetry", "-l", lcores, "--iova-mode=va",
         "-d", loadable(ADAPTIVE), "-d", loadable(SCRIPTED), f"--vdev={engine}0{arguments}",
         f"--vdev=dma_adaptive0,dev={engine}0,min_len={min_len}"],
        env=dict(os.environ, DPDK_TEST="dmadev_autotest"), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=200, check=False)
    text = re.sub(r"Ops submitted:[^\n]*\r", "", done.stdout + done.stderr)
    assert done.returncode == 0 and "Test OK" in text, text
    return text.split("[dma_adaptive0]")[1].split("### Test dmadev instance")[0]


# The copies of these tests are 1024 bytes long, their fills 8 to 1024.
@pytest.mark.parametrize("min_len", [0, pytest.param(512, marks=SOAK), pytest.param(2**32 - 1, marks=SOAK)])
def test_skeleton(min_len):
    said = autotest("dma_skeleton", "", min_len)
    assert "Running copy Tests" in said and "Running burst capacity Tests" in said


# An engine that tells of failures, stops at them, fills. At the longest length only what fails is the engine's.
@pytest.mark.parametrize("arguments, min_len", [("", 2**32 - 1), pytest.param(",halts=1", 0, marks=SOAK), (",lists=1", 512)])
def test_failures(arguments, min_len):
    said = autotest("dma_scripted", arguments, min_len)
    assert "Running error handling Tests" in said
    assert ("Running fill Tests" in said) == ("lists" in arguments)
