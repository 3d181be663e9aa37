"""The measuring program: figures for every variant, and every packet accounted for while it measures."""
import json
import os
import subprocess

import pytest

from conftest import binary_path
from session import eal_args

LOCKSTEP = binary_path().parent / "tests/bench/lockstep"
PLUGIN = binary_path().parent / "tests/model_nic/model_nic.so"


def measure(tmp_path, line, model="xl710,verify,flows=16*2", mode="step"):
    report = tmp_path / "report.json"
    argv = [str(LOCKSTEP), *eal_args(), "-d", str(PLUGIN), "--iova-mode=va", "--log-level=error", "--", "-i", "--no-mlockall", "--no-flush-rx"]
    environ = {**os.environ, "MODEL_NIC": model, "MODEL_NIC_MODE": mode, "MODEL_NIC_REPORT": str(report), "XDG_STATE_HOME": str(tmp_path)}
    done = subprocess.run(argv, input=f"set output json\n{line}\nquit\n", capture_output=True, text=True, env=environ, check=False, timeout=120)
    answer = next(json.loads(text) for text in done.stdout.splitlines() if '"command": "lockstep' in text)
    return answer, json.loads(report.read_text(encoding="ascii"))["ports"]


@pytest.mark.parametrize("kib", [0, 512])
def test_figures(tmp_path, kib):
    variants = ["io", "recycle_mbufs", "mac", "recycle_mbufs,recycle-mode=off,recycle-rewrite=mac"]
    answer, ports = measure(tmp_path, f"lockstep evict {kib} rounds 8 samples 5 {' '.join(variants)}")
    assert answer["ok"], answer
    assert [one["variant"] for one in answer["variants"]] == variants
    for one in answer["variants"]:
        assert one["batches"] > 0 and one["starved"] == one["dropped"] == 0
        assert 0 < one["p5"] <= one["median"] <= one["p90"] and one["ratio"] > 0
    for port in ports:
        assert port["corrupted"] == port["duplicated"] == port["foreign"] == port["armed_twice"] == port["armed_in_tx"] == 0
        assert port["ok"] > 0 and port["reordered"] == 0


@pytest.mark.parametrize("line, mode, words", [
    ("lockstep evict 0 rounds 8 samples 5 nosuch", "step", ("nosuch", "want ENGINE")),
    ("lockstep evict 0 rounds 8 samples 5 io,burst", "step", ("burst", "want SETTING=VALUE")),
    ("lockstep evict 0 rounds 8 samples 5 io,nosuch=1", "step", ("nosuch", "no such setting")),
    ("lockstep evict 0 rounds 8 samples 5 recycle_mbufs,recycle-mode=3", "step", ("recycle-mode", "off")),
    ("lockstep evict 0 rounds 8 samples 5 io", "thread", ("MODEL_NIC_MODE=step",)),
])
def test_bad_input(tmp_path, line, mode, words):
    answer, _ = measure(tmp_path, line, "xl710*2", mode)
    assert not answer["ok"] and all(word in answer["error"]["message"] for word in words), answer
