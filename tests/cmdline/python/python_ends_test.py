# SPDX-License-Identifier: BSD-3-Clause
"""The Python package: starts that are refused, programs that die or hang, ^C, fork, and what is left of a session however it ends."""
import contextlib
import gc
import os
import pathlib
import re
import signal
import subprocess
import sys
import textwrap
import threading
import time

import pytest
import zcfwd
from limits import limit, line_of
from package import arguments, gone, package_env, running, started, wait_gone
from session import wait_until

pytestmark = pytest.mark.zcfwd


def folder_of(z):
    return pathlib.Path(z.path).parent


def test_no_program(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("ZCFWD", raising=False)
    with pytest.raises(zcfwd.StartError, match=r"no program zcfwd in \$PATH: install zcfwd, or give program="):
        zcfwd.start()
    with pytest.raises(zcfwd.StartError, match="no program /nowhere/zcfwd: install"):
        zcfwd.start(program="/nowhere/zcfwd")
    monkeypatch.setenv("ZCFWD", "/nowhere/other")
    with pytest.raises(zcfwd.StartError, match=r"no program /nowhere/other \(from \$ZCFWD\)"):
        zcfwd.start()
    (tmp_path / "zcfwd").write_bytes(b"no program")
    (tmp_path / "zcfwd").chmod(0o700)
    with pytest.raises(zcfwd.StartError, match="Exec format error") as failed:
        zcfwd.start(program=str(tmp_path / "zcfwd"))
    assert failed.value.status is None


@pytest.mark.parametrize("more, message", [
    ({"ports": ["net_nothing0"]}, "net_nothing0"),
    ({"options": ["--rxq=many"]}, "many"),
    ({"options": ["--no-such-option"]}, "no-such-option"),
    ({"eal": ["--no-such-option"]}, "wrong EAL option|no-such-option"),
])
def test_refused(binary, monkeypatch, tmp_path, more, message):
    """The error has the program's own words and status, and nothing is left. Since 25.11 EAL itself ends programs with wrong options."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    with pytest.raises(zcfwd.StartError, match=message) as failed:
        started(binary, **more)
    error = failed.value
    assert error.status in ((1, 234) if "eal" in more else (1,))
    assert f"zcfwd did not start (exit status {error.status}):" in str(error) and re.search(message, error.log)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("ports, error, message", [
    (["eth0"], ValueError, 'port "eth0"|port \'eth0\': expected a PCI address'),
    (["model:"], ValueError, "expected a PCI address"),
    ("net_null0", TypeError, r"expected a list, such as \['net_null0'\]"),
])
def test_bad_ports(binary, ports, error, message):
    with pytest.raises(error, match=message):
        started(binary, ports=ports)


def test_bad_option(binary):
    with pytest.raises(ValueError, match="option '--control=lab': the session has a control socket of its own"):
        started(binary, options=["--control=lab"])


def test_start_hangs(tmp_path):
    """A program that never listens is ended at the time limit."""
    program = tmp_path / "zcfwd"
    program.write_text("#!/bin/sh\necho $$ >&2\nexec sleep 1000\n", encoding="ascii")
    program.chmod(0o700)
    with pytest.raises(zcfwd.StartError, match="did not start within 0.5 s") as failed:
        zcfwd.start(program=str(program), timeout=0.5)
    assert failed.value.status is None
    wait_gone(int(failed.value.log))


def test_dies_in_a_command(binary):
    """Killed in the middle: the error says by what, close() as well, and nothing is left."""
    z = started(binary)
    folder = folder_of(z)
    with pytest.raises(zcfwd.ConnectionLost, match=r"(?s)'start for 1h': the program is gone \(ended by SIGKILL\):.*EAL") as failed:
        with z.events("start for 1h") as events:
            wait_until(lambda: running(z), "the run")
            os.kill(z.pid, signal.SIGKILL)
            list(events)
    assert failed.value.status == -signal.SIGKILL and "EAL" in failed.value.log
    with pytest.raises(zcfwd.ConnectionLost):
        z.ports()
    with pytest.raises(zcfwd.Error, match=r"did not end as it should \(ended by SIGKILL\)"):
        z.close()
    z.close()
    assert not folder.exists()


def test_timeout(binary):
    """A command that takes too long is cancelled, and its connection is used again."""
    with started(binary) as z:
        with pytest.raises(zcfwd.CommandTimeout, match="'start for 1h': no end within 0.2 s; it was cancelled"):
            z.command("start for 1h", timeout=0.2)
        assert not running(z) and z.forward("io", seconds=0.01).packets > 0 and len(z._idle) == 1
        with pytest.raises(TimeoutError):
            z.text("start for 1h", timeout=0.2)
        assert not running(z) and z.text("show version", timeout=float("inf"))


def test_hangs(binary, monkeypatch):
    """A program that stands still answers neither a command nor quit, and is killed at the end."""
    monkeypatch.setattr("zcfwd._connection.CANCEL_S", 0.2)
    monkeypatch.setattr("zcfwd._process.STEPS_S", (0.2, limit(20)))
    z = started(binary)
    pid, folder = z.pid, folder_of(z)
    z.command("show port summary all")
    os.kill(pid, signal.SIGSTOP)
    before = time.monotonic()
    with pytest.raises(zcfwd.Error, match=r"did not end as it should \(ended by SIGKILL\)"):
        z.close(timeout=0.2)
    assert time.monotonic() - before < limit(40)
    assert gone(pid) and not folder.exists()


def test_socket_vanishes(binary):
    """What is connected goes on; who has to connect is told what is missing."""
    with started(binary) as z:
        os.unlink(z.path)
        assert z.ports()
        with z.events("start for 1h"):
            with pytest.raises(zcfwd.ConnectionLost, match="control: No such file or directory"):
                z.ports()
        assert z.ports()


def test_error_in_the_block(binary):
    """The block's own error comes out, and the program is gone."""
    with pytest.raises(ZeroDivisionError), started(binary) as z:
        pid, folder = z.pid, folder_of(z)
        assert folder.stat().st_mode & 0o777 == 0o700 and pathlib.Path(z.path).stat().st_mode & 0o777 == 0o600
        z.start()
        raise ZeroDivisionError
    assert gone(pid) and not folder.exists()
    with pytest.raises(zcfwd.Error, match="the session is closed"):
        z.ports()


def test_dropped(binary):
    """A session that is forgotten ends its program."""
    z = started(binary)
    pid, folder = z.pid, folder_of(z)
    del z
    assert gone(pid) and not folder.exists()


def test_dropped_in_a_cycle(binary, monkeypatch):
    """Python may close the socket of a cycle before its events: the command ends all the same, and nothing is printed."""
    odd = []
    monkeypatch.setattr("sys.unraisablehook", odd.append)
    with started(binary) as z:
        events = z.events("start for 1h")
        assert next(events)
        events.cycle = events
        del events
        gc.collect()
        wait_until(lambda: not running(z), "the end of the command")
        assert not [one.exc_value for one in odd if not isinstance(one.exc_value, ResourceWarning)]


def test_close_within_a_command(binary):
    """close() in one thread ends the command of another, which gets its answer."""
    z = started(binary)
    runs = []
    thread = threading.Thread(target=lambda: runs.append(z.forward("io", seconds=3600)))
    thread.start()
    wait_until(lambda: running(z), "the run")
    z.close()
    thread.join(timeout=60)
    assert runs[0].packets > 0


def test_fork(binary):
    """A child is refused, attaches instead, and does not take the program with it."""
    with started(binary) as z:
        child = os.fork()
        if child == 0:
            code = 9
            try:
                try:
                    z.ports()
                except zcfwd.Error as error:
                    code = 0 if f"belongs to process {os.getppid()}: use zcfwd.attach('{z.path}')" in str(error) else 8
                with zcfwd.attach(z.path) as other:
                    code = code or (0 if other.ports() else 7)
                z.close()
                del z
            finally:
                os._exit(code)
        wait_until(lambda: gone(child), "the child", 60)
        assert os.waitpid(child, os.WNOHANG)[1] == 0
        assert z.ports() and z.forward(seconds=0.01).packets > 0


SCRIPT = """
import os, signal, sys, threading
import zcfwd
with zcfwd.start(**{arguments!r}) as z:
    print(z.pid, z.path, flush=True)
    try:
        {wait}
    except KeyboardInterrupt:
        after = z.command("show fwd stats all").get("running", False)
        print("interrupted", after, z.forward(seconds=0.01).packets > 0, flush=True)
"""


def script(binary, wait, **options):
    text = SCRIPT.format(arguments=arguments(binary), wait=textwrap.indent(textwrap.dedent(wait), " " * 8).strip())
    return subprocess.Popen([sys.executable, "-c", text], stdout=subprocess.PIPE, env=package_env(binary), **options)


def begun(process):
    """The pid of its program, and the path of the socket, once a run has begun."""
    pid, path = line_of(process.stdout, "the session", 90).split()
    with zcfwd.attach(path) as z:
        wait_until(lambda: running(z), "the run")
    return int(pid), path


@pytest.mark.parametrize("wait", ["z.forward(seconds=3600)", "list(z.events('start for 1h'))", "z.text('start for 1h')"])
def test_interrupted(binary, wait):
    """^C at the terminal, which goes to the whole group of processes, cancels the command; the program goes on."""
    with script(binary, wait, start_new_session=True) as process:
        begun(process)
        os.killpg(process.pid, signal.SIGINT)
        out, _ = process.communicate(timeout=limit(60))
    assert (process.returncode, out) == (0, b"interrupted False True\n")


def test_killed(binary):
    """A program does not outlive a Python that was killed within a command."""
    with script(binary, "z.forward(seconds=3600)") as process:
        pid, path = begun(process)
        process.kill()
        process.communicate(timeout=limit(60))
    try:
        wait_gone(pid)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    for left in pathlib.Path(path).parent.iterdir():
        left.unlink()
    pathlib.Path(path).parent.rmdir()


def test_never_closed(binary):
    """Nor one that ends without closing its session."""
    text = f"import zcfwd\nz = zcfwd.start(**{arguments(binary)!r})\nz.start()\nprint(z.pid, z.path)\n"
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, env=package_env(binary), timeout=limit(90), check=True)
    pid, path = done.stdout.split()
    assert gone(int(pid)) and not pathlib.Path(path).parent.exists() and not done.stderr
