# SPDX-License-Identifier: BSD-3-Clause
"""Behind a command: | include, exclude, begin, count, no-more, > FILE and >> FILE; and the pager of long answers."""
import json
import subprocess
import time

import pytest

from session import PROMPT, TO_JSON, Session, run

pytestmark = pytest.mark.zcfwd


@pytest.fixture(name="shell")
def _shell(binary):
    with Session(binary) as session:
        yield session


def test_lines_that_pass(shell):
    assert shell.cmd("show config rxtx | include packets/burst").strip() == "io packet forwarding packets/burst=32"
    assert shell.cmd("show port info all | match ^mac | count") == "Count: 2 lines\n"
    assert shell.cmd("show port summary all | except net_null").count("net_null") == 0
    assert shell.cmd("show port info 0 | begin devargs").startswith("Devargs:")
    assert "column" not in shell.stderr()


def test_failures_are_not_filtered(shell):
    """The verdict that drivers of testpmd wait for, and what is wrong."""
    assert shell.cmd("show prot | include nothing") == "Bad arguments\n"
    assert shell.cmd("stop | include nothing") == ""
    assert "Packet forwarding not started" in shell.stderr()
    assert shell.cmd("show port info 0 | nosuch") == "Command not found\n"
    assert 'unknown command "nosuch"' in shell.stderr()


def test_json_has_an_object_each(shell, tmp_path):
    path = tmp_path / "answer"
    shell.cmd(TO_JSON)
    every, one = shell.json_ok("show settings"), shell.json_ok("show settings | include name.: .burst.,")
    assert [row for row in every["settings"] if row["name"] == "burst"] == one["settings"]
    assert shell.json_ok("show settings | count")["count"] == len(every["settings"])
    assert shell.json_ok(f"show port summary all > {path}")["file"] == str(path)
    kept = json.loads(path.read_text("ascii"))
    assert kept["ok"] and kept["command"] == f"show port summary all > {path}" and len(kept) > 3
    answer = shell.json(f"show port summary all > {path}")
    assert not answer["ok"] and answer["error"]["code"] == "EEXIST"
    shell.json_ok(f"show version >> {path}")
    assert len(path.read_text("ascii").splitlines()) == 2


def test_files(shell, tmp_path):
    path = tmp_path / "answer"
    assert shell.cmd(f"show version > {path}") == ""
    first = path.read_text("ascii")
    assert first.startswith("zcfwd ")
    shell.cmd(f"show version > {path}")
    assert f"{path} exists already: use another name, or \"overwrite\" to replace it" in shell.stderr()
    assert shell.cmd(f"show version >>{path}") == "" and path.read_text("ascii") == 2 * first
    shell.ok(f"show config rxtx | include burst= > {path} overwrite")
    assert path.read_text("ascii").strip() == "io packet forwarding packets/burst=32"
    shell.cmd("show version > ~/home")
    assert (shell.home / "home").read_text("ascii") == first


def test_scripts(shell, tmp_path):
    """Filters of a script's lines, and of the whole script; the settings that it makes are saved without them."""
    script, out = tmp_path / "script", tmp_path / "out"
    script.write_text(f"show config rxtx | include burst=\nport config mtu 0 1400 > {out}\nset burst 8 | count\n", encoding="ascii")
    assert shell.cmd(f"load {script}").splitlines() == ["  io packet forwarding packets/burst=32", "Count: 1 lines", f"Read CLI commands from {script}"]
    assert shell.cmd(f"load_echo {script} | include ^zcfwd | count") == "Count: 3 lines\n"
    shell.ok("save config ~/saved")
    assert "port config mtu 0 1400\n" in (shell.home / "saved").read_text("ascii")


def test_check(binary, tmp_path):
    """--check reads them, too."""
    good, bad = tmp_path / "good", tmp_path / "bad"
    good.write_text("show version | include x | count\nshow version > /tmp/x overwrite\n", encoding="ascii")
    bad.write_text("show version | include (\n", encoding="ascii")
    done = subprocess.run([binary, "--check", str(good), str(bad)], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode != 0 and done.stderr.startswith(f"{bad}:1: column 24: ") and "regular expression" in done.stderr


def test_watch(shell):
    """All that a command that repeats prints goes through its filters."""
    assert shell.cmd("watch show config rxtx every 0.01 count 3 | include burst= | count") == "Count: 3 lines\n"


def typed(terminal, line, sign):
    """Type a line as people do: enter comes alone. Again if this process was too slow for that."""
    for _ in range(20):
        terminal.send(line)
        terminal.expect(line[-8:])
        time.sleep(0.1)
        terminal.send("\n")
        text = terminal.expect(f"{PROMPT}|{sign}")
        if terminal.child.match.group().startswith(sign[:2]):
            return text
    raise AssertionError(text)


def test_pager(binary):
    with Session(binary, pty=True, env={"TERM": "xterm"}) as terminal:
        terminal.child.setwinsize(24, 80)
        page = typed(terminal, "help set", "-- ")
        assert 22 <= len(page.splitlines()) <= 24 and max(map(len, page.splitlines())) <= 80  # help is as wide as the terminal
        terminal.expect("q quit --")
        terminal.send("/txonly-flows\n")
        assert "set txonly-flows <value 1..64 flows>" in terminal.expect("q quit --")
        terminal.send("q")
        terminal.expect("zcfwd> ")  # where the pager's line was
        # A setting switches it off, and so does a filter.
        assert "set pipeline" in typed(terminal, "help set | no-more", "zcfwd> ")
        terminal.ok("set pager off")
        assert "set pipeline" in typed(terminal, "help set", "zcfwd> ")


def test_programs_see_no_pager(binary):
    """A line that is written at once is answered at once."""
    with Session(binary, pty=True, env={"TERM": "xterm"}) as terminal:
        terminal.child.setwinsize(24, 80)
        assert terminal.cmd("help set").count("\n") > 100


def test_words_of_set_have_topics(binary):
    with Session(binary, pty=True) as terminal:
        terminal.send("set ?")
        text = terminal.expect("zcfwd> set $")
        assert "\nmost used:\n" in text and "\nring pipeline:\n" in text and "\nsettings:\n" in text
        terminal.send("\x15\n")


def test_refused_lines(binary):
    done = run(binary, "show version |\nshow version > /tmp | count\n| count\n")
    assert done.stderr.count("column ") == 3
