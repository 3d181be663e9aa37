# SPDX-License-Identifier: BSD-3-Clause
"""Memory runs out in the middle of a command: the n-th thing it asks for is refused, for n = 1, 2, 3 ... until it asks for no more."""
import bisect
import collections
import json
import os
import re
import subprocess

import pytest

from alloc_faults import MODULE, Faults, counts
from laws import TWO_WORKERS
from limits import until
from modelled import LACKS, PLUGIN
from packets import diverse, write_pcap
from session import WINDOW, Session, ordinary_pages

pytestmark = pytest.mark.zcfwd
# Lines of drivers, and of commands that do well; a sum of nothing is none.
OTHERS = re.compile(r"(defaults|hint): |Port was not closed|\w+\(\): |EAL: |testpmd: |Verdict: ")
KEEP_LINES = ("journal_add", "keep_line")  # the configuration's journal, a line per command


class Names(dict):
    """The function that an address of the program's file is in."""

    def __init__(self, binary):
        super().__init__()
        listed = subprocess.run(["nm", "-n", str(binary)], capture_output=True, text=True, check=True, timeout=60).stdout
        symbols = [line.split() for line in listed.splitlines() if " t " in line.lower()]
        self.begins, self.functions = [int(at, 16) for at, _, _ in symbols], [name for _, _, name in symbols]

    def __missing__(self, where):
        self[where] = self.functions[bisect.bisect(self.begins, where - 1) - 1]
        return self[where]


class Alloc(Session):
    """A session whose memory runs out on demand."""

    def __init__(self, binary, tmp_path, args=(), vdevs=("net_null0", "net_null1"), preload="", model="", **options):
        assert MODULE, "ALLOC_FAULTS_MODULE names the module: meson test sets it"
        self.faults = Faults(tmp_path / "faults")
        self.names = Names(binary)
        preloaded = f"{MODULE} {os.environ['FLOW_LOG_MODULE']}" if preload else MODULE
        eal = ["-d", PLUGIN, "--iova-mode=va", "--log-level=pmd:alert"] if model else []
        super().__init__(binary, vdevs, ["--mbcache=0", "--no-flush-rx", *args], eal=eal, memory=ordinary_pages(256), lcores=TWO_WORKERS,
                         wrapper=["env", f"LD_PRELOAD={preloaded}", f"ALLOC_FAULTS={tmp_path / 'faults'}", f"FLOW_LOG={tmp_path / 'flows'}",
                                  *([f"MODEL_NIC={model}"] if model else [])], **options)

    def say(self, line):
        """A command: what it printed, and what it complained of."""
        before = len(self.stderr())
        answer = self.cmd(line)
        return answer, [text for text in self.stderr()[before:].splitlines() if not OTHERS.match(text)]

    def good(self, *lines):
        for line in lines:
            answer, complaints = self.say(line)
            assert not complaints, f"{line!r}: {answer!r} {complaints!r}"

    def held(self):
        """What is held, but for lines that the program keeps on purpose."""
        named = collections.Counter()
        for where, n in self.faults.held().items():
            named[self.names[where]] += n
        return collections.Counter({name: n for name, n in named.items() if name not in KEEP_LINES})

    def out(self):
        """Packets that are out of their pools."""
        return [int(size) - int(free) for size, free in re.findall(r"size=(\d+), available=(\d+)", self.cmd("show pool"))]


Case = collections.namedtuple("Case", "line undo prepare options", defaults=((), {}))


def engine(name, *lines, **options):
    """The start of an engine, on ports that have nothing to do with it."""
    return Case("start", ("stop",), (f"set fwd {name}", *lines), options)


RINGS = {"vdevs": ("net_ring0", "net_ring1")}  # each port receives what it sent, and nothing else
MODELLED = {"vdevs": (), "model": "xl710,size=64"}
NAMED = "set generate stream a port 1 rate 1kpps size 64"
FORWARDED = ("set fwd ring_pipeline", "set nbcore 2")
RULE = "flow create 0 ingress pattern eth / ipv4 dst is 10.0.0.1 / end actions count / queue index 0 / end"
MEMORY = "extmem create m type heap size 4194304"
CASES = {
    **{f"start_{name}": engine(name) for name in ("io", "mac", "macswap", "5tswap", "csum", "noisy", "rxonly", "txonly", "flowgen", "generate", "icmpecho",
                                                  "shared_rxq", "recycle_mbufs", "ring_pipeline", "l3fwd", "extbuf")},
    "start_replay": engine("replay", "set replay {dir}/capture truncated", "set replay-times 0", "set replay-rewrite mac src 10.0.0.0/8"),
    "start_tx_first": Case("start tx_first", ("stop",), ("set fwd io",)),
    "start_for": Case("start for 64 packets", (), ("set fwd io",)),
    "start_l3fwd_routes": engine("l3fwd", "route add 10.0.0.0/8 port 1", "route add 2001:db8::/32 port 0"),
    "start_l3fwd_em": engine("l3fwd", "set l3fwd lookup em", "route add 10.0.0.1 10.0.0.2 1024 53 udp port 0"),
    "start_l3fwd_fib": engine("l3fwd", "set l3fwd lookup fib", "route add 10.0.0.0/8 port 1"),
    "start_measure": engine("measure", **RINGS),
    "start_streams": engine("generate", NAMED),
    "start_measure_streams": engine("measure", f"{NAMED} latency on", **RINGS),
    "stream_set": Case(f"{NAMED} src 10.0.0.0/8", ("clear generate stream a",)),
    "stream_change": Case("set generate stream a rate 2kpps size 100-200", ("set generate stream a rate 1kpps size 64",), ("set fwd generate", NAMED, "start")),
    "show_streams": Case("show generate streams", (), ("set fwd measure", f"{NAMED} latency on", "start for 10ms"), RINGS),
    **{f"start_pipeline_{mode}": engine("ring_pipeline", f"set pipeline mode {mode}", "route add 10.0.0.0/8 port 0") for mode in ("copy", "zc", "auto", "compressed")},
    "start_extbuf_memory": engine("extbuf", MEMORY, "set extbuf mode attach"),
    "start_extbuf_pinned": engine("extbuf", "set extbuf mode pinned"),
    "start_mirror": Case("start", ("stop",), ("port mirror 0 1",)),
    "start_mirror_set": Case("port mirror 0 1", ("start", "stop", "port mirror 0 off", "start", "stop")),
    "stop": Case("stop", ("start",), ("start",)),
    "stop_pipeline": Case("stop", ("start",), (*FORWARDED, "start")),
    "port_stop": Case("port stop all", ("port start all",)),
    "port_start": Case("port start all", ("port stop all",), ("port stop all",)),
    "port_attach": Case("port attach net_null7", ("port detach 2",)),
    "port_close": Case("port close 2", ("port detach 2", "port attach net_null7"), ("port attach net_null7",)),
    "port_detach": Case("port detach 2", ("port attach net_null7",), ("port attach net_null7",)),
    "queues": Case("port config all rxq 3", ("port start all", "port stop all", "port config all rxq 1", "port start all", "port stop all"), ("port stop all",)),
    "pool_ops": Case("set pool ops stack", ("port start all", "port stop all", "set pool ops ring_mp_mc", "port start all", "port stop all"), ("port stop all",)),
    "record_start": Case("record start {dir}/r overwrite", ("record stop",)),
    "record_stop": Case("record stop", ("record start {dir}/r overwrite",), ("record start {dir}/r overwrite",)),
    "record_bursts": Case("record start {dir}/r overwrite every 10 bursts all", ("start", "stop", "record stop")),
    "record_latency": Case("record start {dir}/r overwrite latency", ("set fwd measure", "start", "stop", "record stop"), ("set generate flows 4",), RINGS),
    "record_latency_run": Case("start", ("stop",), ("set fwd measure", "record start {dir}/r overwrite every 10 latency"), RINGS),
    "record_run": Case("start", ("stop",), ("record start {dir}/r overwrite every 10 bursts all",)),
    "capture_start": Case("capture start 0 file {dir}/c overwrite filter ip", ("capture stop all",)),
    "capture_stop": Case("capture stop all", ("capture start 0 file {dir}/c overwrite",), ("capture start 0 file {dir}/c overwrite",)),
    "capture_run": Case("start", ("stop",), ("capture start 0 file {dir}/c overwrite",)),
    "flow_create": Case(RULE, ("flow flush 0",), (), {"preload": "flow"}),
    "flow_flush": Case("flow flush 0", (RULE,), (RULE,), {"preload": "flow"}),
    "flow_list": Case("flow list 0", (), (RULE,), {"preload": "flow"}),
    "flow_indirect": Case("flow indirect_action 0 create ingress action count / end", ("flow indirect_action 0 destroy action_id 0",), (), {"preload": "flow"}),
    "extmem_create": Case(MEMORY, ("extmem delete m",)),
    "extmem_create_anon": Case("extmem create m type anon size 4194304", ("extmem delete m",)),
    "extmem_create_file": Case("extmem create m type file /proc/self/exe size 0", ("extmem delete m",)),
    "extmem_delete": Case("extmem delete m", (MEMORY,), (MEMORY,)),
    "route_add": Case("route add 10.0.0.0/8 port 1", ("route clear",)),
    "route_load": Case("route load {dir}/routes", ("route clear",)),
    "route_load_running": Case("route load {dir}/routes", ("route clear",), ("set fwd l3fwd", "start")),
    "route_clear_running": Case("route clear", ("route load {dir}/routes",), ("set fwd l3fwd", "route load {dir}/routes", "start")),
    "load": Case("load {dir}/lines", ("set burst 32",)),
    "save": Case("save config {dir}/saved overwrite", ()),
    "filter": Case("show port stats all | include packets | count", ()),
    "to_file": Case("show port stats all > {dir}/answer overwrite", ()),
    "append": Case("show port stats all | include packets >> {dir}/answers", ()),
    "load_to_file": Case("load {dir}/lines > {dir}/answer overwrite", ("set burst 32",)),
    "compare": Case("compare burst=8,32 for 1ms runs 3", ()),
    "measure_rate": Case("measure rate goals ndr:trial=0.01s:sum=0.02s:width=50% from 1kpps to 2kpps latency 10", (), ("set measure-drain 0",), RINGS),
    "watch": Case("watch show port stats all every 0.01 count 2", ()),
    "show_pipeline": Case("show pipeline", (), (*FORWARDED, "start", "stop")),
    "show_drops": Case("explain drops", (), ("start", "stop")),
    "show_mempool": Case("show mempool", ()),
    "show_port": Case("show port info all", ()),
    "show_config": Case("show config fwd", ()),
    "help": Case("help set fwd", ()),
    "modelled_port_start": Case("port start all", ("port stop all",), ("port stop all",), MODELLED),
    "modelled_start": Case("start", ("stop",), (), MODELLED),
}


def placed(case, folder):
    """With the test's own folder."""
    def line(text):
        return text.replace("{dir}", str(folder))
    return case._replace(line=line(case.line), undo=[line(one) for one in case.undo], prepare=[line(one) for one in case.prepare])


def after(session, case, mbufs, n, trouble):
    """The command once with its call n refused, then once more; errors go into trouble. False: it had no such call."""
    held = session.held()
    session.faults.refuse(n, n, mbufs)
    answer, complaints = session.say(case.line)
    refused, where, name = session.faults.off()
    here = f"{n}: {name} in {session.names[where] if where else '-'}"
    if VERBOSE:
        print(here, answer[-60:], complaints)
    if len([text for text in complaints if not BESIDE.match(text)]) > 1 or not all(SHORT.search(text) for text in complaints):
        trouble.append(f"{here}: complaints {complaints}")
    if all(BESIDE.match(text) for text in complaints):  # it was done
        again = [text for line in case.undo for text in session.say(line)[1]]
        if again:
            trouble.append(f"{here}: undo: {again}")
    again = [text for line in (case.line, *case.undo) for text in session.say(line)[1]]
    if again:
        trouble.append(f"{here}: the next try: {again}")
    more = session.held() - held
    if more:
        trouble.append(f"{here}: held: {dict(more)} more")
    return refused > 0


def around(session, case, mbufs, trouble):
    """Refuse each call of the command in turn; how many there are."""
    for _ in range(2):
        session.good(case.line, *case.undo)
    return next(n - 1 for n in counts() if not after(session, case, mbufs, n, trouble))


BESIDE = re.compile(r"zcfwd: |the recording had already stopped|no memory for the statistics of \d+ streams; try")  # said, and the command did what it was asked for
SHORT = re.compile("(?i)memory|buffer|no thread|cannot start")
VERBOSE = bool(os.environ.get("ALLOC_VERBOSE"))


@pytest.mark.parametrize("name", CASES)
def test_each_call_in_turn(binary, tmp_path, name):
    if LACKS and "model" in CASES[name].options:
        pytest.skip(LACKS)
    case, trouble = placed(CASES[name], tmp_path), []
    (tmp_path / "routes").write_text("".join(f"10.{i}.0.0/16 {i % 2}\n" for i in range(5)), encoding="ascii")
    (tmp_path / "lines").write_text("set burst 16\nset txpkts 64\n", encoding="ascii")
    write_pcap(tmp_path / "capture", diverse())
    with Alloc(binary, tmp_path, **case.options) as session:
        session.good(*case.prepare)
        calls = around(session, case, False, trouble)
        buffers = around(session, case, True, trouble)
        print(f"{calls} calls, {buffers} for buffers")
        session.cmd("stop")
        session.good("port stop all")
        if any(session.out()):
            trouble.append(f"buffers out: {session.out()}")
        assert session.quit()[1] == 0
    assert not trouble, "\n".join(trouble)


@pytest.mark.parametrize("line, rest", [("show port stats all", 1 << 40), ("set burst 16", 1 << 40), ("bogus", 1 << 40), ("load {dir}/lines", 0)])
def test_each_answer_is_one_object(binary, tmp_path, line, rest):
    """In JSON a command without memory for its answer prints an object that says so. rest: how many calls behind the n-th are refused too."""
    (tmp_path / "lines").write_text("show port info 0\nset txpkts 64\n", encoding="ascii")
    line, short = line.replace("{dir}", str(tmp_path)), 0
    with Alloc(binary, tmp_path) as session:
        session.cmd("set output json")
        for n in counts():
            session.faults.refuse(n, n + rest, False)
            session.send(line + "\n")
            said = [json.loads(session.expect(r"\r*\n", window=WINDOW))]
            for _ in until(lambda: said[-1]["command"] == line, "the command's own object", 60):  # pylint: disable=cell-var-from-loop
                said.append(json.loads(session.expect(r"\r*\n", window=WINDOW)))
            if not session.faults.off()[0]:
                break
            assert all(one["ok"] != ("error" in one) for one in said), (n, said)
            short += any(not one["ok"] and one["error"]["code"] == "ENOMEM" for one in said)
            assert session.json("show config cores")["ok"], n
        session.cmd("set output text")
    assert short > 2
