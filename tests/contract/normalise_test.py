# SPDX-License-Identifier: BSD-3-Clause
"""The normaliser hides what differs between two runs of one program and shows everything else."""
import pytest

from normalise import Normaliser

STATS = """
  ---------------------- Forward statistics for port 0  ----------------------
  RX-packets: 5056           RX-dropped: 0             RX-total: 5056
  TX-packets: 5024           TX-dropped: 0             TX-total: 5024
  ----------------------------------------------------------------------------
"""
PORT = """
  ######################## NIC statistics for port 0  ########################
  RX-packets: 447712     RX-missed: 0          RX-bytes:  28653568
  RX-errors: 0
  RX-nombuf:  0         \n  TX-packets: 11504      TX-errors: 0          TX-bytes:  737280

  Throughput (since last show)
  Rx-pps:       123456          Rx-bps:     63209472
  Tx-pps:            0          Tx-bps:            0
"""
STREAM = "  RX-packets: 2144           TX-packets: 2144           TX-dropped: 0             \n"
BURSTS = "  RX-bursts : 134 [0% of 0 pkts + 100% of 16 pkts]\n"
CYCLES = "  CPU cycles/packet=42.97 (total cycles=433146 / total macswap packets=10080) at 2596 MHz Clock\n"
XSTATS = "###### NIC extended statistics for port 0 \nrx_good_packets: 12\nrx_q0_bytes: 77\nrx_errors: 0\n"
MACS = "Port 0: CA:A7:9C:58:E4:7F\nPort 1: 12:5D:27:71:03:47\nMAC address: 12:5D:27:71:03:47\n"

SAME = [
    (STATS, STATS.replace("5056 ", "17   ").replace("5056\n", "17\n")),
    (STATS, STATS.replace("5024 ", "99999").replace("5024\n", "12345\n")),
    (PORT, PORT.replace("447712", "1     ").replace("28653568", "64").replace("123456", "     7")),
    (STREAM, STREAM.replace("2144", "9999")),
    (BURSTS, BURSTS.replace("134", "98765")),
    (CYCLES, CYCLES.replace("42.97", "7.01").replace("433146", "1").replace("=10080", "=3").replace("2596", "3000")),
    (XSTATS, XSTATS.replace("12", "13").replace("77", "1234567")),
    (MACS, MACS.replace("CA:A7", "22:33").replace("12:5D", "44:55")),
]
DIFFERENT = [
    ("a count became zero", STATS, STATS.replace("5056 ", "0    ")),
    ("a drop appeared", STATS, STATS.replace("RX-dropped: 0", "RX-dropped: 1")),
    ("a column is shifted", STATS, STATS.replace("5056           RX-dropped", "5056            RX-dropped")),
    ("padding is lost", STATS, STATS.replace("0             RX-total", "0 RX-total")),
    ("trailing padding is lost", STREAM, STREAM.rstrip() + "\n"),
    ("the border is short", STATS, STATS.replace("-" * 76, "-" * 75)),
    ("the port is another", STATS, STATS.replace("port 0", "port 1")),
    ("a line is missing", STATS, "".join(line for line in STATS.splitlines(True) if "TX-" not in line)),
    ("a line is new", STATS, STATS + "  RX-nombufs: 3\n"),
    ("a rate became zero", PORT, PORT.replace("      123456", "           0")),
    ("a rate's column is shifted", PORT, PORT.replace("Rx-pps:       123456", "Rx-pps: 123456")),
    ("errors appeared", PORT, PORT.replace("RX-errors: 0", "RX-errors: 5")),
    ("the empty line is gone", PORT, PORT.replace("\n\n  Throughput", "\n  Throughput")),
    ("a burst size differs", BURSTS, BURSTS.replace("16 pkts", "32 pkts")),
    ("a share differs", BURSTS, BURSTS.replace("0% of 0", "1% of 0")),
    ("cycles have another name", CYCLES, CYCLES.replace("total cycles", "busy cycles")),
    ("cycles of another engine", CYCLES, CYCLES.replace("macswap", "io")),
    ("a counter has another name", XSTATS, XSTATS.replace("rx_good", "good_rx")),
    ("the MAC is another port's", MACS, MACS.replace("address: 12:5D:27:71:03:47", "address: CA:A7:9C:58:E4:7F")),
    ("the MAC is nobody's", MACS, MACS.replace("address: 12:5D:27:71:03:47", "address: 66:A7:9C:58:E4:7F")),
    ("the MAC is lower case", MACS, MACS.replace("12:5D:27:71:03:47", "12:5d:27:71:03:47")),
    ("a configured number", "Number of packets per burst set to 16\n", "Number of packets per burst set to 32\n"),
    ("a queue number", "  RX P=0/Q=0 (socket 0)\n", "  RX P=0/Q=1 (socket 0)\n"),
    ("an error text", "Invalid port 9\n", "invalid port 9\n"),
    ("a missing newline", "Done\n", "Done"),
]


@pytest.mark.parametrize("one,other", SAME)
def test_two_runs_read_the_same(one, other):
    assert one != other
    assert Normaliser()(one) == Normaliser()(other)


@pytest.mark.parametrize("what,one,other", DIFFERENT, ids=[row[0].replace(" ", "-") for row in DIFFERENT])
def test_real_differences_survive(what, one, other):
    assert one != other, what
    assert Normaliser()(one) != Normaliser()(other), what


def test_mac_in_the_script_is_not_random():
    text = "Port 0: 02:00:00:00:10:01\n"
    assert Normaliser(keep="mac_addr set 0 02:00:00:00:10:01")(text) == text
