# SPDX-License-Identifier: BSD-3-Clause
"""Runs a .cmds file through one program and keeps what each command said, on stdout and on stderr.

A .cmds file is what a user would type, comments included: every line goes to the program. The header names the run
(`# vdevs:`, `# args:`, `# lcores:`; `# models:`, modelled NICs to run it on one after the other). A line `@wait traffic` (`@wait sent`) is for us: it waits until every forwarding
port received (sent) and so many packets passed that no stream can still be waiting for its first poll.
"""
import pathlib
import re
from dataclasses import dataclass, field

from modelled import LACKS, PLUGIN
from normalise import Normaliser
from session import Session, SessionError, wait_until

WAITS = {"traffic": "RX-total: ", "sent": "TX-total: "}
ENOUGH = 100_000


@dataclass
class Scenario:
    name: str
    lines: list
    vdevs: tuple = ("net_null0", "net_null1")
    args: tuple = ()
    lcores: str = "0-1"
    interactive: bool = True
    model: str = ""  # modelled NICs instead of vdevs

    @staticmethod
    def load(path):
        """One for each of the file's models; most have none."""
        lines = path.read_text(encoding="ascii").splitlines()
        head = dict(re.findall(r"^# (vdevs|args|lcores|models): *(.*)$", "\n".join(lines), re.M))
        return [Scenario(" ".join([path.stem, model]).strip(), lines, tuple(head.get("vdevs", "").split()),
                         tuple(head.get("args", "").split()), head.get("lcores", "0-1"), model=model)
                for model in head.get("models", "").split() or [""]]

    def where(self):
        """What brings the modelled NICs into either program."""
        if not self.model:
            return {}
        return {"env": {"MODEL_NIC": self.model},
                "eal": ["-d", PLUGIN, "--iova-mode=va", "--log-level=pmd.net.i40e:error", "--log-level=pmd.net.ixgbe:error"]}


@dataclass
class Answer:
    command: str
    out: str
    err: str


@dataclass
class Run:
    answers: list = field(default_factory=list)
    rc: int = None


SHOW = ["show config fwd", "show config rxtx", "show config cores", "show config txpkts"]
RUN = [*SHOW, "start", "@wait traffic", "show fwd stats all", "stop"]
SENT = [*SHOW, "start", "@wait sent", "show fwd stats all", "stop"]
FOUR = ("net_null0", "net_null1", "net_null2", "net_null3")
TWO_WORKERS = "0@0,1@0,2@1"


def option(args, lines, **more):
    return Scenario("options " + args, list(lines), args=tuple(args.split()), **more)


OPTIONS = [
    option("--forward-mode=mac --burst=16 --eth-peer=1,02:11:22:33:44:55", RUN),
    option("--forward-mode=macswap --port-topology=chained --nb-cores=2", RUN, vdevs=FOUR, lcores=TWO_WORKERS),
    option("--port-topology=loop --rxq=2 --txq=2 --rxd=256 --txd=512", RUN),
    option("--portmask=0x6 --coremask=0x6 --nb-cores=2", RUN, vdevs=FOUR, lcores=TWO_WORKERS),
    option("--portlist=2,0 --nb-ports=2", RUN, vdevs=FOUR),
    option("--nb-ports=3", RUN, vdevs=FOUR),
    option("--rxfreet=8 --rxpt=1 --rxht=2 --rxwt=3 --txfreet=16 --txrst=4 --txpt=5 --txht=6 --txwt=7", RUN),
    option("--forward-mode=txonly --txpkts=64,64,128 --tx-ip=10.0.0.1,10.0.0.2 --tx-udp=9,10", SENT),
    option("--forward-mode=flowgen --flowgen-flows=16", RUN),
    option("--forward-mode=rxonly --record-burst-stats --record-core-cycles --no-flush-rx", RUN),
    option("--auto-start", ["show config fwd", "@wait traffic", "show fwd stats all", "stop"]),
    option("-a --forward-mode=mac", ["@wait traffic", "stop", "start", "@wait traffic", "stop"]),
    option("--disable-rss --disable-link-check --max-pkt-len=2000", [*RUN, "show port info 0"]),
    option("--disable-device-start", ["show port summary all", "start", "port start all", *RUN]),
    option("--mbuf-size=2048 --mbcache=32 --numa", [*RUN, "show port info 1"]),
    option("--no-numa --socket-num=0 --max-lro-pkt-size=2000 --hot-plug --print-event=all --mask-event=intr_lsc",
           [*RUN, "port attach net_null2", "port start 2"]),
    option("--port-numa-config=(0,0),(1,0) --ring-numa-config=(0,1,0),(0,2,0),(1,3,0)", RUN),
    option("--rxpkts=64,0 --rxoffs=0,32", ["show config rxpkts", "show config rxoffs", "show config rxhdrs", *RUN]),
    option("--mbuf-size=2176,4096 --rxhdrs=eth,ipv4-udp", ["show config rxhdrs", "show config rxpkts", *RUN]),
    option("--rxq=2 --txq=2 --rss-level-inner", ["show port 0 rss-hash", "port config all rss level-outer", *RUN]),
    option("--rxq=2 --txq=2 --rss-udp --rss-level-outer", ["show port 0 rss-hash", *RUN]),
    option("--rxq=2 --txq=2 --rx-mq-mode=0x6", ["show port 0 rss-hash", "port config all rss udp", *RUN],
           vdevs=("net_null0",)),
    option("--rxq=2 --txq=2 --rx-mq-mode=1 --rxq-share", ["show port 0 rss-hash", *RUN]),
    option("--rxq-share=1 --hairpinq=0 --hairpin-mode=0x0 --num-procs=1 --proc-id=0", RUN),
    option("--record-c --port-topo=loop --forward=mac --rxq 2 --txq 2 --burst 8", RUN),
    option("--forward-mode=macswap", [], interactive=False),
    option("--rxq=2 --txq=2 --record-core-cycles", [], interactive=False),
    option("--tx-first", [], interactive=False, vdevs=("net_ring0", "net_ring1")),
]


def scenarios():
    found = [Scenario.load(path) for path in sorted(pathlib.Path(__file__).parent.glob("*.cmds"))]
    return [scenario for of_file in found for scenario in of_file if not (scenario.model and LACKS)]


def without_eal(text):
    """What EAL and the drivers say while they start is DPDK's, not the program's."""
    return "".join(line for line in text.splitlines(True) if not re.match(r"EAL: |TELEMETRY: |rte_pmd_tap", line))


def play(binary, scenario):
    """The scenario through the binary; answers are normalised. The first is the start-up, the last is quit."""
    clean = Normaliser(keep="\n".join(scenario.lines))
    run = Run()
    seen = 0

    def note(command, out):
        nonlocal seen
        err = session.stderr()
        run.answers.append(Answer(command, clean(out), clean(err[seen:])))
        seen = len(err)

    with Session(binary, scenario.vdevs, scenario.args, lcores=scenario.lcores,
                 interactive=scenario.interactive, **scenario.where()) as session:
        if scenario.interactive:
            note("(start-up)", session.banner)
            run.answers[0].err = without_eal(run.answers[0].err)
            for line in scenario.lines:
                try:
                    if line.startswith("@wait "):
                        wait_for_packets(session, WAITS[line.split()[1]])
                        note(line, "")
                    else:
                        note(line, session.cmd(line))
                except SessionError as error:
                    note(line, f"(no answer: {str(error).splitlines()[0]})\n")
                    if not line.startswith("@"):
                        return run
            note("quit", session.quit()[0].removeprefix("quit\n"))
        else:
            start = session.expect("(?m)^Press enter to exit\n")
            note("(start-up)", start)
            run.answers[0].err = without_eal(run.answers[0].err)
            wait_until(lambda: worker_ticks(session.pid) >= 3, "a worker at work")
            session.send("\n")
            note("(enter)", session.finish()[0])
        run.rc = session.rc
    return run


def wait_for_packets(session, label):
    def moved():
        *ports, total = map(int, re.findall(label + r"(\d+)", session.cmd("show fwd stats all")))
        return all(ports) and total >= ENOUGH
    wait_until(moved, label + str(ENOUGH))


def worker_ticks(pid):
    """CPU time of the busiest thread but the first: with no prompt to ask at, proof that a worker forwards."""
    ticks = [0]
    for stat in pathlib.Path(f"/proc/{pid}/task").glob("*/stat"):
        if stat.parent.name != str(pid):
            ticks.append(int(stat.read_text(encoding="utf-8").rsplit(")", 1)[1].split()[11]))
    return max(ticks)
