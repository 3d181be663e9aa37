# SPDX-License-Identifier: BSD-3-Clause
"""--model: software NICs by an option, wherever the program lies; and nothing of them without it."""
import os
import pathlib
import shutil
import subprocess

import pytest
from conftest import binary_path
from modelled import LACKS, PLUGIN, moved, needs_model_nic
from session import Session, eal_args

pytestmark = pytest.mark.zcfwd
QUIET = ("--iova-mode=va", "--log-level=pmd.net.i40e:error", "--log-level=pmd.net.ixgbe:error")
THREAD = "model_nic"


def ask(binary, options, lines=("show port summary all",), eal=None, env=None):
    argv = [str(binary), *(eal_args() if eal is None else eal), *QUIET, "--", "-i", "--no-mlockall", *options]
    return subprocess.run(argv, input="\n".join([*lines, "quit", ""]), capture_output=True, text=True, timeout=90, check=False,
                          env={**os.environ, **(env or {})})


def drivers(text):
    """The driver of each port, from show port summary."""
    return [word for word in text.split() if word in ("net_i40e", "net_ixgbe", "net_null")]


def names_of_threads(pid):
    return [path.read_text(encoding="ascii").strip() for path in pathlib.Path(f"/proc/{pid}/task").glob("*/comm")]


@pytest.fixture
def everybodys(tmp_path):
    """The program and its plugin as built, in a folder that everybody may write to."""
    (tmp_path / "pmd_shims/drivers/model_nic").mkdir(parents=True)
    shutil.copy(binary_path(), tmp_path / "zcfwd")
    shutil.copy(PLUGIN, tmp_path / "pmd_shims/drivers/model_nic")
    tmp_path.chmod(0o777)
    return tmp_path / "zcfwd"


@needs_model_nic
def test_below_a_folder_that_all_may_write_to(everybodys):
    """Where EAL refuses plugins the option works: both ports forward."""
    with Session(everybodys, (), ["--model", "xl710,flows=16*2"], eal=QUIET, pool="--total-num-mbufs=32768") as session:
        assert THREAD in names_of_threads(session.pid)
        session.ok("start")
        for port in (0, 1):
            moved(session, port, "TX-packets")
        session.quit()
        assert session.rc == 0
    refused = ask(everybodys, [], eal=[*eal_args(), "-d", str(everybodys.parent / "pmd_shims/drivers/model_nic/model_nic.so")])
    assert refused.returncode == 1 and "plugin" in refused.stderr


@needs_model_nic
def test_several(binary):
    """Given twice, the devices are one list: they may be wired to each other. MODEL_NIC does not count."""
    done = ask(binary, ["--model", "xl710,rx=wire:2", "--model=82599,rx=none;x540,rx=wire:0"], env={"MODEL_NIC": "x540*5"})
    assert done.returncode == 0, done.stderr
    assert drivers(done.stdout) == ["net_i40e", "net_ixgbe", "net_ixgbe"]


@needs_model_nic
def test_beside_the_bus(binary):
    """Without --no-pci: EAL scans the machine's bus as well. -a keeps the test off its devices."""
    eal = [word for word in eal_args() if word != "--no-pci"]
    done = ask(binary, ["--model", "xl710;x540"], eal=[*eal, "-a", "0000:f0:00.0", "-a", "0000:f0:01.0"])
    assert done.returncode == 0, done.stderr
    assert drivers(done.stdout) == ["net_i40e", "net_ixgbe"]


@needs_model_nic
def test_beside_another_port(binary):
    done = ask(binary, ["--model", "82599"], eal=[*eal_args(), "--vdev=net_null0"])
    assert sorted(drivers(done.stdout)) == ["net_ixgbe", "net_null"], done.stderr


@needs_model_nic
def test_with_the_plugin_loaded_by_eal(binary):
    """It is the same plugin: there is one of each device, and the option has precedence."""
    if pathlib.Path(PLUGIN) != binary_path().parent / "pmd_shims/drivers/model_nic/model_nic.so":
        pytest.skip("EAL takes no plugin from below a folder that others may write to")
    done = ask(binary, ["--model", "xl710"], eal=[*eal_args(), "-d", PLUGIN], env={"MODEL_NIC": "82599*2"})
    assert done.returncode == 0, done.stderr
    assert drivers(done.stdout) == ["net_i40e"]


@needs_model_nic
@pytest.mark.parametrize("value, words", [
    ("xl711", ('"xl711"', "expected xl710, 82599, x540, igb, igbvf, e1000e, e1000, vmxnet3 or virtio-pci")),
    ("", ('""', "xl710")),
    ("xl710;", ('""', "expected xl710")),
    ("xl710,colour=red", ('"colour=red"', "expected rx=")),
    ("xl710,queues=65", ('"queues=65"', "1..64")),
    ("xl710*33", ('"xl710*33"', "1..32")),
    ("xl710,rx=wire:1", ('"rx=wire:1"', "0..0")),
    ("xl710,rx=pcap:/nowhere", ("port 0", "/nowhere")),
])
def test_bad_value(binary, value, words):
    """One line, before EAL has touched anything."""
    done = ask(binary, ["--model", value])
    assert done.returncode == 1
    assert done.stderr.startswith("zcfwd: --model") and done.stderr.count("\n") == 1, done.stderr
    assert all(word in done.stderr for word in words), done.stderr
    assert "EAL" not in done.stdout


@pytest.mark.skipif(LACKS == "", reason="this processor has them")
def test_another_processor(binary):
    done = ask(binary, ["--model", "xl710"])
    assert done.returncode == 1
    assert done.stderr == f"zcfwd: --model: {LACKS}\n"


def test_no_value(binary):
    done = ask(binary, ["--model"])
    assert done.returncode == 1
    assert "--model: missing or unexpected value" in done.stderr


@needs_model_nic
def test_no_plugin(tmp_path):
    """A program that was copied alone says where it looked."""
    shutil.copy(binary_path(), tmp_path / "zcfwd")
    done = ask(tmp_path / "zcfwd", ["--model", "xl710"])
    assert done.returncode == 1
    assert done.stderr.startswith(f"zcfwd: --model: model_nic.so not found in {tmp_path}/pmd_shims/drivers/model_nic or {tmp_path}/../lib"), done.stderr


def test_help(binary):
    done = subprocess.run([binary, "--help"], capture_output=True, text=True, timeout=30, check=True)
    assert "  --model=DEVICES " in done.stdout


def test_not_asked_for(binary):
    """No file, no thread, no port, whatever the environment says."""
    with Session(binary, env={"MODEL_NIC": "xl710*2"}) as session:
        assert THREAD not in names_of_threads(session.pid)
        assert "model_nic" not in pathlib.Path(f"/proc/{session.pid}/maps").read_text(encoding="utf-8")
        assert drivers(session.cmd("show port summary all")) == ["net_null", "net_null"]


@needs_model_nic
def test_installed(tmp_path):
    """Where make install puts it, staged; by testpmd's name too, which is a link that it makes when asked."""
    build = binary_path().parent
    if shutil.which("meson") is None or not (build / "meson-private").is_dir():
        pytest.skip("the program is not in meson's build folder")
    subprocess.run(["meson", "install", "--no-rebuild", "-C", build, "--destdir", tmp_path], capture_output=True, check=True, timeout=120)
    [program] = tmp_path.rglob("bin/zcfwd")
    assert not [path for path in tmp_path.rglob("*testpmd*") if path.suffix != ".md"]
    program.with_name("testpmd").symlink_to("zcfwd")
    for name in ("zcfwd", "testpmd"):
        done = ask(program.with_name(name), ["--model", "xl710"])
        assert done.returncode == 0, done.stderr
        assert drivers(done.stdout) == ["net_i40e"]
