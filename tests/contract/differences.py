"""The purposeful differences between zcfwd and testpmd 22.11: all of them, each with its reason.

A row edits one side's normalised answer to the commands it matches; after all edits the two must be equal. A row that
edits nothing in a whole comparison is dead and fails the test.
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

    def edit(self, answer):
        """Returns the answer's stream after the edit, or None where the row does not apply."""
        if not re.fullmatch(self.command, answer.command):
            return None
        if self.when_out and not re.search(self.when_out, answer.out, re.M):
            return None
        text, edits = re.subn(self.pattern, self.replacement, getattr(answer, self.stream), flags=re.M)
        return text if edits else None


def different(command, reason):
    """Both sides may say what they like."""
    return [Difference(side, command, stream, r"(?s)\A.*\Z", "(different)", reason)
            for side in (THEIRS, OURS) for stream in ("out", "err")]


def refused(command, ours, reason):
    """testpmd obeys, zcfwd explains on stderr why it does not; `ours` is what the explanation must say."""
    return [
        Difference(THEIRS, command, "out", r"(?s)\A.*\Z", "(refused)", reason),
        Difference(THEIRS, command, "err", r"(?s)\A.*\Z", "(refused)", reason),
        Difference(OURS, command, "out", r"\A\Z", "(refused)", reason),
        Difference(OURS, command, "err", rf"(?s)\A.*{ours}.*\Z", "(refused)", reason),
    ]


DIFFERENCES = [
    Difference(THEIRS, "show fwd stats all|stop|quit", "out", "total cycles=", "busy cycles=",
               "the word of testpmd >= 23.03: only busy turns are counted"),
    Difference(THEIRS, "quit|\\(enter\\)", "out", r"\n?Primary: Sending 'stop_req' request to secondary\.\.\.\n", "",
               "zcfwd has no secondary processes to stop"),
    Difference(OURS, ".*", "err", r"(?s)\A.+\Z", "",
               "zcfwd names the bad word on stderr, after the fixed text",
               "^(Bad arguments|Command not found|Ambiguous command)$"),
    Difference(THEIRS, "show config fwd", "out", r"\A\w+ packet", "(engine) packet",
               "testpmd names the engine of the last start, not the one that `set fwd` chose"),
    Difference(OURS, "show config fwd", "out", r"\A\w+ packet", "(engine) packet",
               "testpmd names the engine of the last start, not the one that `set fwd` chose"),
    *different("sh po su al", "zcfwd takes keywords shortened while unambiguous"),
    *refused("set burst 0", "512", "a burst of 0 forwards nothing; testpmd's --burst refuses it too"),
    *refused("set nbport 0", "", "no ports: nothing to forward"),
]
