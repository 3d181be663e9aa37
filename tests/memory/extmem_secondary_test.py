# SPDX-License-Identifier: BSD-3-Clause
"""Memory by name in another process: at the same address, with the same bytes, and gone there without a trace in the primary."""
import json
import os
import pathlib
import random
import subprocess

import pytest
from conftest import SEED, binary_path
from session import Session, hugetlbfs, lcore_args

OTHER = binary_path().parent / "tests/memory/extmem_secondary"
PRIME, WORD = 0x100000001B3, (1 << 64) - 1
SIZES = {"heap": 65536, "memfd": 65536, "hugepage": 2 << 20}


def sum_of(data):
    """As the other process has it."""
    total = len(data)
    for byte in data:
        total = (total ^ byte) * PRIME & WORD
    return f"{total:016x}"


@pytest.fixture
def huge():
    """EAL shares memory between processes by files on huge pages alone."""
    with hugetlbfs(128) as folder:
        yield folder


class Primary(Session):
    """A forwarder whose memory others may share."""

    def __init__(self, binary, path):
        self.huge = path
        super().__init__(binary, memory=[f"--huge-dir={path}", "-m", "64"], pool="--total-num-mbufs=2048")

    def other(self, *words, wrapper=()):
        """What a second process says of a memory, and whether it was content."""
        prefix = next(word for word in self.argv if word.startswith("--file-prefix="))
        done = subprocess.run([*wrapper, OTHER, "--proc-type=secondary", prefix, f"--huge-dir={self.huge}", "--no-pci", "--no-telemetry", *lcore_args("0"),
                               "--log-level=error", "--", *words], capture_output=True, text=True, timeout=60, check=False,
                              env={**os.environ, "RUNTIME_DIRECTORY": str(self.home)})
        return done.stdout.strip(), done.returncode == 0


@pytest.fixture
def primary(binary, huge):
    with Primary(binary, huge) as session:
        yield session
        session.quit()
        assert session.rc == 0


@pytest.mark.parametrize("kind", SIZES)
def test_shared(primary, kind):
    """What one secondary wrote, the next one reads; the primary's own stays."""
    size = SIZES[kind]
    primary.ok(f"extmem create app type {kind} size {size}")
    for byte in (0xA5, 0x5A):
        assert primary.other("app", "fill", str(byte)) == (f"app {size} 1 {sum_of(bytes([byte]) * size)}", True)
        assert primary.other("app", "sum") == (f"app {size} 1 {sum_of(bytes([byte]) * size)}", True)
    primary.ok("extmem delete app")
    text, good = primary.other("app", "sum")
    assert "memory app: only a secondary process can attach" in text and not good


def test_container(primary):
    """A process that cannot see the primary's pid."""
    primary.ok("extmem create app type memfd size 65536")
    alone = ("unshare", "--pid", "--fork", "--kill-child", "--mount-proc")
    assert primary.other("app", "fill", "7", wrapper=alone) == (f"app 65536 1 {sum_of(bytes([7]) * 65536)}", True)
    assert primary.other("app", "sum") == (f"app 65536 1 {sum_of(bytes([7]) * 65536)}", True)


def test_file(primary, tmp_path):
    """A file's bytes, read-only in every process, also when the file is gone."""
    content = random.Random(SEED).randbytes(100_000)
    pathlib.Path(tmp_path / "movie").write_bytes(content)
    primary.ok(f"extmem create movie type file {tmp_path}/movie size 0")
    os.unlink(tmp_path / "movie")
    assert primary.other("movie", "sum") == (f"movie {len(content)} 0 {sum_of(content)}", True)
    primary.ok("set extbuf-memory movie", "set extbuf mode storage", "set fwd extbuf", "start")
    assert primary.other("movie", "sum") == (f"movie {len(content)} 0 {sum_of(content)}", True)
    primary.cmd("stop")


def test_private(primary):
    """Pages of one process are no other's."""
    primary.ok("extmem create app type anon size 65536")
    text, good = primary.other("app", "sum")
    assert "memory app: only a secondary process can attach" in text and not good


def test_command(primary, binary):
    """A forwarder as the second process: extmem attach, show extmem, and the first one's memory outlives it."""
    primary.ok("extmem create app type memfd size 65536")
    prefix = next(word for word in primary.argv if word.startswith("--file-prefix="))
    script = "extmem attach app\nextmem attach none\nset output json\nshow extmem\nset output text\nextmem delete app\nquit\n"
    done = subprocess.run([binary, "--proc-type=secondary", prefix, f"--huge-dir={primary.huge}", "--no-pci", "--no-telemetry", *lcore_args("0-1"),
                           "--", "-i", "--no-mlockall"], input=script, capture_output=True, text=True, timeout=60, check=False,
                          env={**os.environ, "RUNTIME_DIRECTORY": str(primary.home), "XDG_STATE_HOME": str(primary.home)})
    (shown,) = [json.loads(line) for line in done.stdout.splitlines() if line.startswith('{"command": "show extmem"')]
    assert [(one["name"], one["size"], one["type"]) for one in shown["extmem"]] == [("app", 65536, "memfd")], done
    assert "memory none: only a secondary process can attach" in done.stdout + done.stderr, done
    assert primary.other("app", "sum") == (f"app 65536 1 {sum_of(bytes(65536))}", True)
