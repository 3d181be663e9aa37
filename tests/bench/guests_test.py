# SPDX-License-Identifier: BSD-3-Clause
"""Two guests over engines of a known speed: the calculation, what is read of the program's answers, and the engines' clock."""
import os
import pathlib
from types import SimpleNamespace

import pytest

import guests
import published

BUILD = pathlib.Path(os.environ.get("ZCFWD", "build/zcfwd")).resolve().parent
LOCKSTEP = str(BUILD / "tests/bench/lockstep")


@pytest.mark.parametrize("lcore, gigabytes, latency, expected", [
    (2000, 60, 0, 2000),  # the lcore is the slowest part
    (2000, 15, 0, 4000),  # an engine is
    (2000, 60, 100_000, (2000 + 2 * 1000 + 2 * 100_000) / 32),  # as often as 32 packets come round
])
def test_with_engine(lcore, gigabytes, latency, expected):
    assert guests.with_engine(lcore, 60_000, gigabytes, latency, 32) == expected


@pytest.mark.parametrize("gain", [0.22, 0.3, 0.37, 1])
def test_needed(gain):
    """An engine of the least speed and the longest latency has exactly that gain; a slower or a later one has less."""
    cpu, lcore, size = 10_000, 2500, 60_000
    speed, latency = guests.speed_for(gain, cpu, lcore, size), guests.latency_for(gain, cpu, lcore, size)
    assert cpu / guests.with_engine(lcore, size, speed, latency) == pytest.approx(1 + gain)
    assert cpu / guests.with_engine(lcore, size, speed * 0.99, latency) < (1 + gain) * 0.995
    assert cpu / guests.with_engine(lcore, size, speed, latency * 1.01) < (1 + gain) * 0.9999


def test_not_needed():
    """No engine helps an lcore that is too slow."""
    assert guests.speed_for(0.3, 1000, 900, 60_000) is None and guests.latency_for(0.3, 1000, 900, 60_000) is None


def answer(tx, cycles, seconds):
    """The first two streams are the lcore's; the guests' do not count."""
    mine, others = {"tx": tx, "busy_cycles": cycles, "tx_dropped": 0}, {"tx": 10**6, "busy_cycles": 10**12, "tx_dropped": 0}
    return {"seconds": seconds, "streams": [{"rx_port": port, **(mine if port < 2 else others)} for port in range(4)]}


def test_cost():
    before, after = answer(100, 10_000, 1), answer(200, 510_000, 1.001)
    assert guests.cost(before, after, 2500) == 2000  # 5000 cycles at 2500 MHz
    assert guests.cost(before, after, None) == pytest.approx(5000)  # 1 ms for 200 packets
    assert guests.cost(before, before, 2500) == 0


def test_samples():
    """The best of all slices of a mode, without those that had no packets."""
    order = ["a", "b", "b", "a"] * 3
    costs = [[0, 40, 10], [1], [2], [30, 20, 50]] * 3
    assert guests.samples_of(("a", "b"), order[:10], costs[:10]) == {"a": [10], "b": [1]}
    assert guests.samples_of(("a",), ["a"] * 10, [[0]] * 5 + [[7]] * 5) == {"a": [0, 7]}


def run_of(**values):
    return SimpleNamespace(values={"dma/guests/mbuf8192": {"cpu": [8000] * 3, "adaptive": [1600] * 3}, **values})


def test_rows():
    """Of published.py: a run without the case has no cell."""
    assert published.Needed(8192, "adaptive", 0.37).text(run_of()) == "9.8 GB/s (9.8-9.8), up to 87 us, modelled"
    assert published.Needed(8192, "adaptive", 9).text(run_of()) == "none: the lcore alone takes too long, modelled"
    assert published.Engine(8192, "adaptive", 16).text(run_of()) == "+123 %; +123 %; +23 %, modelled"
    timed = run_of(**{"dma/guests/mbuf8192/2000": {"adaptive": [30_000, 29_000, 40_000]}})
    assert published.Clocked(8192, "adaptive", 2000).text(timed) == "28.7 us, measured 29.0 us, modelled"
    assert not published.Clocked(8192, "adaptive", 2000).text(run_of())
    assert not any(row.text(SimpleNamespace(values={})) for row in (published.Needed(8192, "adaptive", 0.37), published.Engine(8192, "adaptive", 16)))


@pytest.fixture
def setup(tmp_path):
    return SimpleNamespace(binary={"a": str(BUILD / "zcfwd")}, cores=(0, min(1, os.cpu_count() - 1)), hugepages=False, folder=str(tmp_path),
                           run_id="guests%d" % os.getpid(), runs=1, trial=True)


def test_clock(setup):
    """No slice is faster than the engine's clock. On a machine that others use it is slower; engine_clock_test.c has the other bound."""
    case = next(one for one in guests.make_cases() if one.name.endswith("mbuf8192/2000"))
    found = case.measure(setup, LOCKSTEP)
    copy = guests.packet_bytes(8192) / 2
    for mode in ("dma", "adaptive"):
        assert found[mode][0] > 0.9 * copy, found
    assert 0 < found["cpu"][0]


def test_drops_are_refused(setup, monkeypatch):
    """Fewer packets in the loop would be a smaller window."""
    monkeypatch.setattr(guests, "BURSTS", 64)  # more than a guest's ring has room for
    case = next(one for one in guests.make_cases() if one.name.endswith("mbuf8192"))
    with pytest.raises(ValueError, match="packets were dropped"):
        case.measure(setup, LOCKSTEP)


def test_lcore(setup):
    """Over engines that take no time the lcore alone is measured: handing over 56 KB costs it less than copying."""
    case = next(one for one in guests.make_cases() if one.name.endswith("mbuf8192"))
    found = case.measure(setup, LOCKSTEP)
    assert 0 < found["adaptive"][0] < found["cpu"][0], found
