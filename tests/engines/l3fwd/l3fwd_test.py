# SPDX-License-Identifier: BSD-3-Clause
"""l3fwd: every packet to the port of its route, over one more hop, in order; routes that change meanwhile; what is refused."""
import pytest
from scapy.layers.inet import IP
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import Ether

from laws import check_law
from modelled import GOOD, PATIENT, Modelled, moved
from packets import diverse, read_pcap, write_pcap
from recycling import all_through, figures, pool_is_full, starve
from routed import ROUTES, check_routed, destinations
from session import Session, ordinary_pages, wait_until
from stats import mac_of, port_stats

pytestmark = pytest.mark.zcfwd
PACKETS = 20_000
PORTS = 3


def json_of(session, line):
    session.cmd("set output json")
    answer = session.json_ok(line)
    session.cmd("set output text")
    return answer


def law(session):
    """Streams of the run that has just been stopped, each of which obeys the law."""
    streams = json_of(session, "show fwd stats all")["streams"]
    check_law(streams)
    assert not any(stream["counters"]["left_at_stop"] for stream in streams)
    return streams


@pytest.mark.rotates(2)
@pytest.mark.parametrize("lookup", ["fib", "lpm"])
def test_three_ports(binary, tmp_path, lookup):
    """What comes in by three ports leaves by the port of its longest prefix, byte by byte as scapy says, in its order; the rest is no route."""
    routes, sent = tmp_path / "routes", [destinations(i) for i in range(PORTS)]
    routes.write_text(ROUTES, encoding="ascii")
    for port, packets in enumerate(sent):
        write_pcap(tmp_path / f"in{port}", [data for data, _ in packets])
    vdevs = [f"net_pcap{i},rx_pcap={tmp_path}/in{i},tx_pcap={tmp_path}/out{i}" for i in range(PORTS)]
    with Session(binary, vdevs, ["--no-flush-rx"], memory=ordinary_pages(256)) as session:
        session.ok(f"route load {routes}", f"set l3fwd lookup {lookup}", "set fwd l3fwd", "start")
        macs = [mac_of(session, i) for i in range(PORTS)]
        for port, packets in enumerate(sent):
            wait_until(lambda: port_stats(session, port)["RX-packets"] == len(packets), "all received")
        session.ok("stop")
        streams = law(session)
        session.quit()
    lost = [sum(port is None for _, port in packets) for packets in sent]
    assert [stream["counters"]["no_route"] for stream in streams] == lost
    check_routed(tmp_path, sent, macs)


def test_five_tuples(binary, tmp_path):
    """The five-tuples of a file, of TCP, UDP and ICMP, in both families; everything else is no route."""
    packets = diverse()
    known = {17: 0, 6: 1, 1: 1}
    routes = tmp_path / "routes"
    routes.write_text("192.0.2.1 198.51.100.7 1234 80 udp 0\n192.0.2.1 198.51.100.7 1234 80 tcp 1\n192.0.2.1 198.51.100.7 0 0 1 1\n"
                      "2001:db8::1 2001:db8:1::7 1234 80 udp 0 02:00:00:00:00:09\n0.0.0.0/0 1\n", encoding="ascii")
    write_pcap(tmp_path / "in0", packets)
    write_pcap(tmp_path / "in1", packets[:1])
    vdevs = [f"net_pcap{i},rx_pcap={tmp_path}/in{i},tx_pcap={tmp_path}/out{i}" for i in (0, 1)]
    with Session(binary, vdevs, ["--no-flush-rx"]) as session:
        session.ok(f"route load {routes}", "set l3fwd lookup em", "set fwd l3fwd", "start")
        wait_until(lambda: port_stats(session, 0)["RX-packets"] == len(packets), "all received")
        session.ok("stop")
        stream = law(session)[0]
        session.quit()

    def to(data):
        frame = Ether(data)
        layer = frame.getlayer(IP) or frame.getlayer(IPv6)
        if layer is None or layer.dst not in ("198.51.100.7", "2001:db8:1::7"):
            return None
        if isinstance(layer, IPv6):
            return 0 if layer.nh == 17 else None
        return known.get(layer.proto)

    out = [sum(to(data) == port for data in packets) for port in (0, 1)]
    assert [len(read_pcap(tmp_path / f"out{port}")) for port in (0, 1)] == [out[0] + (to(packets[0]) == 0), out[1] + (to(packets[0]) == 1)]
    counters = stream["counters"]
    assert counters["no_route"] + counters["malformed"] == len(packets) - sum(out)


def test_lcore_without_queue(binary, tmp_path):
    """An lcore that has no transmit queue of a port says so when it starts, and counts what it drops."""
    with Modelled(binary, f"xl710,count={PACKETS}*2", tmp_path, lcores="0@0,1@0,2@1") as session:
        session.ok("set nbcore 2", "route add 0.0.0.0/0 port 1", "set fwd l3fwd retry", PATIENT)
        assert "l3fwd: lcore 2 has no Tx queue on port 1" in session.cmd("start") + session.stderr()
        wait_until(lambda: [s["counters"]["no_tx_queue"] for s in json_of(session, "show fwd stats all")["streams"]] == [0, PACKETS], "drops", 60)
        session.ok("stop")
        law(session)
        pool_is_full(session)


def test_flips(binary, tmp_path):
    """Routes that change all the time while packets flow: every packet leaves by one of the ports, none is lost."""
    with Modelled(binary, "xl710,rx=copy,flows=64*2", tmp_path, lcores="0@0,1@1") as session:
        session.ok("route add 198.18.0.0/15 port 1", "set fwd l3fwd retry", PATIENT, "start")
        for flip in range(40):
            before = json_of(session, "show fwd stats all")["streams"][flip % 2]["tx"]
            session.ok(f"route add 198.18.0.0/15 port {1 - flip % 2} mac 02:00:00:00:00:{flip:02x}")
            assert "which is not a forwarding port" not in session.cmd("show route")
            wait_until(lambda: json_of(session, "show fwd stats all")["streams"][flip % 2]["tx"] > before, "packets by the new route", 60)
        session.ok("route delete 198.18.0.0/15")
        wait_until(lambda: json_of(session, "show fwd stats all")["streams"][0]["counters"]["no_route"] > 0, "no route", 60)
        session.ok("stop")
        for stream in law(session):
            assert stream["counters"]["malformed"] == stream["counters"]["expired"] == stream["counters"]["no_tx_queue"] == stream["tx_dropped"] == 0
        pool_is_full(session)


def test_recycling_flips(binary, tmp_path):
    """
    Routes lead to another of three ports after each second's packets, and pairs follow: nearly all that is received comes in mbufs that were sent before, by the queues of
    all three, each packet whole and in the order of its flow. A Tx ring holds more than all Rx rings, so that who comes first to an Rx ring, driver or pair, is settled once.
    """
    rate, seconds = 50_000, 5
    with Modelled(binary, f"xl710,verify,rate={rate},flows=16*3", tmp_path, ["--rxd=256", "--txd=2048"], lcores="0@0,1@1") as session:
        session.ok("set recycle on", "set recycle pair traffic", "route add 198.18.0.0/15 port 0", "set fwd l3fwd retry", PATIENT, "start")
        for second in range(seconds):
            all_through(session, PORTS)  # so that no flow may overtake itself
            session.ok(f"route add 198.18.0.0/15 port {second % PORTS}")
            end = session.count("RX-packets") + PORTS * rate
            starve(session, 1, PORTS)
            wait_until(lambda: session.count("RX-packets") >= end, "a second's packets", 60)
        all_through(session, PORTS)
        streams = figures(session)
        session.ok("stop")
        for stream in law(session):
            assert not any(stream["counters"][name] for name in ("no_route", "expired", "malformed", "no_tx_queue")) and stream["tx_dropped"] == 0
        assert all(stream["pairs_by"] == "traffic" and len(stream["pairs"]) == PORTS for stream in streams), streams
        assert all(pair["moved"] > 0 for stream in streams for pair in stream["pairs"]), streams
        moved, received = (sum(stream[what] for stream in streams) for what in ("moved", "rx"))
        assert received >= seconds * PORTS * rate and moved >= .95 * received, streams
        pool_is_full(session)
        session.quit()
        for report in session.reports():
            assert {name: report[name] for name in GOOD} == dict.fromkeys(GOOD, 0), report


def test_show_route_loads(binary, tmp_path):
    """What `show route` prints is a file of routes, and adding a route again prints the one it replaces."""
    lines = ["10.1.0.0/16 port 1 mac 02:00:00:00:00:09", "10.2.0.0/16 port 0", "2001:db8::/32 port 1",
             "192.0.2.1 198.51.100.7 1234 80 udp port 0 mac 02:00:00:00:00:0A"]
    with Session(binary, memory=ordinary_pages(256)) as session:
        assert session.cmd(f"route add {lines[0]}") == ""
        for line in lines[1:]:
            session.cmd(f"route add {line}")
        shown = session.cmd("show route")
        assert shown.splitlines() == lines
        (tmp_path / "routes").write_text(shown, encoding="ascii")
        session.ok("route clear", f"route load {tmp_path}/routes")
        assert session.cmd("show route") == shown
        assert session.cmd("route add 10.1.0.0/16 port 0") == f"Replaced: {lines[0]}\n"
        assert session.cmd("show route").splitlines() == ["10.1.0.0/16 port 0", *lines[1:]]
        assert json_of(session, "route add 10.1.0.0/16 port 1")["replaced"] == {"prefix": "10.1.0.0/16", "port": 0}


def test_refused(binary, tmp_path):
    """One line, and the routes are those of before, while it runs and before a start."""
    bad = tmp_path / "bad"
    bad.write_text("10.2.0.0/16 0\n10.3.0.0/16 9\n", encoding="ascii")
    with Session(binary, ["net_null0", "net_null1", "net_null2"], ["--no-flush-rx"]) as session:
        session.ok("set portlist 0,1", "route add 10.1.0.0/16 port 1", "set fwd l3fwd", "start")
        for line, words in (("route add 10.2.0.0/16 port 2", "l3fwd: a route leads to port 2, which is not a forwarding port"),
                            (f"route load {bad}", "bad:2: port 9 does not exist"), ("route delete 10.9.0.0/16", "no route to 10.9.0.0/16"),
                            ("route delete 1.1.1.1 2.2.2.2 1 2 udp", "no route to 1.1.1.1 2.2.2.2 1 2 udp"),
                            ("route add 1.1.1.1 ::1 1 2 udp port 0", "column 19: unexpected argument \"::1\": expected an IPv4 address"),
                            ("route add 1.1.1.1 2.2.2.2 65536 2 udp port 0", "column 27: 65536 is above 65535")):
            said = session.cmd(line) + session.stderr()
            assert words in said, said
            assert json_of(session, "show route")["routes"] == [{"prefix": "10.1.0.0/16", "port": 1}]
        session.ok("stop", "route add 10.2.0.0/16 port 2")
        assert "which is not a forwarding port" in session.cmd("start") + session.stderr()
        session.ok("route add 10.2.0.0/16 port 0", "start", "stop", "route clear")
        assert json_of(session, "show route")["routes"] == []


def test_refused_while_it_forwards(binary, tmp_path):
    """Routes to a port that nobody forwards to, and more than tables hold: exactly one line, and both routes and traffic go on."""
    many = tmp_path / "many"
    many.write_text("".join(f"{10 + (i >> 16)}.{i >> 8 & 255}.{i & 255}.0/24 1\n" for i in range(65537)), encoding="ascii")
    with Modelled(binary, "xl710,rx=copy,flows=16*3", tmp_path, lcores="0@0,1@1") as session:
        session.ok("set portlist 0,1", "route add 198.18.0.0/15 port 1", "set l3fwd lookup lpm", "set fwd l3fwd retry", PATIENT, "start")
        moved(session, 1, "TX-packets")
        for line, words in (("route add 10.2.0.0/16 port 2", "l3fwd: a route leads to port 2, which is not a forwarding port"),
                            (f"route load {many}", "l3fwd: lookup lpm supports at most 65536 IPv4 prefixes; use lookup fib")):
            before = len(session.stderr())
            said = session.cmd(line) + session.stderr()[before:]
            assert said.strip().splitlines() == [words], said
            assert json_of(session, "show route")["routes"] == [{"prefix": "198.18.0.0/15", "port": 1}]
            moved(session, 1, "TX-packets")
        session.ok("stop")
        for stream in law(session):
            assert not any(stream["counters"][name] for name in ("no_route", "expired", "malformed", "no_tx_queue")) and stream["tx_dropped"] == 0
        pool_is_full(session)
