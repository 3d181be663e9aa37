# SPDX-License-Identifier: BSD-3-Clause
"""Programs that drive testpmd on a terminal: what two of them type, and what they look for in the answers.

The checkup of KVM guests (kubevirt-dpdk-checkup) types a few commands on a serial console and reads numbers by their place in a line. DPDK's own
test suite types a command and an empty line, and reads up to a line that ends with the prompt; devtools/dts runs it, these are its habits.
"""
import re

import pytest

from limits import until
from modelled import PLUGIN, needs_model_nic
from session import Session, wait_until

PROMPT = "testpmd> "
WEST, EAST = "60:94:19:C9:AC:01", "60:94:19:C9:AC:02"


@pytest.fixture(name="testpmd", scope="module")
def _testpmd(binary, tmp_path_factory):
    """The program under the name by which images have it."""
    link = tmp_path_factory.mktemp("bin") / "dpdk-testpmd"
    link.symlink_to(binary)
    return link


def numbers(text, name):
    """What the checkup has of a section: second, fourth and sixth word of the lines with RX-packets and TX-packets; no other line may be there."""
    lines = text.split("\n")
    first = next(n for n, line in enumerate(lines) if name in line)
    border = {"-": "-" * 76, "+": "+" * 76}[lines[first].strip()[0]]
    last = next(n for n, line in enumerate(lines[first + 1:], first + 1) if border in line)
    found = {}
    for line in lines[first + 1:last]:
        words = line.split()
        assert words[0] in ("RX-packets:", "TX-packets:"), line
        found[words[0][:2]] = [int(words[n]) for n in (1, 3, 5)]
    return found


def test_checkup(testpmd):
    """With its options, but for devices and lcores; what it types is answered by text and then the prompt."""
    with Session(testpmd, pty=True, args=["--nb-cores=1", "--rxd=2048", "--txd=2048", "--forward-mode=mac", f"--eth-peer=0,{EAST}", f"--eth-peer=1,{WEST}"],
                 pool="--total-num-mbufs=16384", vdevs=["net_null0,size=60", "net_null1,size=60"]) as session:
        def tell(line):
            session.send(line + "\n")
            return session.expect(re.escape(PROMPT))

        assert f"peer={EAST}" in tell("start")
        wait_until(lambda: numbers(tell("show fwd stats all"), "Accumulated forward statistics for all ports")["RX"][0] > 1000, "packets")
        tell("stop")
        text = tell("show fwd stats all")
        ports = [numbers(text, f"Forward statistics for port {n}") for n in range(2)]
        assert all(section[way][0] > 0 and section[way][2] == section[way][0] + section[way][1] for section in ports for way in section), text
        both = numbers(text, "Accumulated forward statistics for all ports")
        assert both == {way: [sum(column) for column in zip(*(section[way] for section in ports))] for way in ("RX", "TX")}
        tell("clear fwd stats all")
        assert numbers(tell("show fwd stats all"), "Accumulated forward statistics for all ports") == {"RX": [0, 0, 0], "TX": [0, 0, 0]}


class Suite:
    """Types as the suite does, on 80 columns; one prompt stays unread, that of the empty line, which begins the next answer."""

    def __init__(self, session):
        self.session = session

    def tell(self, command):
        self.session.send(f"{command}\n\n")
        lines = []
        for _ in until(lambda: lines and lines[-1].rstrip().endswith("testpmd>"), f"the prompt after {command!r}"):
            lines.append(self.session.expect(r"\r*\n"))
        return "\n".join(lines[:-1]) + "\n"


@pytest.fixture(name="suite", scope="module", params=["xl710", "82599"])
def _suite(testpmd, request):
    with Session(testpmd, (), ["--rxq=4", "--txq=4", "--mask-event=intr_lsc"], pty=True, merge=True, eal=["-d", PLUGIN, "--iova-mode=va"],
                 env={"MODEL_NIC": f"{request.param},rx=none*2"}, pool="--total-num-mbufs=16384") as session:
        session.child.setwinsize(24, 80)
        session.send("\n")
        session.expect(r"\r*\n")
        suite = Suite(session)
        suite.device = request.param
        yield suite


def last(text):
    return text.strip().splitlines()[-1].strip()


@needs_model_nic
def test_done_is_the_last_word(suite):
    """Also of ports that are started, or forward: the suite takes anything behind it for a failure."""
    assert last(suite.tell("port start all")) == "Done"
    assert "Packet forwarding already started" in (suite.tell("start"), suite.tell("start"))[1]
    assert last(suite.tell("port stop all")) == "Done"
    assert "Done." in suite.tell("stop")
    assert last(suite.tell("port stop all")) == "Done"
    assert last(suite.tell("port start all")) == "Done"


@needs_model_nic
def test_rss(suite):
    """The table's size is said, and a changed entry is found; a key is taken in silence, and found."""
    size = {"xl710": 512, "82599": 128}[suite.device]
    masks = ",".join(["0xff", *["0x0"] * (size // 64 - 1)])
    assert f"The reta size of port 0 is {size}" in suite.tell("port config 0 rss reta (3,2),(5,1)")
    table = dict(re.findall(r"hash index=(\d+), queue=(\d+)", suite.tell(f"show port 0 rss reta {size} ({masks})")))
    assert table["3"] == "2" and table["5"] == "1" and len(table) == 8
    assert "queue 4: the port has 4 queues" in suite.tell("port config 0 rss reta (3,4)")
    key = "6d5a" * {"xl710": 26, "82599": 20}[suite.device]
    assert "error" not in suite.tell("port config all rss udp")
    said = suite.tell(f"port config 0 rss-hash-key ipv4-udp {key}")
    assert "invalid" not in said and "operation" not in said and "Bad arguments" not in said
    assert key.upper() in suite.tell("show port 0 rss-hash key").replace("\n", "")


@needs_model_nic
def test_flow_control(suite):
    words = "rx on tx on {0} {1} 100 1 mac_ctrl_frame_fwd off autoneg off 0".format(*{"xl710": (0, 0), "82599": (128, 64)}[suite.device])
    said = suite.tell(f"set flow_ctrl {words}")
    assert "bad flow control" not in said and "Bad arguments" not in said
    shown = suite.tell("show port 0 flow_ctrl")
    assert "Rx pause: on" in shown and "Tx pause: on" in shown


@needs_model_nic
def test_tunnel_port(suite):
    """The words of DPDK's error where the driver has no such ports: the suite looks for them."""
    refused = "udp tunneling add error: (Operation not supported)"
    for what in ("add", "rm"):
        assert (refused in suite.tell(f"rx_vxlan_port {what} 4789 0")) == (suite.device == "82599")
