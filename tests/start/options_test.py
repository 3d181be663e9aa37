# SPDX-License-Identifier: BSD-3-Clause
"""Program options: what is wrong ends the run with a reason, what testpmd's users shorten stays short."""
import json
import re
import subprocess

import pytest

from modelled import dpdk_release
from session import Session, eal_args, run

pytestmark = pytest.mark.zcfwd


@pytest.mark.parametrize("option", ["--no-such-option", "--output=xml", "--rxq"])
def test_before_eal(binary, option):
    """What is no option, and what settles how the others answer, is told before EAL looks for devices."""
    done = run(binary, "quit\n", args=[option], ends=1)
    assert done.stderr.startswith("zcfwd: ") and done.stderr.count("\n") == 1, done.stderr
    assert "EAL" not in done.stdout and "Bye" not in done.stdout


@pytest.mark.parametrize("args,text", [
    (["--forw", "mac"], "Set mac packet forwarding mode"),
    (["--burst", "8"], "packets/burst=8"),
    (["--port-topo=loop", "--record-core"], "RX P=0/Q=0 (socket 0) -> TX P=0/Q=0"),
])
def test_short_forms(binary, args, text):
    done = run(binary, "show config fwd\nshow config rxtx\nquit\n", args=args)
    assert text in done.stdout


def test_stats_2(binary):
    """LISA's `--stats 2`; with a prompt it changes nothing, as in testpmd."""
    run(binary, "quit\n", args=["--stats", "2"])


@pytest.mark.parametrize("option", ["-h", "--help"])
def test_help_is_not_an_error(binary, option):
    argv = [str(binary), *eal_args(), "--vdev=net_null0", "--", option]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=30, check=False, stdin=subprocess.DEVNULL)
    assert done.returncode == 0
    assert "--forward-mode" in done.stdout and "--rxq" in done.stdout


def test_help_names_every_choice(binary):
    """However long the list is."""
    with Session(binary) as session:
        session.ok("set output json")
        rows = session.json_ok("show settings")["settings"]
    argv = [str(binary), *eal_args(), "--vdev=net_null0", "--", "--help"]
    text = subprocess.run(argv, capture_output=True, text=True, timeout=30, check=True, stdin=subprocess.DEVNULL).stdout
    lists = {row["name"]: row["choices"] for row in rows if "choices" in row}
    assert len(lists["eth-link-speed"]) > 50
    text = re.sub(r"\s+", "", text)
    without = [name for name, choices in lists.items() if f"--{name}={choices}" not in text]
    assert not without


def test_output_json_from_the_start(binary):
    done = run(binary, "show config cores\nquit\n", args=["--output=json"])
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert [a["command"] for a in answers if "command" in a][:1] == ["show config cores"]


def test_receive_split(binary):
    """Both lists given: the longer says how many segments."""
    done = run(binary, "show config rxpkts\nshow config rxoffs\nshow config rxhdrs\nquit\n",
               args=["--rxpkts=64,0", "--rxoffs=0,32", "--rxhdrs=eth,ipv4"])
    assert done.returncode == 0, done.stderr
    for text in ("Segment sizes: 64,0,0\n", "Segment offsets: 0,32\n", "Packet segs: eth, ipv4, payload\n"):
        assert text in done.stdout


def test_events_asked_for(binary):
    args = ["--print-event=dev_released", "--print-event=dev_probed", "--mask-event=dev_probed"]
    done = run(binary, "port stop all\nport close 1\nport attach net_null7\nquit\n", args=args)
    assert "\nPort 1: device released event\nPort 1 is closed\n" in done.stdout
    assert "device probed" not in done.stdout


def test_sockets_given(binary):
    """Pools and ports on the one socket of this machine, whatever way it is named."""
    for args in (["--no-numa", "--socket-num=0"], ["--port-numa-config=(0,0),(1,0)", "--ring-numa-config=(0,3,0)"]):
        done = run(binary, "show config fwd\nshow pool\nquit\n", args=args)
        assert "RX P=0/Q=0 (socket 0)" in done.stdout
        assert done.stdout.count("Pool mb_pool_") == 1


def test_hot_plug_watches_and_leaves(binary):
    done = run(binary, "port stop all\nport detach 1\nshow port summary all\nquit\n", args=["--hot-plug"])
    assert "Number of available ports: 1" in done.stdout


@pytest.mark.parametrize("prompt, shown", [("dut1", "dut1> "), ("dut1# ", "dut1# ")])
def test_prompt(binary, prompt, shown):
    """A prompt that ends with a space is whole."""
    assert f"\n{shown}quit\n" in run(binary, "quit\n", args=[f"--prompt={prompt}"]).stdout.replace("\r", "")


def test_stats_period_at_the_prompt(binary):
    """It is for runs without -i, as in testpmd; that is said."""
    done = run(binary, "quit\n", args=["--stats-period=7"])
    assert done.returncode == 0 and done.stderr.count("--stats-period is ignored with -i") == 1 and "every 7" in done.stderr


@pytest.mark.parametrize("words", [["--burst=8", "-i"], ["-i", "--burst", "8"], ["--burst", "8", "--", "-i"], ["-i", "--", "--burst=8"]])
def test_own_option_on_the_side_of_eal(binary, words):
    """Taken, with its value."""
    done = subprocess.run([str(binary), *eal_args(), "--vdev=net_null0", *words], input="show config rxtx\n", capture_output=True, text=True,
                          timeout=60, check=False)
    assert done.returncode == 0 and "packets/burst=8\n" in done.stdout, done


def test_wrong_option_on_the_side_of_eal(binary):
    """EAL's usage is long; the last line tells what is usually wrong. Since 25.11 EAL ends the program by itself, with one line."""
    done = subprocess.run([str(binary), "--no-huge", "--no-pci", "--frobnicate"], input="", capture_output=True, text=True, timeout=60, check=False)
    if dpdk_release() >= "25.11":
        assert done.returncode != 0 and "unknown argument --frobnicate" in done.stderr
    else:
        assert done.returncode == 1 and "use zcfwd [EAL options] -- [options]" in done.stderr.splitlines()[-1]


@pytest.mark.parametrize("left, right, said", [
    (["--brust=8"], [], "--brust: not an option of EAL or zcfwd (did you mean --burst?)"),
    ([], ["--brust=8"], "--brust=8: unknown option (did you mean --burst?)"),
], ids=["left", "right"])
def test_slips_are_told_before_eal(binary, left, right, said):
    done = subprocess.run([str(binary), *eal_args(), *left, "--", *right], input="", capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1 and done.stderr.startswith(f"zcfwd: {said}") and done.stderr.count("\n") == 1, done.stderr
    assert "EAL" not in done.stdout


@pytest.mark.needs("dma")
def test_help_has_groups_in_lines_that_fit(binary):
    text = subprocess.run([str(binary), "--help"], capture_output=True, text=True, timeout=30, check=True, stdin=subprocess.DEVNULL).stdout
    headings = re.findall(r"(?m)^\n([A-Z].*):$", text)
    assert len(headings) == len(set(headings)) == 16, text
    assert "\nShell:\n  --pager" in text and "\nMbuf recycling:\n  --recycle " in text and "\nEngines:\n  --" in text
    assert max(len(line) for line in text.splitlines() if "|" not in line) <= 100


def test_peers_file(binary, tmp_path):
    """Lines are as long as they are: the tail of a comment is no address."""
    path = tmp_path / "peers"
    path.write_text("# " + "x" * 125 + "02:00:00:00:00:77\n\n 02:00:00:00:00:55 # " + "y" * 5000 + "\n02:00:00:00:00:66", encoding="ascii")
    done = run(binary, "show config fwd\nquit\n", args=[f"--eth-peers-configfile={path}"])
    assert "peer=02:00:00:00:00:55" in done.stdout and "peer=02:00:00:00:00:66" in done.stdout and "peer=02:00:00:00:00:77" not in done.stdout, done
    path.write_bytes(b"02:00:00:00:00:55\0\n")
    done = run(binary, "quit\n", args=[f"--eth-peers-configfile={path}"], ends=1)
    assert f"{path}:1: the line contains a NUL byte" in done.stderr


def test_xstats_that_no_port_has(binary):
    """Taken, as a port that has it may come; said at once."""
    done = run(binary, "set display-xstats nosuch,rx_good_packets\nset display-xstats tx_good_packets\nquit\n")
    assert done.stderr.count("display-xstats: no started port has") == 1 and 'no started port has "nosuch"' in done.stderr
