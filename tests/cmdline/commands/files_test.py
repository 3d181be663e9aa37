# SPDX-License-Identifier: BSD-3-Clause
"""Files that commands write: a disk that is full, commands that fail, files that something else writes, links."""
import json
import os
import signal
import stat
import subprocess

import pytest

from limits import limit
from modelled import needs_model_nic
from session import TO_JSON, TO_TEXT, Session, run, wait_until

pytestmark = pytest.mark.zcfwd


@pytest.fixture(name="shell")
def _shell(binary):
    with Session(binary) as session:
        yield session


def names(folder):
    return sorted(path.name for path in folder.iterdir())


LOST = ("show settings > {}", "show settings >> {}", "show settings | include burst > {} overwrite", "show settings | count >> {}", "save config {}")


@pytest.mark.parametrize("line", LOST)
@pytest.mark.parametrize("form", (TO_TEXT, TO_JSON))
def test_full_device(binary, line, form):
    """What could not be written is a failure, in JSON as in text, and the script's status."""
    line = line.format("/dev/full")
    done = run(binary, f"{form}\n{line}\nquit\n", args=["--strict"], ends=1)
    if form == TO_JSON:
        [answer] = [json.loads(text) for text in done.stdout.splitlines() if text.startswith('{"command": "s') and TO_JSON not in text]
        assert answer["command"] == line and not answer["ok"] and answer["error"]["code"] == "ENOSPC"
    assert "/dev/full: No space left on device" in (done.stdout if form == TO_JSON else done.stderr)


def test_full_disk(shell, small_disk):
    """A long answer and a short one; the file that is there stays, no other one appears, and space makes it right."""
    disk = small_disk("8k")  # two pages, one of which its root takes
    old, more = disk / "old", disk / "more"
    old.write_text("precious\n", encoding="ascii")
    (disk / "rest").write_bytes(bytes(4096))
    shell.cmd(TO_JSON)
    for line in (f"show settings > {old} overwrite", f"show settings > {more}", f"show version > {more}", f"save config {old} overwrite",
                 f"show settings | include name > {old} overwrite", f"show settings >> {old}"):
        answer = shell.json(line)
        assert not answer["ok"] and answer["error"]["code"] == "ENOSPC", answer
        assert old.read_text("ascii").startswith("precious\n") and names(disk) == ["old", "rest"]
    (disk / "rest").unlink()
    old.write_text("precious\n", encoding="ascii")
    assert shell.json_ok(f"show version > {more}")["file"] == str(more) and names(disk) == ["more", "old"]


def test_watch_ends_with_the_disk(shell):
    """A command that repeats ends when its file cannot be written."""
    shell.cmd("watch show version every 0.01 > /dev/full")
    assert "cannot write /dev/full: No space left on device" in shell.stderr()


FAILS = ("show port info 7", "set burst 9999", "stop", "load /nonexistent", "set nothing", "show port info all extra")


@pytest.mark.parametrize("form", (TO_TEXT, TO_JSON))
def test_failures_write_nothing(shell, tmp_path, form):
    """The file of a command that fails stays, and a new one is not made; what the command says is printed, not filtered."""
    old, new = tmp_path / "old", tmp_path / "new"
    old.write_text("precious\n", encoding="ascii")
    old.chmod(0o640)
    before = old.stat()
    shell.cmd(form)
    for line in FAILS:
        alone = shell.cmd(line)
        for behind in (f"> {old} overwrite", f"> {new}", f">> {old}", f">> {new}", f"| include no > {new}", f"| exclude . >> {old}", "| include nothing", "| count"):
            answer = shell.cmd(f"{line} {behind}")
            if form == TO_TEXT:
                assert answer == alone, behind
            else:
                assert not json.loads(answer)["ok"] and json.loads(answer)["error"]["code"] == json.loads(alone)["error"]["code"]
            assert names(tmp_path) == ["old"] and old.read_text("ascii") == "precious\n" and old.stat() == before
    assert "Invalid port 7" in (shell.stderr() if form == TO_TEXT else alone + shell.cmd("show port info 7"))


def test_scripts_that_fail(shell, tmp_path):
    """A script's lines before the failure are printed in place of the file; what they append is kept."""
    old, new, script = tmp_path / "old", tmp_path / "new", tmp_path / "script"
    old.write_text("precious\n", encoding="ascii")
    script.write_text("show config rxtx\nshow port info 7\n", encoding="ascii")
    text = shell.cmd(f"load {script} | include burst= > {old} overwrite")
    assert "packets/burst=32" in text and "valid ports" in text and old.read_text("ascii") == "precious\n"
    shell.cmd(f"load {script} > {new}")
    assert not new.exists()
    assert "valid ports" in shell.cmd(f"load {script} | include burst= >> {new}") and new.read_text("ascii").strip() == "io packet forwarding packets/burst=32"
    assert names(tmp_path) == ["new", "old", "script"]


def test_replaced_files_keep_mode_and_links(shell, tmp_path):
    """The new file has the old one's mode; a link that was typed stays a link, also one to a file that does not exist yet."""
    old, link, loose, target = (tmp_path / name for name in ("old", "link", "loose", "target"))
    old.write_text("precious\n", encoding="ascii")
    old.chmod(0o604)
    link.symlink_to("old")
    loose.symlink_to(target)
    for line in (f"show version > {link} overwrite", f"save config {link} overwrite"):
        shell.ok(line)
        assert link.is_symlink() and stat.S_IMODE(old.stat().st_mode) == 0o604 and "precious" not in old.read_text("ascii")
    shell.ok(f"show version > {loose}", f"show version >> {loose}")
    assert loose.is_symlink() and len(target.read_text("ascii").splitlines()) == 2
    assert stat.S_IMODE(target.stat().st_mode) == 0o644 & ~umask()
    assert names(tmp_path) == ["link", "loose", "old", "target"]


def umask():
    mask = os.umask(0)
    os.umask(mask)
    return mask


def test_kill_leaves_the_old_file(shell, tmp_path):
    """A file keeps its content until the new one is complete."""
    old = tmp_path / "old"
    old.write_text("precious\n", encoding="ascii")
    shell.send(f"watch show version every 0.01 > {old} overwrite\n")
    wait_until(lambda: len(names(tmp_path)) == 2 and any(path.stat().st_size > 100 for path in tmp_path.iterdir()), "the file beside")
    shell.signal(signal.SIGKILL)
    shell.finish()
    assert old.read_text("ascii") == "precious\n"


@pytest.mark.needs("capture")
def test_running_recordings_and_captures(shell, tmp_path):
    """No answer goes into a file that a recording or a capture writes, nor does one of them into the other's."""
    recording, capture = tmp_path / "r", tmp_path / "c"
    shell.ok(f"record start {recording} every 10", f"capture start 0 file {capture}", "set fwd io", "start")
    shell.cmd(TO_JSON)
    for path in (recording, capture):
        for line in ("show version >> {}", "show version > {} overwrite", "show settings | include burst >> {}", "save config {} overwrite",
                     "capture start 1 file {} overwrite"):
            answer = shell.json(line.format(path))
            assert not answer["ok"] and "another capture or recording writes it" in answer["error"]["message"], answer
    shell.cmd(TO_TEXT)
    shell.ok("stop", "record stop", "capture stop 0")
    for line in recording.read_text("ascii").splitlines():
        json.loads(line)
    shell.ok(f"show version >> {recording}")


def test_a_file_that_appears_meanwhile(shell, tmp_path):
    """What a command makes itself is not replaced by its own answer."""
    path = tmp_path / "r"
    shell.cmd(f"record start {path} > {path}")
    assert f"cannot write {path}: another file has this name now" in shell.stderr()
    shell.ok("record stop")
    assert json.loads(path.read_text("ascii").splitlines()[0]) and names(tmp_path) == ["r"]
    shell.cmd(f"record start {path} overwrite > {path} overwrite")
    assert "another capture or recording writes it" in shell.stderr()


@pytest.mark.needs("capture")
def test_older_files_that_are_written(shell, tmp_path):
    """A recording that rotates takes no name of a file that a capture writes."""
    recording, other = tmp_path / "r", tmp_path / "r.2"
    shell.ok("set record-size 1", "set record-files 3", f"capture start 0 file {other}")
    shell.cmd(f"record start {recording}")
    assert f"cannot rename {other}: another capture or recording writes it" in shell.stderr()
    shell.ok("capture stop 0", f"record start {recording} overwrite", "record stop")


def mount(*words):
    done = subprocess.run(["mount", *map(str, words)], capture_output=True, text=True, check=False, timeout=60)
    if done.returncode != 0:
        pytest.skip(f"cannot mount: {done.stderr.strip()}")


def test_old_files_in_closed_folders(shell, tmp_path):
    """A file that is a mount point cannot be replaced, so it is written when the command has succeeded."""
    old, other = tmp_path / "old", tmp_path / "other"
    for path in (old, other):
        path.write_text("precious\n" * 1000, encoding="ascii")
    mount("--bind", other, old)
    try:
        shell.cmd(f"show port info 7 > {old} overwrite")
        assert old.read_text("ascii") == "precious\n" * 1000
        for line in (f"show version > {old} overwrite", f"save config {old} overwrite"):
            shell.ok(line)
            assert "precious" not in old.read_text("ascii") == other.read_text("ascii") and names(tmp_path) == ["old", "other"]
    finally:
        subprocess.run(["umount", str(old)], check=True, timeout=60)


def test_old_files_in_folders_without_new_ones(shell, tmp_path):
    folder = tmp_path / "closed"
    folder.mkdir()
    old = folder / "old"
    old.write_text("precious\n" * 1000, encoding="ascii")
    for words in (("--bind", folder, folder), ("--bind", old, old), ("-o", "remount,bind,ro", folder)):
        mount(*words)
    try:
        shell.cmd(f"show port info 7 > {old} overwrite")
        assert old.read_text("ascii") == "precious\n" * 1000
        shell.ok(f"show version > {old} overwrite")
        assert old.read_text("ascii").startswith("zcfwd ") and "precious" not in old.read_text("ascii")
        shell.cmd(f"show version > {folder}/new")
        assert f"cannot write {folder}/new: " in shell.stderr() and names(folder) == ["old"]
    finally:
        for path in (old, folder):
            subprocess.run(["umount", str(path)], check=True, timeout=60)


@pytest.mark.needs("measure")
@pytest.mark.needs("capture")
@pytest.mark.parametrize("suffix, words", ((".hlog", "latency"), (".bursts", "bursts all")))
@pytest.mark.parametrize("make", (os.symlink, os.link))
def test_derived_names_are_no_links(shell, tmp_path, suffix, words, make):
    """A name that nobody typed leads to no other file; a link that was typed is followed."""
    other, path = tmp_path / "other", tmp_path / "r"
    other.write_text("precious\n", encoding="ascii")
    make(other, f"{path}{suffix}")
    shell.ok("set fwd measure")
    shell.cmd(f"record start {path} overwrite {words}")
    assert f"cannot write {path}{suffix}: " in shell.stderr() and "link" in shell.stderr()
    assert other.read_text("ascii") == "precious\n" and not path.exists()
    os.unlink(f"{path}{suffix}")
    path.symlink_to(tmp_path / "typed")
    shell.ok(f"record start {path} {words}", "record stop")
    assert (tmp_path / "typed").stat().st_size > 0


def test_other_commands_that_write_files(shell, tmp_path):
    """Their files, too, keep their content when the command fails."""
    path = tmp_path / "f"
    path.write_text("precious\n", encoding="ascii")
    shell.cmd(f"flow dump 0 all {path}")
    assert path.read_text("ascii") == "precious\n" and names(tmp_path) == ["f"]


def program(binary, *words, seconds=60):
    """Run with these options; returns the finished process. It has to end by itself."""
    return subprocess.run([binary, "--no-huge", "-m", "64", "--no-pci", "--no-shconf", "--vdev=net_null0", *words], capture_output=True, text=True, check=False,
                          timeout=limit(seconds), stdin=subprocess.DEVNULL)


@pytest.fixture(name="pipe")
def _pipe(tmp_path):
    """A pipe that nobody writes to."""
    os.mkfifo(tmp_path / "pipe")
    return tmp_path / "pipe"


@pytest.mark.parametrize("option", ("--shim-layouts={}", "--eth-peers-configfile={}"))
def test_options_read_regular_files(binary, pipe, option):
    """A pipe and a device without end are refused, and nothing waits for them."""
    for path in (pipe, "/dev/zero", pipe.parent):
        done = program(binary, "--", option.format(path))
        assert done.returncode == 1 and f"{path}: expected a regular file" in done.stderr


@needs_model_nic
def test_model_reads_regular_files(binary, pipe):
    for path in (pipe, "/dev/zero", pipe.parent):
        done = program(binary, "--", "--model", f"xl710,rx=pcap:{path}")
        assert done.returncode == 1 and "expected a regular file" in done.stderr
    done = program(binary, "--", "--model", f"xl710,tx=pcap:{pipe}")
    assert done.returncode == 1 and "No such device" in done.stderr
