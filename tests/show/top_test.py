# SPDX-License-Identifier: BSD-3-Clause
"""top: what it shows is so, it fits its terminal, obeys its keys and leaves the terminal as it was."""
import re
import termios

import pytest
from packets import IP4, PORTS, ether, sized, write_pcap
from scapy.layers.inet import IP, UDP
from neighbour import LCORES, neighbour
from session import PROMPT, Session, wait_until
from stats import fwd_total

pytestmark = pytest.mark.zcfwd

ENTER, LEAVE = "\x1b[?1049h\x1b[?25l", "\x1b[?25h\x1b[?1049l"
RIGHT, CTRL_C = "\x1b[C", "\x03"
SMOOTH = " ▁▂▃▄▅▆▇█"


@pytest.fixture
def screen(binary):
    """A session on a terminal of 24 by 100, forwarding on 2 ports with 4 queues each."""
    with Session(binary, args=["--rxq=4", "--txq=4"], pty=True, env={"TERM": "xterm", "LC_ALL": "C.UTF-8"}) as session:
        session.child.setwinsize(24, 100)
        session.ok("start")
        session.attributes = edited(session)
        yield session
        if session.rc is None:
            assert session.quit()[1] == 0


def attributes(session):
    """How keys and output are treated, but for the input flags, which the line editor changes around its lines."""
    return termios.tcgetattr(session.child.fileno())[1:4]


def edited(session):
    """The same once the line editor has the terminal, which may be a moment behind its prompt."""
    wait_until(lambda: not attributes(session)[2] & termios.IEXTEN, "the line editor")
    return attributes(session)


class Frame:
    """A picture: its lines as they stand on the screen."""

    def __init__(self, text):
        self.lines = [re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", line) for line in text.split("\n")]
        self.heading, self.titles, self.keys = self.lines[0], self.lines[1], self.lines[-1]
        self.rows = [line for line in self.lines[2:-1] if ">" in line]
        self.total = next(line for line in self.lines if line.startswith("all"))

    def column(self, title):
        """The cells that stand under a title, which numbers end with."""
        end = self.titles.index(title) + len(title)
        return [row[:end].split()[-1] for row in self.rows]


def top(session, line="top every 100ms"):
    session.send(line + "\n")
    session.expect(re.escape(ENTER))
    return frame(session)


def frame(session, wanted=lambda _: True, key=None):
    """The next picture that is as wanted."""
    if key is not None:
        session.send(key)

    def found():
        session.expect(re.escape("\x1b[H"))
        picture = Frame(session.expect(re.escape("\x1b[J")))
        return picture if wanted(picture) else None

    return wait_until(found, "a picture that is as wanted", 20)


def left(session):
    """Top is over: the screen is back, the keys are, and the shell takes commands."""
    session.expect(re.escape(LEAVE))
    session.expect(PROMPT)
    assert edited(session) == session.attributes
    assert "List of forwarding lcores" in session.cmd("show config cores")


def test_draws(screen):
    picture = top(screen)
    assert re.match(r"io forwards, loss \d\.\d{3} %, 8 streams on 1 lcore, ", picture.heading) and "sorted by rx>tx" in picture.heading
    assert [row.split()[0] for row in picture.rows] == [f"{p}/{q}>{1 - p}/{q}" for q in range(4) for p in (0, 1)]
    picture = frame(screen, lambda p: all(float(cell) > 0 for cell in p.column("Mpps")))
    assert float(picture.total.split()[1]) == pytest.approx(sum(map(float, picture.column("Mpps"))), abs=0.01)
    assert set(picture.column("cyc/pkt")) == {"-"}
    bits = picture.column("Gb/s")  # newer net_null counts bytes; its packets have 64
    assert set(bits) == {"-"} or [float(cell) for cell in bits] == pytest.approx([float(cell) * .512 for cell in picture.column("Mpps")], rel=0.01)
    assert all(0 < int(cell) <= 100 for cell in picture.column("pool%")) and picture.keys.startswith("q quit")
    assert len(picture.lines) == 24
    screen.send("q")
    left(screen)


@pytest.mark.parametrize("key", ["q", CTRL_C, "\x04"])
def test_leaves(screen, key):
    """^C is a key here: it ends top, and not the program."""
    top(screen)
    assert not attributes(screen)[2] & (termios.ECHO | termios.ISIG | termios.ICANON)
    screen.send(key)
    left(screen)


def test_script(binary, tmp_path):
    """Without a line editor, which would put the keys right by itself: they are as they were."""
    script = tmp_path / "script"
    script.write_text("start\ntop every 100ms count 2\nstop\n")
    with Session(binary, args=[f"--cmdline-file={script}"], pty=True, interactive=False, env={"TERM": "xterm"}) as session:
        before = termios.tcgetattr(session.child.fileno())
        session.expect("Press enter to exit")
        assert session.transcript().count(LEAVE) == 1 and session.transcript().count("\x1b[H") == 2 and termios.tcgetattr(session.child.fileno()) == before
        session.send("\n")
        assert session.finish()[1] == 0


@pytest.mark.rotates(3)
@pytest.mark.parametrize("rows,columns", [(12, 60), (30, 200), (5, 20), (4, 10), (2, 5), (50, 99)])
def test_resizes(screen, rows, columns):
    """Each picture has the terminal's lines, none of them too long; on a narrow one the first columns stay."""
    top(screen, "top every 3600")
    screen.child.setwinsize(rows, columns)
    picture = frame(screen, lambda p: len(p.lines) == max(rows, 5))
    assert all(len(line) <= columns for line in picture.lines)
    assert ("Mpps" in picture.titles) == (columns >= 25) and ("lcore" in picture.titles) == (columns >= 100)
    assert len(picture.rows) == min(8, max(rows - 4, 1))
    screen.child.setwinsize(24, 100)  # where a prompt has room
    frame(screen, lambda p: len(p.lines) == 24)
    screen.send("q")
    left(screen)


def test_sorts(screen):
    """s and < choose what sorts, r turns it round."""
    top(screen)
    picture = frame(screen, lambda p: "by Mpps" in p.heading, "s")
    rates = [float(cell) for cell in picture.column("Mpps")]
    assert rates == sorted(rates, reverse=True)
    picture = frame(screen, lambda p: "reversed" in p.heading, "r")
    rates = [float(cell) for cell in picture.column("Mpps")]
    assert rates == sorted(rates)
    picture = frame(screen, lambda p: "by rx>tx reversed" in p.heading, "<")
    assert picture.rows[0].startswith("1/3>0/3") and picture.rows[-1].startswith("0/0>1/0")
    for title in ("pool%", "drops/s", "cyc/pkt", "Gb/s", "Mpps", "rx>tx"):
        frame(screen, lambda p, t=title: f"by {t} reversed" in p.heading, "<")
    screen.send("q")
    left(screen)


def below(picture, title):
    """The line below the streams that begins with a title."""
    return next((line for line in picture.lines if line.startswith(title)), None)


def test_fills_the_screen(screen):
    """Below the streams: totals that are those of the counters, the worst second, ports, lcores and a graph; blocks that do not fit are left out."""
    screen.child.setwinsize(45, 120)
    top(screen, "top every 1")
    picture = frame(screen, lambda p: re.match(r"worst second [\d.]+ [kM]?pps \(\d+ s ago\), loss 0\.000 % ", below(p, "worst second") or ""))
    assert "txMpps" in picture.titles and len(picture.lines) == 45
    assert all(float(cell) > 0 for cell in picture.column("txMpps"))
    assert below(picture, "port and link") and below(picture, "lcore ") and below(picture, "0 10 Gbps")
    at = picture.lines.index(below(picture, "rate of the last "))
    graph = picture.lines[at + 1:-1]
    assert len(graph) >= 3 and all(line[-1] == SMOOTH[-1] or line[-2:].strip() for line in graph[-2:]), graph
    for rows, there in ((14, ()), (15, (0,)), (18, (0, 2)), (19, (0, 1)), (22, (0, 1, 2))):
        screen.child.setwinsize(rows, 120)
        picture = frame(screen, lambda p, n=rows: len(p.lines) == n, "<>")
        assert [place for place, title in enumerate(("since start", "port and link", "lcore ")) if below(picture, title)] == list(there), picture.lines
    screen.child.setwinsize(24, 100)
    screen.send("q")
    left(screen)
    screen.ok("stop")


def test_totals(binary):
    """What is written below the streams are the counters since the start."""
    with Session(binary, pty=True, env={"TERM": "xterm", "LC_ALL": "C.UTF-8"}) as session:
        session.child.setwinsize(30, 120)
        session.ok("start", "stop")
        packets = fwd_total(session)
        line = below(top(session, "top every 100ms"), "since start")
        got = re.match(r"since start  received ([\d.]+) ?([kMG]?), sent ([\d.]+) ?([kMG]?), lost 0 \(0.000 %\)$", line.rstrip())
        scale = {"": 1, "k": 1e3, "M": 1e6, "G": 1e9}
        assert got, line
        assert float(got[1]) * scale[got[2]] == pytest.approx(packets["RX-packets"], rel=1e-3)
        assert float(got[3]) * scale[got[4]] == pytest.approx(packets["TX-packets"], rel=1e-3)
        session.send("q")
        session.expect(re.escape(LEAVE))
        session.expect(PROMPT)


@pytest.mark.needs("measure")
def test_times(binary):
    """Percentiles of an engine that measures, of the interval, and the most since the start."""
    with Session(binary, ["net_ring0"], ["--port-topology=loop", "--no-flush-rx"], pty=True, env={"TERM": "xterm", "LC_ALL": "C.UTF-8"}) as session:
        session.child.setwinsize(30, 140)
        session.ok("set fwd measure", "set generate-rate 100kpps", "set generate-late 1000000", "start")
        top(session, "top every 1")
        picture = frame(session, lambda p: re.match(r"latency us +p50 [\d.]+, p90 [\d.]+, p99 [\d.]+, p99.9 [\d.-]+, max [\d.]+; max since start [\d.]+", below(p, "latency") or ""))
        now, most = (float(value) for value in re.search(r"max ([\d.]+); max since start ([\d.]+)", below(picture, "latency")).groups())
        assert 0 < now <= most and below(picture, "gap us") and below(picture, "late us") and "lost: known after stop" in below(picture, "since start")
        session.send("q")
        session.expect(re.escape(LEAVE))
        session.expect(PROMPT)


@pytest.mark.parametrize("number, titles", [
    ("2", ["rx Mpps", "tx Mpps", "rx Gb/s", "tx Gb/s", "missed/s", "nombuf/s", "drops/s", "rx loss%"]),
    ("3", ["busy%", "streams", "Mpps", "cyc/pkt", "empty%", "drops/s"]), ("4", ["free%", "free", "in use", "size", "cache"]),
    ("5", ["per second", "total"])])
def test_pages_of_a_narrow_terminal(screen, number, titles):
    screen.child.setwinsize(24, 80)
    top(screen, "top every 3600")
    pictures = [page(screen, lambda p: "rx>tx" not in p.titles, number)]
    while pictures[-1].titles.endswith(">"):
        assert len(pictures[-1].titles) == 80 and len(pictures) < 9
        pictures.append(page(screen, lambda _: True, RIGHT))
        assert "<" in pictures[-1].titles
    assert all(any(title in picture.titles for picture in pictures) for title in titles)
    assert all(len(line) <= 80 for picture in pictures for line in picture.lines)
    assert "<" not in page(screen, lambda p: "rx>tx" in p.titles, "1").titles
    screen.send("q")
    left(screen)


def test_records(screen):
    """b and c switch recording on and off: sizes, a picture of them, cycles."""
    top(screen)
    screen.send("bc")
    picture = frame(screen, lambda p: "-" not in p.column("cyc/pkt") + p.column("p50/p99") and "bursts off  c cycles off" in p.keys)
    assert set(picture.column("p50/p99")) == {"32/32"} and all(float(c) > 0 for c in picture.column("cyc/pkt"))
    at = picture.titles.index("burst sizes")
    assert {row[at:at + 16] for row in picture.rows} == {" " * 15 + SMOOTH[-1]}
    screen.send("b")
    frame(screen, lambda p: set(p.column("p50/p99")) == {"-"})
    screen.send("q")
    left(screen)
    assert "record-core-cycles on" in re.sub(" +", " ", screen.cmd("show settings"))


def test_plain(binary):
    """Into a pipe: a title, then a line for each stream and interval."""
    with Session(binary) as session:
        session.ok("set record-burst-stats on", "set record-core-cycles on", "start")
        lines = session.cmd("top every 200ms count 3").splitlines()
        titles = lines[0].split()
        assert titles[:3] == ["time_s", "rx>tx", "Mpps"] and len(lines) == 7
        rows = [dict(zip(titles, line.split(), strict=True)) for line in lines[1:]]
        assert [row["rx>tx"] for row in rows] == ["0/0>1/0", "1/0>0/0"] * 3
        assert [float(row["time_s"]) for row in rows] == sorted(float(row["time_s"]) for row in rows)
        busy = [row for row in rows if float(row["Mpps"]) > 0]  # not every interval, on a busy machine
        assert all(row["p50/p99"] == "32/32" and float(row["cyc/pkt"]) > 0 for row in busy)
        assert all(row["lcore"] == "1" for row in rows)
        assert "\x1b" not in session.transcript()


def test_json_and_rates(binary, tmp_path):
    """Rates times intervals are packets; bits are those of the packets there were."""
    write_pcap(tmp_path / "in", [sized(ether() / IP(**IP4) / UDP(**PORTS), 1000, 1)] * 32)
    with Session(binary, [f"net_pcap0,rx_pcap={tmp_path}/in,infinite_rx=1", "net_null1"], ["--no-flush-rx"]) as session:
        session.ok("start")
        wait_until(lambda: fwd_total(session)["RX-packets"] > 0, "traffic")
        session.cmd("set output json")
        samples = session.json_ok("top every 100ms count 4")["samples"]
        assert len(samples) == 4
        busy = wait_until(lambda: next((s for s in session.json_ok("top every 100ms")["samples"]
                                        if s["streams"][0]["packets_per_second"] > 0), None), "an interval with packets")
        total = session.json_ok("show fwd stats all")["streams"]
    for number in (0, 1):
        streams = [(sample["interval_s"], sample["streams"][number]) for sample in samples]
        packets = sum(seconds * stream["packets_per_second"] for seconds, stream in streams)
        assert 0 <= packets <= total[number]["rx"]
    first = busy["streams"][0]
    assert first["bits_per_second"] / first["packets_per_second"] == pytest.approx(8000, rel=0.02)
    assert first["cycles_per_packet"] is None and first["drops_per_second"] == 0  # net_null takes everything


def page_rows(picture, title):
    """The rows of a page by their first words."""
    assert picture.titles.startswith(title), picture.titles
    return {line.split()[0]: line for line in picture.lines[2:-1] if line.strip()}


class Page(Frame):
    """A picture of another page than streams, which has no line of sums."""

    def __init__(self, text):
        super().__init__(text + "\nall\n")
        self.lines = self.lines[:-2]
        self.keys = self.lines[-1]


def page(session, wanted, key):
    session.send(key)

    def found():
        session.expect(re.escape("\x1b[H"))
        picture = Page(session.expect(re.escape("\x1b[J")))
        return picture if wanted(picture) else None

    return wait_until(found, "a page that is as wanted", 20)


def test_pages(screen):
    """By number and by TAB: each has its rows, and numbers that agree with those of streams."""
    screen.child.setwinsize(24, 130)
    top(screen)
    # In an interval of 100 ms in which the lcore had no CPU nothing moved.
    picture = page(screen, lambda p: "ports" in p.heading and SMOOTH[-1] in p.lines[2] and all(float(line.split()[3]) > 0 for line in p.lines[2:4]), "2")
    rows = page_rows(picture, "port and link")
    assert set(rows) == {"0", "1"} and all("10 Gbps" in row for row in rows.values())
    assert "loss 0.000 %" in picture.heading and len(picture.lines) == 24
    # Of the first interval only the part after "c" is recorded, and a poll that loses the CPU counts in the interval in which it ends.
    picture = page(screen, lambda p: "lcores" in p.heading and re.match(r"1 +[1-9]", p.lines[2]) and 50 < float(p.lines[2].split()[1]) <= 101, "c3")
    row = page_rows(picture, "lcore")["1"].split()
    assert int(row[2]) == 8 and float(row[4]) > 0, row
    picture = page(screen, lambda p: "pools" in p.heading, "4")
    row = page_rows(picture, "pool")["mb_pool_0"].split()
    assert int(row[2]) + int(row[3]) == int(row[4]) and float(row[1]) == pytest.approx(100 * int(row[2]) / int(row[4]), abs=0.1)
    page(screen, lambda p: "engine" in p.heading, "\t")
    page(screen, lambda p: "rates" in p.heading, "\t")
    frame(screen, lambda p: "8 streams" in p.heading, "\t")
    picture = page(screen, lambda p: "busy%: time in polls with" in "".join(p.lines), "h")
    assert len(picture.lines) == 24
    frame(screen, lambda p: p.rows and "Mpps" in p.titles, "h")
    screen.send("q")
    left(screen)


def test_engine_counters(binary):
    with Session(binary, pty=True, env={"TERM": "xterm"}) as session:
        session.child.setwinsize(50, 90)  # too narrow for what was before
        session.ok("set fwd ring_pipeline", "start")
        session.send("top every 100ms\n")
        picture = page(session, lambda p: "engine" in p.heading and "pipeline_worker" in "".join(p.lines), "5")
        rows = {tuple(line.split()[:-2]): line.split()[-1] for line in picture.lines[2:-1] if line.strip()}
        assert rows[("ring_full",)].isdigit() and any(name[0] == "pipeline_worker" and value.isdigit() for name, value in rows.items()), rows
        session.send("q")
        session.expect(re.escape(LEAVE))
        session.expect(PROMPT)


@pytest.mark.needs("measure")
def test_named_apart(binary):
    """What each stream measures, and each lcore's CPU time, has a name of its own."""
    with Session(binary) as session:
        session.ok("set fwd measure", "start", "set output json")
        names = [row["name"] for row in session.json_ok("top every 100ms")["samples"][0]["engine"]]
        assert len(names) == len(set(names)), names
        assert {"measure 0 sent", "measure 1 sent", "cpu 1 run_ns"} <= set(names), names


@pytest.mark.needs("measure")
def test_rates(binary):
    """What was asked of each generate stream and what it has reached, on a page of their own and below the streams where there is room."""
    with Session(binary, pty=True, env={"TERM": "xterm"}) as session:
        session.child.setwinsize(50, 100)
        session.ok("set fwd generate", "set generate-late 1000000", "set generate stream thin port 0 rate 1kpps", "set generate stream load port 1", "start")
        picture = top(session)
        assert any(line.startswith("sent stream") for line in picture.lines) and any(line.startswith("thin ") for line in picture.lines), picture.lines
        picture = page(session, lambda p: "rates" in p.heading and p.lines[2].split()[1].isdigit() and int(p.lines[2].split()[1]) > 300, "6")
        assert picture.titles.split()[:6] == ["sent", "stream", "reached", "pps", "asked", "pps"]
        rows = page_rows(picture, "sent stream")
        assert rows["thin"].split()[2:4] == ["1000", "0"] and rows["load"].split()[2:4] == ["max", "1"]
        session.send("q")
        session.expect(re.escape(LEAVE))
        session.expect(PROMPT)
        session.ok("set generate stream thin rate 2kpps")
        session.cmd("set output json")
        rows = {row["name"]: row for row in session.json_ok("top every 200ms count 1")["samples"][0]["rates"]}
        assert rows["thin"]["asked_pps"] == 2000 and rows["load"]["asked_pps"] is None
        shown = {row["name"]: row for row in session.json_ok("show generate streams")["streams"]}
        assert all(0 < rows[name]["sent"] <= shown[name]["sent"] and rows[name]["port"] == shown[name]["port"] for name in shown), (rows, shown)


def test_lost_cpu(binary):
    """The share of its CPU that an lcore had falls while another process wants that CPU."""
    with Session(binary, lcores=LCORES) as session, neighbour():
        session.cmd("set output json")
        session.json_ok("start")

        def shares():
            return [one["lcores"][0]["cpu_percent"] for one in session.json_ok("top every 100ms count 5")["samples"]]
        wait_until(lambda: all(share is not None and 0 <= share < 90 for share in shares()), "samples without the CPU", 60)
        session.json_ok("stop")
        assert shares() == [None] * 5  # no lcore is in its loop


def test_json_has_all_pages(binary):
    with Session(binary) as session:
        session.ok("set record-core-cycles on", "start")
        session.cmd("set output json")
        sample = session.json_ok("top every 200ms count 1")["samples"][0]
        assert [port["name"] for port in sample["ports"]] == ["0 10 Gbps", "1 10 Gbps"] and sample["loss_fraction"] == 0
        assert sum(port["rx_mpps"] for port in sample["ports"]) == pytest.approx(sum(s["packets_per_second"] for s in sample["streams"]) / 1e6, rel=0.05)
        assert sample["lcores"][0]["busy_percent"] > 0 and sample["pools"][0]["size"] == 8192 and sample["rates"] == []
