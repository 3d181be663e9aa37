# SPDX-License-Identifier: BSD-3-Clause
"""The engine ieee1588 on modelled NICs with a clock: the driver switches it on and reads times of arrival."""
import re
import time

import pytest
from scapy.packet import Raw

from conftest import testpmd_path
from modelled import Modelled, dpdk_release, needs_model_nic
from packets import ether, write_pcap
from session import wait_until

pytestmark = needs_model_nic

SYNC, DELAY = 0, 1
APART_NS = 20_000_000  # of packets from the file


def message(kind, version=2):
    return bytes(ether(type=0x88F7) / Raw(bytes([kind, version]) + bytes(44)))


def said(binary, tmp_path, device, packets, enough):
    """What is said while such packets arrive, until enough(session)."""
    write_pcap(tmp_path / "in", packets)
    with Modelled(binary, f"{device},rx=pcap:{tmp_path}/in:0,rate={10**9 // APART_NS};{device},rx=none", tmp_path) as session:
        session.ok("set portlist 0", "set fwd ieee1588", "start")
        wait_until(lambda: enough(session), "enough packets", 60)
        session.ok("stop")
        return session.transcript().replace("\r", "")


def times(text):
    return [int(s) * 10**9 + int(ns) for s, ns in re.findall(r"Port 0 RX timestamp value (\d+) s (\d+) ns", text)]


@pytest.mark.parametrize("device", ["82599", "x540"])
def test_times_of_arrival(binary, tmp_path, device):
    """Nanoseconds from the start on: the driver's conversion of the card's clock, which runs at another step on each card."""
    text = said(binary, tmp_path, device, [message(SYNC)], lambda session: session.report(0)["tx_packets"] >= 10)
    found = times(text)
    assert len(found) >= 10 and found == sorted(set(found)), found
    # Some wait for others to be read and have no time of their own; none is nearer to the next than the file has them, but for delays of this machine.
    assert found[-1] - found[0] >= (len(found) - 2) * APART_NS, found
    # Since 24.11 the driver sets the clock to the time of day.
    began = time.time_ns() - 120 * 10**9 if dpdk_release() >= "24.11" else 0
    assert began < found[-1] < began + 120 * 10**9
    assert text.count("Port 0 TX timestamp") == len(found)


def test_other_messages_get_no_answer(binary, tmp_path):
    packets = [message(DELAY), message(SYNC, 1), bytes(ether(type=0x88B5) / Raw(bytes(46)))]
    text = said(binary, tmp_path, "82599", packets, lambda session: session.report(0)["rx_packets"] >= 12)
    assert "Port 0 Received PTP V2 Ethernet frame with unexpected message ID 0x1 (expected 0x0 - PTP_SYNC_MESSAGE)\n" in text
    assert "Port 0 Received PTP V2 Ethernet frame with wrong PTP protocol version 0x1 (should be 0x02)\n" in text
    assert "Port 0 Received non PTP packet type=0x88b5 len=60\n" in text
    assert times(text) == []


@pytest.mark.skipif(testpmd_path() is None, reason="dpdk-testpmd is not installed")
def test_testpmd_is_built_without(tmp_path):
    """Debian's has no such mode, so that nothing can be compared; this says so when it gets one."""
    with Modelled(testpmd_path(), "82599;82599", tmp_path) as session:
        assert "Bad arguments" in session.cmd("set fwd ieee1588")
