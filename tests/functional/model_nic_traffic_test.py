"""Traffic of modelled NICs: files, faults, rates, what a NIC does to packets on their way."""
import os
import random
import re
import struct
import subprocess
import time

import pytest
from scapy.layers.inet import IP, TCP, UDP
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import Dot1Q, Ether
from scapy.packet import Raw
from scapy.utils import RawPcapReader

from modelled import GOOD, PATIENT, PLUGIN, Modelled, all_good
from packets import IP4, IP6, PORTS, diverse, ether, sized, write_pcap
from session import Session, wait_until
from stats import blocks, port_stats

PACKETS = diverse()
STOPPED = "--disable-device-start"  # a source begins when its port does
SEGMENTS = "--tx-offloads=0x8000"  # RTE_ETH_TX_OFFLOAD_MULTI_SEGS: without it net_i40e sends the first segment alone
RETRY = ("set fwd io retry", PATIENT)

each_device = pytest.mark.parametrize("device", ["xl710", "82599"])


def write_nano(path, packets):
    """Nanoseconds, the other byte order."""
    with open(path, "wb") as f:
        f.write(struct.pack(">IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 65535, 1))
        for number, data in enumerate(packets):
            f.write(struct.pack(">IIII", number, 999_999_999, len(data), len(data)) + data)


def file_of(path):
    """The packets as scapy reads them; tcpdump finds as many."""
    packets = [data for data, _ in RawPcapReader(str(path))]
    seen = subprocess.run(["tcpdump", "-nr", str(path), "--count"], capture_output=True, text=True, check=True)
    assert seen.stdout.split()[0] == str(len(packets)), seen
    return packets


def sent(session, port, packets, timeout=120):
    wait_until(lambda: session.report(port)["tx_packets"] >= packets, f"{packets} packets sent by port {port}", timeout)


def through(binary, device, tmp_path, packets, commands=(), args=(), keys=("", ""), engine="io"):
    """Packets into port 0 from a file, out of port 1 into one. Returns those and what stop said. Commands: of stopped ports."""
    write_pcap(tmp_path / "in", packets)
    devices = f"{device},rx=pcap:{tmp_path}/in{keys[0]};{device},rx=none,tx=pcap:{tmp_path}/out{keys[1]}"
    with Modelled(binary, devices, tmp_path, [STOPPED, *args]) as session:
        session.ok(*commands, "port start all", f"set fwd {engine} retry", PATIENT, "start")
        wait_until(lambda: sum(session.report(0)[c] for c in ("rx_packets", "rx_oversize")) == len(packets), "all of in")
        sent(session, 1, session.report(0)["rx_packets"])
        text = session.cmd("stop")
        session.quit()
        assert session.rc == 0
    return file_of(tmp_path / "out"), text


@pytest.mark.parametrize("write", [write_pcap, write_nano])
def test_files(binary, tmp_path, write):
    """In and out at once, both ways, the second file three times over."""
    packets = [PACKETS, PACKETS[::-1][:100]]
    for i in (0, 1):
        write(tmp_path / f"in{i}", packets[i])
    devices = ";".join(f"xl710,rx=pcap:{tmp_path}/in{i}:{1 + 2 * i},tx=pcap:{tmp_path}/out{i}" for i in (0, 1))
    with Modelled(binary, devices, tmp_path) as session:
        session.ok(*RETRY, "start")
        sent(session, 1, len(packets[0]))
        sent(session, 0, 3 * len(packets[1]))
        session.ok("stop", "port stop all", "port close 1", "port detach 1")
        assert file_of(tmp_path / "out1") == packets[0]  # the program still runs
        assert session.count("TX-packets") == 3 * len(packets[1])
        session.quit()
        assert session.rc == 0
    assert file_of(tmp_path / "out0") == packets[1] * 3


def test_file_of_long_packets(binary, tmp_path):
    """What the driver does not accept is counted, by the NIC and by the driver; the rest arrives."""
    long = [sized(ether() / IP(**IP4) / UDP(**PORTS), size, 7) for size in (1600, 3000, 9000)]
    packets = [part for i, packet in enumerate(PACKETS[:30]) for part in (packet, long[i % 3])]
    write_pcap(tmp_path / "in", packets)
    with Modelled(binary, f"xl710,rx=pcap:{tmp_path}/in;xl710,tx=pcap:{tmp_path}/out,rx=none", tmp_path) as session:
        session.ok(*RETRY, "start")
        sent(session, 1, 30)
        assert port_stats(session, 0)["RX-packets"] == port_stats(session, 0)["RX-errors"] == 30
        session.quit()
        assert session.reports()[0]["rx_oversize"] == 30
    assert file_of(tmp_path / "out") == PACKETS[:30]


def test_file_on_queues(binary, tmp_path):
    """RSS spreads a file over queues as it does other arrivals; each flow stays in order."""
    packets = [sized(ether() / IP(src=f"192.0.2.{i % 50}", dst=IP4["dst"]) / UDP(sport=i % 50, dport=9), 64 + i % 200, i)
               for i in range(2000)]
    write_pcap(tmp_path / "in", packets)
    with Modelled(binary, f"xl710,rx=pcap:{tmp_path}/in;xl710,rx=none,tx=pcap:{tmp_path}/out", tmp_path,
                  ["--rxq=4", "--txq=4", "--rss-udp"]) as session:
        session.ok(*RETRY, "start")
        sent(session, 1, len(packets))
        text = session.cmd("stop")
        session.quit()
    queues = re.findall(r"RX Port= 0/Queue= *(\d+).*?RX-packets: (\d+)", text, re.S)
    assert len(queues) == 4 and sum(int(n) for _, n in queues) == len(packets) and all(int(n) > 0 for _, n in queues)
    out = file_of(tmp_path / "out")
    assert sorted(out) == sorted(packets)
    for flow in range(50):
        assert [p for p in out if p[29] == flow] == [p for p in packets if p[29] == flow]


@pytest.mark.parametrize("content, keys, words", [
    (None, "rx=pcap:FILE", ("FILE", "No such file")),
    (b"garbage, and more of it, to the end", "rx=pcap:FILE", ("FILE", "unknown file format")),
    (b"", "rx=pcap:FILE", ("FILE", "truncated")),
    (struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 101), "rx=pcap:FILE", ("FILE", "want Ethernet")),
    (struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1), "rx=pcap:FILE", ("FILE", "no packets")),
    (struct.pack("<IHHiIIIIIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1, 0, 0, 60, 60) + b"cut", "rx=pcap:FILE",
     ("FILE", "packet 1", "truncated")),
    (struct.pack("<IHHiIIIIIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1, 0, 0, 3, 3) + b"bit", "rx=pcap:FILE",
     ("packet 1", "3 bytes", "14..16384")),
    (None, "tx=pcap:/nowhere/FILE", ("/nowhere/FILE", "No such file")),
    (None, "tx=pcap:FILE*2", ("port 1", "FILE", "port 0 writes it")),
    (None, "fault=stall rx 5@1", ("stall rx 5", "want", "stall tx MS")),
    (None, "fault=error 0@1", ("error 0", "error N")),
    (None, "fault=reset 5@1", ("reset 5", "or reset")),
    (None, "rate=2000000000", ("rate=2000000000", "1000000000")),
], ids=lambda value: value if isinstance(value, str) else "")
def test_bad_words(binary, tmp_path, content, keys, words):
    path = str(tmp_path / "file")
    if content is not None:
        (tmp_path / "file").write_bytes(content)
    with Session(binary, (), interactive=False, eal=["-d", PLUGIN],
                 env={"MODEL_NIC": "xl710," + keys.replace("/FILE", "/file").replace("FILE", path)}) as session:
        assert session.child.wait() != 0
        complaints = [line for line in session.stderr().splitlines() if line.startswith("model_nic:")]
    assert len(complaints) == 1
    for word in words:
        assert word.replace("/FILE", "/file").replace("FILE", path) in complaints[0]


def moved(session, port, what="RX-packets"):
    before = port_stats(session, port)[what]
    wait_until(lambda: port_stats(session, port)[what] > before + 1000, f"more {what} on port {port}", 20)


def test_link(binary, tmp_path):
    """The cable is out for a while: zcfwd says both changes, and the state."""
    with Modelled(binary, "xl710,verify,flows=16*2", tmp_path) as session:
        session.ok(*RETRY, "start")
        moved(session, 0)

        def told():
            """Without asking for the state: who does takes the change from the driver, which then has no event."""
            session.cmd("show port stats 0")
            return session.transcript().count("Port 0: link state change event")

        session.fault(0, "link down 1500")
        wait_until(lambda: told() == 1, "the first event", 20)
        assert "Link status: down" in session.cmd("show port info 0")
        wait_until(lambda: told() == 2, "the second event", 20)
        assert "Link status: up" in session.cmd("show port info 0")
        moved(session, 0)
        session.ok("stop")
        session.quit()
        report = session.reports()[0]
    assert (report["link_changes"], report["faults"], report["faults_link"]) == (2, 1, 1)


@each_device
def test_stall(binary, device, tmp_path):
    """Nothing that is posted gets sent: rings fill, zcfwd drops and counts; then all goes on."""
    with Modelled(binary, f"{device}*2", tmp_path) as session:
        session.ok("start")
        moved(session, 1, "TX-packets")
        session.fault(1, "stall tx 400")
        wait_until(lambda: session.report(1)["faults_stall"] == 1, "the stall")
        stalled = session.report(1)["tx_packets"]
        dropped = blocks(session.cmd("show fwd stats all"))[1]["TX-dropped"]
        wait_until(lambda: blocks(session.cmd("show fwd stats all"))[1]["TX-dropped"] > dropped + 10_000, "packets dropped")
        wait_until(lambda: session.report(1)["tx_packets"] > stalled, "packets sent again")
        session.ok("stop")
        for stream in re.split("(?m)^RX Port=", session.cmd("show fwd counters"))[1:]:
            rx, tx, dropped = (int(re.search(rf"(?m)^ +(\d+) +{word}$", stream)[1]) for word in ("rx", "tx", "tx_dropped"))
            assert rx == tx + dropped
        session.quit()
        assert session.reports()[1]["faults_stall"] == session.reports()[1]["faults"] == 1


@each_device
def test_starve(binary, device, tmp_path):
    """Nothing reaches the driver, while a source with a rate goes on: missed, as zcfwd says too."""
    with Modelled(binary, f"{device},rate=100000;{device},rx=none", tmp_path) as session:
        session.ok("start")
        moved(session, 0)
        session.fault(0, "starve rx 300")
        wait_until(lambda: port_stats(session, 0)["RX-missed"] > 10_000, "packets missed")
        moved(session, 0)
        session.ok("stop", "port stop all")
        session.quit()
        report = session.reports()[0]
    assert report["rx_missed"] >= 10_000 and report["faults_starve"] == 1


@each_device
def test_errors(binary, device, tmp_path):
    """MAC errors and packets that are too long: both are errors of the port."""
    with Modelled(binary, f"{device},rate=10000;{device},rx=none", tmp_path) as session:
        session.ok("start")
        session.fault(0, "error 100")
        wait_until(lambda: port_stats(session, 0)["RX-errors"] == 100, "100 errors")
        session.fault(0, "oversize 50")
        wait_until(lambda: port_stats(session, 0)["RX-errors"] == 150, "150 errors")
        moved(session, 0)
        assert port_stats(session, 0)["RX-errors"] == 150
        session.ok("stop")
        session.quit()
        report = session.reports()[0]
    assert (report["rx_errors"], report["rx_oversize"], report["faults"]) == (100, 50, 2)


@pytest.mark.parametrize("device, longest", [("xl710", 9018), ("82599", 9010)])  # net_i40e leaves room for two tags
def test_jumbo_fault(binary, device, longest, tmp_path):
    """Packets of several descriptors among short ones: all verified, and the driver's bytes show them."""
    with Modelled(binary, f"{device},verify,count=50000*2", tmp_path, [STOPPED, SEGMENTS]) as session:
        assert "larger MTU" in session.ask("/model_nic/fault,0,jumbo 5")["error"]
        session.ok("port config mtu 0 9000", "port config mtu 1 9000", "port start all")
        session.fault(0, "jumbo 200")
        session.ok(*RETRY, "start")
        sent(session, 1, 50_200)
        sent(session, 0, 50_000)
        assert port_stats(session, 1)["TX-bytes"] == 50_000 * 60 + 200 * longest
        session.ok("stop")
        session.quit()
        reports = session.reports()
    for report, other in zip(reports, reports[::-1]):
        assert {name: report[name] for name in GOOD} == dict.fromkeys(GOOD, 0)
        assert report["ok"] == other["generated"]
    assert [report["generated"] for report in reports] == [50_200, 50_000]


def test_reset(binary, tmp_path):
    """The card resets itself: net_i40e says so and does no more; the application resets the port."""
    with Modelled(binary, "xl710,verify*2", tmp_path, eal=["--log-level=pmd.net.i40e.driver:info"]) as session:
        session.ok("start")
        moved(session, 0)
        session.fault(0, "reset")
        wait_until(lambda: "global reset requested" in session.stderr() + session.transcript(), "the driver's word")
        wait_until(lambda: session.report(0)["rx_packets"] == (time.sleep(.2), session.report(0)["rx_packets"])[1],
                   "silence", 20)
        session.cmd("stop")
        session.cmd("port stop all", 60)
        session.cmd("port reset 0", 60)
        session.ok("port start all", "start")
        moved(session, 0)
        moved(session, 1)
        session.ok("stop")
        session.quit()
        assert session.rc == 0
        report = session.reports()[0]
    assert report["faults_reset"] == 1 and report["corrupted"] == report["duplicated"] == report["foreign"] == 0


@each_device
def test_plan(binary, device, tmp_path):
    """Faults after so many packets; those that lose nothing lose nothing."""
    plan = "fault=stall tx 20@1000,fault=link down 30@5000,fault=error 10@20000,fault=starve rx 20@50000,fault=oversize 3@70000"
    with Modelled(binary, f"{device},verify,count=100000,{plan}*2", tmp_path) as session:
        session.ok(*RETRY, "start")
        for port in (0, 1):
            sent(session, port, 100_000)
        session.ok("stop")
        session.quit()
        reports = session.reports()
    all_good(reports, 100_000)
    for report in reports:
        assert (report["faults"], report["rx_errors"], report["rx_oversize"], report["link_changes"]) == (5, 10, 3, 2)


def test_words_of_faults(binary, tmp_path):
    with Modelled(binary, "xl710", tmp_path) as session:
        for words in ("", "link down", "link down 0", "stall tx 1x", "stall rx 5", "error -1", "error 1 2", "reset 1", "Reset"):
            answer = session.ask(f"/model_nic/fault,0,{words}")
            assert answer["error"].startswith("want link down MS, "), words
        assert "want a port" in session.ask("/model_nic/fault,1,reset")["error"]
        assert session.report(0)["faults"] == 0


def measured(session, port, packets):
    """Packets per second over so many of them."""
    begin, first = time.monotonic(), session.report(port)["rx_packets"]
    wait_until(lambda: session.report(port)["rx_packets"] >= first + packets, f"{packets} packets", 30)
    end, last = time.monotonic(), session.report(port)["rx_packets"]
    return (last - first) / (end - begin)


def test_rate(binary, tmp_path):
    """By the test's clock; on a busy machine packets come in portions, so a second look is allowed."""
    rate = 50_000
    with Modelled(binary, f"xl710,rate={rate},flows=64*2", tmp_path, ["--rxq=2", "--txq=2", "--rss-udp"]) as session:
        session.ok("start")
        moved(session, 0)
        for port in (0, 1):
            wait_until(lambda: 0.95 < measured(session, port, 2 * rate) / rate < 1.05, f"port {port} at its rate", 30)
        text = session.cmd("stop")
    assert len(re.findall(r"Queue= *\d", text)) >= 4  # every queue has its share


@pytest.mark.parametrize("strip", ["on", "off"])
@each_device
def test_vlan(binary, device, tmp_path, strip):
    """Tags of generated packets, and those that the NIC puts in; verified beyond."""
    with Modelled(binary, f"{device},vlan=77,verify,count=1000;{device},rx=none,verify,tx=pcap:{tmp_path}/out", tmp_path,
                  ["--enable-hw-vlan-strip"] if strip == "on" else []) as session:
        session.ok(*RETRY, "start")
        sent(session, 1, 1000)
        assert port_stats(session, 0)["RX-bytes"] == 1000 * 64
        session.ok("stop")
        session.quit()
        reports = session.reports()
    assert reports[1]["ok"] == 1000 and reports[0]["missing"] == 0
    out = [Ether(packet) for packet in file_of(tmp_path / "out")]
    assert all((Dot1Q in packet) == (strip == "off") for packet in out)
    assert strip == "on" or all(packet[Dot1Q].vlan == 77 for packet in out)


# net_ixgbe believes no 82599 that calls a UDP sum wrong: that card says so of packets without one.
each_checker = pytest.mark.parametrize("device, bad_udp", [("xl710", 1), ("x540", 1), ("82599", 0)])


@each_checker
def test_bad_sums(binary, device, bad_udp, tmp_path):
    """Every 4th with a wrong IPv4 sum, every 5th with a wrong UDP sum, every 10th with an error: csum counts what the NIC found."""
    with Modelled(binary, f"{device},count=1000,badl3=4,badl4=5,error=10;{device},rx=none,tx=pcap:{tmp_path}/out", tmp_path,
                  ["--enable-rx-cksum"]) as session:
        session.ok("set fwd csum retry", PATIENT, "start")
        sent(session, 1, 1000)
        text = session.cmd("stop")
        assert port_stats(session, 0)["RX-errors"] == 100
        session.quit()
    assert f"Bad-ipcsum: 250 Bad-l4csum: {200 * bad_udp} " in re.sub(" +", " ", text)
    assert all(data[12:] == checked(data)[12:] for data in file_of(tmp_path / "out"))  # mended by csum


def checked(data):
    """The packet with every checksum that it has as scapy makes it."""
    packet = Ether(data)
    for layer, field in ((IP, "chksum"), (UDP, "chksum"), (TCP, "chksum")):
        if layer in packet and getattr(packet[layer], field) != 0:
            delattr(packet[layer], field)
    return bytes(packet)


HARDWARE = tuple(f"csum set {what} hw 1" for what in ("ip", "udp", "tcp"))


@each_device
def test_csum(binary, device, tmp_path):
    """Checksums left to the NIC are right in the file, by an independent reader."""
    wrong = []
    for data in PACKETS:
        packet = Ether(data)
        if IP in packet:
            packet[IP].chksum ^= 0x1234
        for layer in (UDP, TCP):
            if layer in packet:
                packet[layer].chksum ^= 0x4321
        wrong.append(bytes(packet))
    out, _ = through(binary, device, tmp_path, wrong, HARDWARE, ["--enable-rx-cksum"], engine="csum")
    macs = slice(12, None)
    assert [p[macs] for p in out] == [checked(data)[macs] for data in PACKETS]


@each_checker
def test_csum_on_a_wire(binary, device, bad_udp, tmp_path):
    """Generated into 0, csum to 1, by wire into 2, csum to 3: the NIC finds wrong sums at 0 and none at 2, which is told only of true ones."""
    devices = f"{device},count=20000,verify,badl3=4,badl4=5;{device},rx=none;{device},rx=wire:1;{device},rx=none,verify"
    # A wire waits for nobody: what stands in port 1's Tx ring has to fit port 2's Rx ring.
    with Modelled(binary, devices, tmp_path, [STOPPED, "--enable-rx-cksum", "--rxd=1024", "--txd=128"]) as session:
        session.ok(*HARDWARE, "port start all", "set fwd csum retry", PATIENT, "start")
        sent(session, 3, 20_000)
        text = re.sub(" +", " ", session.cmd("stop"))
        session.quit()
        reports = session.reports()
    assert re.findall(r"Bad-ipcsum: (\d+) Bad-l4csum: (\d+)", text) == [("5000", str(4000 * bad_udp)), *[("0", "0")] * 3]
    assert (reports[2]["rx_packets"], reports[2]["rx_missed"], reports[3]["ok"], reports[0]["missing"]) == (20_000, 0, 20_000, 0)


def tcp(ip, payload, **fields):
    return ether() / ip / TCP(**PORTS, seq=0xFFFFFF00, ack=9, **fields) / Raw(bytes(i * 7 & 0xFF for i in range(payload)))


def segments(packet, size):
    """What TSO has to make of it, by scapy."""
    data, parts = bytes(packet[TCP].payload), []
    for at in range(0, len(data), size):
        part = packet.copy()
        last = at + size >= len(data)
        part[TCP].payload = Raw(data[at:at + size])
        part[TCP].seq = (packet[TCP].seq + at) % (1 << 32)
        flags = "".join(f for f in str(packet[TCP].flags) if (last or f not in "FP") and (at == 0 or f != "C"))
        part[TCP].flags = flags
        if IP in part:
            part[IP].id = (packet[IP].id + at // size) % (1 << 16)
            del part[IP].len, part[IP].chksum
        else:
            del part[IPv6].plen
        del part[TCP].chksum
        parts.append(bytes(part))
    return parts


@each_device
def test_tso(binary, device, tmp_path):
    packets = [tcp(ip, payload, flags=flags) for ip in (IP(**IP4, id=0xFFFE), IPv6(**IP6))
               for payload, flags in ((3000, "PA"), (1000, "PA"), (8000, "FPAEC"), (2001, "A"))]
    packets = [Ether(bytes(packet)) for packet in packets]
    out, _ = through(binary, device, tmp_path, [bytes(packet) for packet in packets],
                     ("port config mtu 0 9000", "port config mtu 1 9000", *HARDWARE, "tso set 1000 1"), [SEGMENTS], engine="csum")
    assert [p[12:] for p in out] == [p[12:] for packet in packets for p in segments(packet, 1000)]


@each_device
def test_jumbo_frames(binary, device, tmp_path):
    """9000 bytes in five buffers each, verified, among all other sizes."""
    with Modelled(binary, f"{device},size=60-9000,verify,count=20000*2", tmp_path, [STOPPED, SEGMENTS, "--txd=4096"]) as session:
        session.ok("port config mtu 0 9000", "port config mtu 1 9000", "port start all", *RETRY, "start")
        for port in (0, 1):
            sent(session, port, 20_000)
        session.ok("stop")
        session.quit()
        all_good(session.reports(), 20_000)


def test_jumbo_file(binary, tmp_path):
    packets = [sized(ether() / IP(**IP4) / UDP(**PORTS), size, size) for size in range(60, 9000, 67)]
    out, _ = through(binary, "xl710", tmp_path, packets, ("port config mtu 0 9000", "port config mtu 1 9000"), [SEGMENTS])
    assert out == packets


def test_pool_exhaustion(binary, tmp_path):
    """
    Stalled Tx rings hold so many mbufs that Rx finds none; afterwards all goes on, and nothing is in a packet that was not sent there. With
    SSE: net_i40e's AVX functions clear four descriptors when the pool is empty and look at eight.
    """
    with Modelled(binary, "xl710,verify,flows=4*2", tmp_path, ["--rxd=512", "--txd=1024", "--mbcache=32"],
                  eal=["--force-max-simd-bitwidth=128"], mbufs=2400) as session:
        session.ok("start")
        moved(session, 0)
        for _ in range(3):
            before = session.count("RX-nombuf")
            for port in (0, 1):
                session.fault(port, "stall tx 300")
            wait_until(lambda: session.count("RX-nombuf") > before, "an empty pool", 20)
            for port in (0, 1):
                wait_until(lambda: session.ask(f"/model_nic/report,{port}")["tx_packets"]
                           < (time.sleep(.05), session.report(port)["tx_packets"])[1], "packets sent again", 20)
                moved(session, port)
        session.ok("stop")
        session.quit()
        for report in session.reports():
            bad = {name: report[name] for name in GOOD if name != "missing"}
            assert bad == dict.fromkeys(bad, 0)
            assert report["ok"] > 0


@pytest.mark.soak
@each_device
def test_soak(binary, device, tmp_path, capsys):
    """100 million verified packets, or SOAK_PACKETS, with faults at random moments; SOAK_SEED makes the same faults again."""
    total = int(os.environ.get("SOAK_PACKETS", "100000000"))
    seed = int(os.environ.get("SOAK_SEED", random.randrange(1 << 32)))
    chance = random.Random(seed)
    with capsys.disabled():
        print(f"model_nic soak: seed {seed}")
    kinds = {"link down": 200, "stall tx": 300, "starve rx": 300, "error": 1000, "oversize": 1000, "jumbo": 1000}
    given, expected = dict.fromkeys(kinds, 0), [total // 2] * 2
    devices = f"{device},verify,count={total // 2},flows=64,size=60-300*2"
    with Modelled(binary, devices, tmp_path, [STOPPED, SEGMENTS, "--rxq=2", "--txq=2", "--rss-udp"]) as session:
        session.ok("port config mtu 0 9000", "port config mtu 1 9000", "port start all", *RETRY, "start")
        end = time.monotonic() + 3600
        while not all(session.report(port)["generated"] >= total // 2 for port in (0, 1)):
            assert time.monotonic() < end
            kind, port = chance.choice(list(kinds)), chance.randrange(2)
            amount = chance.randint(1, kinds[kind])
            session.fault(port, f"{kind} {amount}")
            given[kind] += 1
            expected[port] += amount if kind == "jumbo" else 0
            time.sleep(chance.uniform(0, 1))
        for port in (0, 1):
            wait_until(lambda: session.report(port)["generated"] == expected[port] and not session.report(port)["missing"],
                       "all back", 60)
        session.ok("stop")
        session.quit()
        assert session.rc == 0
        reports = session.reports()
    for report in reports:
        assert {name: report[name] for name in GOOD} == dict.fromkeys(GOOD, 0), seed
    assert [report["generated"] for report in reports] == expected
    assert sum(report["ok"] for report in reports) == sum(report["generated"] for report in reports)
    assert sum(report["faults"] for report in reports) == sum(given.values())
    assert all(sum(report["faults_" + kind.split()[0]] for report in reports) == n for kind, n in given.items())
