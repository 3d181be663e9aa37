# SPDX-License-Identifier: BSD-3-Clause
"""How a run ends: signals, end of input, quit; idle and forwarding, terminal and pipe, interactive and not."""
import contextlib
import json
import os
import pathlib
import re
import signal
import tempfile
import time

import pytest

from session import WALL, Session, frozen, open_files, wait_until
from stats import blocks, fwd_total, port_stats

SUMMARY = "Accumulated forward statistics for all ports"
STUCK = os.environ.get("NEVER_RETURNS")
NAMES = {"SIGINT": signal.SIGINT, "SIGTERM": signal.SIGTERM, "SIGHUP": signal.SIGHUP}
WORDS = ["SIGINT", "SIGTERM", pytest.param("SIGHUP", marks=pytest.mark.zcfwd)]


def moving(session):
    session.ok("start")
    wait_until(lambda: fwd_total(session)["RX-packets"] > 0, "packets")


def forwards(pid):
    """Whether a worker lcore has spent time: until it runs, it sleeps."""
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        try:
            name, _, rest = (task / "stat").read_text().partition("(")[2].rpartition(")")
        except (FileNotFoundError, ProcessLookupError):  # the thread has ended since
            continue
        if "worker" in name and int(rest.split()[11]) >= 5:
            return True
    return False


def types(record):
    return [json.loads(line)["type"] for line in record.read_text("utf-8").splitlines()]


def check_end(text, rc, forwarding):
    assert rc == 0, text
    assert (SUMMARY in text) == forwarding, text
    assert text.rstrip().endswith("Bye..."), text
    if forwarding:
        assert text.index("Telling cores to stop...") < text.index(SUMMARY) < text.index("Stopping port 0...")
        assert blocks(text)["total"]["RX-packets"] > 0
    for i in (0, 1):
        assert text.index(f"Stopping port {i}...") < text.index(f"Shutting down port {i}...")
        assert f"Port {i} is closed" in text


@pytest.mark.rotates(4)
@pytest.mark.parametrize("pty", [False, True], ids=["pipe", "terminal"])
@pytest.mark.parametrize("forwarding", [False, True], ids=["idle", "forwarding"])
@pytest.mark.parametrize("name", WORDS)
def test_signal_at_the_prompt(binary, name, forwarding, pty):
    with Session(binary, pty=pty) as session:
        if forwarding:
            moving(session)
        session.signal(NAMES[name])
        check_end(*session.finish(), forwarding)


def ended_well(session, ends=0):
    """The run's figures and the last line; returns what was printed."""
    text, _ = session.finish(ends=ends)
    assert SUMMARY in text and text.rstrip().endswith("Bye..."), text
    return text


@pytest.mark.rotates(3)
@pytest.mark.parametrize("args, sign", [((), "(?m)^Press enter to exit\n"), (["--stats-period=1"], "NIC statistics for port 1")], ids=["enter", "periods"])
@pytest.mark.parametrize("name", WORDS)
def test_signal_without_prompt(binary, name, args, sign):
    with Session(binary, args=args, interactive=False) as session:
        session.expect(sign)
        session.signal(NAMES[name])
        ended_well(session)


@pytest.mark.zcfwd
def test_signal_in_front_of_the_rest_of_a_pipe(binary):
    """Lines that were read already do not run."""
    with Session(binary) as session:
        session.send("start for 1000s\nset burst 8\n")
        wait_until(lambda: forwards(session.pid), "packets to be forwarded")
        session.signal(signal.SIGTERM)
        assert not re.search("set to 8|zcfwd> ", ended_well(session))


@pytest.mark.rotates(2)
@pytest.mark.zcfwd
@pytest.mark.parametrize("name", WORDS)
@pytest.mark.parametrize("rest", ["set burst 8\n", ""], ids=["rest", "last"])
def test_signal_in_a_command_file(binary, tmp_path, name, rest):
    """What waits in the file does not run: that is a failure, and one line says where."""
    path, record = tmp_path / "script", tmp_path / "record"
    path.write_text(f"record start {record} every 5\nstart for 1000s\n" + rest, encoding="ascii")
    with Session(binary, args=[f"--cmdline-file={path}"], interactive=False) as session:
        wait_until(lambda: record.exists() and '"begin"' in record.read_text("utf-8"), "a run")
        session.signal(NAMES[name])
        assert "set to 8" not in ended_well(session, ends=1)
        assert session.stderr().count(f"zcfwd: {path}:2: interrupted") == 1, session.stderr()


@pytest.mark.parametrize("end", ["eof", "quit", "enter"])
def test_end_of_input(binary, end):
    """Input that ends is a quit; without a prompt the enter key is one too."""
    with Session(binary, interactive=end != "enter") as session:
        if end == "enter":
            session.expect("(?m)^Press enter to exit\n")
            session.send("\n")
        else:
            moving(session)
            session.eof() if end == "eof" else session.send("quit\n")
        ended_well(session)


@pytest.mark.zcfwd
def test_end_of_input_without_prompt(binary):
    """A background run: nobody is there to press enter, the run goes on until a signal."""
    with Session(binary, interactive=False, args=["--stats-period=1"]) as session:
        session.eof()
        session.expect("Port statistics ====")
        session.expect("Port statistics ====")
        session.signal(signal.SIGTERM)
        assert session.finish()[1] == 0


@pytest.mark.zcfwd
def test_no_input_at_all(binary):
    """Nobody can press enter: the end is said, and how to go on."""
    with Session(binary, interactive=False) as session:
        session.eof()
        ended_well(session)
        assert session.stderr().count("End of input: stopping.") == 1 and "--stats-period" in session.stderr()


def test_start_and_stop_twice(binary):
    with Session(binary, merge=True) as session:
        assert "Packet forwarding not started\n" in session.cmd("stop")
        moving(session)
        assert session.cmd("start") == "Packet forwarding already started\n"
        assert session.cmd("start tx_first") == "Packet forwarding already started\n"
        assert SUMMARY in session.cmd("stop")
        assert session.cmd("stop") == "Packet forwarding not started\n"


@pytest.mark.zcfwd
def test_closed_terminal(binary, tmp_path):
    """As for a signal: the recording has its end, the ports are closed."""
    record = tmp_path / "r"
    with Session(binary, pty=True) as session:
        session.ok(f"record start {record}")
        moving(session)
        session.child.ptyproc.fileobj.close()
        wait_until(lambda: not session.child.isalive(), "the end", 30)
        session.rc = session.child.exitstatus
        assert session.child.signalstatus is None
        assert types(record)[-2:] == ["end", "stop"]


@pytest.mark.zcfwd
def test_nohup(binary):
    """A SIGHUP that was ignored stays so."""
    with Session(binary, wrapper=["nohup"]) as session:
        session.signal(signal.SIGHUP)
        session.ok("show config cores")
        assert session.quit()[1] == 0


@contextlib.contextmanager
def eal_that_waits(binary, tmp_path):
    """For a primary process whose EAL never came up: its file is there, and says nothing."""
    config = tmp_path / "dpdk" / "absent" / "config"
    config.parent.mkdir(parents=True)
    with open(config, "wb") as file:
        file.truncate(1 << 24)
    with Session(binary, vdevs=(), interactive=False, eal=["--proc-type=secondary", "--file-prefix=absent"], memory=[],
                 env={"RUNTIME_DIRECTORY": str(tmp_path)}) as session:
        wait_until(lambda: str(config) in open_files(session.pid), "EAL looking at the file")
        yield session


@pytest.mark.rotates(3)
@pytest.mark.zcfwd
@pytest.mark.parametrize("name", NAMES)
def test_signal_while_eal_waits(binary, name, tmp_path):
    with eal_that_waits(binary, tmp_path) as session:
        session.signal(NAMES[name])
        session.finish(ends=-NAMES[name])


@pytest.mark.zcfwd
def test_second_signal_while_eal_waits(binary, tmp_path):
    """It ends the program before the first one's second is over, which is made endless: the thread that counts it stands still."""
    with eal_that_waits(binary, tmp_path) as session:
        guard = sorted(int(task.name) for task in pathlib.Path(f"/proc/{session.pid}/task").iterdir())[-1]

        def ended():
            session.signal(signal.SIGTERM)
            return os.waitpid(guard, os.WNOHANG | WALL) != (0, 0)
        with contextlib.suppress(ProcessLookupError), frozen(guard):  # it ends frozen
            session.signal(signal.SIGINT)
            wait_until(ended, "the end")
        session.finish(ends=-signal.SIGTERM)


@pytest.mark.rotates(3)
@pytest.mark.zcfwd
@pytest.mark.parametrize("name", NAMES)
def test_signal_during_first_bursts(binary, name, tmp_path):
    """More of them than a year is long; the recording tells that they have begun, and that all ended well."""
    record = tmp_path / "r"
    with Session(binary) as session:
        session.ok(f"record start {record}")
        session.send("start tx_first 4294967295\n")
        wait_until(lambda: '"begin"' in record.read_text("utf-8"), "the run's begin")
        session.signal(NAMES[name])
        check_end(*session.finish(), False)
        assert re.search(r"stopped by a signal after \d+ of 4294967295 bursts", session.stderr())
        assert types(record)[-1] == "stop"


@contextlib.contextmanager
def stuck(binary, start):
    """A forwarder whose lcore calls a function of GRO that never returns."""
    with Session(binary, env={"LD_PRELOAD": STUCK}) as session:
        session.ok("set port 0 gro on", "set port 1 gro on", "set gro flush 2", "set fwd csum")
        session.send(start + "\n")
        wait_until(lambda: "never returns\n" in session.stderr(), "the lcore in its endless loop")
        yield session


@pytest.mark.rotates(4)
@pytest.mark.zcfwd
@pytest.mark.skipif(STUCK is None, reason="the function that never returns is not built")
@pytest.mark.parametrize("start, then", [("start", "stop"), ("start", "quit"), ("start", None), ("start for 1s", None), ("start for 1000s", None)])
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_second_signal_ends(binary, name, start, then):
    """A quit and the first signal wait for an lcore in an endless loop; the next signal ends the program as if it were not caught, but a SIGHUP does not."""
    warning = "zcfwd: waiting for lcore 1; the next SIGINT or SIGTERM ends the program at once\n"
    with stuck(binary, start) as session:
        if then:
            session.send(then + "\n")
            session.expect(then)
        if then != "quit":
            session.signal(NAMES[name])
        wait_until(lambda: warning in session.stderr(), "the warning")
        session.signal(signal.SIGHUP)
        session.signal(NAMES[name])
        session.finish(ends=-NAMES[name])
        assert session.stderr().count(warning) == 1


@pytest.mark.rotates(2)
@pytest.mark.zcfwd
@pytest.mark.parametrize("end", ["stop", *NAMES])
def test_stop_does_not_wait_for_full_ports(binary, end):
    """net_ring's ends nobody empties: each burst is retried for 18 hours."""
    with Session(binary, vdevs=("net_ring0", "net_ring1")) as session:
        session.ok("set fwd txonly retry", "set burst tx delay 1000000 retry 65535", "start")
        wait_until(lambda: any(port_stats(session, i)["TX-packets"] > 1000 for i in (0, 1)), "a full ring of 1023")
        if end == "stop":
            assert SUMMARY in session.cmd("stop")
        else:
            session.signal(NAMES[end])
            ended_well(session)


@pytest.mark.needs("capture")
@pytest.mark.zcfwd
def test_no_file_holds_the_shell_up(binary, tmp_path):
    """A pipe that nobody writes, and what never ends: refused, or waited for until a signal comes."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with Session(binary) as session:
        session.cmd("set output json")
        for line, why in ((f"pipeline routes load {pipe}", "expected a regular file"),
                          ("pipeline routes load /dev/zero", "expected a regular file"),
                          (f"extmem create a type file {pipe} size 0", "expected a regular file"),
                          (f"capture start 0 file {pipe}", "the pipe has no reader"),
                          (f"record start {pipe}", "the pipe has no reader")):
            answer = session.json(line)
            assert not answer["ok"] and why in answer["error"]["message"], answer
        session.send(f"load {pipe}\n")
        wait_until(lambda: str(pipe) in open_files(session.pid), "the script's opening")
        session.signal(signal.SIGTERM)
        text, rc = session.finish()
        assert rc == 0 and "Bye..." in text, text


@pytest.mark.zcfwd
def test_script_from_a_pipe(binary, tmp_path):
    """Its writer may come later, and pause between lines."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with Session(binary) as session:
        session.send(f"load {pipe}\n")
        with open(pipe, "w", encoding="ascii") as writer:
            writer.write("set burst 7\n")
            writer.flush()
            session.expect("Number of packets per burst set to 7\n")
            writer.write("set burst 9\n")
        session.expect("Number of packets per burst set to 9\n")
        session.expect(f"Read CLI commands from {pipe}\n")


@pytest.mark.zcfwd
def test_no_escape_byte_in_a_pipe(binary):
    """Interactive or with periods, with a terminal type that invites to colour."""
    with Session(binary, env={"TERM": "xterm-256color"}) as session:
        session.ok("show port stats all", "set fwd mac", "start", "show fwd stats all", "stop", "help")
        session.cmd("bogus")
        session.quit()
        assert "\x1b" not in session.transcript() + session.stderr()
    with Session(binary, args=["--stats-period=1"], interactive=False, env={"TERM": "xterm-256color"}) as session:
        session.expect("Port statistics ====")
        session.expect("Port statistics ====")
        session.signal(signal.SIGINT)
        session.finish()
        assert "\x1b" not in session.transcript() + session.stderr()


@pytest.mark.zcfwd
def test_broken_pipe_is_an_end(binary):
    """A reader that goes away (`| head`) ends the run; it does not leave a forwarder behind."""
    with Session(binary) as session:
        moving(session)
        session.child.proc.stdout.close()
        session.send("show fwd stats all\n" * 50)
        session.eof()
        session.rc = session.child.proc.wait(30)
        assert session.rc == 1 and session.stderr().endswith("zcfwd: results could not be written: Broken pipe\n")


@pytest.mark.zcfwd
def test_periods_that_nobody_reads(binary):
    with Session(binary, args=["--stats-period=1"], interactive=False) as session:
        session.expect("NIC statistics for port 1")
        session.child.proc.stdout.close()
        session.rc = session.child.proc.wait(30)
        assert session.rc == 1 and session.stderr().endswith("zcfwd: results could not be written: Broken pipe\n")


@pytest.mark.rotates(2)
@pytest.mark.zcfwd
@pytest.mark.parametrize("to, why", [("/dev/full", "No space left on device"), ("&-", "Bad file descriptor")])
@pytest.mark.parametrize("words", [["-i"], ["--stats-period=1"]], ids=["shell", "periods"])
def test_results_without_a_place(binary, words, to, why):
    """A disk may have room again: then all goes on to its end. Where there is no file none of ours takes its number."""
    with Session(binary, args=words, interactive=False, wrapper=["sh", "-c", f'exec "$@" >{to}', "sh"]) as session:
        if to == "/dev/full" and words != ["-i"]:
            wait_until(lambda: forwards(session.pid), "packets to be forwarded, and signals polled")
            session.signal(signal.SIGTERM)
        elif words == ["-i"]:
            session.send("show config cores\nquit\n")
        session.rc = session.child.proc.wait(30)
        assert session.rc == 1 and session.stderr().endswith(f"zcfwd: results could not be written: {why}\n")
        assert session.stderr().count("could not be written") == 1


def workers(pid):
    """The states of the worker lcores' threads: R while they poll, S once they have left their loops."""
    found = []
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        name, _, rest = (task / "stat").read_text().partition("(")[2].rpartition(")")
        if "worker" in name:
            found.append(rest.split()[0])
    return found


@pytest.mark.rotates(3)
@pytest.mark.zcfwd
@pytest.mark.parametrize("engine", ["io", "txonly", "ring_pipeline"])
def test_a_timed_run_ends_itself(binary, engine):
    """Other programs may keep the control thread's CPU: the lcores end on time all the same, and the figures are of the time that they had."""
    with Session(binary, args=["--nb-cores=2"], lcores="0,1@0-1,2@0-1") as session:
        session.ok(f"set fwd {engine}")
        session.cmd("set output json")
        begin = time.monotonic()
        session.send("start for 1s\n")
        wait_until(lambda: forwards(session.pid), "lcores that poll")
        with frozen(session.pid):
            wait_until(lambda: set(workers(session.pid)) == {"S"}, "lcores that have ended")
            ended = time.monotonic() - begin
            wait_until(lambda: time.monotonic() - begin > ended + 1, "a control thread that is late")
        answer = json.loads(session.expect(r"\r*\n"))
        assert answer["ok"], answer
        assert 1 <= answer["summary"]["seconds"] < ended, answer["summary"]


@pytest.mark.zcfwd
def test_quit_beside_a_peer(binary):
    """Two programs quit at a time: EAL's end unmaps the handle of net_memif's listener, which the interrupt thread may still read."""
    with tempfile.TemporaryDirectory(prefix="zcs") as folder:  # a socket's path is short
        for i in range(4):
            ports = [f"net_memif0,role={role},socket={folder}/{i},socket-abstract=no" for role in ("server", "client")]
            with Session(binary, ports[:1], eal=["--iova-mode=va"]) as server, Session(binary, ports[1:], eal=["--iova-mode=va"]) as client:
                for one in (server, client):
                    one.ok("wait link 0 up 30s")
                for one in (server, client):
                    one.send("quit\n")
                for one in (server, client):
                    one.finish()
