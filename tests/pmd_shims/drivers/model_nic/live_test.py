# SPDX-License-Identifier: BSD-3-Clause
"""Interfaces of the kernel as the wires of modelled NICs: frames, states, and what the kernel refuses."""
import os
import signal
import subprocess

import pytest
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Dot1AD, Dot1Q

from modelled import PLUGIN, STOPPED, Modelled, each_device, needs_model_nic
from netns import Namespaces, entering, ip
from packets import IP4, PORTS, diverse, ether, sized
from session import Session, wait_until
from stats import port_stats
from wire_end import WireEnd

pytestmark = [needs_model_nic, pytest.mark.netns]
NEAR, FAR = ("sut0", "sut1"), ("tg0", "tg1")
TAGGED = [sized(ether() / tag / IP(**IP4) / UDP(**PORTS), 100, i)
          for i, tag in enumerate((Dot1Q(vlan=5, prio=3), Dot1AD(vlan=6), Dot1AD(vlan=7) / Dot1Q(vlan=8), Dot1Q(vlan=9) / Dot1Q(vlan=10)))]


@pytest.fixture
def space():
    """A namespace with two veth pairs without offloads."""
    with Namespaces(1) as (name,):
        for near, far in zip(NEAR, FAR):
            ip("-n", name, "link", "add", near, "type", "veth", "peer", "name", far)
            for end in (near, far):
                ip("-n", name, "link", "set", end, "up")
        yield name


def devices(device="xl710", keys=""):
    return ";".join(f"{device},rx=pcap:@{near},tx=pcap:@{near}{keys}" for near in NEAR)


def lines_of(session):
    return [line for line in session.stderr().splitlines() if line.startswith("model_nic:")]


@each_device
def test_both_ways(binary, device, space, tmp_path):
    """Frames of all kinds and sizes, with tags too, as they were sent; none of a port's own frames comes back to it."""
    packets = [packet for packet in [*diverse(), *TAGGED] if len(packet) >= 60]
    with WireEnd(entering(space), FAR[0]) as left, WireEnd(entering(space), FAR[1]) as right, \
            Modelled(binary, devices(device), tmp_path, wrapper=entering(space)) as session:
        session.ok("start")
        left.send(packets)
        assert right.wait(len(packets)) == packets
        right.send(packets[::-1])
        assert left.wait(len(packets)) == packets[::-1]
        session.ok("stop")
        for port in (0, 1):
            report = session.report(port)
            assert {name: report[name] for name in ("rx_packets", "tx_packets", "rx_missed", "tx_unsent")} == {
                "rx_packets": len(packets), "tx_packets": len(packets), "rx_missed": 0, "tx_unsent": 0}
        assert not lines_of(session)
        session.quit()
        assert session.rc == 0


def test_stopped_port(binary, space, tmp_path):
    """What arrives before a port starts, or while it is stopped or its link is down, is dropped and not counted."""
    packets = diverse()[:40]
    with WireEnd(entering(space), FAR[0]) as left, WireEnd(entering(space), FAR[1]) as right, \
            Modelled(binary, devices(), tmp_path, [STOPPED], wrapper=entering(space)) as session:
        left.send_all(packets)
        session.ok("port start all", "start")
        left.send_all(packets[:1])
        assert right.wait(1) == [packets[0].ljust(60, b"\0")]
        session.ok("stop", "port stop 0")
        left.send_all(packets)
        session.ok("port start 0", "start")
        left.send_all(packets[1:2])
        assert right.wait(1) == [packets[1].ljust(60, b"\0")]
        assert session.report(0)["rx_packets"] == 2 and session.report(0)["rx_missed"] == 0
        session.quit()


@pytest.mark.extended
def test_kernel_drops(binary, space, tmp_path):
    """A program that does not run lets the kernel's buffer overflow: each lost frame is missed, by the report and by the driver."""
    number = 30_000
    with Modelled(binary, devices(), tmp_path, wrapper=entering(space)) as session:
        session.ok("set fwd rxonly", "start")
        os.kill(session.pid, signal.SIGSTOP)
        try:
            subprocess.run([*entering(space), "/usr/bin/python3", "-c", f"""
import socket
with socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0) as s:
    s.bind(("{FAR[0]}", 0))
    for i in range({number}):
        s.send(bytes(60))
"""], check=True, timeout=120)
        finally:
            os.kill(session.pid, signal.SIGCONT)
        wait_until(lambda: sum(session.report(0)[name] for name in ("rx_packets", "rx_missed")) == number, "all frames counted")
        assert session.report(0)["rx_missed"] > 0
        assert port_stats(session, 0)["RX-missed"] == session.report(0)["rx_missed"]
        session.quit()


def test_states(binary, space, tmp_path):
    """A line for each change; the port's link follows; a new name changes nothing, and an interface that is made again is used."""
    with WireEnd(entering(space), FAR[0]) as left, Modelled(binary, devices(), tmp_path, wrapper=entering(space)) as session:
        def said(*words):
            wait_until(lambda: all(any(word in line for line in lines_of(session)) for word in words), f"{words}: {lines_of(session)}")

        def link(port):
            return session.cmd(f"show port info {port}").split("Link status: ")[1].split()[0]

        session.ok("start")
        ip("-n", space, "link", "set", NEAR[0], "name", "other")
        said("port 0: interface sut0 is now called other")
        left.send([bytes(60)])
        wait_until(lambda: session.report(0)["rx_packets"] == 1, "a frame of the renamed interface")
        ip("-n", space, "link", "set", FAR[1], "down")
        said("port 1: interface sut1 has no carrier")
        wait_until(lambda: link(1) == "down", "the link's end")
        ip("-n", space, "link", "set", FAR[1], "up")
        said("port 1: interface sut1 is up again")
        wait_until(lambda: link(1) == "up", "the link")
        ip("-n", space, "link", "set", "other", "down")
        said("port 0: interface other is down")
        wait_until(lambda: link(0) == "down", "the link's end")
        ip("-n", space, "link", "del", NEAR[1])
        said("port 1: interface sut1 is gone")
        wait_until(lambda: link(1) == "down", "the link's end")
        for end in ("other", FAR[0]):
            ip("-n", space, "link", "set", end, "up")
        said("port 0: interface other is up again")
        ip("-n", space, "link", "add", NEAR[1], "type", "veth", "peer", "name", FAR[1])
        for end in (NEAR[1], FAR[1]):
            ip("-n", space, "link", "set", end, "up")
        wait_until(lambda: link(1) == "up", "the link of the new interface")
        with WireEnd(entering(space), FAR[1]) as right:
            left.send([bytes(61)])
            assert right.wait(1) == [bytes(61)]
        assert [line.split("interface")[0] for line in lines_of(session)] == [
            f"model_nic: port {port}: " for port in (0, 1, 1, 0, 1, 0, 1)], lines_of(session)
        session.quit()
        assert session.rc == 0


def test_too_long_to_send(binary, space, tmp_path):
    """A frame beyond the interface's MTU is counted; the reason is printed once."""
    ip("-n", space, "link", "set", NEAR[1], "mtu", "1000")
    packets = [sized(ether() / IP(**IP4) / UDP(**PORTS), size, size) for size in (60, 1014, 1300, 1400, 100)]
    with WireEnd(entering(space), FAR[0]) as left, WireEnd(entering(space), FAR[1]) as right, \
            Modelled(binary, devices(), tmp_path, wrapper=entering(space)) as session:
        session.ok("start")
        left.send(packets)
        assert right.wait(3) == [packets[0], packets[1], packets[4]]
        assert session.report(1)["tx_unsent"] == 2 and session.report(1)["tx_packets"] == 5
        assert lines_of(session) == ["model_nic: port 1: interface sut1 does not send a packet of 1300 bytes: Message too long"]
        session.quit()


REFUSED = [
    ("rx=pcap:@nosuch", (), ("port 0", '"rx=pcap:@nosuch"', "no such interface")),
    ("rx=none,tx=pcap:@nosuch", (), ("port 0", '"tx=pcap:@nosuch"', "no such interface")),
    ("rx=pcap:@idle", (), ('"rx=pcap:@idle"', "the interface is down", "ip link set")),
    ("rx=pcap:@sut0", ("setpriv", "--bounding-set=-net_raw"), ('"rx=pcap:@sut0"', "no permission", "CAP_NET_RAW")),
    ("rx=none,tx=pcap:@sut0", ("setpriv", "--bounding-set=-net_raw"), ('"tx=pcap:@sut0"', "no permission", "CAP_NET_RAW")),
    ("rx=pcap:@sut0,rate=5", (), ('"rate=5"', "rx=pcap:@sut0")),
    ("rx=pcap:@sut0:3", (), ('"rx=pcap:@sut0:3"', "pcap:@INTERFACE")),
]


@pytest.mark.parametrize("keys, without, words", REFUSED, ids=[row[0] + (" " if row[1] else "") for row in REFUSED])
def test_refused(binary, space, keys, without, words):
    """One line with the bad word, and no program."""
    ip("-n", space, "link", "add", "idle", "type", "veth", "peer", "name", "idle1")
    with Session(binary, (), interactive=False, eal=["-d", PLUGIN], wrapper=[*entering(space), *without],
                 env={"MODEL_NIC": "xl710," + keys}) as session:
        session.finish(ends=1)
        said = lines_of(session)
    assert len(said) == 1 and all(word in said[0] for word in words), said
