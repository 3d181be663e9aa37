# SPDX-License-Identifier: BSD-3-Clause
"""Flow rules: the same words give the driver the same bytes as testpmd's, and the same answers; what is wrong is named; rules go with their port."""
import os
import re

import pytest
from conftest import ROOT
from session import PROMPT, Session

LOG = os.environ.get("FLOW_LOG_MODULE", "")
pytestmark = pytest.mark.skipif(not LOG, reason="the log of flow rules is not built")
QUEUES = ["--rxq=4", "--txq=4"]
VALUE = {"UINT": "1", "BOOL": "1", "INT": "3", "MAC": "02:11:22:33:44:55", "IPV4": "198.18.3.4", "IPV6": "2001:db8::5", "STRING": "abc",
         "HEX": "a1b2c3d4", "COLOR": "yellow"}
LARGE = (255, 256, 65535, 0x12345678)
# What testpmd says no to, or leaves a mask out of: fields without a name and tags that are matched by more than `is`, options without a length, colors.
OWN = re.compile(r"pattern (integrity /|pppoe_proto_id /|pppoe_proto_id spec \S+ prefix|tag index (spec|last|mask)|geneve-opt /|meter color is)")


def table(name):
    """[(part, [(field, kind)])] of one of the two tables."""
    text = (ROOT / "app/flow" / name).read_text(encoding="utf-8")
    arrays = {}
    for array, rows in re.findall(r"static const struct flow_field (\w+)\[\] = \{(.*?)\n?\};", text, re.S):
        fields = re.findall(r'(?:BE|HOST|BITS|PART|MOST|BYTES|ROOM)\(\s*(\w+),\s*"([^"]*)"', rows)
        arrays[array] = [(field, kind) for kind, field in fields] + [(field, "UINT") for field in re.findall(r'WHOLE\("([^"]*)"', rows)]
    parts = re.findall(r'(?:PLAIN|FORM|FIELDS)\(\s*"([^"]+)",\s*\w+(?:,\s*sizeof\([^)]*\))?(?:,\s*(\w+))?', text)
    return [(part, arrays.get(fields, [])) for part, fields in parts]


def item_rules():
    for part, fields in table("flow_items.c"):
        yield part
        for field, kind in fields:
            if kind in ("STRING", "HEX"):
                yield f"{part} {'length is 1 ' if part == 'geneve-opt' else ''}{field} is {VALUE[kind]}"
                continue
            for word in ("is", "spec") if part in ("raw", "geneve-opt") else ("is", "spec", "last", "mask"):
                yield f"{part} {field} {word} {VALUE[kind]}"
            for number in LARGE if kind == "UINT" else ():
                yield f"{part} {field} is {number}"
            for length in (0, 1, 3, 8) if kind in ("UINT", "IPV4", "IPV6", "MAC") and part != "raw" else ():
                yield f"{part} {field} spec {VALUE[kind]} {field} prefix {length}"


def action_rules():
    for part, fields in table("flow_actions.c"):
        yield part
        for field, kind in fields:
            for value in (VALUE[kind], *(LARGE if kind == "UINT" else ())):
                yield f"{part} {field} {value}"
    for words in ("func toeplitz", "func simple_xor", "func symmetric_toeplitz", "level 2", "types ipv4 tcp end", "types end", "queues end",
                  "queues 3 1 end", "key 00112233445566778899 key_len 10", "key_len 5", "types ipv4-udp l3-src-only end queues 0 end level 1"):
        yield f"rss {words}"


def rules():
    for words in item_rules():
        yield re.sub(" +", " ", f"flow create 0 ingress pattern {words} / end actions drop / end")
    for words in action_rules():
        yield f"flow create 0 ingress pattern eth / end actions {words} / end"
    for attr in ("group 3", "priority 7", "ingress egress transfer", "group 0xffffffff priority 0xffffffff egress"):
        yield f"flow validate 1 {attr} pattern eth / ipv4 src spec 10.1.2.3 src prefix 9 / udp / end actions count / queue index 2 / end"


def logged(binary, tmp_path, lines, name):
    """What the port got line by line, and the answers."""
    log = tmp_path / name
    log.touch()
    found, answers = [], []
    with Session(binary, args=QUEUES, env={"LD_PRELOAD": LOG, "FLOW_LOG": str(log)}) as session, log.open(encoding="utf-8") as new:
        for line in lines:
            answers.append(session.cmd(line))
            found.append(new.read())
    return found, answers


def test_bytes(binary, testpmd, tmp_path):
    """Every item with every field in each way, every action, every attribute."""
    lines = [line for line in rules() if not OWN.search(line)]
    ours, _ = logged(binary, tmp_path, lines, "ours")
    taken = [(line, got) for line, got in zip(lines, ours) if got]
    assert len(taken) > 1100
    theirs, _ = logged(testpmd, tmp_path, [line for line, _ in taken], "theirs")
    different = [(line, got, want) for (line, got), want in zip(taken, theirs) if got != want]
    assert not different, f"{len(different)}: {different[:3]}"


def test_refused_values(binary, tmp_path):
    """What is not taken is refused for its size, and by ethdev, which copies no action color."""
    lines = [line for line in rules() if not OWN.search(line)]
    ours, answers = logged(binary, tmp_path, lines, "ours")
    refused = [line for line, got in zip(lines, ours) if not got]
    assert 100 < len(refused) < 250 and all(re.search(r" (255|256|65535|305419896|prefix \d|color|color type \w+|length is 1) /", line) or "color" in line
                                            for line in refused), refused[:5]
    assert len(answers) == len(lines)


def test_answers(binary, testpmd, tmp_path):
    """Numbers, lists, queries: the same text."""
    lines = ("flow create 0 group 1 priority 2 ingress pattern eth / ipv4 / end actions count / queue index 1 / end",
             "flow create 0 ingress pattern void / eth / end actions void / drop / end",
             "flow create 0 egress pattern eth / udp / end actions rss / age timeout 5 / end",
             "flow list 0", "flow list 0 group 1", "flow list 1", "flow query 0 0 count", "flow query 0 2 age",
             "flow destroy 0 rule 1", "flow list 0", "flow destroy 0 rule 2 rule 0", "flow create 0 ingress pattern eth / end actions drop / end",
             "flow isolate 0 1", "flow isolate 0 off", "flow flush 0", "flow list 0", "flow validate 1 ingress pattern eth / end actions drop / end")
    _, ours = logged(binary, tmp_path, lines, "ours")
    _, theirs = logged(testpmd, tmp_path, lines, "theirs")
    assert list(zip(lines, ours)) == list(zip(lines, theirs))


@pytest.mark.zcfwd
def test_json(binary, tmp_path):
    with Session(binary, args=QUEUES, env={"LD_PRELOAD": LOG, "FLOW_LOG": str(tmp_path / "log")}) as session:
        session.cmd("set output json")
        assert session.json_ok("flow create 0 group 1 ingress pattern eth / end actions count / drop / end")["flow"] == 0
        (one,) = session.json_ok("flow list 0")["flows"]
        assert one == {"flow": 0, "group": 1, "priority": 0, "ingress": True, "egress": False, "transfer": False, "items": ["ETH"],
                       "actions": ["COUNT", "DROP"]}
        assert session.json_ok("flow query 0 0 count")["hits"] == 17


@pytest.mark.zcfwd
@pytest.mark.parametrize("line, column, word, wanted", [
    ("flow create 0 ingres pattern eth / end actions drop / end", 15, "ingres", "(did you mean ingress?)"),
    ("flow create 0 pattern eth / ip4 / end actions drop / end", 29, "ip4", "(did you mean ipv4?)"),
    ("flow create 0 pattern ipv4 src is 1.2.3 / end actions drop / end", 35, "1.2.3", "expected an IPv4 address"),
    ("flow create 0 pattern eth dst is 1:2 / end actions drop / end", 34, "1:2", "expected a MAC address"),
    ("flow create 0 pattern eth typ is 1 / end actions drop / end", 27, "typ", "expected /, dst, src, type or has_vlan"),
    ("flow create 0 pattern eth type as 1 / end actions drop / end", 32, "as", "expected is, spec, last, mask or prefix"),
    ("flow create 0 pattern eth type is 65536 / end actions drop / end", 35, "65536", "it is too large: expected a number 0..65535"),
    ("flow create 0 pattern vlan pcp is 8 / end actions drop / end", 35, "8", "it is too large: expected a number 0..7"),
    ("flow create 0 pattern ipv4 src prefix 33 / end actions drop / end", 39, "33", "expected a number 0..32"),
    ("flow create 0 pattern eth / end action drop / end", 33, "action", "(did you mean actions?)"),
    ("flow create 0 pattern eth / end actions queue index x / end", 53, "x", "expected a number 0..65535"),
    ("flow create 0 pattern eth / end actions rss types ip5 end / end", 51, "ip5", "does not fit here"),
    ("flow create 0 pattern eth / end actions drop / end foo", 52, "foo", "the rule has ended"),
    ("flow create 0 pattern eth / end actions drop", 45, "", "the line ends too early: expected /"),
    ("flow create 0 pattern raw search mask 1 / end actions drop / end", None, "", "raw: last and mask want a spec"),
    ("flow create 9 pattern eth / end actions drop / end", None, "", "Invalid port 9"),
    ("flow destroy 0 rule 7", None, "", "Flow rule #7 not found"),
    ("flow query 0 0 drop", 16, "drop", "count"),
])
def test_errors(binary, tmp_path, line, column, word, wanted):
    """One line that names the word, where it stands and what may stand there; nothing reaches the port."""
    with Session(binary, args=QUEUES, env={"LD_PRELOAD": LOG, "FLOW_LOG": str(tmp_path / "log")}) as session:
        session.cmd("set output json")
        error = session.json(line)["error"]
        assert wanted in error["message"] and (column is None or (error["column"], error.get("word", "")) == (column, word)), error
        assert not (tmp_path / "log").exists()


@pytest.mark.zcfwd
def test_completion(binary):
    """TAB and ? know what may follow, also behind more words than a row of commands has."""
    with Session(binary, pty=True, args=QUEUES) as terminal:
        terminal.send("fl\tv\t0 ing\tpat\teth\t/ ipv4 sr\tis\t1.2.3.4 / end act\tqu\tind\t1 / end\n")
        assert "flow validate 0 ingress pattern eth / ipv4 src is 1.2.3.4 / end actions queue index 1 / end\n" in terminal.expect(PROMPT)
        long = "flow create 0 pattern " + "eth dst is 02:00:00:00:00:01 / " * 9 + "ipv6 h"
        terminal.send(long + "?")
        terminal.expect(r"has_frag_ext")
        terminal.expect(r"hop")


@pytest.mark.zcfwd
def test_port_life(binary, tmp_path):
    """Rules go when their port stops; numbers begin again."""
    with Session(binary, args=QUEUES, env={"LD_PRELOAD": LOG, "FLOW_LOG": str(tmp_path / "log")}) as session:
        rule = "flow create 0 ingress pattern eth / end actions drop / end"
        assert "#0" in session.cmd(rule) and "#1" in session.cmd(rule)
        session.ok("port stop 0")
        assert session.cmd("flow list 0") == ""
        session.ok("port start 0")
        assert "#0" in session.cmd(rule)
        session.ok("port stop all", "port close 0")
        assert "Invalid port" in session.cmd("flow list 0") + session.stderr()


@pytest.mark.zcfwd
def test_driver_says_no(binary):
    """A driver without rules: its words, in testpmd's form."""
    with Session(binary, merge=True) as session:
        for line in ("flow create 0 ingress pattern eth / end actions drop / end", "flow isolate 0 1", "flow dump 0 all"):
            assert "port_flow_complain(): Caught PMD error type 1 (cause unspecified): Function not implemented: Function not implemented" in \
                session.cmd(line), line
