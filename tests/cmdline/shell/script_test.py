# SPDX-License-Identifier: BSD-3-Clause
"""Commands that need numbers, JSON or files of tests: timed runs, watch, help, save config. Dialogues are in scripts.transcript."""
import json
import pathlib
import re
import shutil

import pytest

from packets import write_pcap
from session import Session, ordinary_pages, run, wait_until
from stats import blocks

ROOT = pathlib.Path(__file__).resolve().parents[3]


@pytest.fixture(name="asked", scope="module")
def _asked(binary):
    """One program for questions that change nothing."""
    with Session(binary, merge=True) as session:
        yield session


def script(tmp_path, text, name="script"):
    path = tmp_path / name
    path.write_text(text, encoding="ascii")
    return str(path)


@pytest.mark.zcfwd
def test_failed_line_in_json(binary, tmp_path):
    """The answer of what ran the line says that it failed; why is in the line's own answer."""
    path = script(tmp_path, "set burst 16\nset brst 3\nset burst 8\n")
    done = run(binary, f"set output json\nload {path}\nwatch show port info 9 every 0.01 count 2\nquit\n")
    answers = [json.loads(line) for line in done.stdout.splitlines() if line.startswith('{"command"')]
    said = {a["command"]: (a.get("error", {}).get("message", ""), a.get("error", {}).get("where")) for a in answers}
    assert [*said] == ["set burst 16", "set brst 3", f"load {path}", "show port info 9", "watch show port info 9 every 0.01 count 2", "quit"]
    assert 'unknown keyword "brst"' in said["set brst 3"][0] and said["set brst 3"][1] == f"{path}:2"
    assert "Invalid port 9" in said["show port info 9"][0]
    for line in (f"load {path}", "watch show port info 9 every 0.01 count 2"):
        assert said[line] == ("a line of it failed: the answer to that line says why", None)


@pytest.mark.zcfwd
def test_start_for_a_while(binary):
    with Session(binary) as session:
        text = session.cmd("start for 1s")
        assert "Telling cores to stop..." in text and text.endswith("Done.\n")
        assert blocks(text)["total"]["RX-packets"] > 0
        text = session.cmd("start for 1000 packets")
        assert 1000 <= blocks(text)["total"]["RX-packets"] <= 1000 + 2 * 32  # a burst per stream more
        for engine in ("txonly", "flowgen"):
            session.ok(f"set fwd {engine}")
            for n in (1, 31, 1000):  # who makes packets makes so many
                assert blocks(session.cmd(f"start for {n} packets"))["total"]["TX-packets"] == n
        session.cmd("stop")
        assert session.stderr().endswith("Packet forwarding not started\n")


def as_json(session):
    session.cmd("set output json")
    answer = session.json_ok("show fwd stats all")
    session.cmd("set output text")
    return answer


@pytest.mark.zcfwd
@pytest.mark.parametrize("first", [True, False])
def test_cycles_from_the_middle(binary, tmp_path, first):
    """Cycles count from the switch on, and so do the packets that they are divided by: none if all packets came before."""
    write_pcap(tmp_path / "in", [bytes(60)] * 100)
    with Session(binary, [f"net_pcap{i},rx_pcap={tmp_path}/in" for i in (0, 1)], ["--no-flush-rx"]) as session:
        session.ok("set record-core-cycles " + ("on" if first else "off"), "set fwd rxonly", "start")
        wait_until(lambda: as_json(session)["total"]["rx_packets"] == 200, "the file's packets")
        session.ok("set record-core-cycles on")
        total = as_json(session)["total"]
        session.ok("stop")
    assert ("cycles_per_packet" in total) == first and (not first or total["cycles_per_packet"] == pytest.approx(total["busy_cycles"] / 200))


@pytest.mark.zcfwd
def test_watch(binary):
    with Session(binary) as session:
        session.ok("start")
        text = session.cmd("watch show port stats 0 every 0.05 count 20")
        seen = [int(n) for n in re.findall(r"RX-packets: (\d+)", text)]
        assert len(seen) == 20 and seen == sorted(seen) and seen[0] < seen[-1]
        assert "\x1b" not in text


@pytest.mark.zcfwd
@pytest.mark.parametrize("command", ["quit", "q", "load FILE"])
def test_watch_ends_with_the_program(binary, command, tmp_path):
    with Session(binary) as session:
        session.send(f"watch {command.replace('FILE', script(tmp_path, 'quit'))} every 1\n")
        assert session.finish()[1] == 0


def state(session, lines):
    """What the answers say, without counts, and without the addresses that net_null makes up."""
    text = re.sub(r"(?!02:00)[0-9A-F]{2}(:[0-9A-F]{2}){5}", "MAC", "".join(session.cmd(line) for line in lines))
    return re.sub(r"(?m)^.*(packets|Throughput|bps).*\n", "", text)


STATE = ["show settings", "show config fwd", "show config cores", "show port summary all", "show port info all", "show route",
         "show port 0 macs", "show port 1 macs", "show port 0 rx_offload configuration", "show port 2 tx_offload configuration"]
CONFIGURE = ["set fwd macswap retry", "set burst 8", "set burst 16", "set txpkts 64,128", "set burst tx delay 3 retry 5",
             "set record-core-cycles on", "set record-core-cycles off", "set allmulti 1 on", "port attach net_null2", "port start 2", "set eth-peer 1 02:00:00:00:00:77",
             "port stop all", "port config all rxq 2", "port config all txq 2", "port config 0 tx_offload multi_segs off", "port start all",
             "set portlist 1,0", "route add 10.0.0.0/8 port 1", "route add 10.0.0.0/8 port 0 mac 02:00:00:00:00:05", "route add 11.0.0.0/8 port 1",
             "route delete 11.0.0.0/8", "port mirror 0 1", "port mirror 0 off", "port mirror 1 2", "set fwd txonly", "set recycle on", "set tx-ip 10.0.0.1,10.0.0.2",
             "set recycle off", "set verbose 1", "set verbose 0", "set fwd macswap retry", "mac_addr set 0 02:00:00:00:10:01", "port config mtu 1 1400",
             "set record-burst-stats on"]


@pytest.mark.zcfwd
def test_save_config(binary, tmp_path):
    """The file brings everything back in a new process, also when it is saved there again."""
    first, second = tmp_path / "first", tmp_path / "second"
    with Session(binary) as session:
        untouched = state(session, STATE)
        tried = [(line, session.cmd(line)) for line in CONFIGURE]
        assert not [row for row in tried if row[1].startswith(("Bad", "Command"))], tried
        session.ok("start", "stop")
        wanted = state(session, STATE)
        assert wanted != untouched
        assert session.cmd(f"save config {first}").endswith(f"commands in {first}\n")
    lines = first.read_text("utf-8").splitlines()
    state_lines = [line for line in lines if line.startswith(("set burst ", "set fwd", "set re", "set verbose", "set tx", "route", "port mirror", "start"))]
    assert sorted(state_lines) == sorted([
        "set burst 16", "set burst tx delay 3 retry 5", "set txpkts 64,128", "set tx-ip 10.0.0.1,10.0.0.2", "set record-burst-stats on", "set fwd macswap retry",
        "port mirror 1 2", "route add 10.0.0.0/8 port 0 mac 02:00:00:00:00:05"])
    assert str(binary) in lines[1]
    with Session(binary) as session:
        assert f"Read CLI commands from {first}\n" in session.cmd(f"load {first}"), session.stderr()
        assert state(session, STATE) == wanted
        session.cmd(f"save config {second}")
    assert second.read_text("utf-8").splitlines()[2:] == lines[2:]


# Values of settings that are text: of every one that "set" has, so that a new one has to be added here.
TEXTS = {
    "hw-counters": ["cycles=r1,l2_refills=r2"],
    "recycle-window": ["auto", "256", "off"],
    "mbuf-pool-ops": ["stack", "bucket"],
    "mbuf-size": ["2048,4096", "2304"],
    "display-xstats": ["rx_good_packets,tx_good_packets"],
    "dma-lengths": ["64,1500"],
    "dma-topology": ["here"],
    "txpkts": ["64,128", "42"],
    "txtimes": ["1000,10"],
    "tx-ip": ["10.0.0.1,10.0.0.2"],
    "tx-udp": ["1000,2000", "5,5"],
    "extbuf-memory": ["m1"],
    "gpu-memory": ["m2"],
    "generate": ["flows 10 size 80-1514 proto tcp", "file {dir}/with space", "flows 4 ttl 3 dscp 1-9 vlan 5"],
    "generate-size": ["imix", "64:7,570:4,1518:1", "60-1514", "1518"],
    "generate-rate": ["1Mpps", "10Gbps", "50%", "12.5kpps"],
    "generate-gaps": ["poisson", "burst:16"],
    "replay": ['"capture of monday.pcap"', 'a.pcap truncated skip port 1 "b c.pcapng"', "none port 1 x", '"none"', '"it\'s # here"'],
    "replay-rate": ["2.5x", "1Mpps", "max", "50%"],
    "replay-rewrite": ["mac src 10.0.0.0/8", "port 1 mac dst 2001:db8::/32", "mac"],
}
# What some host or DPDK lacks.
MAY_LACK = {"xstats-hide-disabled": "25.03", "record-hw-counters": "counter", "mbuf-pool-ops": "mempool", "generate": "dst"}


def values_of(row):
    """Texts that a setting takes besides its value now."""
    if row["name"] in TEXTS:
        return TEXTS[row["name"]]
    if "choices" in row:
        return [choice for choice in row["choices"].split("|") if choice != row["value"]]
    if isinstance(row["value"], bool) or row["value"] in ("on", "off"):
        return ["off" if row["value"] in (True, "on") else "on"]
    return [str(n) for n in (row["min"], row["max"]) if n != row["value"]]


@pytest.mark.zcfwd
@pytest.mark.needs()
def test_save_config_of_every_setting(binary, tmp_path):
    """The law: set, save, load in a new process, save there: the same bytes; and every value is as it was."""
    with Session(binary) as session:
        session.ok("set output json")
        rows = []
        for row in session.json_ok("show settings")["settings"]:
            found = session.json_ok(f"help {row['name']}").get("setting", {})
            if "command" in found:
                rows.append((row["name"], found["command"], values_of({**found, **row})))
    assert len(rows) > 100
    (tmp_path / "with space").write_text("flows 3\n", encoding="ascii")
    for turn in range(max(len(values) for _, _, values in rows)):
        with Session(binary) as session:
            session.ok("set output json", "port stop all")
            for name, words, values in rows:
                answer = session.json(f"set {words} {values[turn % len(values)]}".replace("{dir}", str(tmp_path)))
                assert answer["ok"] or MAY_LACK.get(name, "never") in answer["error"]["message"], answer
            session.ok("set output text", "port start all", f"save config {tmp_path}/first overwrite")
            wanted = session.cmd("show settings")
        with Session(binary) as session:
            assert session.cmd(f"load {tmp_path}/first").count("commands from") == 1
            assert session.cmd("show settings") == wanted, session.stderr()
            session.ok(f"save config {tmp_path}/second overwrite")
        first, second = ((tmp_path / name).read_text("utf-8").splitlines()[2:] for name in ("first", "second"))
        assert not re.search(":\\d+: ", session.stderr()) and first == second and len(first) > 90, (turn, set(first) ^ set(second))


@pytest.mark.zcfwd
def test_save_config_of_what_options_gave(binary, tmp_path):
    """An option's value is not written, and a default in its place is."""
    args = ["--burst=64", "--record-core-cycles", "--forward-mode=mac"]
    with Session(binary, args=args) as session:
        assert session.cmd(f"save config {tmp_path}/first") == f"0 commands in {tmp_path}/first\n"
        session.ok("set burst 32", "set record-core-cycles off", "set fwd io", "set xstats-hide-zero on", "set xstats-hide-zero off")
        session.cmd(f"save config {tmp_path}/second")
        session.ok("set burst 64", "set record-core-cycles on", "set fwd mac")
        assert session.cmd(f"save config {tmp_path}/third") == f"0 commands in {tmp_path}/third\n"
    assert sorted((tmp_path / "second").read_text("utf-8").splitlines()[2:]) == ["set burst 32", "set fwd io", "set record-core-cycles off"]


@pytest.mark.zcfwd
def test_settings_changed(binary):
    with Session(binary, args=["--burst=64"]) as session:
        session.ok("set txsplit on", "set verbose 0")
        names = [line.split()[0] for line in session.cmd("show settings changed").splitlines()]
        assert "burst" in names and "txsplit" in names and "verbose" not in names and "rxq" not in names, names
        session.cmd("set output json")
        assert [row["name"] for row in session.json_ok("show settings changed")["settings"]] == names
    with Session(binary, ["net_null0"], pool=None, memory=ordinary_pages(256)) as session:
        assert session.cmd("show settings changed") == "every setting has its default\n"


@pytest.mark.needs()
@pytest.mark.zcfwd
@pytest.mark.parametrize("what, texts", [
    ("io", ["io, a forwarding engine: ", "set fwd io\n", "set pipeline io <io,...>"]),
    ("burst", ["burst, a setting: ", "1..512 packets, now \"32\" (default); takes effect at the next start", "--burst=VALUE", "\nset burst <n>\n"]),
    ("ring_pipeline", ["a forwarding engine", "setting pipeline-mode: ", "counter ring_full: "]),
    ("pipeline mode", ["pipeline-mode, a setting: ", "auto|copy|zc|compressed", "set pipeline mode VALUE"]),
    ("port stop", ["\nport (start|stop|reset) (<port>|all)\n"]),
    ("sh port sta", ["\nshow port stats (<port>|all)\n"]),
    ("route", ["\nroute add ", "\nshow route\n"]),
    ("rss", ["\nport config all rss <types>\n", "\nshow port <port> rss-hash [key]\n"]),
    ("vlan", ["\nvlan set ", "\nrx_vlan ", "\ntx_vlan "]),
    ("record", ["\nrecord start ", "\nshow record"]),
    ("latency", ["\nshow measure\n", "command show metrics: "]),
    ("PCAP", ["\ncapture start "]),
    ("ttl", ["counter expired: packets dropped: TTL"]),
    ("descriptors", ["\nport config all (rxq|txq|rxd|txd) <n>\n"]),
    ("queues", ["\nport config all (rxq|txq|rxd|txd) <n>\n"]),
    ("plot", ["\nrecord start "]),
    ("generate", ["generate, a forwarding engine", "\nset generate <"]),
    ("generator", ["generate, a forwarding engine"]),
    ("hugepages", ["See also:\n\n    page howto/cards: ", "EAL option --no-huge: ", "page containers: "]),
    ("nic", ["\nshow port info ", "See also:\n\n    page howto/cards: "]),
    ("cards", ["\n# Set up network cards\n"]),
    ("Glossary", ["\n# Glossary\n"]),
    ("af_packet", ["EAL option --vdev DEVICE: ", "page live: "]),
    ("veth", ["EAL option --vdev DEVICE: "]),
    ("affinity", ["EAL option -l CORES: "]),
    ("model", ["option --model=DEVICES: "]),
    ("imix", ["setting generate-size: ", "page measure: "]),
    ("dscp", ["command create port meter", "page testpmd: "]),
    ("prometheus", ["page live: "]),
    ("python", ["# zcfwd from Python\n"]),
    ("exit code", ["page howto/scripts: "]),
    ("wire latency", ["page measure: ", "page model-nics: "]),
    ("packet size", ["set txpkts"]),
    ("counters", ["counters"]),
    ("vhost", ["vhost"]),
    ("tap", ["\nport attach "]),
    ("tcpdump", ["\ncapture start "]),
    ("recycling", ["recycle, a setting", "\nshow recycle\n", "page recycle: "]),
    ("counters", ["\nshow fwd (bursts|counters)\n", "\nSee also:\n", "command show port stats ", "page hw-counters: "]),
    ("TTL", ["counter expired"]),
    ("page", ["# Documentation\n"]),
    ("page HOST", ["# Prepare a host\n"]),
])
def test_help_by_name(asked, what, texts):
    answer = "\n" + asked.cmd(f"help {what}")
    for text in texts:
        assert text in answer, answer
    assert ":uint" not in answer and ":port" not in answer


@pytest.mark.zcfwd
def test_pages_are_shown(binary, tmp_path):
    """help shows a page whole; without the manual beside the program it says so."""
    text = (ROOT / "doc/howto/host.md").read_text(encoding="utf-8")
    for line in ("help page howto/host", "help howto/host.md", "help doc/howto/host.md"):
        assert text in run(binary, f"{line}\n").stdout, line
    with Session(binary) as session:
        session.cmd("set output json")
        assert session.json_ok("help page measure")["page"] == {
            "file": "measure.md", "title": "Traffic and measurement", "text": (ROOT / "doc/measure.md").read_text(encoding="utf-8")}
    assert 'no page "nosuch": "help page" lists the pages' in run(binary, "help page nosuch\n").stderr
    alone = tmp_path / binary.name
    for name in {binary.name, "zcfwd"}:
        shutil.copy(binary.parent / name, tmp_path)
    assert "doc/measure.md is not beside this program" in run(alone, "help page measure\n").stderr
    done = run(alone, "help cards\n")
    assert "page howto/cards: How to set up network cards" in done.stdout and not done.stderr.count("not beside"), done


@pytest.mark.zcfwd
def test_help_topics_have_names_of_their_own(binary):
    topics = re.findall(r"(?m)^    help (\w+) +: .+$", run(binary, "help\n").stdout)
    assert {"control", "display", "config", "ports", "route", "mempool", "all"} < set(topics) and len(set(topics)) == len(topics)


@pytest.mark.needs()
@pytest.mark.zcfwd
@pytest.mark.parametrize("line, said", [
    ("set rxd 512", 'unknown keyword "rxd" after "set"; did you mean "port config all rxd <n>"?'),
    ("set nosuchthing 512", ', ... %d more: set ?, or help set'),
    ("nosuchthing", ', ... %d more: ?, or help'),
    ("set fwd iofwd", 'unknown engine "iofwd"; did you mean "io"?'),
    ("set fwd recycle", 'did you mean "recycle_mbufs"?'),
    ("set recycling on", 'did you mean "recycle"?'),
    ("set recycle mode cach", 'did you mean "cache"?'),
    ("set mtu 0 1400", 'did you mean "port config mtu <port> <bytes>"?'),
    ("set rxq 2", 'did you mean "port config all rxq <n>"?'),
    ("stats", 'did you mean "show port stats all"?'),
    ("show running-config", 'did you mean "show settings changed"?'),
    ("show port 0 stats", 'did you mean "show port stats 0"?'),
    ("set po 0", '"po" is ambiguous: portlist, portmask, port, pool'),
    ("stop now", 'column 6: unexpected argument "now": expected the end of the line'),
    ("show rxq info 0", ": expected a number 0..65535 (queue)"),
    ("show port info", ": expected a port number or all (0, 1, all)\n"),
    ("port config 0 rxd 512", 'unknown keyword "rxd" after "port config 0"; did you mean "port config all rxd <n>"?'),
    ("port config 1 drop-en on", 'did you mean "port config all drop-en (on|off)"?'),
    ("port config 0 speed_lanse 2", 'did you mean "speed_lanes"?'),
    ("port config 0 rxq 2", "all ports have the same number of queues: use \"port config all rxq 2\""),
    ("watch show port stats all 1", 'unexpected argument "1"; did you mean "every 1"?'),
    ("capture start 0 x.pcap", 'did you mean "file x.pcap"?'),
    ("set log level debug", 'did you mean "set log global debug"?'),
    ("route add 10.3.0.0/16 port 1 02:00:00:00:00:01", '; did you mean "mac 02:00:00:00:00:01"? Expected mac or the end of the line'),
    ("route add 10.3.0.0/16 port 1 02-zz", "after \"1\": expected mac or the end of the line"),
])
def test_what_was_meant(asked, line, said):
    """A keyword or a value in the wrong place names the right one; a list that is cut says how to see the rest."""
    error = asked.cmd(line)
    assert re.search(re.escape(said).replace("%d", r"\d+"), error), error


@pytest.mark.zcfwd
@pytest.mark.needs()
def test_synonyms(binary):
    """Each word of another program leads to a command, and the command is one."""
    table = (ROOT / "cmdline/grammar/synonyms.c").read_text(encoding="utf-8")
    rows = re.findall(r'\{ "(\S+)", (?:NULL|"(\S+)"),\s+(?:NULL|"([^"]+)"),\s+(?:NULL|"[^"]+") \}', table)
    rows = [(f"{first} {word}".strip(), command) for word, first, command in rows if command]
    assert len(rows) > 60 and table.count("{ \"") > len(rows)
    with Session(binary, merge=True) as session:
        wrong = [(line, answer) for line, command in rows if f'; did you mean "{command}"?' not in (answer := session.cmd(line))]
        assert not wrong


# Words of newcomers, and the first thing that help shows for each.
FIRST = {
    "rate": "generate-rate, a setting", "10g": "generate-rate, a setting", "tap": "port attach <", "csv": "record start <", "affinity": "set corelist <",
    "cpu": "set corelist <", "memory": "show mempool", "time": "start for <", "units": "start for <", "ipv6": "generate, a forwarding engine",
    "imissed": "explain drops", "rx-nombuf": "explain drops", "span": "port mirror <", "hotkeys": "history", "vdpa": "vhost, a forwarding engine",
    "grafana": "page live", "quickstart": "page tutorial", "license": "page contributing", "flow-control": "show port <port> flow_ctrl",
    **dict.fromkeys(("vfio", "devbind", "dpdk-devbind", "driverctl", "pci", "card", "iommu", "sriov", "SR-IOV", "bind", "unbind", "hugepages",
                     "huge pages", "uio", "vfio-pci", "bifurcated", "memlock", "firmware"), "page howto/cards"),
}


@pytest.mark.needs()
@pytest.mark.zcfwd
def test_first_answers_of_help(binary):
    with Session(binary) as session:
        for word, first in FIRST.items():
            lines = [line.strip() for line in session.cmd(f"help {word}").splitlines() if line.strip()]
            head = re.compile(r"[a-z0-9_]+: |See also:")
            lines = [line for line in lines[:3] if not head.match(line)]
            assert lines and lines[0].startswith(first), (word, lines)


@pytest.mark.zcfwd
def test_pages_of_help():
    """help finds each page."""
    table = (ROOT / "cmdline/commands/help_pages.c").read_text(encoding="utf-8")
    pages = {str(path.relative_to(ROOT / "doc")) for path in (ROOT / "doc").rglob("*.md") if path.parent.name in ("doc", "howto")}
    assert set(re.findall(r'"([\w/-]+\.md)"', table)) == pages


@pytest.mark.zcfwd
def test_help_of_nothing(binary):
    assert 'nothing found for "macswp"; did you mean "macswap"?' in run(binary, "help macswp\n").stderr


@pytest.mark.needs("capture")
@pytest.mark.zcfwd
@pytest.mark.parametrize("line,end", [("record start {}", "record stop"), ("capture start 0 file {}", "capture stop all"), ("save config {}", "")],
                         ids=["record", "capture", "save"])
def test_files_with_content_are_kept(binary, tmp_path, line, end):
    """Nothing is written over a file that has content, unless the line says so; an empty one is taken."""
    path = tmp_path / "file"
    line = line.format(path)
    path.write_text("precious\n", encoding="ascii")
    with Session(binary) as session:
        session.cmd(line)
        assert f"{path} exists already: use another name, or \"overwrite\" to replace it" in session.stderr()
        assert path.read_text("ascii") == "precious\n"
        session.ok(f"{line} overwrite", *([end] if end else []))
        assert path.stat().st_size > 0 and b"precious" not in path.read_bytes()
        path.write_bytes(b"")
        session.ok(line, *([end] if end else []))
        assert path.stat().st_size > 0


@pytest.mark.needs("capture")
@pytest.mark.zcfwd
def test_capture_filter_without_quotes(binary, tmp_path):
    """At the end of the line it is all words that follow; elsewhere one word, or several in quotes."""
    with Session(binary) as session:
        for number, tail in enumerate(("filter udp port 53", 'filter "udp port 53" max 10', "max 10 filter udp port 53", "filter arp max 10")):
            session.ok(f"capture start 0 file {tmp_path}/{number} {tail}")
            expression = "arp" if "arp" in tail else "udp port 53"
            shown = session.cmd("show capture").replace(str(tmp_path), "")
            assert expression in shown and ("10" in shown) == ("max" in tail)
            session.ok("capture stop 0")


@pytest.mark.zcfwd
def test_recordings_are_kept(binary, tmp_path):
    """FILE.bursts counts too, and then FILE is not made; the option and a setting for machines without anybody."""
    path, bursts = tmp_path / "r", tmp_path / "r.bursts"
    bursts.write_text("precious\n", encoding="ascii")
    with Session(binary) as session:
        session.cmd(f"record start {path} bursts all")
        assert f"{bursts} exists already" in session.stderr() and not path.exists()
        session.ok(f"record start {path} overwrite every 10 bursts all streams 0", "record stop", "set record-overwrite on",
                   f"record start {path} bursts sampled 2", "record stop")
    with Session(binary, args=[f"--record={path}"], interactive=False) as session:
        session.finish(ends=1)
        assert f"{path} exists already" in session.stderr()
    with Session(binary, args=[f"--record={path}", "--record-overwrite"]) as session:
        assert session.quit()[1] == 0


@pytest.mark.zcfwd
def test_home_in_names_of_files(binary):
    with Session(binary) as session:
        session.ok("save config ~/saved", "load ~/saved", "record start ~/r", "record stop")
        assert (session.home / "saved").exists() and (session.home / "r").exists()
        session.cmd("save config \"~/saved\"")
        assert "~/saved: No such file" in session.stderr()


@pytest.mark.zcfwd
def test_help_page_of_every_page(binary):
    """Every page of the manual is shown by its name, and begins as the file does."""
    folder = ROOT / "doc"
    pages = [path.relative_to(folder) for path in sorted(folder.glob("**/*.md")) if path.parts[-2] not in ("upstream", "fleet", "kubernetes")]
    assert len(pages) > 40
    with Session(binary) as session:
        for page in pages:
            first = (folder / page).read_text("utf-8").split("\n")[0]
            assert session.cmd(f"help page {page.with_suffix('')}").startswith(first + "\n"), page
