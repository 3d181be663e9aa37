# SPDX-License-Identifier: BSD-3-Clause
"""Cases, choices and tables of the driver benchmark, on answers made up here; and the intervals that all benchmarks state."""
import re

import pytest

import drivers
import summary


def answer(*medians, core=0.15, crowded=False, starved=0):
    """What lockstep says of so many variants."""
    return {"ok": True, "core": core, "crowded": crowded, "variants": [
        {"variant": str(place), "median": median, "p5": median - 1, "p90": median + 2, "ratio": median / medians[0], "ratio_all": 1.1 * median / medians[0], "pairs": 3,
         "batches": 100, "shared": 7, "starved": starved, "tx_full": 0} for place, median in enumerate(medians)]}


def case(*answers, variants=("io", "mac"), ring=1024, cache="hot"):
    made = drivers.Case(drivers.Config("xl710", 256, ring, "fast-free"), "group", variants, cache)
    made.answers += answers
    return made


def test_cases():
    everything = drivers.make_cases("", False)
    assert set(drivers.make_cases("", True)) < set(everything)
    widths = 4 if drivers.I40E_BITS == 128 else 3
    assert len([name for name in everything if name.startswith("xl710/")]) == (
        widths * 2 * (3 * 4 * (len(drivers.GROUPS) - len(drivers.PORTS) - 1) + 1 * 2 * (len(drivers.PORTS) - len(drivers.SIZED)))
        + 2 * 2 * 4 * len(drivers.WORKING_SET_RINGS) + 2 * 2 * 2 * len(drivers.SIZED_RINGS))
    assert len([name for name in everything if re.search("/working-set-", name)]) == 3 * 2 * 2 * 4
    [sized] = drivers.make_cases("^xl710/512bit/ring2048/fast-free/working-set-1500/hot", False).values()
    assert drivers.words_of(sized.config) == "xl710,size=1500;xl710,size=1500" and sized.variants == drivers.GROUPS["working-set"]
    assert list(drivers.make_cases("xl710/256bit/ring1024/fast-free/io/(hot|1M)", False)) == [
        "xl710/256bit/ring1024/fast-free/io/hot", "xl710/256bit/ring1024/fast-free/io/1M"]
    [given] = drivers.make_cases("xl710/256bit/ring1024/fast-free/given/hot", False, {"given": ["io", "mac"]}).values()
    assert given.variants == ["io", "mac"]
    assert drivers.make_cases("null", False) == {}


def test_release_without_sse(monkeypatch):
    """net_i40e's cases of 128 bits are gone; others stay, and what instructions are counted of is the next width."""
    monkeypatch.setattr(drivers, "I40E_BITS", 256)
    names = drivers.make_cases("", False)
    assert {name.split("/")[1] for name in names if name.startswith("xl710")} == {"64bit", "256bit", "512bit"}
    assert any(name.startswith("82599/128bit/") for name in names)


def test_two_drivers():
    """Ports of two drivers: each its own words, and the offload of the one that has it."""
    plain, fast = (drivers.Config("xl710+82599", 128, 1024, free) for free in ("no-fast-free", "fast-free"))
    assert drivers.words_of(plain) == "xl710;82599" and drivers.words_of(plain._replace(device="virtio-split")) == "virtio;virtio"
    assert drivers.words_of(plain._replace(ports="l3fwd")) == "xl710,rx=pcap:FOLDER/in0.pcap:0;82599,rx=pcap:FOLDER/in1.pcap:0"
    assert drivers.offloads_of(plain) == ("--tx-offloads=0x0",) and drivers.offloads_of(fast) == ()


def test_published():
    """Beside what is recycled with vectors, and nothing else."""
    mixed = drivers.Case(drivers.Config("xl710+82599", 128, 1024, "no-fast-free"), "io", drivers.GROUPS["io"], "hot")
    mixed.answers.append(answer(10, 9, 9))
    notes = [line.split("|")[-2].strip() for line in drivers.table({"a": mixed}, True).splitlines()[2:]]
    assert notes == ["", "published, l3fwd on cards: +7.5 and +13.5 %", "published, l3fwd on cards: +3.5 %"]
    # A pool's contiguous blocks were published with another system.
    bucket = drivers.Case(drivers.Config("xl710", 128, 1024, "fast-free", "bucket"), "bucket", drivers.GROUPS["bucket"], "hot")
    bucket.answers.append(answer(10, 9, 9))
    assert "published" not in drivers.table({"a": bucket}, True).splitlines()[4]


def test_shared_batches_are_reported():
    """The legend says what leaving out the batches on a shared core changed."""
    assert "With those batches included 2 of 2 ratios change by more than 1 %, the most by 10.0 %." in drivers.legend({"a": case(answer(10, 9))})


@pytest.mark.parametrize("ring, rounds", [(64, 1), (128, 2), (256, 4), (512, 8), (4096, 8)])
def test_rounds(ring, rounds):
    assert drivers.rounds_of(ring) == rounds


def test_figures():
    """Medians over runs; a ratio is the median of ratios, not the ratio of medians."""
    first, second = case(answer(10, 9), answer(20, 19), answer(30, 24)).figures(0.15)
    assert (first["median"], first["p5"], first["p90"], first["ratio"]) == (20, 19, 22, 1)
    assert (second["median"], second["ratio"], second["interval"]) == (19, 0.9, (0.8, 0.95))
    assert second["quartiles"] == (14, 21.5)
    assert (first["runs"], first["batches"], first["shared"]) == (3, 300, 21)


def test_unpaired_runs():
    """A run without a sample that has batches of both gives no ratio, not one of 0."""
    lone = answer(11, 9)
    lone["variants"][1].update(ratio=0, pairs=0)
    made = case(answer(10, 9), lone, answer(12, 11))
    first, second = made.figures(0.15)
    assert second["interval"][0] == 0.9 and second["unpaired"] == 1 and second["runs"] == 3
    assert "hot: 1 runs without a ratio" in drivers.table({"a": made}, True)
    assert "no ratio" in drivers.table({"a": case(lone)}, True) and drivers.legend({"a": case(lone)})


@pytest.mark.parametrize("bad", [answer(99, core=0.2), answer(99, crowded=True)])
def test_shared_runs_are_left_out(bad):
    [figures] = case(answer(10), bad, answer(12), variants=("io",)).figures(0.15)
    assert (figures["median"], figures["runs"]) == (11, 2)


def test_never_alone():
    """With nothing better the shared runs are shown, and it is said."""
    cases = {"a": case(answer(10, core=0.15), variants=("io",)),
             "b": case(answer(17, core=0.2), variants=("io",), ring=256)}
    assert drivers.best_core(cases) == pytest.approx(0.1525)
    lines = drivers.table(cases, True).splitlines()
    assert "core shared" not in lines[2] and "hot: core shared in every run" in lines[3]


def test_table():
    """A line per configuration and variant, a column per state of the caches."""
    cases = {"good": case(answer(10, 9, starved=3)), "cold": case(answer(20, 19), cache="2M"), "bad": case(ring=256)}
    cases["good"].failures.append("it died")
    cases["bad"].failures.append("no such program")
    lines = drivers.table(cases, True).splitlines()
    assert len({line.count("|") for line in lines}) == 1 and len(lines) == 6
    assert lines[0] == "| case | variant | hot | 2M | note |"
    assert lines[2].startswith("| xl710/256bit/ring1024/fast-free/group | io | 10.0 ±0.0 [9.0-12.0] | 20.0 ±0.0 [19.0-22.0] | hot: left")
    assert "6 batches starved" in lines[2] and "hot: 1 runs failed: it died" in lines[2]
    assert "| mac | 9.0 ±0.0 [8.0-11.0] 0.900 (0.900-0.900) | 19.0 ±0.0 [18.0-21.0] 0.950 (0.950-0.950) |  |" in lines[3]
    assert "hot: not measured; hot: 1 runs failed: no such program" in lines[4]
    assert drivers.table({}, True) == "" == drivers.legend({"bad": cases["bad"]})


@pytest.mark.parametrize("values, q, want", [([5], 0.5, 5), ([4, 2], 0.5, 3), ([3, 1, 2], 1, 3), ([10, 20, 30, 40, 50], 0.25, 20)])
def test_quantile(values, q, want):
    assert summary.quantile(values, q) == want


@pytest.mark.parametrize("n, low, high, coverage", [(1, 1, 1, 0), (7, 1, 7, 1 - 2 / 2**7), (12, 2, 11, 1 - 2 * 13 / 2**12)])
def test_median_interval(n, low, high, coverage):
    """Ranks by the binomial: 7 values reach 98.4 %."""
    found = summary.median_interval(range(n, 0, -1))
    assert (found.low, found.high) == (low, high) and found.coverage == pytest.approx(coverage)
