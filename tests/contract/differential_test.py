# SPDX-License-Identifier: BSD-3-Clause
"""The same scripts through dpdk-testpmd and zcfwd called testpmd: each answer must be equal, but for DIFFERENCES."""
from dataclasses import replace

import pytest

from compare import compare, unedited, used
from differences import DIFFERENCES
from scenario import OPTIONS, Run, play, scenarios

SCENARIOS = [*scenarios(), *OPTIONS]


@pytest.fixture(scope="module")
def ours(binary, tmp_path_factory):
    """zcfwd under the name testpmd: the name decides the prompt."""
    link = tmp_path_factory.mktemp("bin") / "testpmd"
    link.symlink_to(binary)
    return link


@pytest.fixture(scope="module")
def reference(testpmd):
    """testpmd's answers, one run per scenario for all tests here."""
    known = {}

    def answers(scenario):
        if scenario.name not in known:
            known[scenario.name] = play(testpmd, scenario)
        return known[scenario.name]
    return answers


@pytest.mark.extended
@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda s: s.name)
def test_testpmd_equals_itself(scenario, reference, testpmd):
    """Proves the normaliser complete, without any of DIFFERENCES."""
    diff = compare(reference(scenario), play(testpmd, scenario), unedited)
    assert not diff, "\n" + diff


@pytest.mark.zcfwd
@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda s: s.name)
def test_zcfwd_equals_testpmd(scenario, reference, ours):
    diff = compare(reference(scenario), play(ours, scenario))
    assert not diff, "\n" + diff


@pytest.mark.zcfwd
def test_every_difference_is_real():
    """Runs last: a row that no scenario needs any more is to be deleted."""
    dead = [row for row in DIFFERENCES if row not in used and not row.timing]
    assert not dead, "\n".join(map(str, dead))


def test_compare_sees_each_kind_of_change(reference):
    truth = reference(SCENARIOS[0])
    for change in ({"out": "Done \n"}, {"err": "oops\n"}):
        doctored = Run([*truth.answers[:-1], replace(truth.answers[-1], **change)], truth.rc)
        assert "quit" in compare(truth, doctored, unedited)
    assert "exit status" in compare(truth, Run(truth.answers, 1), unedited)
    assert not compare(truth, Run(truth.answers, truth.rc), unedited)


def test_the_scripts_cover_the_core():
    commands = {line for s in SCENARIOS for line in s.lines if line and not line.lstrip().startswith(("#", "@"))}
    assert len(commands) >= 150
