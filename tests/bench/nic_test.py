# SPDX-License-Identifier: BSD-3-Clause
"""Rows of cards, on programs and devices made up here: each runs the engine of its published row, at equal load, with addresses that the ports' driver takes."""
import contextlib
import itertools
import pathlib
import re
from types import SimpleNamespace

import pytest

import bench
import dma
import lab
import nic
import published
import results

# What the rows of a table must run; the stage, and the answer's member that says so.
ENGINES = {"Recycling: l3fwd, 82599 and XL710": ("l3fwd", None), "Recycling: l3fwd, two XL710": ("l3fwd", None),
           "Zero-copy rings: throughput of an L3 pipeline": ("ring_pipeline", "l3fwd"), "Zero-copy rings: hardware counters per packet": ("ring_pipeline", "l3fwd"),
           "External buffers: a proof of concept in testpmd": ("extbuf", None)}
CARDS = (published.NIC, published.ALIKE, published.MIXED)
COUNTERS = {event: place + 1 for place, event in enumerate(nic.EVENTS)}


class Program:
    """A program of words. Class members: what all of them were told, by program; what arrives; how much of it is forwarded; what runs in place of the engine that was asked for;
    why port 1 has no pair for recycling; how many buffers each slice recycles."""

    told, pps, forwards, runs, unpaired, moved = [], itertools.repeat(1e6), 1.0, None, "", 100

    def __init__(self, argv, env):
        self.argv, self.env, self.lines = argv, env, []
        self.rx = self.tx = self.busy = 0
        self.seconds, self.rate, self.slices = 0.0, 0.0, 0
        Program.told.append(self)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def word(self, start, default=None):
        """The last word of the last line that begins so."""
        return next((line.split()[-1] for line in reversed(self.lines) if line.startswith(start)), default)

    def ask(self, line):
        self.lines.append(line)
        if line == "start":
            self.seconds = self.rx = self.tx = self.busy = 0
            self.rate = next(self.pps)
            self.slices += 1
        if line == "show recycle":
            return {"streams": [{"rx_port": 0, "pairs": [{"paired": True}], "moved": self.moved},
                                {"rx_port": 1, "pairs": [{"paired": not self.unpaired, "reason": self.unpaired}], "moved": 0}]}
        if line != "show fwd stats all":
            return {}
        self.seconds += 0.2
        self.rx = round(self.seconds * self.rate)
        self.tx = round(self.rx * self.forwards)
        cheap = self.word("set recycle") == "on" or self.word("set extbuf mode") == "pinned" or self.word("set pipeline mode") == "zc"
        self.busy = self.tx * (50 if cheap else 100)
        stage = self.word("set pipeline stage")
        return {"engine": self.runs or self.word("set fwd"), "settings": {"pipeline-stage": stage} if stage not in (None, "none") else {}, "seconds": self.seconds,
                "streams": [{"rx": self.rx, "tx": self.tx, "busy_cycles": self.busy}],
                "hardware": [COUNTERS] if "set record-hw-counters on" in self.lines else []}


@pytest.fixture(name="setup")
def made(monkeypatch, tmp_path):
    """A machine with ports bound to vfio-pci."""
    monkeypatch.setattr(nic, "Prompt", Program)
    monkeypatch.setattr(nic.time, "sleep", lambda seconds: None)
    monkeypatch.setattr(nic, "PCI", tmp_path)
    for name, value in (("told", []), ("pps", itertools.repeat(1e6)), ("forwards", 1.0), ("runs", None), ("unpaired", ""), ("moved", 100)):
        monkeypatch.setattr(Program, name, value)
    monkeypatch.setattr(nic.modes, "plugin_of", lambda *_: "model_nic.so")
    return SimpleNamespace(binary={"a": "zcfwd"}, cores=(0, 1), cpus={0, 1, 2}, hugepages=True, run_id="x", folder=str(tmp_path), trial=False, runs=8, load=None, equal=0.05,
                           nic=["0000:01:00.0", "0000:01:00.1"], source=[])


def bind(folder, address, driver, group=None, **files):
    """A device in a sysfs of files."""
    device = folder / address
    device.mkdir()
    (folder.parent / "drivers" / driver).mkdir(parents=True, exist_ok=True)
    (device / "driver").symlink_to(folder.parent / "drivers" / driver)
    if group is not None:
        (device / "iommu_group").mkdir()
        if group:
            (device / "iommu_group/name").write_text(group + "\n", encoding="ascii")
    for name, text in files.items():
        (device / name).write_text(text + "\n", encoding="ascii")


def rows():
    """(title of the table, row) of all rows that wait for a card or for counters."""
    return [(table.title, row) for table in published.TABLES for row in table.rows if row.needs in (*CARDS, published.PMU)]


def cases_of(ports):
    return {case.name: case for case in nic.make_cases(ports)}


def test_rows_run_what_was_published(setup, monkeypatch):
    """Each row of a card: the engine, with routes and the stage that look them up, in all its modes."""
    monkeypatch.setattr(nic, "is_mixed", lambda ports: ports == ["a", "b"])
    seen = set()
    for title, row in rows():
        setup.nic = ["a", "b"] if "mixed" in row.ours.case else ["c", "d"]
        Program.told.clear()
        case = cases_of(setup.nic)[row.ours.case]
        found = case.measure(setup, "")
        assert found.keys() == set(case.modes) and row.ours.variant in found and all(len(costs) == setup.runs for costs in found.values())
        (program,) = Program.told
        engine, stage = ENGINES[title]
        assert program.word("set fwd") == engine and program.word("set pipeline stage") == stage, (title, row.what)
        assert sum(line.startswith("route add 198.1") for line in program.lines) == 2 * (engine == "l3fwd")
        assert sum(line.startswith("pipeline route add 198.1") for line in program.lines) == 2 * (engine == "ring_pipeline")
        assert found[row.ours.variant][0] == (COUNTERS[row.ours.case.split("/")[-1]] if row.needs == published.PMU else 50)
        seen.add(title)
    assert seen == set(ENGINES)


def test_rows_count_cycles():
    """A throughput cannot show what a card's CPU saves."""
    cards = [row for _, row in rows() if row.needs in CARDS]
    assert len(cards) == 7 and all(row.ours.case.endswith("/cycles") for row in cards)


@pytest.mark.parametrize("name, engine", [("nic/recycle/fast-free/cycles", "io"), ("nic/pipeline/scalar/cycles", "io"), ("pmu/vector/ipc", "l3fwd")])
def test_another_engine(setup, monkeypatch, name, engine):
    monkeypatch.setattr(Program, "runs", engine)
    with pytest.raises(ValueError, match="engine %s, stage .* ran: expected" % engine):
        cases_of(["a", "b"])[name].measure(setup, "")


def test_another_stage(setup, monkeypatch):
    monkeypatch.setattr(nic, "engine_lines", lambda engine, ports: ["set fwd ring_pipeline", "set pipeline stage none"])
    with pytest.raises(ValueError, match="engine ring_pipeline, stage None ran: expected ring_pipeline, l3fwd"):
        cases_of(["a", "b"])["nic/pipeline/scalar/cycles"].measure(setup, "")


def test_equal_load(setup, monkeypatch):
    """Samples whose modes received other rates are left out, and said; others are measured in their place."""
    case = cases_of(["a", "b"])["nic/recycle/fast-free/cycles"]
    monkeypatch.setattr(Program, "pps", itertools.chain([1e6, 1.2e6, 1e6, 0], itertools.repeat(2e6)))
    found = case.measure(setup, "")
    assert found["l3fwd"] == pytest.approx([100] * 8) and found["l3fwd recycled"] == pytest.approx([50] * 8)
    assert case.note == "2 Mpps; left out: 2 samples with unequal loads"


def test_trial(setup, monkeypatch):
    """One sample does, which is measured again while its loads are unequal."""
    setup.runs, setup.trial = 1, True
    monkeypatch.setattr(Program, "pps", itertools.chain([1e6, 1.2e6], itertools.repeat(2e6)))
    case = cases_of(["a", "b"])["nic/extbuf/cycles"]
    assert all(len(costs) == 1 for costs in case.measure(setup, "").values())
    monkeypatch.setattr(Program, "pps", itertools.cycle([1e6, 1.2e6]))
    with pytest.raises(ValueError, match="the load was equal in 0 of 4 samples"):
        cases_of(["a", "b"])["nic/extbuf/cycles"].measure(setup, "")


@pytest.mark.parametrize("pps, words", [(itertools.cycle([1e6, 1.2e6]), "the load was equal in 0 of 32 samples .1 to 1.2 Mpps received"), (itertools.repeat(0), "no packets: cable the ports")])
def test_unequal_load(setup, monkeypatch, pps, words):
    monkeypatch.setattr(Program, "pps", pps)
    with pytest.raises(ValueError, match=words):
        cases_of(["a", "b"])["nic/extbuf/cycles"].measure(setup, "")


def test_dropped(setup, monkeypatch):
    """Packets without a route, or slower than they came: not a figure."""
    monkeypatch.setattr(Program, "forwards", 0.5)
    with pytest.raises(ValueError, match="were forwarded: send IPv4 packets to 198.18.0.0/16 and 198.19.0.0/16"):
        cases_of(["a", "b"])["nic/recycle/fast-free/cycles"].measure(setup, "")


@pytest.mark.parametrize("name, value, words", [("unpaired", "port 1: driver net_x cannot be paired", "recycling: port 1: driver net_x cannot be paired"),
                                                ("moved", 0, "no packet came in a recycled buffer")])
def test_not_recycled(setup, monkeypatch, name, value, words):
    """A card that cannot recycle forwards all the same: its row has no figure, but the reason. Rows of other engines do not ask."""
    monkeypatch.setattr(Program, name, value)
    cases = cases_of(["a", "b"])
    with pytest.raises(ValueError, match=words):
        cases["nic/recycle/fast-free/cycles"].measure(setup, "")
    assert cases["nic/extbuf/cycles"].measure(setup, "") and "show recycle" not in Program.told[-1].lines


def test_one_mode_forwards(setup, monkeypatch):
    """A case with no sample of all modes side by side has a reason, not an empty row."""
    monkeypatch.setattr(Program, "pps", itertools.repeat(100))
    monkeypatch.setattr(Program, "forwards", property(lambda self: float(self.word("set extbuf mode") == "copy")))
    with pytest.raises(ValueError, match="no sample in which all modes forwarded packets"):
        cases_of(["a", "b"])["nic/extbuf/cycles"].measure(setup, "")


def test_reason(setup, monkeypatch, tmp_path, capsys):
    """The row of a case that failed says why, in the file too; others wait."""
    monkeypatch.setattr(Program, "unpaired", "port 1: driver net_x cannot be paired")
    cases = {name: case for name, case in cases_of(["a", "b"]).items() if name in ("nic/recycle/fast-free/cycles", "nic/extbuf/cycles")}
    nic.modes.bench(cases, setup, "", lambda name: None)
    facts = {"date": "2026-11-24", "commit": "0123456789ab", "cpu": "a, 2 cores", **results.failures_of({}, cases)}
    results.write(tmp_path / "run.csv", facts, results.samples_of({}, {}, cases))
    lab.show(tmp_path / "run.csv")
    said = capsys.readouterr().out
    assert re.search(r"(?m)^  with, cards +as above +failed: recycling: port 1: driver net_x cannot be paired$", said), said
    assert re.search(r"(?m)^  1 lcore, a card .* 2\.000 \(.*, real$", said) and re.search(r"(?m)^  without, cards +as above +waits for ports of one model of NIC$", said), said


def test_source(setup, monkeypatch):
    """A second process sends to the ports: as fast as they take it, then at LOAD of that; on a CPU of its own."""
    setup.nic, setup.source = ["0000:01:00.0"], ["0000:02:00.0"]
    monkeypatch.setattr(Program, "pps", itertools.chain([1e7, 9e6, 8e6, 8e6], itertools.repeat(5.6e6)))
    case = cases_of(setup.nic)["nic/recycle/fast-free/cycles"]
    case.measure(setup, "")
    first, _, second, sender = Program.told
    assert first.argv == second.argv and "--port-topology=loop" in first.argv and first.argv[first.argv.index("-a") + 1] == "0000:01:00.0"
    assert [line for line in first.lines if line.startswith("route")] == ["route add 198.18.0.0/16 port 0", "route add 198.19.0.0/16 port 0"]
    assert sender.argv[sender.argv.index("-a") + 1] == "0000:02:00.0" and "0@0,1@2" in sender.argv and "--no-pci" not in sender.argv
    assert "set generate flows 16 port 0 dst 198.18.0.1-198.18.0.16" in sender.lines
    assert sender.word("set fwd") == "measure"  # which takes what comes back
    # One program's rates are the receiver's and the sender's in turn: the receiver had 9 and 8 Mpps.
    assert sender.word("set generate-rate") == "%dpps" % (nic.LOAD * 8e6) and Program.told[1].word("set generate-rate") == "max"
    assert "70 % of what the slowest mode forwards" in case.note


def test_load(setup, monkeypatch):
    """A load that is asked for is not measured first."""
    setup.nic, setup.load = ["model"], 100_000
    case = cases_of(setup.nic)["nic/extbuf/cycles"]
    case.measure(setup, "")
    (program,) = Program.told
    assert program.env["MODEL_NIC"].count(",rate=50000") == 2 and program.env["MODEL_NIC_CPU"] == "0" and case.note == "1 Mpps"


def test_routes():
    assert nic.routes("route add", 2) == ["route add 198.18.0.0/16 port 1", "route add 198.19.0.0/16 port 0"]


@pytest.mark.parametrize("drivers, mode", [(("vfio-pci", "vfio-pci"), "va"), (("uio_pci_generic", "uio_pci_generic"), "pa"), (("vfio-pci", "igb_uio"), "pa"), (("mlx5_core", "mlx5_core"), "va")])
def test_iova(setup, tmp_path, drivers, mode):
    """By the driver that the ports are bound to: where uio is one of them, EAL refuses virtual addresses."""
    for place, driver in enumerate(drivers):
        bind(tmp_path, setup.nic[place], driver)
    assert nic.iova_of(setup.nic) == nic.iova_of([address[5:] for address in setup.nic]) == mode
    assert "--iova-mode=" + mode in nic.Process("extbuf", nic.EXTBUF).command_line(setup, "", None)[0]
    setup.hugepages = False
    with pytest.raises(ValueError, match="need huge pages") if mode == "pa" else contextlib.nullcontext():
        nic.iova_words(setup, setup.nic)


@pytest.mark.parametrize("group, mode", [("vfio-noiommu", "pa"), ("", "va"), (None, "va")])
def test_no_iommu(setup, tmp_path, group, mode):
    bind(tmp_path, setup.nic[0], "vfio-pci", group)
    assert nic.iova_of(setup.nic[:1]) == mode


def test_iova_of_engine(setup, tmp_path):
    """DMA engines, too."""
    bind(tmp_path, "0000:00:04.0", "igb_uio")
    assert "--iova-mode=pa" in dma.argv_of(setup, "0000:00:04.0=name", 1, [], []) and "--iova-mode=va" in dma.argv_of(setup, None, 1, [], [])


def test_far_core(setup, monkeypatch, tmp_path):
    """A core on another node than the engine; none on a machine with one node, or where the engine's is unknown."""
    nodes = tmp_path / "nodes"
    for name, cpus in (("node0", "0-1,4"), ("node1", "2-3")):
        (nodes / name).mkdir(parents=True)
        (nodes / name / "cpulist").write_text(cpus + "\n", encoding="ascii")
    monkeypatch.setattr(lab, "NODES", nodes)
    monkeypatch.setattr(lab, "CPUS", [0, 1, 2, 3, 4])
    bind(tmp_path, "0000:00:04.0", "vfio-pci", numa_node="0", local_cpulist="0-1,4")
    bind(tmp_path, "0000:80:04.0", "vfio-pci", numa_node="1", local_cpulist="2-3")
    bind(tmp_path, "0000:90:04.0", "vfio-pci", numa_node="-1")
    assert [lab.core_far(address) for address in ("0000:00:04.0", "0000:80:04.0", "0000:90:04.0")] == [2, 0, None]
    assert lab.cores_near("0000:80:04.0") == [2, 3] and lab.cores_near("80:04.0") == [2, 3]
    found = lab.machine(SimpleNamespace(nic="", source="", dma="0000:80:04.0"))
    assert found[published.NODES] == "CPU 0 is on another node than 0000:80:04.0"
    assert re.search(lab.chosen(found, "^dma/nodes"), "dma/nodes/far/2048") and re.search(lab.chosen(found, "^dma/nodes"), "dma/nodes/rate/64")
    monkeypatch.setattr(lab, "CPUS", [2, 3])
    assert published.NODES not in lab.machine(SimpleNamespace(nic="", source="", dma="0000:80:04.0"))


def points(wheres, size):
    """As `dma measure` has them: from 2048 bytes on the engine is cheaper; memory away costs a tenth of its throughput, the lcore away a fifth."""
    gbit = {"local": 100.0, "min-remote": 95.0, "max-remote": 90.0, "cpu-remote": 80.0}
    return [{"where": where, "memory": memory, "bytes": size, "mode": mode, "cycles": size / 20 if mode == "cpu" else 100.0, "gbit": gbit[where]}
            for where in wheres for memory in ("hot", "cold") for mode in ("cpu", "dma")]


def test_nodes(setup, monkeypatch, tmp_path):
    """The rows of two nodes, from one process, and their words on the page."""
    asked = []

    def ask(argv, lines, _env=None):
        asked.append((argv, lines))
        return [{"command": "dma measure dma_adaptive0", "points": [point for size in dma.SIZES for point in points(dma.NODES, size)]}] * setup.runs
    monkeypatch.setattr(dma.modes, "ask", ask)
    setup.far_core = 5
    cases = {case.name: case for case in dma.make_cases(False, "0000:00:04.0", None, 5) if "/nodes/" in case.name}
    values = {name: case.measure(setup, "") for name, case in cases.items()}
    assert len(asked) == 1 and "0@0,1@1,2@5" in asked[0][0]
    run = SimpleNamespace(values=values, method_of=lambda figure: figure.how)
    table = next(table for table in published.TABLES if table.title.startswith("DMA engine: from"))
    texts = {row.what: row.ours.text(run) for row in table.rows}
    assert texts["engine far"] == "from 2048 B, real"
    assert texts["engine and memory on one node"] == "+5.3 to +11.1 %, real"
    assert texts["engine and CPU on one node"] == "+25.0 to +25.0 %, real"
    assert published.Spread("dma/nodes/rate/{}", ("cpu-remote",), "real").text(SimpleNamespace(values={}, method_of=None)) == ""
    silent = {"dma/nodes/rate/64": {"local": [0], "cpu-remote": [dma.inverse(8 * 64, 0)]}}
    assert published.Spread("dma/nodes/rate/{}", ("cpu-remote",), "real").text(SimpleNamespace(values=silent, method_of=None)) == ""


def test_one_node(setup, monkeypatch):
    """A machine that has not the nodes: named, not measured."""
    monkeypatch.setattr(dma.modes, "ask", lambda *_: [{"command": "dma measure dma_adaptive0", "points": points(["local"], 64)}])
    setup.far_core = 1
    case = next(case for case in dma.make_cases(True, "0000:00:04.0", None, 1) if case.name == "dma/nodes/rate/64")
    with pytest.raises(ValueError, match="max-remote, min-remote, cpu-remote not measured: expected an lcore and memory on"):
        case.measure(setup, "")


def test_every_row_has_a_command():
    """Or the words of its table say why not."""
    for table in published.TABLES:
        by_hand = [row for row in table.rows if row.ours is None]
        assert all(row.needs == published.BY_HAND for row in by_hand)
        assert not by_hand or "No command fills" in table.why
    assert sum(row.ours is None for table in published.TABLES for row in table.rows) == 2


def test_options(capsys):
    assert bench.options(["--list", "--nic", "a,b", "--source", "c,d", "--far-core", "3"]).source == ["c", "d"]
    with pytest.raises(SystemExit):
        bench.options(["--list", "--nic", "a,b", "--source", "c"])
    assert "--source names 1 ports, --nic 2: expected as many" in capsys.readouterr().err


def test_model_words(tmp_path):
    """Modelled cards send what has a route."""
    words = nic.model_words(str(tmp_path), 1e6)
    assert words.split(";")[1] == "xl710,rx=pcap:%s/nic1.pcap:0,rate=500000" % tmp_path
    assert bytes([198, 18, 0, 16]) in pathlib.Path(tmp_path, "nic0.pcap").read_bytes()
