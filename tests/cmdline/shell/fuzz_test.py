# SPDX-License-Identifier: BSD-3-Clause
"""Random lines and requests in every state of the program: it answers each once, goes on, and loses no packet.

FUZZ_SECONDS=300 ZCFWD_TEST_SEED=1 in the environment: for so long each, from that seed on. A failure names its seed; without
FUZZ_SECONDS there is one round.
"""
import json
import random
import re
import types

import pytest
from conftest import SEED

from fuzzing import answer, rounds
from laws import check_law
from mocks import LACKS
from modelled import GOOD, MOCK, VHOST, Modelled, dpdk_release, needs_model_nic
from session import Session
from telemetry import Telemetry

pytestmark = pytest.mark.zcfwd
LINES, STEPS, REQUESTS = 12, 12, 20  # lines in a state; states in the life of a program; requests of a client
# The copying transmit of DPDK's net_null frees nothing from 25.07 on.
PORTS = ("net_null0", "net_null1", "net_null2,copy=1" if dpdk_release() < "25.07" else "net_null2")

# Words for an argument of a type, right and wrong ones; what fits none of them has the bounds of its row.
WORDS = {
    "port": "0 1 2 3 31 65535 all".split(),
    "ports": "0 1 2 0,1 1-2 all 7".split(),
    "list": "0 1 0,1 0-1 2,0 1,1 0-70000".split(),
    "bytes": "0 1 64 4096 65536 2M 1G 3k 18446744073709551615".split(),
    "mac": "02:00:00:00:00:09 ff:ff:ff:ff:ff:ff 00:00:00:00:00:00 1:2:3:4:5 01:00:5e:00:00:01".split(),
    "amount": "1ms 2 3ms 0 1.5ms 10us".split(),
    "engine": "io mac macswap flowgen rxonly txonly csum icmpecho noisy 5tswap shared_rxq recycle_mbufs direct extbuf ring_pipeline".split(),
    "rx_offload": "vlan_strip ipv4_cksum scatter buffer_split keep_crc all".split(),
    "tx_offload": "vlan_insert ipv4_cksum multi_segs mbuf_fast_free qinq_insert".split(),
    "compare": ["burst=8,16 for 1ms runs 2", "engines=io,mac,txonly recycle=on,off for 2ms runs 1", "engines=ring_pipeline,extbuf burst=1,512 for 3ms",
                "rxd=256,512 for 1ms", "record-core-cycles=on,off flush_rx=off for 2ms runs 1"],
    "file": "/dev/null /dev/full out /nowhere/x .".split(),
    "str": "app mb_pool_0 net_null0 64,128 0.0.0.0/0 2001:db8::/32 0 1 off ip 10.0.0.1 auto 64 160 512 32769".split(),
    "text": "net_null5 net_null5,copy=1 net_ring1 net_bogus0 show stop 'show port stats all' set".split(),
}
JUNK = ("", "0", "-1", "4294967296", "99999999999999999999", "all", "off", "x" * 300, "y" * 5000, "é", "%s%n", '"', "'", "\\", "a\x01b",
        "0x10", "1e9", "::", "/", "#", ";", "?", "\t", "[", "<port>", "0,", ",", "-", "1-", "5-1", "NaN", "on on")
# Lines that would leave, turn JSON off, read other lines, wait long, or take much memory or time.
UNWANTED = re.compile(r"q|se\S*\s+ou?t?p?u?t?(\s|$)|lo?a?d?_?e?c?h?o?(\s|$)|w|top?(\s|$)|sta?r?t?\s+[ft]|ext\S*\s+c.*(hugepage|gpu|G)|com(?!.*\sfor \d+ms(\s|$))|.*lkup|#|.*--")
LCORES = "0@0,1@0,2@1"
QUIET = ("stop", "record stop", "capture stop all")
# How to come into a state from any other; what is refused on the way, is.
STATES = (
    ("port start all",),
    ("port start all", "start"),
    ("port start all", "set fwd txonly", "start"),
    ("port start all", "set fwd ring_pipeline", "start"),
    ("port start all", "set fwd csum", "start"),
    ("port stop all",),
    ("port stop all", "port close all"),
    ("port stop 0", "port detach 0", "port start all"),
    ("port start all", "record start recorded overwrite every 1 bursts sampled 2", "start"),
    ("port start all", "set record-burst-stats on", "record start recorded overwrite", "set fwd extbuf"),
    ("port start all", "capture start 0 file captured overwrite", "start"),
    ("port start all", "start", "capture start 1 file captured overwrite rx max 100", "record start recorded overwrite bursts all"),
)
# On modelled NICs: engines that recycle, windows, and packets without mbufs; rows that change them or what they need.
RECYCLING_STATES = (
    ("port start all", "set recycle on", "set fwd macswap", "set recycle window 256", "start"),
    ("port start all", "set fwd recycle_mbufs", "set recycle window auto", "start"),
    ("port start all", "set fwd recycle_mbufs", "set recycle pair traffic", "set recycle window 512", "start"),
    ("port start all", "set fwd ring_pipeline", "set recycle on", "set recycle window 320", "start"),
    ("port start all", "set fwd direct", "start"),
    ("port start all", "set direct-rewrite macswap", "set fwd direct", "start", "capture start 0 file captured overwrite max 100"),
    ("port stop all", "set direct-rewrite off", "set recycle window off"),
    ("port stop 0", "set fwd direct", "start", "port start 0"),
)
RECYCLING_ROWS = re.compile(r"set (recycle|direct|fwd|burst|nbcore|corelist|portlist|pipeline|record|verbose)|show (recycle|fwd|pool|config)|st(art|op)|port (start|stop) "
                            r"|port mirror|port config all (rxd|txd|txrst|txfreet|rxfreet|burst|rxq|txq)|clear|capture|record st|compare")


class Grammar:
    """Lines made from the syntax of each row, as `help all` gives it; only: of those whose syntax begins so."""

    def __init__(self, commands, dice, only=re.compile("")):
        commands = [row for row in commands if only.match(row["syntax"])]
        self.rows, self.dice = [row["syntax"] for row in commands], dice
        self.examples = [row["example"] for row in commands if "example" in row]

    def argument(self, kind, bounds):
        dice = self.dice
        if kind == "word":
            return dice.choice(bounds.split("|"))
        if kind == "uint":
            low, high = (int(n) for n in (bounds or "0..99").split(" ")[0].split(".."))
            return str(dice.choice((low, high, low - 1, high + 1, dice.randint(low, min(high, low + 64)))))
        return dice.choice(WORDS.get(kind, WORDS["str"]))

    def words(self, syntax):
        """[optional] parts by chance, (a|b) one of them, <name:type bounds> an argument."""
        dice = self.dice
        while match := re.search(r"[\[{]([^][{}]*)[\]}]", syntax):
            syntax = syntax[:match.start()] + (match[1] if dice.random() < 0.5 else "") + syntax[match.end():]
        syntax = re.sub(r"<[^:>]*:([^ >]*) ?([^>]*)>", lambda m: self.argument(m[1], m[2]), syntax)
        syntax = re.sub(r"\(([^()]*)\)", lambda m: dice.choice(m[1].split("|")), syntax)
        return syntax.split()

    def mutated(self, words):
        dice, words = self.dice, list(words)
        for _ in range(dice.choice((0, 0, 1, 1, 2, 4))):
            at = dice.randrange(len(words) + 1)
            match dice.randrange(5):
                case 0:
                    words.insert(at, dice.choice(JUNK))
                case 1:
                    words[at:at + 1] = [dice.choice(JUNK)]
                case 2:
                    del words[at:at + 1]
                case 3:
                    words[at:at + 1] = [word[:dice.randint(1, len(word))] if word else word for word in words[at:at + 1]]
                case 4:
                    words[at:] = self.words(dice.choice(self.rows))[at:]
        return words

    def line(self):
        while True:
            words = self.words(self.dice.choice(self.rows)) if self.dice.random() < 0.8 else self.dice.choice(self.examples).split(" ")
            line = " ".join(self.mutated(words)).replace("\n", " ").strip()
            if line and not UNWANTED.match(line):
                return line


def chosen(number):
    """Dice that show the same number each time, and the first of several things."""
    return types.SimpleNamespace(random=lambda: number, choice=lambda among: among[0], randint=lambda low, high: low)


def pools_are_full(session):
    assert sum(pool["in_use"] for pool in answer(session, "show pool")["pools"]) == 0


def at_rest(session, keeps=False):
    """Each stream of one more run keeps the law, and no packet is out of its pool; keeps: but those that net_virtio has until its port closes."""
    for line in (*QUIET, "port start all"):
        answer(session, line)
    if answer(session, "start")["ok"]:
        answer(session, "stop")
        check_law(answer(session, "show fwd stats all")["streams"])
    answer(session, "port stop all")
    if not keeps:
        pools_are_full(session)


def program(binary, **options):
    session = Session(binary, PORTS, ["--no-flush-rx"], lcores=LCORES, **options)
    session.cmd("set output json")
    return session


def play_lines(session, seed, states, only=re.compile(""), keeps=False):
    dice, said = random.Random(seed), []
    grammar = Grammar(session.json_ok("help all")["commands"], dice, only)
    try:
        for number in range(STEPS):
            for line in (*QUIET, *dice.choice(states), *(grammar.line() for _ in range(LINES))):
                said.append(line)
                answer(session, line)
            if number % 4 == 3:
                at_rest(session, keeps)
        at_rest(session, keeps)
        answer(session, "port close all")
        pools_are_full(session)
        _, status = session.quit()
        assert status == 0, session.stderr()
    except BaseException:
        print("\n".join(said))
        raise


def test_lines(binary, tmp_path, monkeypatch):
    """Lines made from the rows of the grammar, whole and mutated."""
    def play(seed):
        with program(binary) as session:
            play_lines(session, seed, STATES)
    monkeypatch.chdir(tmp_path)
    rounds(SEED, play)


@pytest.mark.needs()
def test_wrong_words(binary, tmp_path, monkeypatch):
    """Each row of the grammar with a wrong word in each place, all optional parts written or none."""
    monkeypatch.chdir(tmp_path)
    with program(binary) as session:
        lines = set()
        for syntax in (row["syntax"] for row in session.json_ok("help all")["commands"]):
            for number in (0.0, 1.0):
                words = Grammar([], chosen(number)).words(syntax)
                lines |= {" ".join([*words[:at], "wrong'", *words[at + 1:]]) for at in range(len(words))}
        for line in sorted(line for line in lines if not UNWANTED.match(line)):
            answer(session, line)
        assert len(lines) > 2500


def recycling(binary, device, tmp_path):
    """The program on two ports of this device whose cards send verified packets."""
    said, rings = "verify,flows=16", ["--rxd=1024", "--txd=1024"]
    if device in ("ice", "mlx5"):
        return Modelled(binary, "", tmp_path, rings, plugin=MOCK, vdevs=[f"net_mock{i},driver={device},{said}" for i in (0, 1)], lcores=LCORES)
    if device == "virtio":
        return Modelled(binary, f"virtio,{said}*2", tmp_path, rings, plugin=VHOST, lcores=LCORES,
                        vdevs=[f"net_virtio_user{i},path={tmp_path}/{i},queue_size=1024,mrg_rxbuf=0,in_order=0,vectorized=1" for i in (0, 1)])
    return Modelled(binary, f"{device},{said}*2", tmp_path, rings, lcores=LCORES)


@pytest.mark.rotates(5)
@needs_model_nic
@pytest.mark.parametrize("device", ["xl710", "82599", "virtio",
                                    *(pytest.param(mock, marks=pytest.mark.skipif(LACKS != "", reason=LACKS)) for mock in ("ice", "mlx5"))])
def test_lines_recycling(binary, tmp_path, monkeypatch, device):
    """Lines about recycling, windows and engine direct on modelled NICs and mock ports: no buffer is in two places, each is in its pool at the end."""
    monkeypatch.setenv("VHOST_NIC", str(tmp_path))

    def play(seed):
        with recycling(binary, device, tmp_path) as session:
            session.cmd("set output json")
            play_lines(session, seed, RECYCLING_STATES, RECYCLING_ROWS, keeps=device == "virtio")
            for report in session.reports():  # engines that make, copy or reorder packets run, too
                assert not any(report[what] for what in GOOD if what.startswith("armed") or what.endswith("armed")), str(report)
    monkeypatch.chdir(tmp_path)
    rounds(SEED, play)


def parameters(dice):
    """What may follow a command: numbers, names, nothing, junk, as many as there is room for."""
    part = (*JUNK, "0", "1", "7", "65535", "0,1", "streams", "pipeline_ring", "polls", "net_null0", "mb_pool_0", "," * 50)
    return "".join(f"{dice.choice((',', ',', ',', '', ' '))}{dice.choice(part)}" for _ in range(dice.choice((0, 1, 1, 2, 5))))


def request(dice, commands):
    """Bytes for the socket: a command, right or with bytes wrong."""
    name = bytearray((dice.choice(commands) + parameters(dice)).encode())
    for _ in range(dice.choice((0, 0, 0, 1, 3))):
        name[dice.randrange(len(name))] = dice.randrange(1, 256)
    return bytes(name[:dice.choice((len(name), len(name), dice.randrange(1, len(name) + 1)))])


def play_requests(binary, seed):
    dice, said = random.Random(seed), []
    with program(binary, telemetry=True) as session:
        with Telemetry(session) as asked:
            # Others are DPDK's: its /eal/memzone_info,9999 ends the program.
            commands = [name for name in asked.ask("/") if name.startswith("/zcfwd/")]
        try:
            for line in ("set fwd ring_pipeline", "start", "stop", "set fwd extbuf", "start", "port stop all", "stop"):
                answer(session, line)
                with Telemetry(session) as asked:
                    for _ in range(REQUESTS):
                        said.append(request(dice, commands))
                        asked.socket.send(said[-1])
                        reply = asked.socket.recv(asked.limit * 2)
                        if not reply:
                            break
                        if said[-1].split(b",")[0].decode("latin1") in commands:  # DPDK repeats others as they are
                            json.loads(reply.decode("latin1"))
            at_rest(session)
            _, status = session.quit()
            assert status == 0, session.stderr()
        except BaseException:
            print("\n".join(map(repr, said)))
            raise


def test_requests(binary, tmp_path, monkeypatch):
    """Requests to the telemetry socket, whole and mutated, while runs come and go."""
    monkeypatch.chdir(tmp_path)
    rounds(SEED, lambda seed: play_requests(binary, seed))
