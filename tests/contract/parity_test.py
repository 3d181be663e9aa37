# SPDX-License-Identifier: BSD-3-Clause
"""The table of every command of testpmd in doc/testpmd.md, made by asking both programs. PARITY=write writes it anew."""
import os

import pytest

import parity
from modelled import needs_model_nic
from scenario import Answer


@pytest.fixture(scope="module")
def asked(binary, testpmd, tmp_path_factory):
    link = tmp_path_factory.mktemp("bin") / "testpmd"  # the name decides the prompt
    link.symlink_to(binary)
    return parity.whole(link, testpmd)


def both(verdict, theirs, ours, why=""):
    return pytest.param(verdict, why, Answer("x", *theirs) if theirs else None, Answer("x", *ours), id=verdict + why[:10])


@pytest.mark.parametrize("verdict, why, theirs, ours", [
    both(parity.SAME, ("1\n", ""), ("1\n", "")),
    both(parity.SAME, ("Bad arguments\n", ""), ("Bad arguments\n", "")),
    both(parity.PORT, ("", "Operation not supported\n"), ("", "Operation not supported\n")),
    both(parity.PORT, ("", "Device doesn't support it\n"), ("", "port 0 has none; Device doesn't support it\n")),
    both(parity.WORDS, ("", "nb_cores shouldn't be less\n"), ("", "no DCB\n")),
    both(parity.PORT, ("(-95)\n", ""), ("", "net_null: Operation not supported\n")),
    both(parity.WORDS, ("1\n", ""), ("2\n", "")),
    both(parity.WORDS, ("", "Invalid port\n"), ("", "port 9 does not exist\n")),
    both(parity.STRICT, ("", ""), ("", "refused\nsince it lies\n"), "since it lies"),
    both(parity.ABSENT, ("1\n", ""), ("Bad arguments\n", "column 1\n")),
    both(parity.ABSENT, ("1\n", ""), ("", "x is a command of testpmd: see there\n"), "x is a command of testpmd: see there"),
    both(parity.OLD, None, ("", "needs DPDK 24.03\n"), "24.03"),
    both(parity.ABSENT, None, ("Command not found\n", "column 1\n")),
    both(parity.ALONE, None, ("1\n", "")),
])
def test_verdicts(verdict, why, theirs, ours):
    assert parity.judge(theirs, ours) == (verdict, why)


def test_variants():
    assert parity.variants("a (b|c) d") == ["a b d", "a c d"]
    assert parity.variants("reta (0,0)") == ["reta (0,0)"]
    assert len(parity.variants("(a|b|c) (d|e|f)")) == 5  # each word once beside the others' first


def test_the_worst_line_decides(monkeypatch):
    class Fake:
        def __init__(self, binary, _bed):
            self.ours = binary == "ours"

        def ask(self, line):
            return Answer(line, "Bad arguments\n" if self.ours and line == "show b" else "fine\n", "")

        def close(self):
            pass

    monkeypatch.setattr(parity, "Player", Fake)
    section = parity.Section("s", "bed", [parity.Row("show (a|b)", parity.variants("show (a|b)")), parity.Row("show a", ["show a"]),
                                          parity.Row("x", ["x"], unjudged=True)])
    parity.compare_section(section, "ours", "theirs")
    assert [row.verdict for row in section.rows] == [parity.ABSENT, parity.SAME, ""]


@pytest.mark.extended
@needs_model_nic
def test_the_page_says_what_the_programs_say(asked):
    if not os.environ.get("DPDK_RELEASE", "").startswith("22.11"):
        pytest.skip("the page compares with testpmd 22.11")
    text = parity.table(*asked)
    if os.environ.get("PARITY") == "write":
        parity.write_page(text)
    assert parity.on_page().splitlines() == text.splitlines()
