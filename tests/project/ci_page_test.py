# SPDX-License-Identifier: BSD-3-Clause
"""doc/howto/ci.md: its files, and the commands of both its jobs, as a job runs them; and what makes a job red."""
import contextlib
import json
import re
import subprocess
import xml.etree.ElementTree

import pytest
import yaml
from conftest import ROOT
from limits import limit
from modelled import needs_model_nic
from netns import Namespaces, entering
from otg import server_env

PAGE = (ROOT / "doc/howto/ci.md").read_text(encoding="utf-8")
PYTEST = "python3 -m pytest ci --junitxml=results/junit.xml"
pytestmark = [pytest.mark.zcfwd, pytest.mark.needs("measure"), pytest.mark.needs("compare"), needs_model_nic]


def block(kind, begin=""):
    """The block of the page that begins so."""
    (found,) = [text for text in re.findall(rf"(?ms)^```{kind}\n(.*?)^```$", PAGE) if text.startswith(begin)]
    return found


def steps():
    """The commands of both jobs, without those that install packages, and the folder that each keeps."""
    github = yaml.safe_load(block("yaml", "name: "))["jobs"]["forwarding"]
    gitlab = yaml.safe_load(block("yaml", "forwarding:"))["forwarding"]
    jobs = [([step["run"] for step in github["steps"] if "run" in step], [step["with"]["path"] for step in github["steps"] if step.get("if") == "always()"]),
            (gitlab["script"], gitlab["artifacts"]["paths"])]
    assert gitlab["artifacts"]["when"] == "always" and gitlab["artifacts"]["reports"]["junit"] == "results/junit.xml"
    return [([line for line in lines if not line.startswith("apt-get ")], kept) for lines, kept in jobs]


def job(binary, tmp_path, change=lambda text: text, only="", veths=True):
    """Run the job in a folder of its own: its status, what it printed, and what it kept."""
    folder = tmp_path / "job"
    (folder / "ci").mkdir(parents=True)
    (folder / "ci/forwarding_test.py").write_text(change(block("python")), encoding="utf-8")
    (folder / "ci/veths.sh").write_text(block("sh"), encoding="utf-8")
    (lines, (kept,)) = steps()[0]
    if not veths:
        lines = [line for line in lines if "veths" not in line]
    # A tree has no entry point for pytest.
    environment = {**server_env(binary), "PYTEST_ADDOPTS": f"-p zcfwd.pytest_plugin -p no:cacheprovider {only}"}
    with Namespaces(1) if veths else contextlib.nullcontext() as names:
        inside = entering(names[0]) if veths else []
        done = subprocess.run([*inside, "sh", "-ec", "\n".join(lines)], cwd=folder, env=environment, capture_output=True, text=True,
                              timeout=limit(200), check=False)
    results = {path.name: path.read_text(encoding="utf-8") for path in (folder / kept).glob("*")}
    return done.returncode, done.stdout + done.stderr, results


def test_both_jobs_run_the_same():
    """So that one of them is tested for both."""
    (github, kept), (gitlab, also) = steps()
    assert github == gitlab == ["sh ci/veths.sh", PYTEST] and kept == also == ["results"]


@pytest.mark.netns
@pytest.mark.extended
def test_green(binary, tmp_path):
    """Each test passes, and its answer is kept."""
    status, said, results = job(binary, tmp_path)
    assert status == 0 and "3 passed" in said, said
    assert set(results) == {"bursts.json", "test_loss[wire].json", "test_loss[veths].json", "junit.xml"}
    assert len(json.loads(results["bursts.json"])["combinations"]) == 2
    for name in ("wire", "veths"):
        assert [one["lost"] for one in json.loads(results[f"test_loss[{name}].json"])["streams"]] == [0, 0]
    assert xml.etree.ElementTree.fromstring(results["junit.xml"]).find("testsuite").get("tests") == "3"


@pytest.mark.extended
@pytest.mark.parametrize("change, only, words, kept", [
    (("ratio_high\"] >= 0.9", "ratio_high\"] >= 1000"), "-k bursts", "test_bursts", "bursts.json"),
    (("rx=wire:0\"", "rx=wire:0,loss=10\""), "-k wire", "test_loss", "test_loss[wire].json"),
], ids=["slow", "loss"])
def test_red(binary, tmp_path, change, only, words, kept):
    """A limit that is exceeded is the status, and the results are there all the same."""
    status, said, results = job(binary, tmp_path, lambda text: text.replace(*change), only, veths=False)
    assert status == 1 and "1 failed" in said and words in said, said
    assert json.loads(results[kept])["ok"] and xml.etree.ElementTree.fromstring(results["junit.xml"]).find("testsuite").get("failures") == "1"


@pytest.mark.extended
@pytest.mark.parametrize("change, only, words", [
    (("set generate flows 16", "set generate flow 16"), "-k wire", "did you mean \"flows\"?"),
    (("", ""), "-k veths", "no forwarding port: add one"),
], ids=["refused", "no veths"])
def test_red_without_result(binary, tmp_path, change, only, words):
    """A command that zcfwd refuses, and ports that are absent, with zcfwd's own words."""
    status, said, _ = job(binary, tmp_path, lambda text: text.replace(*change), only, veths=False)
    assert status == 1 and words in said, said
