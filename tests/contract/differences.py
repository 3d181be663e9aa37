# SPDX-License-Identifier: BSD-3-Clause
"""The purposeful differences between zcfwd and testpmd 22.11: all of them, each with its reason.

A row edits one side's normalised answer to the commands it matches; after all edits the two must be equal. A row that
edits nothing in a whole comparison is dead and fails the test, unless its text depends on timing.
"""
import re
from dataclasses import dataclass

THEIRS, OURS = "testpmd", "zcfwd"


@dataclass(frozen=True)
class Difference:
    side: str
    command: str       # regular expression, the whole command
    stream: str        # "out" or "err"
    pattern: str       # regular expression in the answer
    replacement: str
    reason: str
    when_out: str = ""  # only where this side's stdout matches
    timing: bool = False  # whether the text is there depends on timing

    def edit(self, answer):
        """Returns the answer's stream after the edit, or None where the row does not apply."""
        if not re.fullmatch(self.command, answer.command):
            return None
        if self.when_out and not re.search(self.when_out, answer.out, re.M):
            return None
        text, edits = re.subn(self.pattern, self.replacement, getattr(answer, self.stream), flags=re.M)
        return text if edits else None


def different(command, theirs, ours, reason):
    """Each side prints what its patterns for stdout and stderr say, and nothing else."""
    return [Difference(side, command, stream, rf"(?s)\A{pattern}\Z", "(different)", reason)
            for side, patterns in ((THEIRS, theirs), (OURS, ours)) for stream, pattern in zip(("out", "err"), patterns)]


def in_other_words(command, ours, reason):
    """Both refuse and say why; zcfwd's words, on stdout or stderr, must contain `ours`."""
    verdict = r"\A(Bad arguments\n)?\Z"
    return [
        Difference(THEIRS, command, "out", r"(?s)\A.*\Z", "(refused)", reason),
        Difference(THEIRS, command, "err", r"(?s)\A.*\Z", "(why)", reason),
        Difference(OURS, command, "err", rf"(?s)\A.*{ours}.*\Z", "(why)", reason),
        Difference(OURS, command, "out", verdict, "(refused)", reason),
    ]


def refused(command, ours, reason):
    """testpmd obeys, zcfwd explains on stderr why it does not; `ours` is what the explanation must say."""
    return [
        Difference(THEIRS, command, "out", r"(?s)\A.*\Z", "(refused)", reason),
        Difference(THEIRS, command, "err", r"(?s)\A.*\Z", "(refused)", reason),
        Difference(OURS, command, "out", r"\A\Z", "(refused)", reason),
        Difference(OURS, command, "err", rf"(?s)\A.*{ours}.*\Z", "(refused)", reason),
    ]


# csum with more streams than ports
RUN_ON = (r"  RX- bad IP checksum: 0               Rx- bad L4 checksum: 0              Rx- bad outer L4 checksum: 0 {13}\n"
          r" RX- bad outer IP checksum: 0 {13}\n")
PER_PORT_FORM = (r"\n  Bad-ipcsum: 0              Bad-l4csum: 0             Bad-outer-l4csum: 0             \n"
                 r"  Bad-outer-ipcsum: 0             \n")

DIFFERENCES = [
    Difference(THEIRS, r"show fwd stats all|stop|quit|\(enter\)", "out", "total cycles=", "busy cycles=",
               "the word of testpmd >= 23.03: only busy polls are counted"),
    Difference(THEIRS, "quit|\\(enter\\)", "out", r"\n?Primary: Sending 'stop_req' request to secondary\.\.\.\n", "",
               "zcfwd tells secondary processes nothing"),
    Difference(THEIRS, "show config fwd", "out", r"\A\w+ packet", "(engine) packet",
               "testpmd names the engine of the last start, not the one that `set fwd` chose"),
    Difference(OURS, "show config fwd", "out", r"\A\w+ packet", "(engine) packet",
               "testpmd names the engine of the last start, not the one that `set fwd` chose"),
    Difference(THEIRS, "show fwd stats all|stop", "out", RUN_ON, PER_PORT_FORM,
               "testpmd's per-stream checksum counters run on in one line; zcfwd prints them as under the ports"),
    Difference(OURS, ".*", "err", r"^(Please stop all ports first|Not all ports were started|lcore \d+ not enabled|(?:Error: )?Invalid port (?:number |id )?\d+): .*$", r"\1", "says what to do"),
    *in_other_words("set corelist 1,1", "duplicated lcore 1", "names the lcore, not its places in the list"),
    *in_other_words("set portlist 0,0", "duplicated port 0", "names the port, not its places in the list"),
    *in_other_words("set (corelist|portlist) x", 'column 14: "x" ', "the grammar checks lists"),
    *in_other_words("set txpkts (0|99999|x)", r'txpkts "(0|99999|x)": ', "one check for option and command, which says what is right"),
    *in_other_words("set txsplit maybe", 'column 13: unknown keyword "maybe" ', "the grammar checks the word"),
    *in_other_words(r"set (rxpkts|rxoffs) .*(x|70000|9)", r'(rxpkts|rxoffs) ("x": |70000: |"1,2,3,4,5,6,7,8,9": .*at most 8 numbers)',
                    "one check for option and command, which says what is right"),
    *refused("set rxhdrs eth,bogus", 'rxhdrs "bogus": ', "testpmd takes an unknown header for none"),
    Difference(THEIRS, "show config rxhdrs", "out", r"(?s)\ANumber of segments: 3\nPacket segs: eth, unsupported, payload\n",
               "Number of segments: 0\n", "after `set rxhdrs eth,bogus`, which zcfwd refused"),
    *[Difference(side, "show config rxoffs", "out", r"^(Segment offsets: (?:\d+,)*)\d+$", r"\1(last)",
                 "testpmd shows the last segment's length in place of its offset") for side in (THEIRS, OURS)],
    *in_other_words("show device info (net_bogus0|nope)", "cannot parse identifier (net_bogus0|nope): ", "names what it cannot find"),
    *in_other_words(r"mac_addr \w+ 9 .*", "Invalid port 9", "the words of all other commands on ports"),
    *refused(r"set log (bogus|foo|\() \d", "no log type is called", "no log type is called so: testpmd changes nothing in silence"),
    *in_other_words("load /nonexistent/file", "/nonexistent/file: No such file", "says why"),
    *refused("set log global 99", "log level 99: ", "there is no such level"),
    *refused("set txtimes 1", 'txtimes "1": ', "testpmd ignores it in silence"),
    Difference(THEIRS, r"set (promisc|allmulti|link-up port|link-down port) 9.*", "err",
               r"^Invalid port_id=9\n", "", "ethdev's own log line: zcfwd asks it nothing about a port that is not there"),
    Difference(OURS, r"set fwd \w+", "err", r"\A\w+ is used at the next start: .*\n\Z", "",
               "forwarding goes on with the old engine: zcfwd says so"),
    Difference(OURS, r"\(start-up\)|start.*", "err", r"^flush_rx discarded \d+ packets .*\n", "",
               "testpmd discards packets before a start and does not say so"),
    Difference(OURS, r"\(start-up\)|start.*", "err", r"^(defaults|hint): .*\n", "", "testpmd does not show what it chose"),
    Difference(OURS, r"(set|port config|csum) .*", "err", r"^[\w-]+ takes effect at the next start\n", "",
               "testpmd does not say that a run goes on as it was started"),
    Difference(OURS, r"stop|show fwd stats all|quit|\(enter\)", "err", r"^Verdict: .*\n", "",
               "testpmd does not say what went wrong in a run", timing=True),
    Difference(OURS, r"start.*|\(start-up\)", "err", r"^txtimes has no effect .*\n", "", "testpmd ignores it in silence"),
    Difference(OURS, r"set link-(up|down) port \d", "err", r"^port \d: .*\n", "", "zcfwd adds why"),
    Difference(OURS, r"port attach \w+", "err", r"^Failed to attach port \w+: .*\n", "", "zcfwd adds why"),
    Difference(THEIRS, r"port attach \w+", "err", r"^testpmd: Failed to attach port \w+\n", "", "zcfwd adds why"),
    Difference(THEIRS, r"port attach net_bogus0", "err", r"^EAL: Failed to attach device on primary process\n", "",
               "zcfwd hands EAL what names a device alone"),
    *different("port detach 3", ("", r"Invalid port_id=3\n"), (r"Removing a device\.\.\.\nDevice is detached\nNow total ports is 2\nDone\n", ""),
               "a closed port can still be detached; testpmd needs `device detach`"),
    Difference(THEIRS, r"\(start-up\)", "err", r"^Tx queue 0 of device with port_id=\d has not been setup\n", "",
               "testpmd checks --txpkts before there are queues"),
    Difference(THEIRS, r"\(start-up\)", "err", r"^Warning: lsc_interrupt needs to be off .*\n", "",
               "zcfwd leaves link interrupts on under --tx-first"),
    Difference(THEIRS, r"\(start-up\)", "out", r"^Port \d Link up at .*\n", "",
               "the links that testpmd then prints"),
    Difference(THEIRS, r"\(start-up\)", "err", r"^Warning: NUMA should be configured manually by using .*\n", "",
               "zcfwd takes the socket of a device that has none for its main lcore's, and says nothing"),
    *in_other_words(r"set port 0 rxq 0 avail_thresh 50", r"rxq_avail_thresh_cmd error: \(Operation not supported\)",
                    "on stderr, as all refusals"),
    *in_other_words(r"bpf-load rx 0 0 - /nonexistent/file", r"-22:Invalid argument: /nonexistent/file", "on stderr, and names the file"),
    Difference(OURS, r"tx_vlan set pvid 0 5 (on|off)", "err", r"^port 0 \(driver \w+\): cannot set the port VLAN: .*\n", "",
               "testpmd says nothing when the driver refuses"),
    *different("sh po su al", (r"Command not found\n", ""), (r"Bad arguments\n", r'column 4: "po" is ambiguous: port, pool\n'),
               "zcfwd takes keywords shortened while unambiguous"),
    *refused("set burst 0", "512", "a burst of 0 forwards nothing; testpmd's --burst refuses it too"),
    *refused("set nbport 0", r"nb fwd ports 0: [^\n]*1\.\.2\n", "no ports: nothing to forward"),
    Difference(OURS, "port start .*", "err", r"^already started: there is nothing to do\n", "", "a plain line below testpmd's"),
    Difference(OURS, "port stop .*", "err", r"^forwarding is running: use \"stop\" before \"port stop\"\n", "", "a plain line below testpmd's"),
    Difference(OURS, "port config all rss .*", "err", r"^unknown RSS type .*\n", "", "a plain line below testpmd's"),
    Difference(OURS, ".*", "err", r"\Acolumn \d+: .+\n\Z", "",
               "zcfwd names the bad word on stderr, after the fixed text",
               "^(Bad arguments|Command not found|Ambiguous command)$"),
]
