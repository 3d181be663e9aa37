# SPDX-License-Identifier: BSD-3-Clause
"""What make install puts on a machine: the commands of the guide to guests and DMA engines run as they are written there."""
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import tempfile
import time

import pytest
from conftest import ROOT, binary_path
from modelled import MOCK
from session import STARTUP_S, die_with_parent, lcore_args, ordinary_pages, wait_until

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


@pytest.fixture(scope="module")
def library(installed):
    """The environment in which pkg-config and the loader find the installed libzcfwd-recycle."""
    folder = next(installed.rglob("libzcfwd-recycle.so.1.0.0")).parent
    for link in ("libzcfwd-recycle.so.1", "libzcfwd-recycle.so"):
        if not (folder / link).exists():
            (folder / link).symlink_to("libzcfwd-recycle.so.1.0.0")
    description = next(installed.rglob("libzcfwd-recycle.pc"))
    text = description.read_text(encoding="utf-8")
    prefix = re.search(r"^prefix=(.*)$", text, re.M)[1]
    description.write_text(text.replace(f"prefix={prefix}", f"prefix={installed}{prefix}"), encoding="utf-8")
    return os.environ | {"PKG_CONFIG_PATH": f"{description.parent}:{os.environ.get('PKG_CONFIG_PATH', '')}", "LD_LIBRARY_PATH": f"{folder}:{os.environ.get('LD_LIBRARY_PATH', '')}"}


def compiled(source, program, library, static):
    """The program, from what pkg-config says of the installed packages and nothing else."""
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", "libzcfwd-recycle", "libdpdk"], env=library, check=True, capture_output=True, text=True,
                           timeout=60).stdout.split()
    if static:
        folder = next(flag[2:] for flag in flags if flag.startswith("-L") and pathlib.Path(flag[2:], "libzcfwd-recycle.a").exists())
        flags = [f"{folder}/libzcfwd-recycle.a" if flag == "-lzcfwd-recycle" else flag for flag in flags]
    done = subprocess.run(["cc", "-O2", "-Wall", "-Werror", source, "-o", program, "-Wl,--as-needed", *flags], capture_output=True, text=True, check=False,
                          timeout=60)
    assert done.returncode == 0, done.stderr
    needs = subprocess.run(["readelf", "-d", program], check=True, capture_output=True, text=True, timeout=60).stdout
    assert ("libzcfwd-recycle.so.1" in needs) != static
    return program


def ended(process, begins, number):
    """What a program wrote that forwards for two seconds after a line of its standard error, and is ended by a signal then."""
    head = []
    for line in process.stderr:
        head.append(line)
        if begins in line:
            time.sleep(2)
            break
    process.send_signal(number)
    out, rest = process.communicate(timeout=STARTUP_S)
    return out, "".join(head) + rest


def test_unit(installed, tmp_path):
    """The unit starts the installed program, on a socket in the folder that it makes. systemd has no complaint, where it is there to ask."""
    unit = next(installed.rglob("systemd/system/zcfwd@.service"))
    text = unit.read_text(encoding="utf-8")
    program = re.search(r"(?m)^ExecStart=(\S+) ", text)[1]
    assert (installed / program[1:]).is_file() and re.search(r"(?m)^RuntimeDirectory=zcfwd$", text) and "unix:/run/zcfwd/%i.sock" in text
    if shutil.which("systemd-analyze") is not None:
        (tmp_path / unit.name).write_text(text.replace(program, str(installed / program[1:])), encoding="utf-8")
        (tmp_path / "zcfwd@lab.service").symlink_to(unit.name)
        done = subprocess.run(["systemd-analyze", "verify", "--man=no", tmp_path / "zcfwd@lab.service"], capture_output=True, text=True, check=False, timeout=60)
        assert (done.returncode, done.stderr) == (0, "")


VERSION = """#include <stdio.h>
#include <zcfwd/recycle.h>
#if ZCFWD_RECYCLE_VERSION < ZCFWD_RECYCLE_VERSION_NUMBER(1, 0)
#error
#endif
int main(void)
{
	printf("%d.%d.0 %d", ZCFWD_RECYCLE_VERSION_MAJOR, ZCFWD_RECYCLE_VERSION_MINOR, zcfwd_recycle_version() == ZCFWD_RECYCLE_VERSION);
}
"""


def test_version(library, tmp_path):
    """The installed header, library and description have one version."""
    (tmp_path / "version.c").write_text(VERSION, encoding="utf-8")
    program = compiled(tmp_path / "version.c", tmp_path / "version", library, False)
    out = subprocess.run([program], env=library, check=True, capture_output=True, text=True, timeout=60).stdout
    described = subprocess.run(["pkg-config", "--modversion", "libzcfwd-recycle"], env=library, check=True, capture_output=True, text=True, timeout=60).stdout.strip()
    assert out == f"{described} 1"
    assert next(pathlib.Path(folder, f"libzcfwd-recycle.so.{described}") for folder in library["LD_LIBRARY_PATH"].split(":")).exists()


@pytest.mark.parametrize("static", [False, pytest.param(True, marks=pytest.mark.extended)], ids=["shared", "static"])
def test_library(installed, library, tmp_path, static):
    """The example of the page on the library forwards between modelled ports, in mbufs that were sent before."""
    if os.environ["MODEL_NIC_LACKS"]:
        pytest.skip(os.environ["MODEL_NIC_LACKS"])
    program = compiled(ROOT / "doc/recycle-forward.c", tmp_path / "forward", library, static)
    plugin, report = next(installed.rglob("model_nic.so")), tmp_path / "report.json"
    env = library | {"MODEL_NIC": "xl710,verify,count=200000,flows=16*2", "MODEL_NIC_REPORT": str(report)}
    with subprocess.Popen([program, *lcore_args("0"), *ordinary_pages(256), "--no-pci", "--no-telemetry", "--no-shconf", "--iova-mode=va", "-d", plugin],
                          env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=die_with_parent) as forward:
        out, errors = ended(forward, "forwarding until", signal.SIGTERM)
    assert forward.returncode == 0, out + errors
    assert "without recycling" not in errors
    recycled = [int(n) for n in re.findall(r"^port \d: (\d+) mbufs recycled$", out, re.M)]
    ports = json.loads(report.read_text(encoding="utf-8"))["ports"]
    assert len(recycled) == len(ports) == 2
    for port, n in zip(ports, recycled):
        assert port["ok"] > 10000 and not any(port[bad] for bad in ("corrupted", "duplicated", "reordered", "foreign", "armed_twice", "armed_in_tx")), port
        assert n > port["ok"] / 2, (n, port)


@pytest.mark.extended
@pytest.mark.parametrize("device, ratio", [("xl710", 0.5), ("82599", 0.5), ("mock ice", 0.5), ("mock ixgbe", 0.5), ("mock mlx5", 0.1)])
def test_l3fwd(installed, library, tmp_path, device, ratio):
    """DPDK's own l3fwd with the lines of devtools/foreign: every packet as it should be, in mbufs that were sent before, at least this part of them."""
    mock = device.startswith("mock ")
    lacks = os.environ.get("MOCK_LACKS") or ("" if os.path.exists(MOCK) else f"{MOCK} is not built") if mock else os.environ["MODEL_NIC_LACKS"]
    if mock and device.split()[1] in os.environ.get("MOCK_UNTESTED", "").split():
        lacks = f"mock ports of {device.split()[1]} are not tested with another release's source"
    if lacks:
        pytest.skip(lacks)
    words = "verify,count=200000,flows=16"
    ports = ["-d", MOCK, *(f"--vdev=net_mock{i},driver={device.split()[1]},{words}" for i in range(2))] if mock else ["-d", next(installed.rglob("model_nic.so"))]
    built = subprocess.run([ROOT / "devtools/foreign", "--recycle", "l3fwd", tmp_path], env=library, capture_output=True, text=True, check=False, timeout=120)
    if built.returncode == 77:
        pytest.skip(built.stderr.splitlines()[-1])
    assert built.returncode == 0, built.stderr
    assert int(re.search(r"(\d+) lines added", built.stderr)[1]) <= 20
    (tmp_path / "v4").write_text("R198.19.0.0/16 1\n", encoding="ascii")
    (tmp_path / "v6").write_text("R100:0:0:0:0:0:0:0/64 0\n", encoding="ascii")
    report = tmp_path / "report.json"
    env = library | {"MODEL_NIC": "" if mock else f"{device},{words}*2", "MODEL_NIC_REPORT": str(report)}
    with subprocess.Popen([tmp_path / "l3fwd", *lcore_args("0-1"), *ordinary_pages(1000), "--no-pci", "--no-telemetry", "--no-shconf", "--iova-mode=va",
                           *ports, "--", "-p", "3", "-P", "--config=(0,0,1),(1,0,1)", "--lookup=lpm",
                           f"--rule_ipv4={tmp_path / 'v4'}", f"--rule_ipv6={tmp_path / 'v6'}"],
                          env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=die_with_parent) as l3fwd:
        out, errors = ended(l3fwd, "entering main loop", signal.SIGINT)
    assert l3fwd.returncode == 0, out + errors
    assert "queues recycle: " not in out
    ports = json.loads(report.read_text(encoding="utf-8"))["ports"]
    for port in ports:
        assert not any(port[bad] for bad in ("corrupted", "duplicated", "reordered", "foreign", "armed_twice", "armed_in_tx")), port
    ok = sum(port["ok"] for port in ports)
    assert ok > 10000 and sum(map(int, re.findall(r"(\d+) mbufs recycled", out))) > ok * ratio, out


ROUTES = ("interface add port p0 devargs 0000:f0:00.0 qsize 512", "interface add port p1 devargs 0000:f0:01.0 qsize 512", "address add 198.18.0.1/16 iface p0",
          "address add 192.0.2.1/24 iface p1", "nexthop add l3 iface p1 address 192.0.2.2 mac 02:00:00:00:00:09 id 1", "route add 198.19.0.0/16 via id 1")


@pytest.mark.extended
def test_grout(installed, library, tmp_path):
    """The router grout with the lines of devtools/foreign: it routes what both ports receive to one, in mbufs that were sent before."""
    if os.environ["MODEL_NIC_LACKS"]:
        pytest.skip(os.environ["MODEL_NIC_LACKS"])
    built = subprocess.run([ROOT / "devtools/foreign", "--recycle", "grout", tmp_path], env=library, capture_output=True, text=True, check=False, timeout=400)
    if built.returncode == 77:
        pytest.skip(built.stderr.splitlines()[-1])
    assert built.returncode == 0, built.stderr
    report, socket = tmp_path / "report.json", tmp_path / "socket"
    env = library | {"MODEL_NIC": "xl710,verify,rx=copy,flows=16,mac=02:00:00:00:00:02*2", "MODEL_NIC_REPORT": str(report), "GROUT_SOCK_PATH": str(socket)}
    with subprocess.Popen([tmp_path / "grout", "-t", "-p", "-M", f"unix:{tmp_path}/metrics", "--", "--iova-mode=va", "-d", next(installed.rglob("model_nic.so"))],
                          env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, preexec_fn=die_with_parent) as grout:
        wait_until(socket.exists, "grout's socket", STARTUP_S)
        for line in (*ROUTES, "", "interface del p0", "interface del p1"):
            if line:
                subprocess.run([tmp_path / "grcli", *line.split()], env=env, check=True, capture_output=True, timeout=60)
            else:
                time.sleep(2)
        grout.send_signal(signal.SIGTERM)
        out, _ = grout.communicate(timeout=STARTUP_S)
    assert grout.returncode == 0 and "queues recycle: " not in out, out
    ports = json.loads(report.read_text(encoding="utf-8"))["ports"]
    for port in ports:
        assert not any(port[bad] for bad in ("corrupted", "duplicated", "reordered", "armed_twice", "armed_in_tx", "sent_while_armed")), port
    ok = sum(port["ok"] for port in ports)
    assert ok > 10000 and sum(map(int, re.findall(r"(\d+) mbufs recycled", out))) > ok / 2, out


def interface(*words):
    return subprocess.run([ROOT / "devtools/abi", *words], capture_output=True, text=True, check=False, timeout=120)


def test_interface():
    """Programs that were linked to the library before can use the one of this tree."""
    done = interface(binary_path().parent / "pmd_shims/recycle/libzcfwd-recycle.so.1.0.0")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("old, new, says", [
    ("bool bound, feeds;", "int bound; bool feeds;", "type of 'bool bound' changed"),
    ("	uint64_t reserved[4]; /* must be 0 */\n", "", "reserved"),
    ("	ZCFWD_RECYCLE_STOPPED, ", "	ZCFWD_RECYCLE_ASLEEP, ZCFWD_RECYCLE_STOPPED, ", "ZCFWD_RECYCLE_ASLEEP"),
    ("uint16_t rx_port, uint16_t rx_queue,", "uint32_t rx_port, uint16_t rx_queue,", "parameter 1"),
    ("int zcfwd_recycle_move(", "long zcfwd_recycle_move(", "return type changed"),
    ("void zcfwd_recycle_stop(struct zcfwd_recycle *r);", "", "zcfwd_recycle_stop"),
], ids=["member", "removed", "value", "parameter", "return", "function"])
def test_changed_interface(tmp_path, old, new, says):
    """The check of the interface can fail: each of these changes breaks programs."""
    header = (ROOT / "pmd_shims/recycle/include/zcfwd/recycle.h").read_text(encoding="utf-8")
    assert old in header
    (tmp_path / "recycle.h").write_text(header.replace(old, new, 1), encoding="utf-8")
    done = interface("--header", tmp_path / "recycle.h")
    assert done.returncode == 1 and says in done.stdout, done.stdout + done.stderr


def test_other_symbols():
    """As does a library that exports something else than its header has."""
    done = interface(binary_path().parent / "pmd_shims/drivers/model_nic/model_nic.so")
    assert done.returncode == 1 and "zcfwd_recycle_run: not exported" in done.stdout and "model_nic_report: not in the header" in done.stdout
