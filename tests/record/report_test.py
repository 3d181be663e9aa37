# SPDX-License-Identifier: BSD-3-Clause
"""zcfwd-report's page of recordings: numbers of one that is known by heart, a page that is whole, whatever the recording has in it."""
import json
import os
import re
import subprocess
import xml.dom.minidom

import pytest
from conftest import ROOT

from laws import open_session, run
from made_recordings import S, begin, burst_file, cells, changed, header, interval, known, members, one_run, process, report, trial, with_cpu, written
from recorded import figures, read
from reports import Page, fixture_drawn, fixture_drawn_once, fixture_sketch  # noqa: F401  pylint: disable=unused-import

pytestmark = pytest.mark.zcfwd


def make(tmp_path, *files):
    done = process(*files, "-o", tmp_path / "out")
    assert done.returncode == 0 and not done.stderr, done.stderr
    assert done.stdout.strip() == str(tmp_path / "out" / "report.html")
    return Page(tmp_path / "out" / "report.html")


def test_numbers(sketch, tmp_path):
    page = sketch(known(tmp_path / "a.jsonl"))
    (one,) = json.loads(page.data)["runs"]
    assert one["packets"] == 6_320_000 and one["seconds"] == 3.01 and one["intervals"] == 4
    assert one["mpps"] == {"median": 2.0, "low": 1.5, "high": 2.5, "least": 1.0, "most": 3.0, "n": 3}
    assert one["cycles_per_packet"]["median"] == 10.0
    assert one["l2_gbps"] == pytest.approx(6.32e6 / 3.01 * 64 * 8 / 1e9) and one["line_share"] is None  # nobody told of links
    assert (one["lost"], one["offered"]) == (320_000 + 20, 6_640_000 + 20)
    bursts = (1_000_000 + 2_000_000 + 3_000_000) // 32
    assert one["rx_bursts"] == {"mean": pytest.approx((bursts * 32 + 640_000) / (bursts + 640_000)), "p50": 1, "p90": 32, "p99": 32,
                                "empty": 21, "bursts": bursts + 640_000 + 21}
    assert one["drops"] == {"tx_dropped": 320_000, "rx_missed": 20, "rx_errors": 0, "rx_nombuf": 4, "tx_errors": 0}
    assert one["least_available"] == ["p", 1, 100]
    (row,) = page.cells("runs")
    assert (row["run"], row["engine"], row["seconds"], row["packets"], row["Mpps"], row["median Mpps"], row["cycles/packet"], row["what differs"]) == (
        "1", "io", "3.01", "6 320 000", "2.10", "2.00", "10.0", "–")
    (row,) = page.cells("drops")
    assert (row["tx_dropped"], row["rx_missed"], row["rx_nombuf"], row["fewest free mbufs"]) == ("320 000", "20", "4", "p: 1 of 100")
    assert "notes" not in page.text.split("</style>")[1].split("<script")[0]


def ring(direction, packets, zc, **more):
    """A ring of stream 0 and worker 0."""
    sides = {f"{side}_{name}": n for side in ("put", "taken") for name, n in (("packets", packets), ("copy", 1), ("zc", zc), ("wraps", 2))}
    return {"direction": direction, "stream": 0, "worker": 0, "shared": 0, **sides, "put_full": 0, "taken_empty": 0, **more}


def test_engines(sketch, tmp_path):
    """Rings and workers of a pipeline, streams of extbuf: sums over intervals, cycles per packet, levels that were seen."""
    lines = [header(), begin(1, "ring_pipeline", 100), interval(1, 101, 1_000_000), interval(1, 102, 2_000_000), begin(2, "extbuf", 102),
             interval(2, 103, 1_000_000), {"type": "stop", "run": 0, "mono_ns": 104 * S}]
    for level, line in ((7, lines[2]), (40, lines[3])):
        line["groups"] = {
            "pipeline_io": [{"lcore": 1, "mode_in": "zc", "mode_back": "copy", "timed_rx": 0, "rx_cycles": 0, "timed_tx": 0, "tx_cycles": 0}],
            "pipeline_worker": [{"worker": 0, "lcore": 2, "packets": 320, "bursts": 10, "empty_polls": 3, "deaths": 0, "timed": 100,
                                 "cycles": 5000, "stage_cycles": 4000}],
            "pipeline_ring": [ring("in", 320, 9, put_full=4, taken_empty=3, level=level, fill=cells([[0, 5], [4, 5]])),
                              ring("back", 10, 0, shared=1, fill=cells([[8, 1]]))]}
    lines[5]["groups"] = {"extbuf": [{"stream": 0, "mode": "auto", "threshold": 192, "out": 77}]}
    lines[5]["streams"][0].update(counters={"copied": 5, "attached": 6})
    page = sketch(written(tmp_path / "r", *lines))
    (worker,) = page.cells("workers")
    assert [worker[name] for name in ("worker", "lcore", "packets", "packets/burst", "empty polls", "ring cycles/packet",
                                      "stage cycles/packet")] == ["0", "2", "640", "32.0", "6", "10.0", "40.0"]
    rings = [[row[name] for name in ("ring", "packets", "copied", "zero-copy", "full", "empty", "mean fill", "maximum packets")]
             for row in page.cells("rings")]
    assert rings == [["to worker", "640", "10.0 %", "90.0 %", "8", "6", "25.0 %", "40"],
                     ["back", "20", "100.0 %", "0.0 %", "0", "–", "100.0 %", "–"]]
    (stream,) = page.cells("external")
    assert [stream[name] for name in ("run", "mode", "copied if", "copied", "attached", "maximum buffers out")] == [
        "2", "auto", "below 192 bytes", "5", "6", "77"]
    assert page.heads[5:8] == ["Bursts", "Workers and rings", "External buffers"] and "Ring fill levels: run 1 ring_pipeline" in page.alts
    pipeline, none = [one["pipeline"] for one in json.loads(page.data)["runs"]]
    assert none is None and pipeline["modes"] == ["zc in, copy back"]


def test_pools(sketch, tmp_path):
    """Free mbufs of every pool over time; a pool that comes later begins later; nothing without pools."""
    lines = [header(), begin(1, "io", 100), *(interval(1, 101 + i, 1_000_000) for i in range(3))]
    lines[3]["pools"].append({"name": "late", "size": 0, "available": 0})
    written(tmp_path / "r", *lines)
    assert "Free mbufs: r" in sketch(tmp_path / "r").alts
    for line in lines[2:]:
        line["pools"] = []
    written(tmp_path / "r", *lines)
    assert "Mempools" not in sketch(tmp_path / "r").heads


def test_only_streams(sketch, tmp_path):
    """A recording of some streams says so; of all it says nothing."""
    page = sketch(written(tmp_path / "r", header(only_streams=[0, 3]), *one_run(1, "io", 1_000_000)))
    assert "<dt>streams</dt><dd>only 0, 3; " in page.text
    assert "<dt>streams</dt>" not in sketch(known(tmp_path / "a")).text


@pytest.mark.parametrize("speeds, share", [((40000, 40000), 0.5), ((40000, 0), 1.0), ((0xFFFFFFFF, 40000), 1.0), ((0, 0), None), ((None, None), None)])
def test_wire(sketch, tmp_path, speeds, share):
    """Gb/s without and with what a frame has on the wire beside it, and how much of the links that is; nothing where no speed is known."""
    ports = [{**header()["ports"][0], "port": port, **({} if speed is None else {"link_mbps": speed})} for port, speed in enumerate(speeds)]
    lines = [header(), *one_run(1, "io", 1, ports=ports), *one_run(2, "rxonly", 1, ports=ports, sends_packets=False)]
    for line in lines:  # two ports, each with 2.5 Mpps of 1000 bytes on the wire: 40 Gb/s
        if line["type"] == "begin":
            line["streams"] = [{"stream": port, "rx_port": port, "rx_queue": 0, "tx_port": 1 - port, "tx_queue": 0, "lcore": 1} for port in (0, 1)]
        elif line["type"] != "header":
            sends = line["run"] == 1
            line["streams"] = [{**line["streams"][0], "stream": port, "rx": 2_500_000, "tx": 2_500_000 * sends, "tx_dropped": 0} for port in (0, 1)]
            line["ports"] = [{"port": port, "rx_packets": 2_500_000, "rx_bytes": 2_500_000 * 976, "rx_missed": 100_000, "tx_packets": 2_500_000 * sends,
                              "tx_bytes": 2_500_000 * 976 * sends} for port in (0, 1)]
    page = sketch(written(tmp_path / "r", *lines))
    for row, one in zip(page.cells("runs"), json.loads(page.data)["runs"]):
        assert (row["Mpps"], row["packets"], row["L2 Gb/s"], row["L1 Gb/s"]) == ("5.00", "5 000 000", "39.0", "40.0")
        assert row["share of line rate"] == ("–" if share is None else f"{100 * share:.1f} %") and row["loss"] == f"{100 * 200_000 / 5_200_000:.4f} %"
        assert one["line_share"] == (share and pytest.approx(share))


def test_hardware(drawn_once, tmp_path):
    """Hardware counters per packet, lcore by lcore; the machine's memory requests by all lcores' packets, and a dash for what is not counted."""
    lines = [json.loads(line) for line in known(tmp_path / "a").read_text(encoding="utf-8").splitlines()]
    for line in lines:
        if line["type"] in ("interval", "end"):
            line["groups"] = {
                "hardware": [{"stream": 0, "lcore": 1, "packets": 100, "cycles": 5000, "instructions": 10000, "mc_requests": 400},
                             {"stream": 1, "lcore": 2, "packets": 300, "cycles": 9000, "instructions": 9000}],
                "pipeline_worker_hardware": [{"worker": 0, "lcore": 3, "packets": 0}]}
    written(tmp_path / "a", *lines)
    assert report(tmp_path / "a", "-o", tmp_path / "o").returncode == 0
    first, second = Page(tmp_path / "o/report.html").cells("hardware")
    assert (first["lcore or worker"], first["packets"], first["cycles"], first["instructions"], first["IPC"]) == ("lcore 1", "400", "50.0", "100", "2.00")
    assert (second["lcore or worker"], second["cycles"], second["IPC"], second["l2 refills"], second["mc requests"]) == ("lcore 2", "30.0", "1.00", "–", "–")
    assert first["mc requests"] == "1.00"


def test_page_is_whole(drawn, tmp_path):
    """One file, every plot in it four times (light and dark, wide and narrow), and each plot beside it as PNG and SVG."""
    page = make(tmp_path, known(tmp_path / "a"), known(tmp_path / "b"))
    assert page.heads == ["zcfwd recording", "Runs", "Comparison", "Throughput and cycles over time", "Mempools", "Bursts", "Lost packets",
                          "Recording details"]
    plots = ["comparison", "time-1", "pools-1", "time-2", "pools-2", *(f"{kind}-{i}" for i in (1, 2) for kind in ("bursts", "heat"))]
    assert len(page.alts) == len(plots) and all(page.alts)
    assert len(page.links) == 4 * len(plots) and all(link.startswith("data:image/svg+xml;base64,") for link in page.links)
    assert page.text.count("prefers-color-scheme: dark") == 1 + 2 * len(plots)
    assert page.text.count("(max-width: 40rem)") == 1 + 2 * len(plots)
    assert re.search('<meta name="viewport" content="width=device-width', page.text)
    assert set(os.listdir(tmp_path / "out")) == {"report.html", *(f"{name}.{kind}" for name in plots for kind in ("png", "svg"))}
    for name in plots:
        assert (tmp_path / "out" / f"{name}.png").read_bytes().startswith(b"\x89PNG\r\n")
        assert "</svg>" in (tmp_path / "out" / f"{name}.svg").read_text(encoding="utf-8")[-20:]


ODD = ("\ud800", "a\0b\x1b[2J\ufffe", "$\\foo$", "$x_$", "<!--<script>", "</script><script>alert(1)</script>", "\"'><img src=x>", "\u6f22\u5b57")


def test_odd_names(drawn_once, tmp_path):
    """Names that no text file, no plot or no page takes as they are, in every place that has one: a page that is whole."""
    lines = [header(machine={**header()["machine"], "host": ODD[0], "cpu": ODD[4]})]
    for number, odd in enumerate(ODD, 1):
        first = begin(number, odd, 100 * number)
        first["ports"] = [{**first["ports"][0], "name": odd, "driver": odd, "rx_path": odd}]
        lines += [first, interval(number, 100 * number + 1, 1_000_000), {"type": "set", "run": number, "name": odd, "value": odd}]
        lines[-2]["pools"][0]["name"] = odd
    text = "".join(json.dumps(line) + "\n" for line in lines)
    path = os.path.join(os.fsencode(tmp_path), b"bad\xff<b>&$x_$.jsonl")
    with open(path, "wb") as file:
        file.write(json.dumps(lines[0], ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n" + text.encode("ascii"))
    done = report(os.fsdecode(path), "-o", tmp_path / "out", "--title", ODD[4])
    assert done.returncode == 0 and not done.stderr, done.stderr
    page = Page(tmp_path / "out" / "report.html")
    assert [row["engine"] for row in page.cells("runs")] == [read.printable(odd) for odd in ODD]
    assert page.cells("runs")[0]["file"] == "bad\ufffd<b>&$x_$.jsonl"
    assert "<" not in page.data and [one["engine"] for one in json.loads(page.data)["runs"]] == [read.printable(odd) for odd in ODD]
    for plot in (tmp_path / "out").glob("*.svg"):
        xml.dom.minidom.parse(str(plot))


@pytest.mark.parametrize("other", ["<b>", None, [], [1, 2], {}, {"a": [1]}, True, -1, 1.5, 2**64, 2**64 - 1], ids=repr)
def test_any_value_anywhere(drawn, tmp_path, monkeypatch, other):
    """Another value in place of each member of each line: a page, or one error that names the file. The largest number also has its place in pictures."""
    from zcfwd_report import page, plots  # pylint: disable=import-outside-toplevel
    monkeypatch.setattr(page, "picture", lambda plot, folder: (other == 2**64 - 1 and plots.picture(plot, plots.WIDE), plot.title)[1])
    lines = [header(), begin(1, "extbuf", 100, settings={"burst": 32, "x": 0}, sends_packets=True, compare=trial(1, 0)), interval(1, 101, 1_000_000),
             interval(1, 102, 0, kind="end"), {"type": "set", "run": 1, "mono_ns": 101 * S, "name": "x", "value": 1}]
    lines[3]["cut"] = False
    lines[1]["ports"][0]["link_mbps"] = 40000
    lines[2]["groups"] = {"extbuf": [{"stream": 0, "mode": "auto", "threshold": 192, "out": 77}],
                          "pipeline_io": [{"lcore": 1, "mode_in": "zc", "mode_back": "copy"}],
                          "pipeline_worker": [{"worker": 0, "lcore": 2, "packets": 320, "bursts": 10, "empty_polls": 3, "timed": 100, "cycles": 5000,
                                               "stage_cycles": 4000}],
                          "pipeline_ring": [ring("in", 320, 9, level=7, fill=cells([[0, 5], [4, 5]]))]}
    lines[2]["streams"][0].update(counters={"copied": 5, "attached": 6})
    path, made = tmp_path / "r", 0
    for number, line in enumerate(lines):
        for place in members(line):
            written(path, *lines[:number], changed(line, place, other), *lines[number + 1:])
            try:
                page.write([read.recording(str(path))], str(tmp_path / "out"), "title")
                made += 1
            except read.ReadError as error:
                assert str(path) in str(error)
    assert made > 100


def test_no_streams(sketch, tmp_path):
    """A run whose begin names no stream has no bursts to draw."""
    first, line = begin(1, "io", 100), interval(1, 101, 0)
    first["streams"] = line["streams"] = []
    assert sketch(written(tmp_path / "r", header(), first, line)).cells("runs")[0]["packets"] == "0"


def test_rotated_and_cut(sketch, tmp_path):
    """Older files of the recording come first, those of another are left alone; what is damaged is said and left out."""
    lines = [header(), begin(1, "io", 100), interval(1, 101, 1_000_000)]
    for name, more in (("r.2", lines), ("r.1", lines[:2] + [interval(1, 102, 2_000_000)]),
                       ("r", lines[:2] + [interval(1, 103, 3_000_000)])):
        written(tmp_path / name, *more)
    other = [header(recording="other"), begin(1, "io", 90), interval(1, 91, 5_000_000)]
    written(tmp_path / "r.3", *other)
    with open(tmp_path / "r", "a", encoding="utf-8") as file:
        file.write('{"type": "interv')
    page = sketch(tmp_path / "r")
    (one,) = json.loads(page.data)["runs"]
    assert one["intervals"] == 3 and one["packets"] == 6_000_000 and not one["ended"]
    assert "line 4: truncated" in page.text and "no stop line" in page.text
    assert [line["mono_ns"] // S for line in read.recording(str(tmp_path / "r")).runs[0].intervals] == [101, 102, 103]


def test_extremes(sketch, tmp_path):
    """Numbers that no run has, as damage leaves them, and times that go back: a page all the same."""
    path, most = tmp_path / "r", 2**64 - 1
    lines = [header(), begin(1, "io", 100), interval(1, 103, 1_000_000), interval(1, 101, 0, dt=0, sizes=[[2**40, 1], [most, most]]),
             interval(1, 99, most), interval(1, 98, 0, dt=most, sizes=[])]
    lines[4]["ports"] = []
    written(path, *lines)
    page = sketch(path)
    assert page.cells("runs")[0]["packets"].replace(" ", "") == str(1_000_000 + most)


def test_without_matplotlib(tmp_path):
    """Tables need nothing; a page says what to install."""
    (tmp_path / "lib" / "matplotlib").mkdir(parents=True)
    (tmp_path / "lib" / "matplotlib" / "__init__.py").write_text("raise ImportError('not here')\n", encoding="ascii")
    env = {"PYTHONPATH": str(tmp_path / "lib")}
    done = process(known(tmp_path / "a"), "-o", tmp_path / "out", env=env)
    assert done.returncode == 1 and "install python3-matplotlib" in done.stderr and done.stderr.count("\n") == 1
    assert process("--csv", burst_file(tmp_path / "r.bursts"), env=env).returncode == 0


@pytest.mark.parametrize("there, drawn, says", [
    ((), True, "run: build/zcfwd and app/tools/zcfwd-report: make install puts both on the PATH\n"),
    (("zcfwd",), False, "run: build/zcfwd and app/tools/zcfwd-report: make install puts both on the PATH; "
     "zcfwd-report wants python3-matplotlib for its plots: devtools/setup report\n"),
    (("zcfwd", "zcfwd-report"), False, "run: zcfwd-report wants python3-matplotlib for its plots: devtools/setup report\n"),
    (("zcfwd", "zcfwd-report"), True, "")])
def test_where(tmp_path, there, drawn, says):
    """What make run says when it is over: how program and report come on the PATH, and what the report lacks."""
    (tmp_path / "matplotlib").mkdir()
    (tmp_path / "matplotlib" / "__init__.py").write_text("" if drawn else "raise ImportError\n", encoding="ascii")
    for name in ("id", *there):
        (tmp_path / name).write_text("#!/bin/sh\necho 0\n", encoding="ascii")
        (tmp_path / name).chmod(0o755)
    done = subprocess.run(["/bin/sh", ROOT / "devtools/where", "build/zcfwd"], env={"PATH": str(tmp_path), "PYTHONPATH": str(tmp_path)},
                          capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", says)
    assert "\t@devtools/run $(BUILD)/zcfwd $(ARGS)\n\t@devtools/where $(BUILD)/zcfwd\n" in (ROOT / "Makefile").read_text(encoding="utf-8")


def test_real_recording(sketch, binary, tmp_path):
    path = tmp_path / "r"
    with open_session(binary) as session:
        session.json_ok(f"record start {path} every 5 bursts sampled 100")
        totals = {engine: run(session, engine) for engine in ("io", "txonly")}
        session.json_ok("record stop")
    page = sketch(path)
    found = {one["engine"]: one for one in json.loads(page.data)["runs"]}
    for engine, count in (("io", "rx"), ("txonly", "tx")):
        assert found[engine]["packets"] == sum(stream["tx"] for stream in totals[engine]["streams"])
        assert found[engine]["rx_bursts" if count == "rx" else "tx_bursts"]["p99"] == 32
        assert found[engine]["cycles_per_packet"]["median"] > 0
        assert found[engine]["kept_polls"] > 0
    done = report("--csv", tmp_path / "r.bursts")
    assert done.stdout.count("\n") == 1 + sum(one["kept_polls"] for one in found.values())


def test_lost_cpu(sketch, tmp_path):
    """The page names the lcore that lost its CPU, right after what happened, and shades those intervals alone."""
    lines = [header(), begin(1, "io", 100),
             with_cpu(interval(1, 101, 1000), (1, S - S // 100, S // 100, S), (2, S, 0, S)),
             with_cpu(interval(1, 102, 1000), (1, S // 5, S - S // 5, S), (2, S, 0, S)),
             with_cpu(interval(1, 103, 1000), (1, 0, 0, S), (2, S // 2, None, S)),  # a wait that has not ended; a kernel that counts none
             with_cpu(interval(1, 103.9, 1000, S * 9 // 10), (1, 0, 0, 0), (2, 0, 0, 0)),  # after the loop
             {"type": "stop", "run": 0, "mono_ns": 104 * S}]
    page = sketch(written(tmp_path / "a.jsonl", *lines))
    (one,) = json.loads(page.data)["runs"]
    assert one["cpu_lacking"] == 2
    assert one["cpu"] == [{"lcore": 1, "run_ns": S - S // 100 + S // 5, "wait_ns": S // 100 + S - S // 5, "preempted": 28, "loop_ns": 3 * S,
                           "share": pytest.approx(1.19 / 2)},
                          {"lcore": 2, "run_ns": 5 * S // 2, "wait_ns": None, "preempted": None, "loop_ns": 3 * S, "share": pytest.approx(2.5 / 3)}]
    sentence = re.search(r"</h1>\n<p id=\"summary\">[^<]*</p>\n<p id=\"cpu-words\">([^<]*)</p>", page.text)[1]
    assert sentence == ("In 2 of 4 intervals an lcore had less than 95 % of its CPU; the plots over time shade these intervals. Run 1 of a.jsonl had the "
                        "least: lcore 1 had its CPU for 59.5 % of the run (28 preemptions).")
    assert [(row["lcore"], row["share of its CPU"], row["preemptions"]) for row in page.cells("cpu")] == [("1", "59.5 %", "28"), ("2", "83.3 %", "–")]
    assert "In shaded intervals" in page.text
    assert "an lcore had less than 95 % of its CPU" in (tmp_path / "out/time-1.svg").read_text(encoding="utf-8")
    assert [figures.lacks_cpu(line) for line in lines[2:6]] == [False, True, True, False]


@pytest.mark.parametrize("share, sentence", [(None, None), (1, "In each interval every lcore had at least 95 % of its CPU.")])
def test_cpu_not_lost(sketch, tmp_path, share, sentence):
    """Also of a recording that an older zcfwd wrote, without CPU times."""
    lines = [header(), begin(1, "io", 100), interval(1, 101, 1000), {"type": "stop", "run": 0, "mono_ns": 104 * S}]
    if share is not None:
        with_cpu(lines[2], (1, share * S, 0, S))
    page = sketch(written(tmp_path / "a.jsonl", *lines))
    found = re.search(r"<p id=\"cpu-words\">([^<]*)</p>", page.text)
    assert (found and found[1]) == sentence
    assert ("cpu" in page.tables) == ("This recording has no CPU times" not in page.text) == (share is not None)
    assert "an lcore had less" not in (tmp_path / "out/time-1.svg").read_text(encoding="utf-8")


@pytest.mark.parametrize("member", [{"lcore": -1}, {"run_ns": 1.5}, {"loop_ns": "1"}, {"wait_ns": None}])
def test_damaged_cpu(sketch, tmp_path, member):
    """A line with such times is left out, and a note says so."""
    bad = with_cpu(interval(1, 101, 1000), (1, S, 0, S))
    bad["groups"]["cpu"][0].update(member)
    lines = [header(), begin(1, "io", 100), bad, interval(1, 102, 1000), {"type": "stop", "run": 0, "mono_ns": 104 * S}]
    page = sketch(written(tmp_path / "a.jsonl", *lines))
    assert "line 3: truncated or damaged, skipped" in page.text
    assert json.loads(page.data)["runs"][0]["intervals"] == 1
