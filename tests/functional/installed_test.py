# SPDX-License-Identifier: BSD-3-Clause
"""What make install puts on a machine: the commands of the guide to guests and DMA engines run as they are written there."""
import json
import pathlib
import re
import shlex
import shutil
import subprocess
import tempfile

import pytest
from conftest import ROOT, binary_path
from session import STARTUP_S, die_with_parent, lcore_args, ordinary_pages

pytestmark = pytest.mark.zcfwd

GUIDE = (ROOT / "doc/vhost-dma.md").read_text(encoding="utf-8")
LACKS = not (binary_path().parent / "pmd_shims/drivers/dma_adaptive/dma_adaptive.so").exists()  # built without DPDK's source
COMMANDS = [shlex.split(block.replace("\\\n", "")) for block in re.findall(r"(?ms)^```\n((?:zcfwd|dpdk-test) .*?)^```", GUIDE)]


@pytest.fixture(scope="module")
def installed():
    """The files that meson installs, in a folder that only its owner may write to: EAL takes no plugin from another one."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix=".zct", dir=pathlib.Path.home()))
    files = json.loads(subprocess.run(["meson", "introspect", "--installed", binary_path().parent], check=True, capture_output=True, text=True, timeout=60).stdout)
    for built, path in files.items():
        if pathlib.Path(built).is_file():
            (folder / path[1:]).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(built, folder / path[1:])
    yield folder
    shutil.rmtree(folder)


def here(words, installed, tmp_path):
    """The words of a command with this machine's paths, less what stands for anything."""
    plugins = next(installed.rglob("model_nic.so")).parent
    for word in words:
        if word == "zcfwd":
            yield next(installed.rglob("bin/zcfwd"))
        elif word != "...":
            yield word.replace("/run/", f"{tmp_path}/").replace("/usr/local/lib/x86_64-linux-gnu/zcfwd", str(plugins))


def test_guide_has_commands():
    assert [words[0] for words in COMMANDS].count("zcfwd") >= 2 and "dpdk-test" in [words[0] for words in COMMANDS]


@pytest.mark.parametrize("compiler, language", [("cc", "c"), ("c++", "c++")])
def test_header(installed, compiler, language):
    """The example of the page on read-only data compiles with the installed header and DPDK alone."""
    if shutil.which(compiler) is None:
        pytest.skip(f"no {compiler} here")
    example = re.search(r"(?ms)^```c\n(.*?)^```", (ROOT / "doc/extbuf.md").read_text(encoding="utf-8"))[1]
    header = next(installed.rglob("include/zcfwd/mbuf_readonly.h"))
    flags = subprocess.run(["pkg-config", "--cflags", "libdpdk"], check=True, capture_output=True, text=True, timeout=60).stdout.split()
    done = subprocess.run([compiler, "-x", language, "-Wall", "-Wextra", "-Werror", "-fsyntax-only", *flags, f"-I{header.parent.parent}", "-"],
                          input=example, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: " ".join(words[:4]))
def test_guide(installed, tmp_path, words):
    """Each command comes up with its drivers, or names the one that the build lacks; memory and lcores are the test's."""
    program, *options = here(words, installed, tmp_path)
    if shutil.which(program) is None:
        pytest.skip(f"no {program} here")
    if LACKS and words[0] != "zcfwd":
        pytest.skip("built without DPDK's source")
    argv = [program, *lcore_args("0"), *ordinary_pages(256), "--no-pci", "--no-telemetry", "--no-shconf", *options]
    if words[0] == "zcfwd" and "--" not in options:
        argv += ["--", "-i"]
    done = subprocess.run(argv, input="show dma\nquit\n" if words[0] == "zcfwd" else "quit\n", capture_output=True, check=False, text=True, timeout=STARTUP_S,
                          preexec_fn=die_with_parent)
    if LACKS:
        last = done.stderr.splitlines()[-1]
        assert done.returncode == 1 and re.match(r"zcfwd: (dma_adaptive|net_async_vhost)0,.*: this build lacks the driver \1: ", last), done.stderr
        return
    assert done.returncode == 0, done.stdout + done.stderr
    assert "dma_adaptive0" in done.stdout or words[0] != "zcfwd", done.stdout + done.stderr
    assert not re.search("lacks|cannot|[Uu]nable|[Ff]ailed", done.stderr), done.stderr
