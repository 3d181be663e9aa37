# SPDX-License-Identifier: BSD-3-Clause
"""Cases and tables of the benchmarks that compare modes of an engine, on answers made up here."""
import os
import pathlib
import types

import accuracy
import bursts
import dma
import drivers
import extbuf
import frames
import machine
import mempool
import modes
import pipeline
import plugin
import pytest
import results
import wire


def case(words=("copy", "attach"), head=("bed", "64"), **answers):
    made = modes.Case("extbuf/bed/64", head, words, None)
    made.answers = answers
    return made


@pytest.mark.parametrize("made", [accuracy, bursts, dma, extbuf, mempool, pipeline, wire])
def test_cases(made):
    everything = [one.name for one in made.make_cases(False)]
    assert len(set(everything)) == len(everything)
    assert set(one.name for one in made.make_cases(True)) <= set(everything)


@pytest.mark.parametrize("sizes, counts, percent", [((0, 32), (5, 9), 100), ((0, 1, 32), (7, 3, 1), 25), ((1, 31), (1, 1), 0.01), ((0,), (4,), 0), ((), (), 0)])
def test_full_bursts(sizes, counts, percent):
    """Empty calls do not count; all streams together do."""
    one = {"rx_bursts": {"sizes": list(sizes), "counts": list(counts)}}
    assert bursts.full_percent([one, one]) == percent


REPORT = {"wire_packets": 1000, "rx_packets": 998, "rx_missed": 2, "latency_p50_ns": 500, "latency_p99_ns": 1500, "latency_p999_ns": 2500, "wire_late_ns": 200_000}
STREAMS = {"rx": 998, "tx": 998, "tx_dropped": 0, "busy_cycles": 9980}


class Scripted:
    """A process whose slices are given. waits: seconds for which the lcore waits in each of them."""

    def __init__(self, waits, report=None, streams=None):
        self.waits, self.report, self.streams = iter(waits), {**REPORT, **(report or {})}, {**STREAMS, **(streams or {})}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def slice(self, _):
        return self.report, self.streams, {"worker": next(self.waits), "model_nic": 1e-4}


N_WIRE = len(wire.SETTINGS["io"][0])


def wire_case(monkeypatch, waits, runs=3, trial=False):
    """A case of wire over scripted slices."""
    made = wire.make_cases(True)
    monkeypatch.setattr(wire, "Process", lambda _setup, _lockstep, words, *_: words.startswith("xl710,burst=1024,line=40G,rate=700") and Scripted(waits))
    monkeypatch.setattr(wire, "capacity", lambda *_: 1000)
    case = next(made)
    modes.bench({"x": case}, types.SimpleNamespace(runs=runs, trial=trial), None, lambda name: None)
    return case


@pytest.mark.parametrize("markdown", [False, True])
def test_wire_table(monkeypatch, markdown):
    """A line per setting; the slice in which the lcore waited once too long is repeated."""
    case = wire_case(monkeypatch, [1e-3, 0] + [0] * (9 * N_WIRE - 1))
    text = modes.tables({"x": case}, markdown)
    assert [len(values) for values in case.answers.values()] == [9] * N_WIRE * len(wire.FIGURES)
    assert all(text.count(f"{one} ({one}-{one})") == N_WIRE for one in ("2000.0", "0.50", "10.0"))
    assert "recycle_mbufs" in text and "left out" not in text and modes.as_json({"x": case})[0]["results"][0]["mode"] == "io: loss ppm"
    assert {one.unit for one in results.samples_of({}, {}, {"x": case})} == {"figure"}
    assert not list(results.ratios_of(list(results.samples_of({}, {}, {"x": case}))))


def test_wire_disturbed(monkeypatch):
    """A slice that was disturbed each time is left out and counted; too few others are a failure."""
    slices, early = 9 * N_WIRE, 2 * N_WIRE + 1  # the first setting has three of the early ones
    case = wire_case(monkeypatch, [1e-3] * wire.TRIES + [0] * (slices - 1))
    assert sorted({len(values) for values in case.answers.values()}) == [8, 9] and f"left out: 1 of {slices} slices" in case.note
    failed = wire_case(monkeypatch, [1e-3] * early * wire.TRIES + [0] * (slices - early)).failures[0]
    assert f"had to wait for its CPU in {early} of {slices} slices" in failed


def test_wire_trial(monkeypatch):
    """One slice of each setting does."""
    slices, early = 3 * N_WIRE, 2 * N_WIRE
    assert {len(values) for values in wire_case(monkeypatch, [1e-3] * early * wire.TRIES + [0] * (slices - early), 1, True).answers.values()} == {1}
    assert "had to wait for its CPU" in wire_case(monkeypatch, [1e-3] * slices * wire.TRIES, 1, True).failures[0]


@pytest.mark.parametrize("report, streams", [({"rx_missed": 1}, {}), ({}, {"tx": 997}), ({"rx_packets": 0, "rx_missed": 1000}, {"rx": 0, "tx": 0})])
def test_wire_law(report, streams):
    """All packets that the wire has sent are received or missed, and those received are sent or dropped."""
    with pytest.raises(ValueError, match="do not add up"):
        wire.undisturbed(Scripted([0], report, streams), ())


def test_path(tmp_path):
    """A width is that of the functions that the driver chose, or the case fails."""
    program = tmp_path / "lockstep"
    program.write_text("""#!/bin/sh
echo '{"command": "show rxq info 0 0", "ok": true, "burst_mode": "Vector SSE"}'
echo '{"command": "lockstep io", "ok": true}'
""")
    program.chmod(0o755)
    config = {width: drivers.Config("xl710", width, 1024, "fast-free") for width in (128, 256)}
    assert len(drivers.ask([str(program)], "", ["lockstep io"], drivers.path_of(config[128]))) == 1
    with pytest.raises(ValueError, match="net_i40e chose Vector SSE on this CPU: expected Vector AVX2"):
        drivers.ask([str(program)], "", ["lockstep io"], drivers.path_of(config[256]))
    assert drivers.path_of(drivers.Config("82599", 128, 1024, "fast-free")) == ""


def test_plugin(tmp_path):
    """EAL refuses plugins below a folder that everybody may write to: of a build there, a copy elsewhere."""
    built = tmp_path / "build/pmd_shims/drivers/model_nic/model_nic.so"
    built.parent.mkdir(parents=True)
    built.write_bytes(b"a plugin")
    tmp_path.chmod(0o777)
    path = pathlib.Path(modes.plugin_of(str(tmp_path / "build/tests/bench/lockstep")))
    assert path.read_bytes() == b"a plugin" and path.name == built.name
    assert not any(folder.stat().st_mode & 0o002 for folder in path.parents)
    assert plugin.loadable("/usr/bin/env") == str(pathlib.Path("/usr/bin/env").resolve())


def test_ping_pong_ends(monkeypatch):
    """Laps that take long, as on one CPU, are fewer; the process does not die of them."""
    cpu = min(os.sched_getaffinity(0))
    alarms = []
    monkeypatch.setattr(machine.signal, "alarm", alarms.append)
    assert machine.ping_pong_ns((cpu, cpu), laps=100_000, seconds=0) > 0
    assert alarms[-1] == 0


def test_page_folder(tmp_path, monkeypatch):
    """It needs no program that mounts; the reason of a kernel that refuses names the folder."""
    monkeypatch.setenv("PATH", str(tmp_path))
    mounts = pathlib.Path("/proc/mounts")
    try:
        with machine.HugepageFolder(tmp_path) as folder:
            assert f" {folder} hugetlbfs " in mounts.read_text(encoding="utf-8")
    except OSError as error:
        assert "mount: " in str(error) and error.filename == str(tmp_path / "pages")
    assert str(tmp_path) not in mounts.read_text(encoding="utf-8")


def test_empty_pool(monkeypatch):
    """A slice in which the pool became empty has no rate, and its sample does not count."""
    cells = [{"lcores": 1, "put": put, "keep": keep, "get": 15, "results": [{"cache": 0, "contiguous": False, "rate": 10.0}, {"cache": 0, "contiguous": True, "rate": 0}]}
             for put in mempool.PUTS for keep in mempool.KEEPS]
    monkeypatch.setattr(mempool.modes, "ask", lambda argv, lines: [{"command": lines[0], "cells": cells}])
    made = next(mempool.make_cases(True))
    modes.bench({"x": made}, types.SimpleNamespace(runs=1, trial=True, hugepages=True, run_id="x"), "lockstep", lambda name: None)
    assert made.answers == {"plain": [100.0], "contiguous": [0]} and not made.failures and not list(made.figures())


def test_chosen():
    assert list(modes.chosen(extbuf.make_cases(False), "^extbuf/(null|storage)/1500$")) == ["extbuf/null/1500", "extbuf/storage/1500"]
    assert modes.chosen(pipeline.make_cases(False), "^null/") == {}


CONFIGURATION = """[case1]
type=DMA_MEM_COPY
mem_size=10
buf_size=64,8192,2,MUL
dma_ring_size=1024
kick_batch=32
src_numa_node=0
dst_numa_node=1
cache_flush=0
test_seconds=2
lcore_dma=lcore10@ffff:00:04.2, lcore11@ffff:00:04.3
eal_args=--in-memory

[case2]
type=CPU_MEM_COPY
buf_size=1024
lcore = 3, 4

[case3]
type=DMA_MEM_COPY
buf_size=1024,3072,1024,ADD
kick_batch=16,64,2,MUL
lcore_dma0="lcore=10,dev=ffff:00:04.2,dir=mem2mem"
[other]
type=NOTHING
"""


def test_configuration(tmp_path):
    """Files of dpdk-test-dma-perf, of both forms; engines that this machine has not become software ones."""
    path = tmp_path / "config.ini"
    path.write_text(CONFIGURATION, encoding="ascii")
    cases = list(dma.ini_cases(path, None))
    assert [one.name for one in cases[:2]] == ["dma/ini/case1/64/ring1024/batch32", "dma/ini/case1/128/ring1024/batch32"]
    assert [one.name for one in cases[8:]] == ["dma/ini/case2/1024/ring1024/batch32"] + [
        f"dma/ini/case3/{size}/ring1024/batch{batch}" for size in (1024, 2048, 3072) for batch in (16, 32, 64)]
    assert cases[0].head == ("dma ini case1", "nodes 0 1, ring 1024, batch 32", "64")
    assert "dma" not in cases[8].modes


@pytest.mark.parametrize("words", ["x", "64,128", "64,128,1,MUL", "64,128,0,ADD", "64,128,2,DIV", "-1"])
def test_bad_numbers(words):
    with pytest.raises(ValueError, match="expected a number, or FROM,TO,STEP,MUL"):
        dma.numbers({"buf_size": words}, "buf_size", 64)


def test_better():
    """Adaptive against whichever of both is cheaper."""
    assert dma.against_better({"cpu": [100] * 7, "dma": [50] * 7, "adaptive": [51] * 7}).startswith("adaptive is 1.020 (1.020-1.020) of dma")
    assert dma.against_better({"cpu": [100] * 7, "adaptive": [100] * 7}).endswith("of cpu")
    assert dma.against_better({"cpu": [100, 0] * 7, "adaptive": [0, 100] * 7}) == "no sample had packets in all modes"


def test_best_of():
    """Of each five neighbours that had packets."""
    assert dma.best_of([5, 4, 3, 0, 6] + [0] * 5) == [3, 0]


def test_figures():
    """The first mode's cost over a mode's, sample by sample: not the ratio of medians."""
    copy, attach = case(copy=[100, 110, 120] * 3, attach=[50, 100, 60] * 3).figures()
    assert (copy["median"], copy["ratio"]) == (110, 1)
    assert (attach["median"], attach["ratio"], attach["interval"]) == (60, 2, (1.1, 2))


def test_slices():
    """The best of the slices of each sample, whatever their order."""
    order = modes.slice_order(("a", "b"), 2)
    assert order[:4] == ["a", "b", "b", "a"] and len(order) == 2 * 2 * modes.SLICES
    costs = [(10 if mode == "a" else 20) + place for place, mode in enumerate(order)]
    assert modes.best_of_slices(("a", "b"), order, costs) == {"a": [10, 21], "b": [21, 30]}


def test_empty_slices():
    """A slice without packets is no cheap one; a sample without is left out of all modes, and said."""
    order = modes.slice_order(("a", "b"), 3)
    costs = [0 if place == 1 or (name == "b" and place >= 20) else 10 + place for place, name in enumerate(order)]
    found = modes.best_of_slices(("a", "b"), order, costs)
    assert found == {"a": [10, 21, 30], "b": [12, 20, 0]}
    made = case(("a", "b"), **found)
    assert [one["samples"] for one in made.figures()] == [2, 2] and all(one["interval"][0] > 0 for one in made.figures())
    assert "1 samples left out: no packets" in modes.tables({"x": made}, True)
    assert "no sample had packets in all modes" in modes.tables({"x": case(("a", "b"), a=[0, 5], b=[5, 0])}, True)
    assert pipeline.cost({"streams": [{"tx": 5, "busy_cycles": 7}]}, {"streams": [{"tx": 5, "busy_cycles": 7}]}, True) == 0


def test_failure():
    """What fails is said, and the next case is measured."""
    def bad(*_):
        raise ValueError("no memory")
    cases = {"bad": modes.Case("bad", ("a",), ("x",), bad), "good": modes.Case("good", ("b",), ("x",), lambda *_: {"x": [1.] * 7})}
    modes.bench(cases, None, None, lambda name: None)
    assert cases["bad"].failures == ["no memory"] and cases["good"].answers == {"x": [1.] * 7}


@pytest.mark.parametrize("markdown", [False, True])
def test_table(markdown):
    """Other modes: a table of their own; what failed says why."""
    failed = case(("copy", "private", "shared"))
    failed.failures.append("no memory")
    first, second = modes.tables({"a": case(copy=[80.] * 7, attach=[40.] * 7), "b": failed}, markdown).split("\n\n")
    assert "40.0, 2.000 (2.000-2.000)" in first and "private" not in first
    assert "failed: no memory" in second and "attach" not in second
    assert modes.as_json({"b": failed})[0]["failures"] == ["no memory"]
    assert modes.legend({}) == "" and modes.tables({}, markdown) == ""


def test_auto_note():
    """The better one of copy and zc in each sample, over auto; samples without packets count for nothing, undecided slices are told."""
    samples = {"copy": [10., 20., 0.], "zc": [20., 10., 7.], "compressed": [1., 1., 1.], "auto": [20., 20., 7.]}
    shown = [{"io": [{"measuring": undecided}]} for undecided in (False, True, False)]
    assert pipeline.auto_note(samples, shown) == "better of copy and zc over auto 0.500 (0.500-0.500); 1 of 3 undecided"
    assert pipeline.auto_note({word: [0.] for word in samples}, []) == ""


def test_slices():
    """A word of mode or of sync is set before the start; mode auto is asked what it decided."""
    assert pipeline.slice_lines("any")[:4] == ["set fwd ring_pipeline", "set pipeline sync hts", "set pipeline spread any", "start"]
    assert pipeline.slice_lines("auto")[:2] == ["set fwd ring_pipeline", "set pipeline mode auto"] and pipeline.slice_lines("auto")[-2:] == ["show pipeline", "stop"]
    assert "show pipeline" not in pipeline.slice_lines("zc")
    assert pipeline.slice_lines("published hybrid")[:2] == ["set fwd published_hybrid", "set pipeline mode copy"]
    assert pipeline.slice_lines("zc in place")[:2] == ["set fwd ring_pipeline", "set pipeline mode zc"]


def test_published():
    """The same ways on one lcore, for each driver's scalar and vector functions, as on two and in two processes; copy is what others are compared with."""
    made = modes.chosen(pipeline.make_cases(True), "^pipeline/(published|.*-nic)")
    assert list(made)[:2] == ["pipeline/published/xl710/64bit/none", "pipeline/published/xl710/64bit/l3fwd"]
    assert len(made) == 8 + 4 and {one.modes for one in made.values()} == {("copy", "published traditional", "published zc", "published hybrid", "zc in place")}
    assert pipeline.PUBLISHED["published zc"] == "published_zc,pipeline-mode=copy" and pipeline.PUBLISHED["zc in place"] == "ring_pipeline,pipeline-mode=zc"


@pytest.mark.parametrize("cpus, mode, note", [({0, 1}, "step", "card: stepped by the I/O lcore"), ({0, 1, 2}, "step", "card: stepped by the I/O lcore"),
                                              ({0, 1, 5, 7}, "thread", "card: a thread on CPU 5")])
def test_card(monkeypatch, cpus, mode, note):
    """A modelled card has a thread where four CPUs are, and none of those that forward."""
    monkeypatch.setattr(pipeline.example, "build_stepper", lambda folder: folder + "/stepper.so")
    monkeypatch.setattr(pipeline.modes, "plugin_of", lambda _: "model_nic.so")
    _, env, said = pipeline.card(types.SimpleNamespace(cores=(0, 1), cpus=cpus, folder="/f"), "lockstep")
    assert (env["MODEL_NIC_MODE"], said) == (mode, note) and ("LD_PRELOAD" in env) == (mode == "step")


def test_shapes():
    """Each size of ring with one burst, each burst with one size of ring."""
    assert pipeline.shapes(True) == [(1024, 32)]
    assert sorted(pipeline.shapes(False)) == [(64, 32), (256, 32), (1024, 8), (1024, 32), (1024, 128), (4096, 32)]


@pytest.mark.parametrize("destination, network", [("198.18.0.1", 0xc612), ("198.19.0.1", 0xc613)])
def test_frame(destination, network):
    """UDP over IPv4 whose header checksum is right."""
    frame = frames.udp("198.18.0.2", destination, 9, 9)
    words = [int.from_bytes(frame[at:at + 2], "big") for at in range(14, 34, 2)]
    assert len(frame) == 60 and frame[12:14] == b"\x08\x00" and words[-2] == network
    assert sum(words) % 0xffff == 0 and sum(words) > 0
