# SPDX-License-Identifier: BSD-3-Clause
"""Figures of the accuracy benchmark, on packets made up here; and a short run of departures.c."""
import array
import os
import pathlib
import types
from collections import Counter

import pytest

import accuracy

HZ = 2.6e9
NS = HZ / 1e9


def run(late_ns, pps=1e6, n=1_000_010, away=(), skip=()):
    """A Run at an even rate. late_ns: of packet i. away: in ns; skip: packets that were not sent."""
    due = [round(1e12 + i * HZ / pps) for i in range(n) if i not in skip]
    late = [late_ns(i) for i in range(n) if i not in skip]
    return accuracy.Run(array.array("Q", (round(one + ns * NS) for one, ns in zip(due, late))), array.array("Q", due), HZ,
                        [tuple(1e12 + ns * NS for ns in one) for one in away])


def test_exact():
    """Packets that are all equally late are exact."""
    found = accuracy.rate_figures(run(lambda i: 120), 1e6, "even")
    for line in accuracy.LINES:
        assert found[line + ": 1 ms worst %"] == pytest.approx(0, abs=1e-9)
        assert found[line + ": within 1 % %"] == found[line + ": windows %"] == 100
        assert found[line + ": late p99.9 ns"] == pytest.approx(120, abs=1)
    assert found["all: 1 s %"] == pytest.approx(0, abs=1e-9)
    gaps = accuracy.gap_figures(run(lambda i: 120), 1e6, "even")
    assert gaps["all: 64 ns %"] == gaps["undisturbed: 64 ns %"] == 100 and gaps["all: back to back %"] == 0


def test_preempted():
    """The lcore is away for 3.5 ms from 100.2 ms on. It sends what is late by up to 1 ms when it comes back, and never the rest."""
    away, back = 100.2e6, 103.7e6
    one = run(lambda i: max(100, back - i * 1e3) if away <= i * 1e3 < back else 100, away=[(away, back)], skip=range(100_200, 102_700))
    found = accuracy.rate_figures(one, 1e6, "even")
    assert found["all: 1 s %"] == pytest.approx(-0.25)
    assert found["all: 1 ms worst %"] == 100 and found["all: within 1 % %"] == 99.6
    assert found["undisturbed: windows %"] == 99.5 and found["undisturbed: 1 ms worst %"] == pytest.approx(0, abs=1e-9)
    assert found["all: late max us"] == pytest.approx(1000) and found["undisturbed: late max us"] == pytest.approx(0.1, abs=0.01)
    gaps = accuracy.gap_figures(one, 1e6, "even")
    assert gaps["all: back to back %"] == pytest.approx(0.1, abs=0.01) and gaps["undisturbed: back to back %"] == 0


def test_windows_unknown():
    """Without a record of switches, no window counts as undisturbed."""
    found = accuracy.rate_figures(run(lambda i: 0)._replace(away=None), 1e6, "even")
    assert found["undisturbed: windows %"] == 0 and "undisturbed: 1 ms p50 %" not in found and found["all: windows %"] == 100


@pytest.mark.parametrize("gaps", ["even", "poisson"])
def test_gaps(gaps):
    """Every fourth packet is late by 200 ns: the gaps before and after it are wrong by 200 ns. The asked gap of poisson is that of the due times."""
    one = run(lambda i: 200 if i % 4 == 0 else 0)
    if gaps == "poisson":
        moved = array.array("Q", (due + round(400 * NS) * (i % 2) for i, due in enumerate(one.due)))
        one = one._replace(due=moved, handed=array.array("Q", (h + round(400 * NS) * (i % 2) for i, h in enumerate(one.handed))))
    found = accuracy.gap_figures(one, 1e6, gaps)
    assert found["all: 128 ns %"] == pytest.approx(50, abs=0.01) and found["all: 256 ns %"] == 100


def test_percentile():
    counts = Counter({1: 50, 2: 49, 9: 1})
    assert [accuracy.percentile(counts, q) for q in (0.5, 0.51, 0.99, 1)] == [1, 2, 2, 9]


def test_departures(tmp_path):
    """A run of the program: each packet is recorded once, in order, not before it was due. A tenth of a millisecond is that of the kernel's clock."""
    build, cpu = pathlib.Path(os.environ["ZCFWD"]).parent, min(os.sched_getaffinity(0))
    setup = types.SimpleNamespace(binary={"a": os.environ["ZCFWD"]}, cores=(cpu, cpu), hugepages=False, run_id="accuracy%d" % os.getpid(), folder=str(tmp_path))
    one, unsent = accuracy.departures(setup, str(build / "tests/bench/lockstep"), "10kpps", "even")
    assert 0.9 * accuracy.RUN_MS * 10 <= len(one.handed) + unsent < 1.8 * accuracy.RUN_MS * 10  # on a busy machine a run ends late; recorded twice, they were twice as many
    assert list(one.handed) == sorted(one.handed) and all(due <= handed for due, handed in zip(one.due, one.handed))
    gaps = sorted(later - before for before, later in zip(one.due, one.due[1:]))
    assert gaps[0] == pytest.approx(one.hz / 1e4, rel=1e-4)
    assert not list(tmp_path.iterdir())


def test_cut_file(tmp_path):
    (tmp_path / "file").write_bytes(accuracy.HEAD.pack(2, 0, 1, 0, 0, 1, 1) + bytes(16))
    with pytest.raises(ValueError, match="1 departures, 0 left out: expected 2"):
        accuracy.read(tmp_path / "file", None)
