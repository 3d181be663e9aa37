# SPDX-License-Identifier: BSD-3-Clause
"""measure rate: the rate without loss of systems whose rate is known, and of zcfwd itself in another process."""
import math
import os
import re
import signal
import subprocess

import pytest

from modelled import Modelled, each_device, needs_model_nic
from neighbour import LCORES, neighbour
from netns import Namespaces, bridge, entering, ip
from package import started
from session import PROMPT, Session, wait_until

RING, LOOP = ["net_ring0"], ["--port-topology=loop", "--no-flush-rx"]
# Any trial passes, but a day of them has to.
ENDLESS = "ndr:loss=99%:first=0.1s:trial=0.1s:sum=86400s"
# As pdr, but quick: loss that the preemption of an lcore causes does not decide.
LOSS, EXCEED, WIDTH = 2, 0.5, 0.04
QUICK = f"pdr:loss={LOSS}%:first=0.2s:trial=0.2s:sum=0.5s:width={100 * WIDTH:g}%"


ENOUGH = 0.95  # of a CPU: RUN_CPU_ENOUGH


def fed(size):
    """Whether the lcores had their CPUs in every trial, as the kernel counts it."""
    return all((trial["cpu_share"] or 0) >= ENOUGH for trial in size["trials"])


def spoilt(answer):
    """Whether packets of a trial came after its end, as threads lacked CPU time: the next trial refuses them."""
    return not answer["ok"] and answer["error"]["code"] == "EPROTO" and not all(size["trials"] and fed(size) for size in answer["sizes"])


def search(session, words, timeout=300):
    """The results of all sizes; None: the search was spoilt."""
    answer = session.json(f"measure rate {words}", timeout)
    if spoilt(answer):
        return None
    assert answer["ok"], answer
    assert all(size["stopped"] is False and size["n_trials"] == len(size["trials"]) for size in answer["sizes"])
    return answer["sizes"]


def searched(session, words):
    """The results of all sizes, of a search that was not spoilt."""
    return wait_until(lambda: search(session, words), "a search whose packets come in time", 120)


def failed(session, line):
    """The bad word and the message of a command that fails."""
    answer = session.json(line, 60)
    assert answer["ok"] is False, answer
    return f'{answer["error"].get("word")}: {answer["error"]["message"]}'


def at_most(n, k):
    """The probability that at most k of n trials are above the goal's loss, if each is with a probability of EXCEED."""
    return sum(math.comb(n, i) * EXCEED ** i * (1 - EXCEED) ** (n - i) for i in range(k + 1))


def check_bound(size, goal, bound, confidence):
    """The trials at a bound, all of which are of full length, and the confidence in it. Returns these trials."""
    pps, within, above = (goal[f"{bound}_{name}"] for name in ("pps", "within", "above"))
    trials = [trial for trial in size["trials"] if pps and trial["load_pps"] == pytest.approx(pps, abs=1)]
    low = [sum(trial["loss_percent"] <= LOSS + margin for trial in trials) for margin in (-1e-6, 1e-6)]  # of a loss that is LOSS, rounding decides
    assert low[0] <= within <= low[1] and within + above == len(trials) and (len(trials) > 0) == (pps is not None), (goal, size["trials"])
    assert goal[f"{bound}_confidence"] == (pytest.approx(confidence(within + above, above), abs=1e-6) if trials else None), goal
    return trials


def check(size):
    """The bounds and the rate are those that the trials say, and the latency table has the loads of the last goal's rate."""
    for goal in size["goals"]:
        lower, upper = goal["lower_pps"], goal["upper_pps"]
        assert goal["verdict"] != "unfinished"
        assert (goal["verdict"] == "the highest rate passes") == (upper is None), goal
        trials = check_bound(size, goal, "lower", lambda n, above: 1 - at_most(n, above))
        check_bound(size, goal, "upper", lambda n, above: at_most(n, above - 1))
        assert lower is None or size["min_pps"] <= lower <= size["max_pps"]
        assert lower is None or upper is None or 0 < upper - lower <= WIDTH * upper
        # The throughput of one of the trials at the lower bound, and its bits with checksum, preamble and gap.
        assert goal["pps"] == 0 if lower is None else any(goal["pps"] == pytest.approx(lower * (1 - trial["loss_percent"] / 100), rel=1e-6) for trial in trials), goal
        assert goal["l1_gbps"] == pytest.approx(goal["pps"] * 8 * (size["mean_bytes"] + 24) / 1e9, rel=1e-6)
    assert all(trial["seconds"] <= trial["effective_seconds"] for trial in size["trials"])
    assert size["trial_seconds"] == pytest.approx(sum(trial["effective_seconds"] for trial in size["trials"]), rel=1e-6)
    if "latency" not in size:
        return
    rate = size["goals"][-1]["pps"]
    assert [row["percent"] for row in size["latency"]] == [0, 10, 50, 90][:4 if rate > 0 else 1]
    for row in size["latency"]:
        assert row["load_pps"] == pytest.approx(max(size["min_pps"], rate * row["percent"] / 100), rel=1e-5)


def starved(session, size):
    """Whether the lcore lacked CPU time: packets were not sent in time, or so many came at once that the card missed some."""
    missed = sum(port["rx_missed"] for port in session.json_ok("show port stats all")["ports"])
    return missed > 0 or any(trial["unsent_percent"] > 0 for trial in size["trials"])


@pytest.mark.rotates(2)
@needs_model_nic
@each_device
@pytest.mark.parametrize("every, passes", [(10, False), (400, True)])
def test_loss(binary, tmp_path, device, every, passes):
    """A wire that loses 10 % or 0.25 % of the packets, at every rate: the search ends at the lowest or at the highest."""
    with Modelled(binary, f"{device},rx=wire:1,loss={every};{device},rx=none", tmp_path, ["--rxd=4096"]) as session:
        session.ok("set output json", "set generate flows 4 port 0 flows 0", "set generate-late 1000000")
        before = session.json_ok("show settings changed")["settings"]
        size, = searched(session, f"goals {QUICK} from 1kpps to 20kpps latency 100")
        check(size)
        goal, = size["goals"]
        # Of what was sent, the wire loses every N-th packet; a preempted lcore sends less, and its card loses more.
        hungry = starved(session, size)
        for trial in size["trials"]:
            lost, unsent, packet = trial["loss_percent"] / 100, trial["unsent_percent"] / 100, 1 / max(1, trial["sent_pps"] * trial["seconds"])
            of_sent = (lost - unsent) / (1 - unsent)
            assert of_sent == pytest.approx(1 / every, abs=packet) or (hungry and of_sent > 1 / every - packet), trial
        if not passes:
            assert goal["pps"] == 0 and goal["verdict"] in ("the lowest rate fails", *("the sender cannot send the lowest rate",) * hungry)
        elif not hungry:
            assert goal["verdict"] == "the highest rate passes" and goal["pps"] == pytest.approx(20000 * (1 - 1 / every), rel=0.001)
        # Engine, rate and size are as before, and a run works.
        assert session.json_ok("show settings changed")["settings"] == before
        assert session.json_ok("start for 100ms")["engine"] == "io"


@needs_model_nic
def test_sender_limit(binary, tmp_path):
    """The card cannot send at the lowest rate: the verdict says that the sender is the limit."""
    with Modelled(binary, "xl710,rx=wire:1;xl710,rx=none", tmp_path) as session:
        session.ok("set output json", "set generate flows 4 port 0 flows 0")
        size, = searched(session, f"goals {QUICK} from 40Mpps to 59Mpps latency 0")
        check(size)
        assert size["goals"][0]["verdict"] == "the sender cannot send the lowest rate"
        assert all(100 > trial["loss_percent"] >= trial["unsent_percent"] > 2 and trial["sent_pps"] < trial["load_pps"] for trial in size["trials"]), size


@needs_model_nic
def test_lost_cpu(binary, tmp_path):
    """A process on the sender's CPU: the answer says whose CPU was lost, and in which trial."""
    with Modelled(binary, "xl710,rx=wire:1;xl710,rx=none", tmp_path, lcores=LCORES) as session, neighbour():
        session.ok("set output json", "set generate flows 4 port 0 flows 0")
        size = wait_until(lambda: lost(*searched(session, f"goals {QUICK} from 40Mpps to 59Mpps latency 0")), "a search that names the lost CPU", 60)
    trial = min(size["trials"], key=lambda trial: trial["cpu_share"])
    assert trial["cpu_share"] < 0.95 and trial["unsent_percent"] > 0
    assert re.fullmatch(rf"lcore 1 had its CPU for {100 * trial['cpu_share']:.0f} % of trial {trial['trial']} \(\d+ preemptions?\)", size["lost_cpu"]), size


def lost(size):
    return size if size["lost_cpu"] else None


@needs_model_nic
def test_sizes(binary, tmp_path):
    """A table per size; the line rate is the highest load."""
    with Modelled(binary, "82599,rx=wire:1;82599,rx=none", tmp_path, ["--rxd=4096"]) as session:
        session.ok("set output json", "set generate flows 4 size 100 port 0 flows 0", "set generate-late 1000000")
        sizes = searched(session, f"goals {QUICK} sizes 60,described,imix,200-300 from 1kpps to 5kpps latency 0")
        assert [(size["size"], size["mean_bytes"]) for size in sizes] == [
            ("60", 60), ("described", 100), ("imix", pytest.approx((7 * 60 + 4 * 590 + 1514) / 12)), ("200-300", pytest.approx(250))]
        assert not any("latency" in size for size in sizes)
        for size in sizes:
            check(size)
        assert all(size["goals"][0]["verdict"] == "the highest rate passes" or starved(session, size) for size in sizes), sizes
        assert "expected less than the line rate, 820210pps" in failed(session, "measure rate sizes 1500 from 900kpps")


@pytest.mark.netns
@pytest.mark.tap
def test_known_rate(binary):
    """The kernel forwards 2500 packets a second to one of two taps (qdisc tbf): that is the rate found."""
    pps, size, queue = 2500, 500, 50
    taps = [f"zr{os.getpid() % 100000}{i}" for i in (0, 1)]
    with Namespaces(1) as (name,), Session(binary, [f"net_tap{i},iface={tap}" for i, tap in enumerate(taps)], ["--no-flush-rx"], wrapper=entering(name)) as session:
        bridge(name, taps)
        subprocess.run(["tc", "-n", name, "qdisc", "add", "dev", taps[0], "root", "tbf", "rate", f"{pps * size * 8}bit",
                        "burst", str(4 * size), "limit", str(queue * size)], check=True, timeout=30)
        session.ok("set output json", f"set generate flows 4 size {size} port 0 flows 0", "set generate-late 1000000", "set measure-drain 50")
        size, = searched(session, f"goals pdr:loss={LOSS}%:first=0.5s:trial=0.5s:sum=1s:width=2% from 100pps to 20kpps latency 500")
        check(size)
        goal, = size["goals"]
        # In each trial the queue takes some more than the rate. What an lcore without its CPU sends at once overflows it.
        assert goal["pps"] < 1.1 * (pps + queue / 0.5) and (goal["pps"] > 0.9 * pps or not fed(size)), (goal, size["trials"])
        # The queue is full at too much load, and a packet waits for those before it.
        assert goal["verdict"] == "found" or not fed(size)


@pytest.mark.netns
def test_itself(binary):
    """Engine io in another process, over two veths: what arrived is what it forwarded."""
    ends = [[f"zr{side}{os.getpid() % 100000}{i}" for i in (0, 1)] for side in "ab"]
    # A namespace each: net_af_packet makes the number of a fanout group of process and interface, and two processes can get the same.
    with Namespaces(2) as names:
        for near, far in zip(*ends):
            ip("-n", names[0], "link", "add", near, "type", "veth", "peer", "name", far, "netns", names[1])
        for name, side in zip(names, ends):
            for end in side:
                ip("-n", name, "link", "set", end, "up")
        ports = [[f"net_af_packet{i},iface={end}" for i, end in enumerate(side)] for side in ends]
        with Session(binary, ports[0], ["--forward-mode=io", "--no-flush-rx"], wrapper=entering(names[0])) as device, \
                Session(binary, ports[1], ["--no-flush-rx"], wrapper=entering(names[1])) as session:
            device.ok("set output json", "start")
            session.ok("set output json", "set generate flows 16", "set generate-late 1000000")
            size, = searched(session, f"goals {QUICK} from 100pps to 10kpps latency 200")
            check(size)
            assert size["ports"] == 2
            forwarded = device.json_ok("stop")["total"]["tx_packets"]
            last = session.json_ok("show measure")["streams"]
            assert 0 < sum(stream["unique"] for stream in last) < forwarded


def test_no_port(binary):
    """Without ports it says so, as start does."""
    with Session(binary, []) as session:
        session.ok("set output json")
        assert "no forwarding port" in failed(session, "measure rate")


def test_key(binary):
    """^C ends the search after the trials so far; engine and settings are as before."""
    with Session(binary, RING, LOOP, pty=True) as session:
        session.ok("set fwd macswap", "set generate-rate 7pps")
        session.send(f"measure rate goals {ENDLESS} sizes 60,61 from 1kpps to 10kpps\n")
        session.expect(r"\r +1 +10000 ")
        session.send("\x03")
        text = session.expect(PROMPT)
        assert "unfinished" in text and "stopped by a signal" in text and "size 61" not in text, text
        assert "macswap packet forwarding" in session.cmd("show config rxtx") and re.search("generate-rate +7pps ", session.cmd("show settings changed"))
        assert session.quit()[1] == 0


def test_progress(binary):
    """On a terminal: what is known of the goal, and the time left, of all sizes with their tables of latencies. Nothing of it stays."""
    with Session(binary, RING, LOOP, pty=True) as session:
        session.ok("set generate-late 1000000")
        session.send("measure rate goals pdr:loss=99%:trial=0.2s:first=0.2s:sum=2s:width=10% sizes 60,61 from 1kpps to 10kpps latency 500\n")
        session.expect(r"\r  pdr, about \d+ s left")
        begin = session.expect(r"\r  (goals reached|latency), about \d+ s left", 60)
        assert re.search(r"\r +\r +1 +10000 ", begin), begin
        text = session.expect(PROMPT, 60)
        seconds = [int(found) for found in re.findall(r"latency, about (\d+) s left", text)]
        assert "size 61" in text and seconds and max(seconds) < 60, text
        session.child.setwinsize(5, 20)
        session.send("measure rate goals pdr:loss=99%:trial=0.2s:first=0.2s:sum=2s:width=10% sizes 60 from 1kpps to 10kpps latency 200\n")
        parts = re.findall(r"\r((?:  pdr|  goals|  latency| +)[^\r\n]*)(?=\r)", session.expect(PROMPT, 60))
        assert {"  pdr, about", "  latency, about"} <= {" ".join(one.split(" ")[:4]) for one in parts} and all(len(one) < 20 for one in parts), parts
        assert session.quit()[1] == 0


def test_events(binary):
    """Who asks for events gets one per trial: what is known of the goal, and the time left."""
    with started(binary, ports=RING, options=LOOP) as z:
        z.command("set generate-late 1000000")
        *progress, last = z.events("measure rate goals pdr:loss=99%:trial=0.2s:first=0.2s:sum=1s from 1kpps to 10kpps latency 0")
        size, = last.data["sizes"]
        assert size["goals"][0]["verdict"] == "the highest rate passes"
        events = [one.data for one in progress]
        assert [one["trials"] for one in events] == list(range(size["n_trials"] + 1))
        assert all(one["name"] == "progress" and one["size"] == "described" for one in events)
        assert [one["goal"] is None for one in events] == [False] * size["n_trials"] + [True]
        assert events[0]["seconds_left"] > 0.4 and events[-1]["seconds_left"] == 0 and events[0]["upper_pps"] is None


def test_signal(binary):
    """A signal that is no key ends the search and then the program."""
    with Session(binary, RING, LOOP) as session:
        session.send(f"measure rate goals {ENDLESS} from 1kpps to 10kpps\n")
        session.expect(r"\n +1 +10000 ")
        os.kill(session.pid, signal.SIGTERM)
        text, status = session.finish()
        assert "stopped by a signal" in text and text.rstrip().endswith("Bye...") and status == 0, text


def test_refused(binary):
    with Session(binary, RING, LOOP) as session:
        session.ok("set output json", "set generate flows 0")
        assert "no port sends" in failed(session, "measure rate")
        session.ok("set generate flows 1", "start")
        assert "use stop" in failed(session, "measure rate")
        session.ok("stop")
