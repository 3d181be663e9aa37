# SPDX-License-Identifier: BSD-3-Clause
"""doc/published.md: it equals what its generator makes of the kept runs, its rows name cases that exist, and each kind of figure is read as documented."""
import re
from types import SimpleNamespace

import pytest

import bench
import bursts
import dma
import drivers
import extbuf
import l3fwd
import lab
import mempool
import modes
import nic
import pipeline
import published
import results
from plugin import dpdk_release

FACTS = {"date": "2026-11-24", "commit": "0123456789ab", "cpu": "AMD EPYC family 25 model 17, 2 cores", "method": "7 pairs"}
ROWS = [row for table in published.TABLES for row in table.rows if row.ours]


def run_of(tmp_path, samples, **facts):
    path = tmp_path / "run.csv"
    results.write(path, {**FACTS, **facts}, samples)
    return published.Run(path)


def mode_samples(case, **modes):
    return [results.Sample(case, mode, 1, place, value, "cost") for mode, values in modes.items() for place, value in enumerate(values, 1)]


def test_page():
    assert published.PAGE.read_text(encoding="utf-8").splitlines() == list(published.page(published.kept()))


@pytest.mark.parametrize("quick", [False, True])
def test_cases_exist(monkeypatch, quick):
    """Also those that only other machines have; a quick run and a trial leave out no row."""
    for module in (extbuf, mempool):
        monkeypatch.setattr(module, "CPUS", list(range(8)))
    for bed in ("null-4", "xl710-4"):
        monkeypatch.setitem(extbuf.BEDS, bed, extbuf.FORWARD)
    monkeypatch.setattr(nic, "is_mixed", lambda ports: len(ports) == 2)
    known = {one.name: one.modes for cases in (extbuf.make_cases(quick), pipeline.make_cases(quick), dma.make_cases(quick), bursts.make_cases(quick),
                                               mempool.make_cases(quick), nic.make_cases(["model"]), nic.make_cases(["a", "b"]), dma.make_cases(quick, "0000:00:04.0", None, 1)) for one in cases}
    known |= {name: case.variants for name, case in drivers.make_cases("", quick).items()}
    known |= {name: ("A", "B") for name in l3fwd.make_names(quick)}
    assert len(ROWS) > 50
    for row in ROWS:
        for case in (one.replace("{}", "1024") for one in row.ours.cases):
            if "/128bit/" in case and dpdk_release() >= "26.03":
                continue  # net_i40e has no SSE functions there
            assert case in known, row
            assert row.ours.variant in known[case], row


def test_readings(tmp_path):
    """Half the cost is twice the rate, a gain of 100 %."""
    run = run_of(tmp_path, [*mode_samples("a", copy=[10.0] * 7, zc=[5.0] * 7), *mode_samples("f", A=[3.0] * 7, B=[2.0] * 7), *mode_samples("d/64", cpu=[1.0], dma=[2.0]), *mode_samples("d/2048", cpu=[4.0], dma=[2.0])])
    assert published.Gain("a", "zc", "modelled").text(run) == "+100.0 % (100.0 to 100.0), modelled"
    assert published.Faster("f", "B", "modelled").text(run) == "+50.0 % (50.0 to 50.0), modelled"
    assert published.Times("a", "zc", "real").text(run) == "2.000 (2.000-2.000), real"
    assert published.Counted("a", "zc", "real").text(run) == "10.00, 5.00 (-50.0 %), real"
    assert published.Change("a", "zc", "modelled").text(run) == "10 -> 5 %, modelled"
    assert published.Crossover("d/{}", "simulated").text(run) == "from 2048 B, simulated"
    assert not any(kind("b", "zc", "real").text(run) for kind in (published.Gain, published.Times, published.Counted, published.Change))
    assert published.Crossover("e/{}", "simulated").text(run) == ""


def test_method(tmp_path):
    """Stand-ins are never called real, and a real engine is not called simulated."""
    samples = [*mode_samples("nic/x", a=[2.0], b=[1.0]), *mode_samples("d/64", cpu=[2.0], dma=[1.0])]
    on_model, on_engine = (published.Gain("nic/x", "b", "real"), run_of(tmp_path, samples, nic="model")), (published.Crossover("d/{}", "simulated"),
                                                                                                         run_of(tmp_path, samples, dma="0000:00:04.0"))
    assert on_model[0].text(on_model[1]).endswith(", modelled") and on_engine[0].text(on_engine[1]).endswith(", real")


def test_newest_counts(tmp_path):
    old, new = (SimpleNamespace(cpu="c", date=date, text=text) for date, text in (("2026-11-24", "old"), ("2026-11-25", "new")))
    row = published.Row("row", "1", SimpleNamespace(text=lambda run: run.text))
    assert published.cells_of(row, [old, new]) == {"c": ("new", new)}


def test_trial(tmp_path, monkeypatch):
    """The page has no figure of a trial, neither of a given file nor of one in results/."""
    monkeypatch.setattr(results, "FOLDER", str(tmp_path))
    run = run_of(tmp_path, mode_samples("a", copy=[10.0], zc=[5.0]), **{results.TRIAL: "one short sample per case"})
    with pytest.raises(ValueError, match="run.csv: it is a trial"):
        published.main([str(tmp_path / "run.csv")])
    assert run.trial and not results.kept()
    results.keep(tmp_path / "run.csv")
    assert len(results.kept()) == 1 and not published.kept()
    run_of(tmp_path, mode_samples("a", copy=[10.0], zc=[5.0]))
    results.keep(tmp_path / "run.csv")
    assert len(published.kept()) == 1


def test_why_not(tmp_path):
    """A row that was tried and has no figure says why."""
    run = run_of(tmp_path, [*mode_samples("a", copy=[10.0, 0.0], zc=[0.0, 5.0]), results.Sample("b", "io", 1, 1, 10.0, "cycles/packet"),
                            results.Sample("b", "io,recycle=on", 1, 1, 10.0, "cycles/packet")], **{results.FAILED + "dma/64": "no engine"})
    for figure, why in ((published.Gain("a", "zc", "modelled"), "no sample that counts"), (published.Gain("b", "io,recycle=on", "modelled"), "no sample that counts"),
                        (published.Crossover("dma/{}", "simulated"), "no engine"), (published.Gain("c", "zc", "modelled"), "")):
        assert not figure.text(run) and run.why_not(figure) == why


def test_bad_file(tmp_path):
    """Nothing is copied when a file is none."""
    path = tmp_path / "bad.csv"
    path.write_text("hello\n", encoding="ascii")
    with pytest.raises(ValueError, match="bad.csv: expected the columns case,"):
        published.main([str(path)])
    assert not (published.ROOT / "tests/bench/results/bad.csv.xz").exists()


def test_lab_chooses(monkeypatch):
    """Rows whose needs are met, and no others."""
    cases = lab.chosen({}, "")
    assert re.search(cases, "extbuf/null/64") and re.search(cases, "dma/raw/cold/mbuf4096/1024")
    assert not any(re.search(cases, case) for case in ("nic/extbuf/cycles", "pmu/scalar/ipc", "extbuf/null-4/64", "extbuf/null/640", "dma/nodes/far/1024"))
    cases = lab.chosen({published.NIC: "model"}, "^nic/")
    assert re.search(cases, "nic/extbuf/cycles") and not re.search(cases, "extbuf/null/64")
    monkeypatch.setattr(lab, "CPUS", list(range(6)))
    options = SimpleNamespace(nic="0000:01:00.0", source="", dma="")
    assert lab.machine(options)[published.CORES] == "6 CPUs" and published.NIC not in lab.machine(options)
    assert lab.machine(SimpleNamespace(nic="a,b", source="", dma="c"))[published.NIC] == "a,b"
    monkeypatch.setattr(nic, "is_mixed", lambda ports: ports == ["c", "d"])
    for ports, kind, other in (("a,b", published.ALIKE, published.MIXED), ("c,d", published.MIXED, published.ALIKE)):
        found = lab.machine(SimpleNamespace(nic=ports, source="", dma=""))
        assert found[kind] == ports and other not in found
    assert lab.machine(SimpleNamespace(nic="a", source="b", dma=""))[published.NIC] == "a"


def test_trial_is_short(monkeypatch):
    """Each program that measures is asked for the least number of samples, and once."""
    asked = []

    def ask(*words):
        asked.append(str(words))
        raise ValueError("asked")

    monkeypatch.setattr(modes, "ask", ask)
    monkeypatch.setattr(modes, "plugin_of", lambda *_: "plugin.so")
    setup = SimpleNamespace(binary={"a": "zcfwd"}, cores=(0, 1), cpus={0, 1}, hugepages=True, run_id="x", folder="", trial=True, runs=1, far_core=1)
    made = {case.name: case for cases in (extbuf.make_cases(True), pipeline.make_cases(True), mempool.make_cases(True), dma.make_cases(True, "0000:00:04.0", None, 1)) for case in cases}
    for name, words in (("extbuf/xl710/64", r"samples 1 "), ("extbuf/storage-xl710/64", r"samples 1 "), ("pipeline/xl710/64bit/l3fwd/ring1024/burst32", r"samples 1 "),
                        ("mempool/1/put1/keep30", r"bench mempool samples 3 "), ("dma/raw/cold/mbuf4096/64", r"dma-samples 1'(?!.*dma-samples (?!1'))"),
                        ("dma/nodes/far/64", r"dma-samples 1'")):
        with pytest.raises(ValueError, match="asked"):
            made[name].measure(setup, "lockstep")
        assert re.search(words, asked.pop()) and not asked, name
    monkeypatch.setattr(drivers, "ask", ask)
    cases = drivers.make_cases(f"^xl710/{drivers.I40E_BITS}bit/ring1024/fast-free/l3fwd/hot", True)
    drivers.bench(cases, setup, "lockstep", True, lambda text: None)
    assert cases and re.search(r"samples 1 ", asked.pop()) and not asked


def test_trial_options(capsys):
    """Without an interval, and only if that was asked for."""
    trial = bench.options(["--list", "--trial"])
    assert (trial.runs, trial.pairs, trial.quick) == (1, 1, True)
    with pytest.raises(SystemExit):
        bench.options(["--list", "--quick", "--runs", "1"])
    assert "--runs 1: expected 7 or more" in capsys.readouterr().err


def test_options():
    assert bench.options(["--list", "--nic", "0000:01:00.0,0000:01:00.1"]).nic == ["0000:01:00.0", "0000:01:00.1"]
