# SPDX-License-Identifier: BSD-3-Clause
"""The files in doc/fleet/: they are YAML, the page names them, and the program takes the options and the commands that they have."""
import importlib.machinery
import importlib.util
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

import pytest
import yaml

from conftest import binary_path
from modelled import needs_model_nic
from session import one_prefix

ROOT = pathlib.Path(__file__).resolve().parents[2]
FLEET = ROOT / "doc/fleet"
TOOLS = FLEET.parents[1] / "app/tools"


def loaded(name):
    return yaml.safe_load((FLEET / name).read_text(encoding="utf-8"))


def test_the_page_names_them():
    page = FLEET.with_suffix(".md").read_text(encoding="utf-8")
    assert [file.name for file in FLEET.iterdir() if f"(fleet/{file.name})" not in page] == []


@needs_model_nic
def test_play(tmp_path):
    """What the play runs, run: its options, its commands but for the seconds, its recording where it fetches it."""
    (play,) = loaded("play.yaml")
    tasks = {task["name"]: task for task in play["tasks"]}
    commands = (FLEET / "forward.cmds").read_text(encoding="utf-8")
    assert commands.count("start for 10s") == 1
    (tmp_path / "forward.cmds").write_text(commands.replace("start for 10s", "start for 1s"), encoding="utf-8")
    words = tasks["Run them; a failing command is a failing task"]["ansible.builtin.command"]["cmd"]
    program, *options = shlex.split(words.replace("{{ zcfwd_options | default(usual_options) }}", play["vars"]["usual_options"]))
    assert program == "zcfwd"
    cpus = sorted(os.sched_getaffinity(0))
    lcores = [f"--lcores=0@{cpus[0]},1@{cpus[0]}"] if len(cpus) == 1 else []
    ran = subprocess.run([binary_path(), *lcores, *one_prefix([f"--file-prefix={tmp_path.name}", *options])], cwd=tmp_path, capture_output=True, text=True,
                         timeout=120, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    fetched = pathlib.PurePath(tasks["Fetch the recording"]["ansible.builtin.fetch"]["src"]).name
    lines = [json.loads(line) for line in (tmp_path / fetched).read_text(encoding="utf-8").splitlines()]
    assert lines[0]["format"] == "zcfwd-record" and len(lines) > 5


def test_failing_command_fails_the_task(tmp_path):
    (play,) = loaded("play.yaml")
    (tmp_path / "forward.cmds").write_text("set fwd nonsense\n", encoding="utf-8")
    options = shlex.split(play["vars"]["usual_options"].split("--model")[0]) + ["--cmdline-file=forward.cmds"]
    ran = subprocess.run([binary_path(), f"--file-prefix={tmp_path.name}", "--vdev=net_null0", *options], cwd=tmp_path, capture_output=True, text=True,
                         timeout=120, check=False)
    assert ran.returncode == 1 and "forward.cmds:1: " in ran.stderr


def test_scrape_targets():
    """The ports are the one that zcfwd-openmetrics has if nobody says otherwise."""
    asked = subprocess.run([TOOLS / "zcfwd-openmetrics", "--help"], capture_output=True, text=True, check=True, timeout=60).stdout
    own = re.search(r"default:\s+[\d.]+:(\d+)\)", asked)[1]
    (job,) = loaded("prometheus.yaml")["scrape_configs"]
    assert {target.split(":")[1] for group in job["static_configs"] for target in group["targets"]} == {own}


def test_dts_configuration():
    """make dts has DTS itself read them; here that the run's nodes and links are there."""
    run = loaded("dts-test-run.yaml")
    ports = {node["name"]: {port["name"] for port in node["ports"]} for node in loaded("dts-nodes.yaml")}
    for link in run["port_topology"]:
        ends = dict(re.findall(r"(sut|tg)\.(\S+)", link))
        assert ends["sut"] in ports[run["system_under_test_node"]] and ends["tg"] in ports[run["traffic_generator_node"]]
    assert run["dpdk"]["build"]["precompiled_build_dir"] and "build_options" not in run["dpdk"]["build"]


def suites_tool():
    loader = importlib.machinery.SourceFileLoader("dts_suites", str(ROOT / "devtools/dts-suites"))
    tool = importlib.util.module_from_spec(importlib.util.spec_from_loader("dts_suites", loader))
    loader.exec_module(tool)
    return tool


def test_dts_suites_verdicts(capsys):
    """Cases of DTS's results, a suite that was skipped as a whole, and one whose set-up failed."""
    tool = suites_tool()
    passed = {"result": "PASS"}
    found = tool.verdicts({"execution_errors": ["it  broke"], "test_suites": {
        "vlan": {"setup": passed, "one": {"setup": passed, "result": "FAIL", "reason": "no\n tag", "teardown": passed}, "two": passed, "teardown": passed},
        "rx_split": {"result": "SKIP", "reason": "no such card"}, "mtu": {"setup": {"result": "ERROR"}, "result": "ERROR"}}})
    assert found == {("vlan", "one"): ("FAIL", "no tag"), ("vlan", "two"): ("PASS", ""), ("rx_split", "-"): ("SKIP", "no such card"),
                     ("mtu", "-"): ("ERROR", "")}
    assert "DTS: it broke" in capsys.readouterr().out


@pytest.mark.parametrize("first, last, worse", [("FAIL", "PASS", True), ("PASS", "FAIL", False), ("FAIL", "FAIL", False), (None, "PASS", True)])
def test_dts_suites_table(capsys, first, last, worse):
    """A case that the last program passes alone is the failure of the comparison."""
    tool = suites_tool()
    all_found = [{("vlan", "one"): (first, "why")} if first else {}, {("vlan", "one"): (last, "")}]
    assert tool.table(["zcfwd", "dpdk-testpmd"], all_found) == worse
    text = capsys.readouterr().out
    assert ("DIFFERENT" in text) == (first != last) and f"dpdk-testpmd: 1 {last}" in text and ("not run" in text) == (first is None)


@pytest.mark.parametrize("words, said", [
    (["/nowhere"], "neither DPDK's tree nor a clone"),
    (["--suites", "nosuch", "TREE"], "nosuch: no such suite"),
    (["--generator", "zcfwd,trex", "TREE"], "trex: no such generator: expected scapy or zcfwd"),
    (["--suites", "single_core_forward_perf", "TREE"], "single_core_forward_perf: expected --generator zcfwd"),
])
def test_dts_suites_refuses(tmp_path, words, said):
    """One line, before anything is made."""
    if os.geteuid() != 0 and "generator:" not in said:
        said = "expected root"
    (tmp_path / "dts/tests").mkdir(parents=True)
    (tmp_path / "dts/tests/TestSuite_single_core_forward_perf.py").touch()
    done = subprocess.run([sys.executable, ROOT / "devtools/dts-suites", *(str(tmp_path) if word == "TREE" else word for word in words)],
                          capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1 and done.stderr.count("\n") == 1 and said in done.stderr, done.stderr


def test_dts_suites_generators():
    """Without zcfwd as generator nothing of DTS is changed; with it, a second one where suites about performance are among them."""
    tool = suites_tool()
    assert tool.generators("scapy", [tool.PERFORMANCE]) == {"func_traffic_generator": {"type": "SCAPY"}, "perf": False}
    functional, both = tool.generators("zcfwd", ["vlan"]), tool.generators("zcfwd", ["vlan", tool.PERFORMANCE])
    assert not functional["perf"] and both["perf"] and both["perf_traffic_generator"] == both["func_traffic_generator"] == functional["func_traffic_generator"]
    assert functional["func_traffic_generator"]["type"] == "ZCFWD"
    names = [tool.name_of(pathlib.Path("/x/zcfwd"), generator) for generator in tool.GENERATORS]
    assert names == ["zcfwd", "zcfwd-by-zcfwd"]


def test_dts_suites_patch_of_another_dts(tmp_path, monkeypatch):
    """A DTS that the patch is not for is named with the file that differs, and its own folder is as it was."""
    tool = suites_tool()
    monkeypatch.setattr(tool.dts, "FOLDER", tmp_path / "made")
    changed = re.findall(r"^--- a/(dts/\S+)", tool.PATCH.read_text(encoding="utf-8"), re.M)
    assert len(changed) == 3
    for name in changed:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("another release\n", encoding="utf-8")
    with pytest.raises(SystemExit, match=r"dts-zcfwd.patch does not apply to this DTS: .*FAILED"):
        tool.patched(tmp_path / "dts")
    assert {(tmp_path / name).read_text(encoding="utf-8") for name in changed} == {"another release\n"}
