# SPDX-License-Identifier: BSD-3-Clause
"""The engine replay and files that it cannot send, or not whole: refused with a reason, sent as far as they go, or without what cannot be sent."""
import bz2
import gzip
import lzma
import os
import pathlib
import re
import signal
import struct

import pytest

from capture_files import GOOD, US, Files, refused, replay, rows, write_file, write_ng
from session import Session, wait_until

pytestmark = pytest.mark.zcfwd


def bad_files(folder):
    """{name: (what makes the file, the settings beside it, what the line says)}"""
    backwards = [10**9, 3 * 10**9, 2 * 10**9]
    whole = write_file(folder / "whole", [GOOD] * 3).read_bytes()
    ng = write_ng(folder / "whole.ng", [GOOD] * 3).read_bytes()
    return {
        "missing": (lambda path: None, (), "No such file"),
        "a folder": (os.mkdir, (), "expected a regular file"),
        "a pipe": (os.mkfifo, (), "expected a regular file"),
        "empty": (lambda path: path.write_bytes(b""), (), "the file is empty"),
        "text": (lambda path: path.write_text("flows 3\n" * 50), (), "not a pcap or pcapng file"),
        "no packets": (lambda path: write_file(path, []), (), "no packets"),
        "cut in its first packet": (lambda path: path.write_bytes(whole[:24 + 16 + 9]), (), "before the first packet: truncated dump file"),
        "cut in the file's header": (lambda path: path.write_bytes(whole[:20]), (), "not a pcap or pcapng file"),
        "no interface": (lambda path: path.write_bytes(ng[:28] + ng[60:]), (), "before the first packet: packet 1 is of interface 0, which no interface block of its section describes"),
        "interfaces without Ethernet": (lambda path: write_ng(path, [GOOD] * 3, interfaces=[(113, 0), (101, 0)]), (),
                                        "the port can send none of its 3 packets: 3 of interfaces that are not Ethernet (interface 0: LINUX_SLL (113))"),
        "one interface without Ethernet": (lambda path: write_ng(path, [GOOD] * 3, interfaces=[(1, 0), (101, 0)], of=[0, 1, 0]), (),
                                           "1 of 3 packets are of interfaces that are not Ethernet; use \"skip\" after the file to leave them out: interface 1: RAW (101)"),
        "no time": (lambda path: write_ng(path, [GOOD] * 3, times=[0, 2**64 - 1, 0]), (), "packet 2: invalid time stamp"),
        "past 2106, where the clock begins again": (lambda path: write_file(path, [GOOD] * 2, times=[(2**32 - 1) * 10**9, 0]), (),
                                                    "packet 2 has an earlier time stamp"),
        "backwards, and packets left out": (lambda path: write_ng(path, [GOOD, GOOD[:9], GOOD, GOOD, GOOD], times=[10**9 * at for at in (1, 2, 3, 4, 1)],
                                                                  interfaces=[(1, 0), (113, 0)], of=[0, 0, 0, 1, 0]), ("skip",),
                                            "packet 5 has an earlier time stamp"),
        "all skipped": (lambda path: write_file(path, [bytes(1515), bytes(16), bytes(9000)]), ("skip",),
                        "the port can send none of its 3 packets: 1 shorter than 17 bytes, 2 too long for the port"),
        "longer than any MTU": (lambda path: write_file(path, [GOOD, bytes(65536)]), (),
                                "packet 2 has 65536 bytes: no port can send more than 65535; use \"skip\" after the file to leave out such packets"),
        "xz": (lambda path: path.write_bytes(lzma.compress(whole)), (), "the file is compressed by xz: unpack it with \"unxz -k FILE\" first"),
        "bzip2": (lambda path: path.write_bytes(bz2.compress(whole)), (), "the file is compressed by bzip2: unpack it with \"bunzip2 -k FILE\" first"),
        "Linux cooked": (lambda path: write_file(path, [GOOD], link=113), (), "link type LINUX_SLL (113): expected Ethernet (EN10MB)"),
        "raw IP": (lambda path: write_file(path, [GOOD], link=101), (), "link type RAW (12): expected Ethernet"),
        "longer than the MTU": (lambda path: write_file(path, [GOOD, bytes(1515)]), (), "packet 2 has 1515 bytes: port 1 can send 1514, as its MTU is 1500"),
        "too short": (lambda path: write_file(path, [GOOD] * 4 + [GOOD[:16]]), (), "packet 5 has 16 bytes: expected at least 17"),
        "without its end": (lambda path: write_file(path, [GOOD] * 3, wire=[len(GOOD), 1500, 1514]), (),
                            "the end of 2 of 3 packets was not captured, first of packet 2: use \"truncated\""),
        "backwards": (lambda path: write_file(path, [GOOD] * 3, times=backwards), (), "packet 3 has an earlier time stamp than the packet before it"),
        "one time": (lambda path: write_file(path, [GOOD] * 3, times=[10**9] * 3), ("set replay-times 2",), "all packets have the same time stamp"),
        "one packet": (lambda path: write_file(path, [GOOD]), ("set replay-times 0",), "all packets have the same time stamp"),
        "above the link": (lambda path: write_file(path, [GOOD] * 3), ("set replay-rate 11Gbps",), "port 1 can send 11792453 at 10000 Mbit/s"),
        "packets above the link": (lambda path: write_file(path, [GOOD] * 3), ("set replay-rate 11.8Mpps",), "port 1 can send 11792453 at 10000 Mbit/s"),
        "scaled above the link": (lambda path: write_file(path, [GOOD] * 3), ("set replay-rate 100x",),
                                  "replay-rate 100x: 100000000 packets/s of 82.0 bytes on average: port 1 can send 11792453"),
        "too slow": (lambda path: write_file(path, [GOOD] * 3), ("set replay-rate 0.5bps",), "expected 0.001 to 1e+09 packets/s"),
        "bytes of the future": (lambda path: path.write_bytes(whole[:24] + struct.pack("<IIII", 1, 2, 0x7FFFFFFF, 0x7FFFFFFF) + GOOD), (), "before the first packet:"),
    }


def test_bad_files(binary, tmp_path):
    """One line names the file and what is wrong; the run before is kept, no memory is, and the next start works."""
    good = write_file(tmp_path / "good", [GOOD] * 10)
    with Session(binary, args=["--no-flush-rx"]) as session:
        session.ok("set output json", "set fwd replay", f"set replay {good}", "set replay-rate max")
        session.json_ok("start until done")
        for number, (name, (make, lines, said)) in enumerate(bad_files(tmp_path).items()):
            path = tmp_path / f"bad{number}"
            make(path)
            words = " skip" if "skip" in lines else ""
            session.ok("set replay-rate recorded", "set replay-times 1", *(line for line in lines if line != "skip"), f"set replay {good} port 1 {path}{words}")
            message = refused(session, "start")
            assert said in message and str(path) in message, (name, message)
            assert [row["sent"] for row in rows(session)] == [10, 10], name
            assert session.json_ok("show extmem")["extmem"] == [], name
            session.ok("set fwd io", "start", "stop", "set fwd replay", "set replay-rate max", "set replay-times 1", f"set replay {good}")
            session.json_ok("start until done")
        session.ok(f"set replay none port 0 {good}", "set replay-rate max")
        session.json_ok("start until done")
        assert [row.get("packets") for row in rows(session)] == [None, 10]


def test_as_far_as_it_goes(binary, tmp_path):
    """A file that ends within a packet, or is damaged, is sent up to there, or with what may be damaged; start and show replay say so, and why."""
    packets = [GOOD + bytes([i]) for i in range(8)]
    long = [GOOD + os.urandom(1400) for _ in range(40)]
    whole, ng = write_file(tmp_path / "whole", packets).read_bytes(), write_ng(tmp_path / "whole.ng", packets).read_bytes()
    packed, wrong = gzip.compress(write_file(tmp_path / "random", long).read_bytes()), bytearray(gzip.compress(whole))
    wrong[-8] ^= 1
    one = 16 + len(packets[0])
    first, damaged = "only its first {} packets can be read", "some of its {} packets may be damaged"
    cases = {"in a packet": (whole[:-9], packets, (7,), first, "truncated dump file"),
             "in a header": (whole[:24 + one + 7], packets, (1,), first, "truncated dump file"),
             "between packets": (whole[:24 + 2 * one], packets, (2,), None, ""),
             "pcapng": (ng[:-9], packets, (7,), first, "truncated"),
             "gzip": (packed[:len(packed) // 2], long, range(10, 30), first, ""),
             "an impossible length": (whole[:24 + one] + struct.pack("<IIII", 1, 2, 0x7FFFFFFF, 0x7FFFFFFF), packets, (1,), first, ""),
             "a wrong checksum": (wrong, packets, (8,), damaged, "the checksum of its gzip data is wrong")}
    for number, (name, (data, inside, counts, sentence, why)) in enumerate(cases.items()):
        path = tmp_path / f"cut{number}"
        path.write_bytes(data)
        with Files(binary, tmp_path) as session:
            answer = replay(session, f"set replay none port 1 {path}", "set replay-rate max")
            row = rows(session)[0]
            n = row["packets"]
            assert n in counts and (row["sent"], row["readable"]) == (n, n), (name, row)
            said = [text for text in answer.get("warnings", []) if "packets can be read" in text or "may be damaged" in text]
            shown = sentence and f"{sentence.format(n)}: {row['unreadable']}"
            assert said == ([f"Port 1: {path}: {shown}"] if sentence else []), (name, answer)
            assert why in row["unreadable"] and bool(row["unreadable"]) == bool(sentence), (name, row)
            session.ok("set output text")
            text = session.cmd("show replay")
            assert f"\n  {shown}\n" in text if sentence else "can be read" not in text, (name, text)
            session.quit()
        assert Files.out(session) == inside[:n], name


def test_skip(binary, tmp_path):
    """What the port cannot send is left out and counted by its reason; the rest is sent as it is, at its times."""
    packets = [GOOD + bytes([i]) for i in range(8)]
    mixed = [packets[0], b"", packets[1], GOOD[:16], bytes(1515), packets[2], packets[3], bytes(9000), packets[4]]
    wire = [len(data) for data in mixed]
    wire[6] += 1
    path = write_file(tmp_path / "mixed", mixed, wire=wire, times=[10**9 + i * 10**6 for i in range(len(mixed))])
    for words, sent, cut in (("skip", [0, 1, 2, 4], 1), ("skip truncated", [0, 1, 2, 3, 4], 0), ("truncated skip", [0, 1, 2, 3, 4], 0)):
        with Files(binary, tmp_path) as session:
            answer = replay(session, f"set replay none port 1 {path} {words}", "set replay-rate 2x")
            row = rows(session)[0]
            assert [row[f"skipped_{why}"] for why in ("short", "long", "cut", "foreign")] == [2, 2, cut, 0] and row["unreadable"] == "" and row["readable"] == len(mixed)
            assert row["packets"] == len(sent) and answer["seconds"] >= 0.004
            (said,) = [text for text in answer["warnings"] if "left out" in text]
            assert said == f"Port 1: {path}: packets left out: 2 shorter than 17 bytes, 2 too long for the port" + (", 1 without their end" if cut else "")
            session.ok("set output text")
            assert "\n  left out: " + said.split(": ", 3)[3] + "\n" in session.cmd("show replay")
            session.quit()
        assert Files.out(session) == [packets[i] for i in sent]


@pytest.mark.parametrize("order", "<>")
def test_interfaces(binary, tmp_path, order):
    """Packets of interfaces that are not Ethernet are left out, wherever in the file; lengths of snapshots are each interface's own."""
    packets = [GOOD + bytes([i]) for i in range(9)]
    write_ng(tmp_path / "a", packets, interfaces=[(113, 65535), (1, 96), (1, 0), (101, 0)], of=[0, 1, 2, 3, 1, 2, 0, 1, 2], order=order)
    write_ng(tmp_path / "b", packets, interfaces=[(1, 0), (12, 0)], of=[0, 1] * 4 + [0], order=order)
    write_ng(tmp_path / "c", [GOOD, GOOD[:60]], interfaces=[(1, 60)], order=order, simple=True)
    (tmp_path / "all").write_bytes(b"".join((tmp_path / name).read_bytes() for name in "abc"))
    with Files(binary, tmp_path) as session:
        answer = replay(session, f"set replay none port 1 {tmp_path}/all skip", "set replay-rate max")
        row = rows(session)[0]
        assert [row[f"skipped_{why}"] for why in ("short", "long", "cut", "foreign")] == [0, 0, 1, 7], row
        assert ("packets left out: 1 without their end, 7 of interfaces that are not Ethernet (interface 0: LINUX_SLL (113), "
                "interface 3: RAW (101), interface 1: ") in "".join(answer["warnings"])
        session.quit()
    assert Files.out(session) == [packets[i] for i in (1, 2, 4, 5, 7, 8, 0, 2, 4, 6, 8)] + [GOOD[:60]]


def test_times_after_2038(binary, tmp_path):
    """The seconds of pcap have no sign; a packet may lack its time if the rate is given."""
    late = write_file(tmp_path / "late", [GOOD] * 3, times=[(2**32 - 2) * 10**9 + i * 10**8 for i in range(3)])
    with Files(binary, tmp_path) as session:
        answer = replay(session, f"set replay none port 1 {late}")
        assert 0.2 <= answer["seconds"] < 5
        no_time = write_ng(tmp_path / "no", [GOOD] * 3, times=[0, 2**64 - 1, 0])
        assert replay(session, f"set replay none port 1 {no_time}", "set replay-rate 1000", "set generate-late 1000000")["ok"]


@pytest.mark.rotates(3)
@pytest.mark.parametrize("device", ["net_null0", "net_ring0", "net_pcap0,rx_pcap={0}/whole,tx_pcap={0}/out"])
def test_longer_than_the_mtu(binary, tmp_path, device):
    """The message names what each driver takes: the command, else the option."""
    device, jumbo = device.format(tmp_path), bytes(9014)
    write_file(tmp_path / "whole", [GOOD])
    load = ("set fwd replay", f"set replay {write_file(tmp_path / 'jumbo', [GOOD, jumbo])}", "set replay-rate max")
    with Session(binary, [device], ["--no-flush-rx"]) as session:
        session.ok("set output json", *load)
        message = refused(session, "start")
        assert "packet 2 has 9014 bytes: port 0 can send 1514, as its MTU is 1500; use " in message
        command, option = re.search('use "(.*)" or, if the driver refuses that, (.*); or shorter packets', message).groups()
        if session.json(command)["ok"]:
            assert session.json_ok("start until done")["summary"]["sent"] == 2
            assert device == "net_null0"
            return
    with Session(binary, [device], ["--no-flush-rx", option]) as session:
        session.ok("set output json", *load)
        assert session.json_ok("start until done")["summary"]["sent"] == 2


@pytest.mark.rotates(4)
@pytest.mark.parametrize("line, said", [
    ("set replay", "incomplete command"),
    ("set replay a b", 'column 14: unknown keyword "b": expected truncated, skip or port'),
    ("set replay truncated", 'unknown keyword "truncated": expected port, none or a file'),
    ("set replay a port", "incomplete command: expected a number 0..65535"),
    ("set replay a port x b", 'column 19: unexpected argument "x": expected a number 0..65535'),
    ("set replay a port 1", "incomplete command: expected none or a file"),
    ("set replay a port 1 port 2 b", 'column 21: unknown keyword "port": expected none or a file'),
    ("set replay-times -1", "-1"),
    ("set replay-rate fast", 'rate "fast": expected recorded, Nx, max'),
    ("set replay-rate 0x", 'rate "0x": expected'),
    ("set replay-rate 0", 'rate "0": expected'),
    ("set replay-rate 101%", 'rate "101%": expected'),
    ("set replay-rewrite macs", 'column 20: unknown keyword "macs"; did you mean "mac"?'),
    ("set replay-rewrite src", "incomplete command: expected a prefix such as"),
    ("set replay-rewrite src 10.0.0.0/33", 'column 24: "10.0.0.0/33": expected /0../32'),
    ("set replay-rewrite dst 10.0.0.1/8", "only zeros after the first 8 bits"),
    ("set replay-rewrite dst ten/8", "expected a prefix such as"),
])
def test_bad_lines(binary, line, said):
    with Session(binary) as session:
        session.ok("set output json")
        before = session.json_ok("show settings changed")
        assert said in refused(session, line)
        assert session.json_ok("show settings changed")["settings"] == before["settings"]


def test_file_that_is_not_there(binary, tmp_path):
    """The line is taken, since the file may come, and says so at once."""
    (tmp_path / "there").write_bytes(b"")
    with Session(binary) as session:
        session.cmd(f"set replay {tmp_path}/there port 1 {tmp_path}/absent")
        assert session.stderr().endswith(f"replay: {tmp_path}/absent: No such file or directory\n")
        before = len(session.stderr())
        session.cmd(f"set replay {tmp_path}/there port 1 none")
        assert len(session.stderr()) == before and "/there port 1 none" in session.cmd("show settings changed")


def test_refused_starts(binary, tmp_path):
    """No port has a file, or a port that does not exist has one, or addresses of its own: start says so."""
    good = write_file(tmp_path / "good", [GOOD])
    no_file, no_port = 'no port has a file: use "set replay FILE"', ': no such port: expected one of "show port summary all"'
    with Session(binary) as session:
        session.ok("set output json", "set fwd replay")
        for line, said in (("set replay none", f'replay "none": {no_file}'), ("set replay none port 1 none", f'replay "none port 1 none": {no_file}'),
                           (f"set replay port 7 {good}", f"replay: port 7{no_port}"), (f"set replay {good} port 7 {good}", f"replay: port 7{no_port}"),
                           (f"set replay none port 1 {good}", None), ("set replay-rewrite port 1 mac port 9 mac", f"replay-rewrite: port 9{no_port}"),
                           ("set replay-rewrite none", None)):
            session.ok(line)
            if said is None:
                session.json_ok("start until done")
            else:
                assert refused(session, "start") == said, line


def opened(pid):
    """What the files of a process are."""
    names = []
    for fd in pathlib.Path(f"/proc/{pid}/fd").iterdir():
        try:
            names.append(os.readlink(fd))
        except FileNotFoundError:
            continue
    return names


@pytest.mark.parametrize("line", ["start", "start for 10ms"])
def test_signal_while_a_file_is_read(binary, tmp_path, line):
    """A signal ends the command that reads a long file, not after it."""
    record = struct.pack("<IIII", 1, 0, 1000, 1000) + bytes(1000)
    with open(tmp_path / "in", "wb") as f:
        f.write(struct.pack("<IHHiIII", US, 2, 4, 0, 0, 262144, 1))
        for _ in range(200):
            f.write(record * 1000)
    with Session(binary) as session:
        session.ok("set fwd replay", f"set replay {tmp_path}/in")
        session.send(line + "\n")
        wait_until(lambda: str(tmp_path / "in") in opened(session.pid), "the file being read")
        session.signal(signal.SIGINT)
        session.finish()
        assert f"stopped by a signal while reading {tmp_path}/in" in session.stderr()
