# SPDX-License-Identifier: BSD-3-Clause
"""A port that plays and writes files of packets."""
from packets import read_pcap, write_pcap
from session import Session, wait_until
from stats import mac_of, port_stats

PEER = "02:00:00:00:00:0{}"


class Replay:
    """Packets into port 0 and port 1; afterwards what came out of each and which MAC each has."""

    def __init__(self, binary, tmp_path, engine, packets, commands=(), args=()):
        vdevs = []
        for i in (0, 1):
            write_pcap(tmp_path / f"in{i}", packets[i])
            vdevs.append(f"net_pcap{i},rx_pcap={tmp_path}/in{i},tx_pcap={tmp_path}/out{i}")
        with Session(binary, vdevs, ["--no-flush-rx", *args]) as session:
            self.mac = [mac_of(session, i) for i in (0, 1)]
            session.ok(*commands, f"set fwd {engine}", "start")
            for i in (0, 1):
                wait_until(lambda: port_stats(session, i)["RX-packets"] == len(packets[i]), f"all of in{i} received")
            self.report = session.cmd("stop")
            text, rc = session.quit()
            assert rc == 0 and "Bye..." in text
        self.out = [read_pcap(tmp_path / f"out{i}") for i in (0, 1)]
