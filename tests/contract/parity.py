# SPDX-License-Identifier: BSD-3-Clause
"""Sends testpmd's own commands to testpmd and to zcfwd and says of each how they compare; doc/testpmd.md has the table.
"""
import contextlib
import itertools
import os
import pathlib
import re
import subprocess
import textwrap
from dataclasses import dataclass, field

from compare import edited, unedited
from differences import OURS, THEIRS
from modelled import PLUGIN
from normalise import Normaliser
from scenario import Answer
from session import Session, SessionError

FLOW_LOG = os.environ.get("FLOW_LOG_MODULE", "")
HERE = pathlib.Path(__file__).resolve().parent
ROWS = HERE / "parity"
PAGE = HERE.parents[1] / "doc" / "testpmd.md"
BEGIN, END = "<!-- table written by tests/contract/parity_test.py -->\n", "<!-- end of table -->\n"

SAME, WORDS, PORT, OLD, ABSENT, STRICT = "same", "other words", "refused by the port", "needs a newer DPDK", "not there", "refused"
ALONE = "not compared"
GOOD = (SAME, ALONE, WORDS, PORT, OLD)
# In the order of their gravity: a row of several lines gets the last of what its lines get.
VERDICTS = (SAME, ALONE, PORT, WORDS, OLD, STRICT, ABSENT)
MEANING = {
    SAME: "the same bytes, on stdout and on stderr",
    ALONE: "zcfwd has it; it was not compared with a testpmd of that release",
    PORT: "the driver does not support it; each tested program reports this",
    WORDS: "both accept it or both refuse it, in different words. Effects are not compared here",
    OLD: "zcfwd has it, in builds with a release that has the function",
    STRICT: "testpmd accepts it, zcfwd refuses it with a reason",
    ABSENT: "zcfwd lacks it and gives the reason",
}
PORT_REFUSES = re.compile(r"(?i)(?:not?|n't) support|not enabled on this port|unsupported|not implemented|ENOTSUP|ENOSYS|\(-?95\)|-95\b|-38\b|no such function|has no ")
REFUSAL = re.compile(r"(?i)bad arg|command not found|invalid|fail|error|cannot|can't|unable|unknown|please|not found|no such|must|"
                     r"not a |is not |n't |not started|not stopped|already|out of range|\(-\d+\)|" + PORT_REFUSES.pattern[4:])
GRAMMAR_REFUSES = re.compile(r"(?m)^(?:Bad arguments|Command not found|Ambiguous command)$")
NOT_HERE = re.compile(r"(?m)^.*is a command of testpmd.*$")
NEEDS = re.compile(r"needs DPDK ([\d.]+)")


@dataclass
class Row:
    """A line of a list: what stands there, and the lines that it makes."""
    text: str
    lines: list
    unjudged: bool = False
    verdict: str = ""
    why: str = ""


@dataclass
class Section:
    name: str
    bed: str
    rows: list = field(default_factory=list)


def variants(text):
    """(a|b) c (d|e): each group goes through its choices while the others stay at their first; all of them where both are short."""
    parts = re.split(r"\((?=[^()]*\|)([^()]*)\)", text)
    groups = [part.split("|") for part in parts[1::2]]
    every = list(itertools.product(*groups))
    if len(every) > 8:
        every = [choice for choice in every if sum(word != group[0] for word, group in zip(choice, groups)) <= 1]
    return ["".join(itertools.chain(*itertools.zip_longest(parts[::2], choice, fillvalue=""))) for choice in every]


def sections(path):
    found = []
    for line in path.read_text(encoding="ascii").splitlines():
        if match := re.fullmatch(r"\[(\w+): (\w+)\]", line):
            found.append(Section(*match.groups()))
        elif line and not line.startswith("#"):
            unjudged, text = line.startswith("> "), line.removeprefix("> ")
            found[-1].rows.append(Row(text, [text] if unjudged else variants(text), unjudged))
    return found


class Player:
    """A program on a bed. It is started again where a command ended it."""

    def __init__(self, binary, bed):
        self.binary, self.bed, self.session = binary, bed, None

    def start(self):
        args = ["--no-flush-rx", "--disable-link-check"]
        if self.bed == "flow_log":  # net_null, whose ports take every flow rule
            self.session = Session(self.binary, args=args, env={"LD_PRELOAD": FLOW_LOG, "FLOW_LOG": "/dev/null"})
        elif self.bed == "net_null":
            self.session = Session(self.binary, args=args, memory=["--no-huge", "-m", "64"])  # dump_physmem says a line per page
        else:
            self.session = Session(self.binary, (), args, env={"MODEL_NIC": f"{self.bed};{self.bed}"},
                                   eal=["-d", PLUGIN, "--iova-mode=va", "--log-level=pmd.net.i40e:error", "--log-level=pmd.net.ixgbe:error"])
        self.session.__enter__()  # pylint: disable=unnecessary-dunder-call
        self.clean = Normaliser()
        self.clean(self.session.banner)
        self.seen = len(self.session.stderr())

    def ask(self, line):
        if self.session is None:
            self.start()
        try:
            out = self.session.cmd(line)
        except SessionError:
            self.close()
            return Answer(line, "(the program ended)\n", "")
        err, self.seen = self.session.stderr()[self.seen:], len(self.session.stderr())
        return Answer(line, self.clean(out), self.clean(err))

    def close(self):
        if self.session is not None:
            with contextlib.suppress(SessionError):
                self.session.close()
            self.session = None


def judge(theirs, ours):
    """The verdict on one line, and why where that needs saying."""
    said = ours.out + ours.err
    if match := NEEDS.search(said):
        return OLD, match.group(1)
    if match := NOT_HERE.search(said):
        return ABSENT, match.group()
    if GRAMMAR_REFUSES.search(ours.out) and not (theirs and GRAMMAR_REFUSES.search(theirs.out)):
        return ABSENT, ""
    if theirs is None:
        return (PORT if PORT_REFUSES.search(said) else ALONE), ""
    if edited(THEIRS, theirs) == edited(OURS, ours) or unedited(THEIRS, theirs) == unedited(OURS, ours):
        return (PORT if PORT_REFUSES.search(theirs.out + theirs.err) else SAME), ""
    they_refuse = REFUSAL.search(theirs.out + theirs.err) or "(the program ended)" in theirs.out
    if ours.err and not they_refuse:
        return STRICT, ours.err.strip().splitlines()[-1]
    return (PORT if they_refuse and PORT_REFUSES.search(said) else WORDS), ""


def compare_section(section, ours, theirs=None):
    """Fill in the verdicts of a section's rows; theirs: None where no testpmd of the release is at hand."""
    players = [Player(program, section.bed) for program in (ours, theirs) if program is not None]
    try:
        for row in section.rows:
            answers = [[player.ask(line) for line in row.lines] for player in players]
            if row.unjudged:
                continue
            found = [judge(two, one) for one, two in zip(answers[0], answers[1] if theirs else itertools.repeat(None))]
            row.verdict, row.why = max(found, key=lambda verdict: VERDICTS.index(verdict[0]))
    finally:
        for player in players:
            player.close()


def options(path):
    return [line for line in path.read_text(encoding="ascii").splitlines() if line and not line.startswith("#")]


def takes_option(binary, option):
    """Options are read before EAL starts, from the left: one that does not exist, behind it, is what zcfwd complains of."""
    if option == "help":
        return subprocess.run([binary, "--no-huge", "--", "--help"], capture_output=True, check=False, timeout=60).returncode == 0
    said = subprocess.run([binary, "--no-huge", "--", f"--{option}", "--no-such-option"], capture_output=True, text=True, check=False, timeout=60)
    return "--no-such-option" in said.stderr


def item(text):
    """A list item in lines of 100 columns; a choice that is longer breaks after a |."""
    while word := re.search(r"\S{97,}", text):
        cut = text.rindex("|", word.start(), word.start() + 96) + 1
        text = text[:cut] + " " + text[cut:]
    return textwrap.fill(text, 100, initial_indent="- ", subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)


def table(lists, taken):
    """Markdown: sums by section, then every command. lists: (title, sections) pairs; taken: (title, options, how many are there) each."""
    lines = [f"- {verdict}: {MEANING[verdict]}" for verdict in VERDICTS] + [""]
    for title, found in lists:
        judged = [(section, [row for row in section.rows if not row.unjudged]) for section in found]
        everything = [row for _, rows in judged for row in rows]
        good = sum(row.verdict in GOOD for row in everything)
        given = [verdict for verdict in VERDICTS if any(row.verdict == verdict for row in everything)]
        lines += [f"### {title}: {good} of {len(everything)}", "", "| section | " + " | ".join(given) + " |", "|---|" + "---|" * len(given)]
        for section, rows in judged:
            lines.append(f"| {section.name} | " + " | ".join(str(sum(row.verdict == verdict for row in rows)) for verdict in given) + " |")
        lines.append("")
    for title, all_of, there in taken:
        lacking = [option for option in all_of if option not in there]
        lines += [f"{title}: {len(there)} of {len(all_of)}" + (f"; not there: {', '.join(f'`--{o}`' for o in lacking)}" if lacking else "") + ".", ""]
    for title, found in lists:
        for section in found:
            lines += [f"### {title}, {section.name}", ""]
            for row in section.rows:
                if not row.unjudged:
                    lines.append(item(f"`{row.text}`: {row.verdict}{': ' + row.why if row.why else ''}"))
            lines.append("")
    return "\n".join(lines) + "\n"


def whole(ours, theirs):
    lists = []
    for name, title, program in (("22.11", "Commands of 22.11", theirs), ("26.07", "Commands since", None)):
        found = sections(ROWS / f"commands-{name}.txt")
        for section in found:
            compare_section(section, ours, program)
        lists.append((title, found))
    taken = []
    for name, title in (("22.11", "Options of 22.11"), ("26.07", "Options since")):
        wanted = options(ROWS / f"options-{name}.txt")
        taken.append((title, wanted, [option for option in wanted if takes_option(ours, option)]))
    return lists, taken


def on_page():
    return PAGE.read_text(encoding="utf-8").partition(BEGIN)[2].partition(END)[0]


def write_page(text):
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    PAGE.write_text(before + BEGIN + text + END + rest.partition(END)[2], encoding="utf-8")
