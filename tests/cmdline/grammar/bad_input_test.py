# SPDX-License-Identifier: BSD-3-Clause
"""Bad command lines, options and scripts: one clear error that names the bad word, and nothing changes."""
import os
import pathlib
import re
import subprocess
import tempfile

import pytest

from session import Session, eal_args, lcore_args

pytestmark = pytest.mark.zcfwd
HERE = pathlib.Path(__file__).parent


def table(name, columns=2):
    """The cases of a file, as of fixtures/cases.h; without escapes."""
    rows = [line.rsplit(" | ", columns - 1) for line in (HERE / name).read_text(encoding="ascii").splitlines() if line and not line.startswith("#")]
    assert rows and all(len(row) == columns for row in rows), name
    return rows


STATE = ("show settings", "show config fwd", "show config rxtx", "show config cores", "show port summary all",
         "show pool")


def state(session):
    answers = [session.json_ok(line) for line in STATE]
    return [{k: v for k, v in a.items() if k != "warnings"} for a in answers]


@pytest.fixture(scope="module")
def session(binary):
    with Session(binary) as s:
        s.cmd("set output json")
        yield s


@pytest.fixture(scope="module")
def before(session):
    return state(session)


@pytest.mark.parametrize("line,word", table("bad_lines.txt"))
def test_line(session, before, line, word):
    noise = len(session.stderr())
    answer = session.json(line)
    assert not answer["ok"], f"accepted: {answer}"
    error = answer["error"]
    assert word in error["message"], error
    assert error["message"].strip().count("\n") <= 1, "one error: testpmd words a few in two lines"
    assert error["message"].count(": expected ") <= 1, error
    others = [line for line in session.stderr()[noise:].splitlines() if not line.startswith("EAL: ")]
    assert len(others) <= 1, others
    assert state(session) == before


@pytest.mark.parametrize("line,meant", table("meant_lines.txt"))
def test_what_was_meant(session, before, line, meant):
    """The command that was probably meant, and none that cannot have been meant."""
    answer = session.json(line)
    assert not answer["ok"], f"accepted: {answer}"
    said = re.findall(r'did you mean "(.*?)"\?', answer["error"]["message"])
    assert said == ([meant] if meant != "-" else []), answer["error"]["message"]
    assert state(session) == before


def program(binary, options, stdin=""):
    argv = [str(binary), *eal_args(), "--vdev=net_null0", "--vdev=net_null1", "--", "--no-mlockall", *options]
    return subprocess.run(argv, input=stdin, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.rotates(4)
@pytest.mark.parametrize("options,word", table("bad_options.txt"))
def test_option(binary, options, word):
    pool = [] if "mbuf" in options else ["--total-num-mbufs=8192"]
    done = program(binary, [*pool, "-i", *options.split()])
    assert done.returncode == 1 and "> " not in done.stdout, done.stdout + done.stderr
    errors = [text for text in done.stderr.splitlines() if text.startswith("zcfwd: ") and "mbuf pool" not in text]
    assert len(errors) == 1, done.stderr
    assert word in errors[0]


@pytest.mark.rotates(4)
@pytest.mark.parametrize("number,lines,word", table("bad_scripts.txt", 3))
def test_script(binary, tmp_path, number, lines, word):
    script = tmp_path / "bad.cmds"
    script.write_text("\n".join(text.strip() for text in lines.split(" ; ")) + "\nset burst 77\n", encoding="ascii")
    done = program(binary, ["-i", "--total-num-mbufs=8192", f"--cmdline-file={script}"])
    assert done.returncode == 1, done.stdout + done.stderr
    errors = re.findall(rf"^.*{re.escape(str(script))}:(\d+): (.*)$", done.stderr, re.MULTILINE)
    assert [at for at, _ in errors] == [number], done.stderr
    assert word in errors[0][1]
    assert "set to 77" not in done.stdout, "the script went on behind its error"


def alone(binary, folder, *wrapper, eal=("--no-huge", "-m", "256"), options=("--total-num-mbufs=2048",)):
    """One run with what a container has."""
    argv = [*wrapper, str(binary), *lcore_args("0-1"), "--no-pci", "--no-telemetry", *eal, "--vdev=net_null0", "--", *options]
    return subprocess.run(argv, input="start\nstop\nquit\n", capture_output=True, text=True, timeout=60, check=False,
                          env={**os.environ, "RUNTIME_DIRECTORY": str(folder)})


def test_folder_that_nobody_can_write(binary):
    """As the root of a container that is read-only; with --no-shconf no folder is needed."""
    done = alone(binary, "/proc/sys")
    assert done.returncode == 1
    errors = [line for line in done.stderr.splitlines() if line.startswith("zcfwd: ")]
    assert errors == ["zcfwd: EAL initialisation failed: cannot write to /proc/sys; use another directory (RUNTIME_DIRECTORY) or add --no-shconf"]
    assert alone(binary, "/proc/sys", eal=("--no-huge", "-m", "256", "--no-shconf")).returncode == 0


@pytest.mark.parametrize("drop", [(), ("--bounding-set=-all", "--inh-caps=-all")])
def test_nobody(binary, drop):
    """A user without a name, a home, any capability, in a folder that is somebody else's."""
    if os.geteuid() != 0:
        pytest.skip("needs root, to be somebody else")
    # Not below tmp_path: each pytest that starts takes the way there from others.
    with tempfile.TemporaryDirectory(prefix="zcn") as folder:
        os.chmod(folder, 0o777)
        done = alone(binary, folder, "env", "HOME=/nonexistent", "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", *drop,
                     options=("--total-num-mbufs=2048", "--no-mlockall"))
    assert done.returncode == 0 and "zcfwd: " not in done.stderr, done.stderr


def test_memory_group(binary, tmp_path):
    """More is mapped than the control group may have: memory is not locked, which the kernel would kill the process for."""
    top = pathlib.Path("/sys/fs/cgroup")
    kind = top / "memory" if (top / "memory").is_dir() else top
    name, limit = kind / f"zct{os.getpid()}", "memory.limit_in_bytes" if kind != top else "memory.max"
    try:
        name.mkdir()
        (name / limit).write_text(str(200 << 20), encoding="ascii")
    except OSError as error:
        pytest.skip(f"no memory control group can be made here: {error}")
    try:
        done = alone(binary, tmp_path, "sh", "-c", f"echo $$ >{name}/cgroup.procs && exec \"$@\"", "sh")
    finally:
        name.rmdir()
    assert done.returncode == 0, done.stderr
    assert re.search(r"(?m)^zcfwd: memory is not locked: this process has mapped \d+ MiB, and its control group allows 200; use ", done.stderr)
