# SPDX-License-Identifier: BSD-3-Clause
"""Flow rules: the same words give the driver the same bytes as testpmd's, and the same answers; what is wrong is named; rules go with their port."""
import os
import re
import subprocess

import pytest
from conftest import ROOT
from modelled import dpdk_release
from session import PROMPT, Session

LOG = os.environ.get("FLOW_LOG_MODULE", "")
pytestmark = pytest.mark.skipif(not LOG, reason="the log of flow rules is not built")
QUEUES = ["--rxq=4", "--txq=4"]
VALUE = {"number": "1", "boolean": "1", "signed": "3", "MAC": "02:11:22:33:44:55", "IPv4": "198.18.3.4", "IPv6": "2001:db8::5", "characters": "abc",
         "hex": "a1b2c3d4", "color": "yellow"}
LARGE = (255, 256, 65535, 0x12345678)
# What testpmd says no to, or leaves a mask out of: fields without a name and tags that are matched by more than `is`, options without a length, colors.
# Its item conntrack overwrites the item before it; its modify_field and compare need all words in one order: tested by themselves, as what takes presets.
OWN = re.compile(r"pattern (integrity /|pppoe_proto_id /|pppoe_proto_id spec \S+ prefix|tag index (spec|last|mask)|geneve-opt /|meter color is|conntrack|flex|compare)|"
                 r"actions (\w+_encap|\w+_decap|indirect|modify_field|meter_mark)")
# Words that testpmd of later releases has.
NEWER = re.compile(r"pattern (ipv[46] length|vxlan (flag|group|protocol|first|second|third)|mpls ttl|vxlan-gpe (protocol|flags|rsvd)|nsh|random|ptype|quota|ib_bth|tx_queue|"
                   r"aggr_affinity|icmp6_echo|ipv6_routing)|actions (skip_cman|quota|nat64|jump_to)")


def compared(line):
    # Reading the word prefix, testpmd keeps a pointer to an array of a function that ends: built by GCC 16, as on Debian unstable, it dies of it.
    here = dpdk_release()
    return not OWN.search(line) and (here >= "24.11" or not NEWER.search(line)) and not (here >= "25.11" and " prefix " in line)


@pytest.fixture(scope="module", name="parts")
def all_parts(binary):
    """Items and actions, as the program has them in its tables."""
    with Session(binary) as session:
        session.cmd("set output json")
        return {what: session.json_ok(f"show flow {what}")[what] for what in ("items", "actions")}


def fields_of(part):
    """[(words, kind)] of each field, with the words that bring it."""
    def walk(fields, before):
        for field in fields:
            words = f"{before} {field['name']}".strip()
            if field["kind"] != "word":
                yield words, field["kind"]
            elif "then" not in field or not all(f["kind"] == "word" or f["name"] == "" for f in field["then"]):
                yield words, "word"
            yield from walk(field.get("then", ()), words)
    return list(walk(part["fields"], ""))


def item_rules(items):
    for one in items:
        part = one["name"]
        yield part
        for field, kind in fields_of(one):
            if kind == "word":
                yield f"{part} {field}"
                continue
            if kind not in VALUE:
                continue
            if kind in ("characters", "hex"):
                yield f"{part} {'length is 1 ' if part == 'geneve-opt' else ''}{field} is {VALUE[kind]}"
                continue
            for word in ("is", "spec") if part in ("raw", "geneve-opt") else ("is", "spec", "last", "mask"):
                yield f"{part} {field} {word} {VALUE[kind]}"
            for number in LARGE if kind == "number" else ():
                yield f"{part} {field} is {number}"
            again = field.split(" ")[-1]
            for length in (0, 1, 3, 8) if kind in ("number", "IPv4", "IPv6", "MAC") and part != "raw" else ():
                yield f"{part} {field} spec {VALUE[kind]} {again} prefix {length}"


def action_rules(actions):
    for one in actions:
        part = one["name"]
        yield part
        for field, kind in fields_of(one):
            for value in (VALUE[kind], *(LARGE if kind == "number" else ())) if kind in VALUE else ():
                yield f"{part} {field} {value}"
    for words in ("func toeplitz", "func simple_xor", "func symmetric_toeplitz", "level 2", "types ipv4 tcp end", "types end", "queues end",
                  "queues 3 1 end", "key 00112233445566778899 key_len 10", "key_len 5", "types ipv4-udp l3-src-only end queues 0 end level 1"):
        yield f"rss {words}"


def rules(parts):
    for words in item_rules(parts["items"]):
        yield re.sub(" +", " ", f"flow create 0 ingress pattern {words} / end actions drop / end")
    for words in action_rules(parts["actions"]):
        yield f"flow create 0 ingress pattern eth / end actions {words} / end"
    for attr in ("group 3", "priority 7", "ingress egress transfer", "group 0xffffffff priority 0xffffffff egress"):
        yield f"flow validate 1 {attr} pattern eth / ipv4 src spec 10.1.2.3 src prefix 9 / udp / end actions count / queue index 2 / end"


def logged(binary, tmp_path, lines, name):
    """What the port got line by line, and the answers, complaints among them."""
    log = tmp_path / name
    log.touch()
    found, answers = [], []
    with Session(binary, args=QUEUES, env={"LD_PRELOAD": LOG, "FLOW_LOG": str(log)}, merge=True) as session, log.open(encoding="utf-8") as new:
        for line in lines:
            answers.append(session.cmd(line))
            found.append(new.read())
    return found, answers


@pytest.fixture(scope="module", name="ours")
def our_rules(binary, parts, tmp_path_factory):
    """Every rule as a line, what the port got of it, and the answer."""
    lines = [line for line in rules(parts) if compared(line)]
    return list(zip(lines, *logged(binary, tmp_path_factory.mktemp("ours"), lines, "ours")))


def test_bytes(testpmd, tmp_path, ours):
    """Every item with every field in each way, every action, every attribute."""
    taken = [(line, got) for line, got, _ in ours if got]
    assert len(taken) > 1000
    theirs, _ = logged(testpmd, tmp_path, [line for line, _ in taken], "theirs")
    different = [(line, got, expected) for (line, got), expected in zip(taken, theirs) if got != expected]
    assert not different, f"{len(different)}: {different[:3]}"


def test_refused_values(ours):
    """What is not taken is refused for its size, and by ethdev, which copies no action color or skip_cman."""
    refused = [line for line, got, _ in ours if not got]
    assert 100 < len(refused) < 450 and all(re.search(r" (255|256|65535|305419896|prefix \d|color|color type \w+|length is 1) /", line) or "color" in line or "skip_cman" in line
                                            for line in refused), refused[:5]
    assert all(answer for line, got, answer in ours if not got)


def test_too_many_numbers(binary):
    """A list takes as many numbers as there is room for; one more is refused, and nothing is written behind the room."""
    most = int(re.search(r"FLOW_NUMBERS = (\d+)", (ROOT / "app/features/flow/language/flow_rule.h").read_text(encoding="ascii"))[1])
    with Session(binary, args=QUEUES, merge=True) as session:
        for phrase, word in (("flow destroy 0", "rule"), ("flow indirect_action 0 destroy", "action_id")):
            answers = [session.cmd(" ".join([phrase, *(f"{word} {number}" for number in range(count))])) for count in (most, most + 1)]
            assert "too many" not in answers[0] and "too many numbers" in answers[1], answers


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


def same(binary, testpmd, tmp_path, lines):
    """The same lines: the same calls, the same answers. Returns what the port got of ours."""
    ours, our_answers = logged(binary, tmp_path, lines, "ours")
    theirs, their_answers = logged(testpmd, tmp_path, lines, "theirs")
    assert list(zip(lines, ours)) == list(zip(lines, theirs))
    assert list(zip(lines, our_answers)) == list(zip(lines, their_answers))
    return ours


def doing(actions):
    return f"flow create 0 ingress pattern eth / end actions {actions} / end"


ETH = "eth src is 02:00:00:00:00:01 dst is 02:00:00:00:00:02"
HEADERS = (
    f"{ETH} type is 0x88b5", f"{ETH} / vlan tci is 5 / ipv4 src is 198.18.0.1 dst is 198.18.0.2 ttl is 9 / udp dst is 4789 / vxlan vni is 7",
    "eth / vlan / ipv4 / tcp", "eth / ipv6 src is 2001:db8::1 tc is 3 flow is 9 / udp / vxlan-gpe vni is 3", "eth / ipv4 proto is 6 / udp", "eth / ipv4 version_ihl is 0x46",
    "eth / ipv4 / gre protocol is 0x8847 k_bit is 1 / gre_key value is 17 / mpls label is 9 s is 1", "eth / ipv6 / nvgre tni is 5 / eth / ipv4",
    "eth / ipv4 / udp / geneve vni is 5 / geneve-opt class is 1 type is 2 length is 1 data is 0x01020304", "eth / ipv4 / l2tpv3oip session_id is 5", "eth / ipv4 / esp spi is 3",
    "eth / ipv6 / ah spi is 3", "eth / ipv4 / udp / gtp teid is 3 v_pt_rsv_flags is 0x34 / gtp_psc qfi is 5 pdu_t is 1 / ipv4", "eth / ipv4 / udp / gtp teid is 3", "eth / ipv4 / udp / pfcp s_field is 1 seid is 9",
    "eth / ipv4 / gre / gre_option key is 6", "eth / ipv4 / gre / gre_option checksum is 6", "eth / ipv4 / gre / gre_option sequence is 6")


def test_headers(binary, testpmd, tmp_path):
    """raw_encap and raw_decap: the bytes of each kind of header, with what follows it filled in."""
    lines = []
    for n, headers in enumerate(HEADERS):
        lines += [f"set raw_encap {n % 8} {headers} / end_set", f"set raw_decap {headers} / end_set", doing(f"raw_encap index {n % 8} / raw_decap"), doing("raw_encap / raw_decap index 3")]
    lines += [doing("raw_encap size 50")] if dpdk_release() >= "24.03" else []
    ours = same(binary, testpmd, tmp_path, lines)
    assert all("size=" in got for line, got in zip(lines, ours) if line.startswith("flow"))


IPS = {"ipv4": "ip-src 198.18.0.1 ip-dst 198.18.0.2", "ipv6": "ip-src 2001:db8::1 ip-dst 2001:db8::2"}
ETHS, UDP, VLAN = "eth-src 02:00:00:00:00:01 eth-dst 02:00:00:00:00:02", "udp-src 4 udp-dst 5", "vlan-tci 6"


def test_tunnels(binary, testpmd, tmp_path):
    """vxlan_encap, nvgre_encap and what is made of bytes. testpmd takes the VLAN of l2_encap from mplsoudp_encap, and its IPv6 headers of MPLS are no IPv6."""
    lines = []
    for version, ips in IPS.items():
        ip = f"ip-version {version}"
        for words in (f"vxlan {ip} vni 0x10203 {UDP} {ips} {ETHS}", f"vxlan-tos-ttl {ip} vni 3 {UDP} ip-tos 16 ip-ttl 9 {ips} {ETHS}",
                      f"vxlan-with-vlan {ip} vni 3 {UDP} {ips} {VLAN} {ETHS}"):
            lines += [f"set {words}", doing("vxlan_encap")]
        for words in (f"nvgre {ip} tni 0x10203 {ips} {ETHS}", f"nvgre-with-vlan {ip} tni 3 {ips} {VLAN} {ETHS}"):
            lines += [f"set {words}", doing("nvgre_encap")]
    ip = "ip-version ipv4"
    for vlan, tci in (("", ""), ("-with-vlan", VLAN + " ")):
        lines += [f"set mplsogre_encap{vlan} {ip} label 77777 {IPS['ipv4']} {tci}{ETHS}", doing("mplsogre_encap"),
                  f"set mplsoudp_encap{vlan} {ip} label 77777 {UDP} {IPS['ipv4']} {tci}{ETHS}", doing("mplsoudp_encap"),
                  f"set l2_encap{vlan} {ip} {tci}{ETHS}", doing("l2_encap")]
    same(binary, testpmd, tmp_path, [*lines, f"set l2_encap ip-version ipv6 {ETHS}", doing("l2_encap"), "set l2_decap", doing("l2_decap")])


@pytest.mark.zcfwd
def test_tunnels_own(binary, tmp_path):
    """What testpmd gets wrong: IPv6 before MPLS, a VLAN of its own for l2_encap, decap by its own words."""
    eth = "020000000002020000000001"
    v6 = ("20010db8000000000000000000000001", "20010db8000000000000000000000002")
    lines = [f"set l2_encap-with-vlan ip-version ipv6 {VLAN} {ETHS}", doing("l2_encap"),
             f"set mplsogre_encap ip-version ipv6 label 1 {IPS['ipv6']} {ETHS}", doing("mplsogre_encap"),
             "set mplsogre_decap-with-vlan ip-version ipv4", doing("mplsogre_decap"), "set mplsoudp_decap ip-version ipv6", doing("mplsoudp_decap"),
             "set raw_encap eth / ipv4 / gre / gre_option key is 6 sequence is 7 checksum is 8 / end_set", doing("raw_encap index 0")]
    got = [re.search(r"data=(\w+)", text)[1] for text in logged(binary, tmp_path, lines, "ours")[0] if text]
    assert got[0] == eth + "8100000686dd"
    assert got[1] == eth + "86dd6000000000002f40" + v6[0] + v6[1] + "00008847" + "00001100"
    assert got[2] == eth + "81000000" + "0800" + "45" + "00" * 8 + "2f" + "00" * 10 + "00008847" + "00000000"
    assert got[3] == "00" * 12 + "86dd6000000000001100" + "00" * 32 + "000019eb00000000" + "00000000"
    assert got[4].endswith("00080000" + "00000006" + "00000007")


def test_sample(binary, testpmd, tmp_path):
    """A list of actions by number; those that are not prepared are none."""
    lines = (f"set vxlan ip-version ipv4 vni 3 {UDP} {IPS['ipv4']} {ETHS}", f"set raw_encap {ETH} / end_set", doing("sample ratio 5"), doing("sample index 1"),
             "set sample_actions 1 mark id 7 / queue index 2 / count / end", doing("sample ratio 2 index 1"), "set sample_actions 0 rss queues 1 2 end / raw_encap / vxlan_encap / end",
             doing("sample ratio 2 index 0 / mark id 1"), "set sample_actions 1 port_id id 1 / end", doing("sample ratio 2 index 1"))
    same(binary, testpmd, tmp_path, lines)


@pytest.mark.skipif(dpdk_release() < "24.03", reason="item compare came with DPDK 24.03")
def test_compare(binary, testpmd, tmp_path):
    """The item compare, whose words testpmd wants in one order; there a name with `is` leaves its mask empty."""
    def both(**names):
        return " ".join(f"{word} {part} {name}" for word, name in names.items() for part in ("spec", "mask"))
    items = (f"{both(op='eq', a_type='random', b_type='value')} b_value is 0x01 width is 8",
             f"{both(op='lt', a_type='tag', a_level='1')} a_tag_index is 1 a_offset is 2 {both(b_type='meta')} b_offset is 3 width is 16")
    got = same(binary, testpmd, tmp_path, [f"flow create 0 ingress pattern compare {item} / end actions drop / end" for item in items])
    assert all("item 70 spec=" in line for line in got), got


CONNTRACK = ("set conntrack com peer 1 is_orig 1 enable 1 live 1 sack 1 cack 0 last_dir 1 liberal 1 state 2 max_ack_win 7 r_lim 5 last_win 510 last_seq 2 last_ack 3 last_end 4 last_index 1",
             "set conntrack orig scale 7 fin 1 acked 1 unack_data 0 sent_end 2 reply_end 3 max_win 4 max_ack 5", "set conntrack rply scale 3 fin 0 acked 1 unack_data 1 sent_end 6 reply_end 7 max_win 8 max_ack 9")


def test_indirect(binary, testpmd, tmp_path):
    """Made, used, changed, asked, taken away, under the same numbers."""
    lines = (*CONNTRACK, "flow indirect_action 0 create ingress action count / end", "flow indirect_action 0 create action_id 7 egress transfer action rss queues 1 2 end / end",
             "flow indirect_action 0 create action conntrack / end", "flow indirect_action 0 create action age timeout 9 / end", doing("indirect 7 / indirect 0"),
             "flow indirect_action 0 query 0", "flow indirect_action 0 query 9", "flow indirect_action 0 update 7 action rss queues 0 end / end",
             "flow indirect_action 0 update 8 action conntrack_update dir ctx / end", "flow indirect_action 0 update 9 action age_update timeout 3 touch 1 / end",
             "flow indirect_action 0 destroy action_id 7", "flow indirect_action 0 destroy action_id 9 action_id 8", "flow indirect_action 0 create action drop / end",
             "flow indirect_action 1 create action_id 0 action count / end")
    same(binary, testpmd, tmp_path, lines)


QUEUED = ("flow info 0",
         "flow configure 0 queues_number 2 queues_size 8 counters_number 3 aging_counters_number 4 meters_number 5 conn_tracks_number 6 flags 1",
         "flow pattern_template 0 create pattern_template_id 2 relaxed yes ingress template eth / ipv4 src mask 255.255.255.0 / end",
         "flow pattern_template 0 create template eth / end",
         "flow pattern_template 0 create pattern_template_id 2 template eth / end",
         "flow actions_template 0 create ingress actions_template_id 5 template count / queue / end mask count / queue index 65535 / end",
         "flow actions_template 0 create actions_template_id 6 template drop / end mask drop / end",
         "flow template_table 0 create table_id 3 group 0 priority 2 ingress rules_number 64 pattern_template 2 pattern_template 3 actions_template 5 actions_template 6",
         "flow template_table 0 create rules_number 4 pattern_template 9 actions_template 5",
         "flow queue 0 create 1 template_table 3 pattern_template 0 actions_template 0 postpone no pattern eth / ipv4 src spec 1.2.3.4 / end actions count / queue index 1 / end",
         "flow queue 0 create 0 template_table 3 pattern_template 1 actions_template 0 postpone yes pattern eth / end actions age timeout 3 / end",
         "flow queue 0 create 2 template_table 3 pattern_template 0 actions_template 0 postpone no pattern eth / end actions count / end",
         "flow queue 0 create 1 template_table 4 pattern_template 0 actions_template 0 postpone no pattern eth / end actions count / end",
         "flow queue 0 create 1 template_table 3 pattern_template 2 actions_template 0 postpone no pattern eth / end actions count / end",
         "flow list 0",
         "flow push 0 queue 0",
         "flow pull 0 queue 0",
         "flow queue 0 indirect_action 0 create action_id 4 ingress postpone yes action count / end",
         "flow queue 0 indirect_action 0 create action rss queues 1 end / end",
         "flow queue 0 indirect_action 0 update 5 action rss queues 2 end / end",
         "flow queue 0 indirect_action 0 query 4",
         "flow push 0 queue 0",
         "flow pull 0 queue 0",
         "flow queue 0 indirect_action 0 destroy postpone yes action_id 4 action_id 5",
         "flow pull 0 queue 0",
         "flow queue 0 aged 0",
         "flow queue 0 aged 0 destroy",
         "flow list 0",
         "flow queue 0 destroy 1 postpone no rule 0",
         "flow pull 0 queue 1",
         "flow list 0",
         "flow template_table 0 destroy table 3",
         "flow pattern_template 0 destroy pattern_template 2 pattern_template 3",
         "flow actions_template 0 destroy actions_template 5",
         "flow push 0 queue 7")


def test_queues(binary, testpmd, tmp_path):
    """Templates, tables, rules and indirect actions through queues: the same calls and answers, also where a number is wrong."""
    same(binary, testpmd, tmp_path, QUEUED)


# What came after 22.11, in the order of releases.
SINCE = ("flow configure 0 queues_number 2 queues_size 32", "flow pattern_template 0 create pattern_template_id 1 ingress template eth / end",
         "flow actions_template 0 create ingress actions_template_id 1 template drop / end mask drop / end",
         "flow actions_template 0 create ingress actions_template_id 2 template queue / end mask queue / end",
         "flow template_table 0 create table_id 2 ingress rules_number 8 pattern_template 1 actions_template 1 actions_template 2",
         "flow queue 0 create 0 template_table 2 pattern_template 0 actions_template 0 postpone no pattern eth / end actions drop / end",
         "flow indirect_action 0 create action_id 1 ingress action count / end",
         "flow indirect_action 0 query_update 1 mode update_first action count / end", "flow indirect_action 0 query_update 1 mode query_first action count / end",
         "flow queue 0 indirect_action 0 query_update 1 mode update_first action count / end",
         "flow queue 0 indirect_action 0 query_update 1 mode query_first postpone yes action count / end", "flow pull 0 queue 0",
         "flow queue 0 update 0 rule 0 actions_template 1 postpone no pattern eth / end actions queue index 1 / end", "flow list 0",
         "flow queue 0 update 0 rule 0 actions_template 7 postpone no pattern eth / end actions queue index 1 / end", "flow pull 0 queue 0",
         "flow group 0 group_id 1 ingress set_miss_actions jump group 2 / end", "flow group 0 group_id 3 transfer set_miss_actions drop / end",
         "flow hash 0 template_table 2 pattern_template 0 pattern eth / end", "flow hash 0 encap hash_field_sport pattern eth / ipv4 src is 1.2.3.4 / end",
         "flow hash 0 encap hash_field_flow_id pattern eth / ipv4 / end",
         "flow template_table 0 create table_id 7 ingress resizable rules_number 8 pattern_template 1 actions_template 1",
         "flow template_table 0 resize table_resize_id 7 table_resize_rules_num 64", "flow queue 0 update_resized 0 rule 0", "flow pull 0 queue 0",
         "flow template_table 0 resize_complete table 7")


def test_since(binary, testpmd, tmp_path):
    """Commands of newer releases: the same calls and answers there, before that the release that has them."""
    if dpdk_release() >= "24.11":
        same(binary, testpmd, tmp_path, SINCE)
        return
    _, answers = logged(binary, tmp_path, SINCE, "ours")
    said = {line: re.search(r"needs DPDK (\d\d\.\d\d), this is DPDK", answer) for line, answer in zip(SINCE, answers)}
    releases = [match[1] for match in said.values() if match]
    assert releases == sorted(releases) and len(releases) == 15, said


def test_configure_nothing(binary, testpmd, tmp_path):
    """All words may be left out."""
    same(binary, testpmd, tmp_path, ("flow configure 0", "flow pull 0 queue 0"))


@pytest.mark.zcfwd
def test_check(binary, tmp_path):
    """--check reads rules, templates and what is prepared, without a port."""
    script = tmp_path / "rules.txt"
    script.write_text("flow create 0 ingress pattern eth / end actions indirect 3 / end\nset raw_encap eth / ipv5 / end_set\nflow pattern_template 0 create template eth / end\n"
                      "flow actions_template 0 create template drop / end mask dorp / end\n", encoding="ascii")
    done = subprocess.run([str(binary), "--check", str(script)], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode != 0
    said = done.stdout + done.stderr
    assert "ipv5" in said and "dorp" in said and "indirect" not in said and "pattern_template" not in said, said


@pytest.mark.zcfwd
def test_queue_failures(binary, tmp_path):
    """A rule that the driver then does not make is none; what nobody pulls goes with its port."""
    lines = [*QUEUED[:9], "flow queue 0 create 1 template_table 3 pattern_template 0 actions_template 1 postpone no pattern eth / end actions drop / end", "flow list 0", "flow pull 0 queue 1", "flow list 0",
             "flow queue 0 create 1 template_table 3 pattern_template 0 actions_template 0 postpone no pattern eth / end actions drop / end", "flow queue 0 indirect_action 0 create action count / end",
             "flow queue 0 indirect_action 0 destroy action_id 0", "flow queue 0 destroy 1 rule 0", "port stop 0", "port close 0", "flow pull 0 queue 1"]
    got, answers = logged(binary, tmp_path, lines, "ours")
    assert "=> DROP" in answers[10] and "(1 failed, 0 succeeded)" in answers[11] and answers[12] == ""
    assert "table destroy" in got[-2] and "pattern template destroy" in got[-2], got[-2]


@pytest.mark.zcfwd
def test_what_goes_before_its_answer(binary, tmp_path):
    """Rules and actions that are taken away while queues still have answers about them."""
    failing = "flow queue 0 create 1 template_table 3 pattern_template 0 actions_template 1 postpone no pattern eth / end actions drop / end"
    lines = [*QUEUED[:8], failing, "flow destroy 0 rule 0", "flow pull 0 queue 1", failing, "flow queue 0 destroy 1 rule 0", "flow pull 0 queue 1", failing, failing, "flow flush 0", "flow pull 0 queue 1",
             failing, "port stop 0", "port start 0", "flow pull 0 queue 1",
             "flow queue 0 indirect_action 0 create action_id 4 ingress action count / end", "flow queue 0 indirect_action 0 query 4", "flow indirect_action 0 destroy action_id 4", "flow pull 0 queue 0",
             "flow queue 0 indirect_action 0 create action_id 4 ingress action count / end", "flow queue 0 indirect_action 0 destroy action_id 4", "flow queue 0 indirect_action 0 query 4", "flow pull 0 queue 0"]
    _, answers = logged(binary, tmp_path, lines, "ours")
    pulled = [answer for line, answer in zip(lines, answers) if "pull" in line]
    assert [re.search(r"pulled (\d+) operations \((\d+) failed", answer).groups() for answer in pulled] == [("1", "1"), ("2", "1"), ("2", "2"), ("1", "1"), ("2", "0"), ("2", "0")], pulled
    assert "Indirect COUNT" not in "".join(answers)


def test_flow_tunnels(binary, testpmd, tmp_path):
    """What a driver adds to rules at a tunnel's end, and gets back."""
    lines = ("flow tunnel create 0 type vxlan",
         "flow tunnel create 0 type geneve",
         "flow tunnel create 0 type vxlan",
         "flow tunnel list 0",
         "flow create 0 ingress tunnel_set 1 pattern eth / end actions jump group 1 / end",
         "flow create 0 ingress tunnel_match 2 pattern eth / end actions drop / end",
         "flow validate 0 ingress tunnel_match 1 pattern eth / end actions drop / end",
         "flow tunnel destroy 0 id 1",
         "flow tunnel list 0",
         "show port 0 flow transfer proxy")
    ours = same(binary, testpmd, tmp_path, lines)
    assert any("actions released" in got for got in ours) and any("items released" in got for got in ours)


def test_aged(binary, testpmd, tmp_path):
    """Rules and indirect actions that are old."""
    lines = ("flow create 0 ingress pattern eth / end actions age timeout 3 / end",
         "flow indirect_action 0 create action age timeout 9 / end",
         "flow aged 0",
         "flow aged 0 destroy")
    same(binary, testpmd, tmp_path, lines)


def test_modify_field(binary, testpmd, tmp_path):
    """testpmd's words in its order; any order is taken. What src_ptr makes of the operation there depends on an address."""
    lines = [doing(f"modify_field op {op} dst_type {dst} dst_level 1 dst_offset 3 src_type {src} src_level 2 src_offset 5 width 8")
             for op, dst, src in (("set", "ipv4_src", "ipv4_dst"), ("add", "tag", "mark"), ("sub", "meter_color", "start"), ("set", "ipv6_ecn", "gtp_psc_qfi"))]
    lines += [doing("modify_field op set dst_type mac_dst src_type value src_value 0x0102030405060708 width 48"), doing("age_update"), doing("age_update touch 1 timeout 5"),
              doing("conntrack"), doing("conntrack_update dir / conntrack_update ctx")]
    same(binary, testpmd, tmp_path, lines)
    ours, _ = logged(binary, tmp_path, [doing("modify_field width 8 src_ptr a1b2c3d4a1b2c3d4a1b2c3d4a1b2c3d4 src_type pointer dst_type tag op sub")], "pointer")
    assert "op=2 width=8 dst=24.0.0 src=27 at=a1b2c3d4a1b2c3d4a1b2c3d4a1b2c3d4" in ours[0]


@pytest.mark.zcfwd
@pytest.mark.parametrize("words, spec", [
    ("vxlan flag_g is 1 flag_i is 1 flag_d is 1 flag_a is 1 group_policy_id is 0x1234", "8848123400000000"),
    ("vxlan flag_ver is 2 flag_p is 1 flag_b is 1 flag_o is 1 protocol is 3", "2700000300000000"),
    ("vxlan first_rsvd is 1 second_rsvd is 2 third_rsvd is 3 last_rsvd is 4", "0001020300000004"),
    ("vxlan-gpe flags is 12 rsvd0 is 0x102 protocol is 3 vni is 5 rsvd1 is 6", "0c01020300000506"), ("mpls label is 1 ttl is 9", "00001009"),
    ("ipv4 length is 260", "0000010400000000000000000000000000000000"), ("ipv6 length is 260", "000000000104" + "00" * 38),
])
def test_newer_words(binary, tmp_path, words, spec):
    """Fields that testpmd has since 23.03 and later, on structs that this DPDK has."""
    (got,), _ = logged(binary, tmp_path, [f"flow create 0 ingress pattern {words} / end actions drop / end"], "ours")
    assert f" spec={spec} last=- mask=" in got, got
    mask = re.search(r"mask=(\w+)", got)[1]
    assert int(spec, 16) & ~int(mask, 16) == 0


@pytest.mark.zcfwd
def test_needs_release(binary, tmp_path, parts):
    """What this DPDK has not is named with the release that has."""
    newer = [(f"flow create 0 pattern {part['name']} / end actions drop / end", part["needs"]) for part in parts["items"] if "needs" in part]
    newer += [(doing(part["name"]), part["needs"]) for part in parts["actions"] if "needs" in part]
    if dpdk_release().startswith("22."):
        assert len(newer) > 12
    with Session(binary, env={"LD_PRELOAD": LOG, "FLOW_LOG": str(tmp_path / "log")}) as session:
        session.cmd("set output json")
        for line, needs in newer:
            error = session.json(line)["error"]
            assert f"{error['word']} needs DPDK {needs}" in error["message"], error


FLEX = """{"next_header": {"field_mode": "FIELD_MODE_FIXED", "field_size": 16, "offset_base": 3, "offset_mask": 7, "offset_shift": -1, "field_id": 5},
  "next_protocol": {"field_mode": "FIELD_MODE_DUMMY", "field_base": -8},
  "sample_data": [{"field_mode": "FIELD_MODE_OFFSET", "field_size": 32}, {"field_mode": "FIELD_MODE_BITMASK", "field_size": 8}],
  "input_link": [{"item": "ipv4 proto is 99", "next": 1}, {"item": "udp dst is 4791", "next": 2}], "output_link": [{"item": "ipv6", "next": 4}], "tunnel": "FLEX_TUNNEL_MODE_MULTI"}
"""


def test_flex_items(binary, testpmd, tmp_path):
    """A header of one's own: made, matched, taken away."""
    (tmp_path / "flex.json").write_text(FLEX, encoding="ascii")
    lines = ("set flex_pattern 3 is a1b2c3d4", "set flex_pattern 4 spec a1b2 mask ff0f", f"flow flex_item create 0 2 {tmp_path}/flex.json",
             "flow create 0 ingress pattern eth / flex item is 2 pattern is 3 / end actions drop / end", "flow create 0 ingress pattern flex item is 2 pattern is 4 / end actions drop / end",
             "flow flex_item destroy 0 2", f"flow flex_item create 1 0 {tmp_path}/flex.json")
    ours = same(binary, testpmd, tmp_path, lines)
    assert "pattern=a1b2 last" in ours[4] and ours[2].count("sample=") == 2


@pytest.mark.zcfwd
@pytest.mark.parametrize("text, wanted", [("", "line 1, column 1: expected {"), ('{"tunnel": "X"}', "unknown mode"), ('{"samples": []}', "unknown member of a flex item"),
                                          ('{"input_link": [{"item": "eth typ is 1"}]}', "typ"), ('{"tunnel": 1} x', "expected the end"), ('{"next_header": {"field_size": }}', "line 1, column 32: expected a number"),
                                          ('{"tunnel": 1,\n "tunnel: 2}', "line 2, column 3: the string has no end"),
                                          ('{"sample_data": [' + ", ".join(["{}"] * 17) + "]}", "more than 16 samples")])
def test_flex_files(binary, tmp_path, text, wanted):
    """What is wrong with a file is said with its place."""
    (tmp_path / "flex.json").write_text(text, encoding="ascii")
    with Session(binary, env={"LD_PRELOAD": LOG, "FLOW_LOG": str(tmp_path / "log")}) as session:
        session.cmd("set output json")
        assert wanted in session.json(f"flow flex_item create 0 1 {tmp_path}/flex.json")["error"]["message"]
        assert not (tmp_path / "log").exists()


@pytest.mark.zcfwd
def test_items_own(binary, tmp_path):
    """The item conntrack, which testpmd writes over the item before it."""
    (got,), _ = logged(binary, tmp_path, ["flow create 0 ingress pattern eth / conntrack is 2 / end actions drop / end"], "ours")
    assert "| item 6 spec=- last=- mask=- | item 52 spec=02000000 last=- mask=ffffffff |" in got


@pytest.mark.zcfwd
def test_json(binary, tmp_path):
    with Session(binary, args=QUEUES, env={"LD_PRELOAD": LOG, "FLOW_LOG": str(tmp_path / "log")}) as session:
        session.cmd("set output json")
        assert session.json_ok("flow create 0 group 1 ingress pattern eth / end actions count / drop / end")["flow"] == 0
        (one,) = session.json_ok("flow list 0")["flows"]
        assert one == {"flow": 0, "group": 1, "priority": 0, "ingress": True, "egress": False, "transfer": False, "items": ["ETH"],
                       "actions": ["COUNT", "DROP"]}
        assert session.json_ok("flow query 0 0 count")["hits"] == 17


@pytest.mark.rotates(4)
@pytest.mark.zcfwd
@pytest.mark.parametrize("line, column, word, wanted", [
    ("flow create 0 ingres pattern eth / end actions drop / end", 15, "ingres", "did you mean \"ingress\"?"),
    ("flow create 0 pattern eth / ip4 / end actions drop / end", 29, "ip4", "did you mean \"ipv4\"?"),
    ("flow create 0 pattern ipv4 src is 1.2.3 / end actions drop / end", 35, "1.2.3", "expected an IPv4 address"),
    ("flow create 0 pattern eth dst is 1:2 / end actions drop / end", 34, "1:2", "expected a MAC address"),
    ("flow create 0 pattern eth typ is 1 / end actions drop / end", 27, "typ", "did you mean \"type\"?"),
    ("flow create 0 pattern eth type as 1 / end actions drop / end", 32, "as", "expected is, spec, last, mask or prefix"),
    ("flow create 0 pattern eth type is 65536 / end actions drop / end", 35, "65536", "is too large: expected a number 0..65535"),
    ("flow create 0 pattern vlan pcp is 8 / end actions drop / end", 35, "8", "is too large: expected a number 0..7"),
    ("flow create 0 pattern ipv4 src prefix 33 / end actions drop / end", 39, "33", "expected a number 0..32"),
    ("flow create 0 pattern eth / end action drop / end", 33, "action", "did you mean \"actions\"?"),
    ("flow create 0 pattern eth / end actions queue index x / end", 53, "x", "expected a number 0..65535"),
    ("flow create 0 pattern eth / end actions rss types ip5 end / end", 51, "ip5", "unknown keyword"),
    ("flow create 0 pattern eth / end actions drop / end foo", 52, "foo", "unexpected text after the rule"),
    ("flow create 0 pattern eth / end actions drop", 45, "", "incomplete command: expected /"),
    ("flow create 0 pattern raw search mask 1 / end actions drop / end", None, "", "raw: last and mask need a spec"),
    ("flow create 9 pattern eth / end actions drop / end", None, "", "Invalid port 9"),
    ("flow destroy 0 rule 7", None, "", "Flow rule #7 not found"),
    ("flow destroy 0 rul 7", 16, "rul", "did you mean \"rule\"?"),
    ("set raw_encap 8 eth / end_set", 15, "8", "is too large: expected a number 0..7"),
    ("set raw_encap eth / end", 21, "end", "did you mean \"end_set\"?"),
    ("set raw_encap eth / icmp / end_set", None, "", "Not supported item"),
    ("set raw_encap eth / ipv4 / udp / gtp / udp / gtp_psc / end_set", None, "", "GTP PSC does not follow GTP"),
    ("set sample_actions mark / end", 20, "mark", "expected a number 0..7"),
    ("set sample_actions 1 mark / sample index 0 / end", None, "", "Not supported action: number 2"),
    ("set sample_actions 1 indirect 0 / end", None, "", "Not supported action: number 1"),
    ("set flex_pattern 64 is 01", 18, "64", "0..63"),
    ("set flex_pattern 1 is 123", None, "", "bytes in hexadecimal"),
    ("set flex_pattern 1 spec 0102 mask ff", None, "", "mask of 1 bytes, spec of 2 bytes"),
    ("set vxlan ip-version ipv4 vni 16777216 udp-src 1", 31, "16777216", "0..16777215"),
    ("set nvgre ip-version ipv6 tni 1 ip-src 198.18.0.1 ip-dst 1::1 eth-src 02:00:00:00:00:01 eth-dst 02:00:00:00:00:02", 40, "198.18.0.1", "not an IPv6 address"),
    ("set conntrack orig scale 16 fin 0", 26, "16", "0..15"),
    ("flow create 0 pattern eth / end actions indirect 3 / end", None, "", "Failed to find indirect action #3 on port 0"),
    ("flow create 0 pattern eth / end actions meter_mark mtr_profile 3 / end", None, "", "Port 0: meter profile 3: "),
    ("flow create 0 pattern eth / end actions modify_field op mul / end", 57, "mul", "expected set, add or sub"),
    ("flow create 0 pattern eth / end actions modify_field src_value 00112233445566778899aabbccddeeff00 / end", 64, "00112233445566778899aabbccddeeff00", "too long"),
    ("flow create 0 pattern ecpri common / end actions drop / end", 36, "/", "expected type"),
    ("flow indirect_action 0 update 3 action count / end", None, "", "Failed to find indirect action #3 on port 0"),
    ("flow indirect_action 9 query 3", None, "", "Invalid port 9"),
    ("flow update 0 3 actions drop / end", None, "", "Flow rule #3 not found" if dpdk_release() >= "23.07" else "flow update needs DPDK 23.07"),
    ("flow configure 0 queues_number 300", None, "", "expected at most 256"),
    ("flow configure 0 queue_number 3", 18, "queue_number", "did you mean \"queues_number\"?"),
    ("flow actions_template 0 create template drop / queue / end mask drop / end", None, "", "2 actions with 1 masks"),
    ("flow template_table 0 create table_id 3 pattern_template x", 58, "x", "expected a number"),
    ("flow template_table 0 destroy table 3", None, "", "Table #3 is invalid"),
    ("flow queue 0 destroy 0 postpone yes", None, "", "expected at least one \"rule N\""),
    ("flow push 0 queue 0", None, "", "Queue #0 is invalid"),
    ("flow create 0 tunnel_set 4 pattern eth / end actions drop / end", None, "", "failed to locate port flow tunnel #4"),
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
        terminal.send("flow v\t0 ing\tpat\teth\t/ ipv4 sr\tis\t1.2.3.4 / end act\tque\tind\t1 / end\n")
        assert "flow validate 0 ingress pattern eth / ipv4 src is 1.2.3.4 / end actions queue index 1 / end\n" in terminal.expect(PROMPT)
        long = "flow create 0 pattern " + "eth dst is 02:00:00:00:00:01 / " * 9 + "ipv6 h"
        terminal.send(long + "?")
        terminal.expect(r"has_frag_ext")
        terminal.expect(r"hop")
        terminal.send("\x15set raw_encap 3 ipv4 ?")
        terminal.expect("version_ihl")
        terminal.send("\x15flow create 0 pattern l2tpv2 type data_l ?")
        terminal.expect("session_id")
        terminal.send("\x15")


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
