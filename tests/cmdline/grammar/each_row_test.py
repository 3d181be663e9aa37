# SPDX-License-Identifier: BSD-3-Clause
"""Every command refuses a line that ends too early or too late, and a wrong word in each place: lines made from the rows of the grammar."""
import itertools
import re

import pytest

from package import answer_of, started

pytestmark = pytest.mark.zcfwd

# A right word of each type of arguments, and wrong ones; a line ends before another type, such as a rest of the line.
WORDS = {"port": ("0", "9", "foo"), "ports": ("0", "9", "foo"), "engine": ("io", "foo", "IO"), "mac": ("02:00:00:00:00:01", "foo", "00:00:00:00:00", "00:00:00:00:00:0g"),
         "list": ("0", "foo", "0,", "0 0"), "pairs": ("(0,0)", "0,0"), "ip": ("10.0.0.1", "foo"), "amount": ("1s", "1d"), "id": ("1", "foo")}
# Not of these: they refuse something else first, take a port that comes later, or another row has such a line.
OTHERS = re.compile(r"(ddp|.* bonding|mcast_addr add|set recycle pair|flow hash .* actions_template|port config 9 pctype|.* user_id|.* list|flow .*resize(d|_complete)?|route delete foo) |port config 9 [rt]xq \d+$|rx_vlan add 4096|(set log|route add) other")


def words_of(element):
    """A right word for an element of a row's syntax, and wrong ones; None: no word is always right."""
    if element[0] != "<":
        return (element.strip("()").split("|")[0],)
    kind, _, bounds = element.strip("<>").partition(":")[2].partition(" ")
    if kind in ("word", "choice"):
        return bounds.split("|")[0], "maybe"
    if kind == "uint":
        low, high = (int(n) for n in (bounds or f"0..{(1 << 64) - 1}").split(" ")[0].split(".."))
        return str(low), "foo", "-1", str(high + 1), *([str(low - 1)] if low > 0 else [])
    return WORDS.get(kind)


def taken(rows):
    """What matches the lines that a row takes."""
    syntax = re.sub(r"<[^:>]*:(?:word|choice) ([^>]*)>", r"(\1)", "\n".join(rows))
    syntax = re.sub(r"<[^:>]*:(?:text|setting|flow[^>]*)>", ".*", syntax)
    return re.compile(re.sub(r"[\]}]", ")?", re.sub(r" [\[{]", "( ", re.sub(r"<[^>]*>", r"\\S+", syntax))).replace("\n", "|"))


def wrong_lines(rows):
    """Lines of each row that end too early or too late, or have one wrong word: (line, what the error must contain)."""
    for row in rows:
        elements = re.findall(r"<[^>]*>|[^ ]+", re.sub(r" \{[^}]*\}|[\[\]]", "", row))
        known = list(itertools.takewhile(lambda words: words is not None, map(words_of, elements)))
        right, whole = [words[0] for words in known], len(known) == len(elements)
        if whole:
            yield " ".join((*right, "extra")), "extra"
        for at in range(1, len(known) + 1 - whole):
            yield " ".join(right[:at]), "incomplete command"
            if at < len(known):
                yield " ".join((*right[:at], "other")), "other"
        for at, words in enumerate(known):
            for wrong in words[1:]:
                if whole or wrong != "9":  # a port is looked up when the line is complete
                    yield " ".join((*right[:at], wrong, *right[at + 1:])), wrong.split(" ", 1)[-1]


def state(session):
    answers = [session.command(line) for line in ("show settings", "show config fwd", "show port summary all", "show pool")]
    return [{name: value for name, value in answer.items() if name != "time"} for answer in answers]


# The first words of commands that change nothing, and of those that do something. A command with another first word belongs to one of them.
SHOW = {"show", "help", "dump", "explain", "history", "read", "get"}
ALSO_SHOW = re.compile(r"flow (list|dump|info) |csum show |\(tso\|tunnel_tso\) show |mlx5 list |dump_")
RESET = re.compile(r"show port (meter stats|tm node stats) ")  # they may set counters to 0


def saved(session, folder):
    """What `save config` writes of the state and of the commands so far, without the time."""
    assert answer_of(session, f"save config {folder}/saved overwrite")["ok"]
    return [line for line in (folder / "saved").read_text(encoding="utf-8").splitlines() if not line.startswith("#")]


def test_rows_that_show(binary, tmp_path):
    """
    Each command says whether it changes nothing, so that it may run while another one waits, and the word that it begins with says so, too.
    Those that do change nothing: neither the state nor what is saved.
    """
    with started(binary) as session:
        rows = session.command("help all")["commands"]
        firsts = {row["syntax"].split(" ")[0].strip("()") for row in rows if not row["shows"]}
        assert not firsts & (SHOW - {"show"}), firsts & SHOW
        wrong = [row["syntax"] for row in rows
                 if row["shows"] != ((row["syntax"].split(" ")[0] in SHOW or bool(ALSO_SHOW.match(row["syntax"]))) and not RESET.match(row["syntax"]))]
        assert not wrong, wrong
        before, kept, run = state(session), saved(session, tmp_path), 0
        for row in rows:
            elements = re.findall(r"<[^>]*>|[^ ]+", re.sub(r" \{[^}]*\}| \[.*", "", row["syntax"]))
            words = [words_of(element) for element in elements]
            lines = [" ".join(word[0] for word in words)] if None not in words else []
            for line in lines + ([row["example"]] if row.get("example") else []) if row["shows"] else []:
                answer_of(session, line)
                run += 1
        assert run > 60 and state(session) == before
        assert saved(session, tmp_path) == kept


def test_wrong_lines(binary):
    """One error, which names the bad word or says that words are missing; nothing changes."""
    with started(binary) as session:
        before, rows = state(session), [row["syntax"] for row in session.command("help all")["commands"]]
        good = taken(rows)
        lines = {line: said for line, said in wrong_lines(rows)
                 if not OTHERS.match(line) and not (said in ("incomplete command", "extra", "other") and good.fullmatch(line))}
        assert len(lines) > 1000
        answers = {line: answer_of(session, line) for line in lines}
        bad = [(line, answer) for line, answer in answers.items()
               if answer["ok"] or lines[line] not in answer["error"]["message"] or answer["error"]["message"].count(": expected ") > 1]
        assert not bad, bad
        assert state(session) == before
