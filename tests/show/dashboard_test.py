# SPDX-License-Identifier: BSD-3-Clause
"""The dashboard for Grafana: each figure that it asks for is one that the program has, with these labels, and its panels do not overlap."""
import itertools
import json
import pathlib
import re
import subprocess
import sys

import pytest
from session import Session
from telemetry import socket_path

pytestmark = pytest.mark.zcfwd
TOOLS = pathlib.Path(__file__).resolve().parents[2] / "app/tools"
DASHBOARD = json.loads((TOOLS / "zcfwd-grafana.json").read_text(encoding="utf-8"))
# Members that Grafana's schema of dashboards (version 39) asks for, and their types.
PANEL = {"id": int, "type": str, "title": str, "description": str, "gridPos": dict, "fieldConfig": dict, "options": dict, "targets": list, "datasource": dict}
UNITS = {"short", "pps", "percentunit", "Bps", "Mbits"}


def queries():
    """Each expression with its legend."""
    return [(target["expr"], target["legendFormat"]) for panel in DASHBOARD["panels"] for target in panel["targets"]]


def test_form():
    """What Grafana's import refuses, or shows wrong without a word."""
    assert DASHBOARD["schemaVersion"] == 39 and DASHBOARD["uid"] and DASHBOARD["title"]
    assert {one["name"] for one in DASHBOARD["templating"]["list"]} == {"datasource", "instance"}
    panels = DASHBOARD["panels"]
    assert len({panel["id"] for panel in panels}) == len({panel["title"] for panel in panels}) == len(panels)
    for panel in panels:
        assert all(isinstance(panel[key], kind) for key, kind in PANEL.items()) and panel["type"] in ("stat", "timeseries"), panel
        assert panel["fieldConfig"]["defaults"]["unit"] in UNITS
        assert len({target["refId"] for target in panel["targets"]}) == len(panel["targets"])
        assert all(target["datasource"] == panel["datasource"] == {"type": "prometheus", "uid": "${datasource}"} for target in panel["targets"])
    for one, other in itertools.combinations([panel["gridPos"] for panel in panels], 2):
        assert one["x"] + one["w"] <= 24
        assert one["x"] + one["w"] <= other["x"] or other["x"] + other["w"] <= one["x"] or one["y"] + one["h"] <= other["y"] or other["y"] + other["h"] <= one["y"]


def test_figures(binary):
    """Every metric of an expression, and every label of its legend."""
    with Session(binary, telemetry=True) as session:
        session.ok("start", "stop")
        done = subprocess.run([sys.executable, TOOLS / "zcfwd-openmetrics", "-s", str(socket_path(session)), "--once"], capture_output=True, text=True, check=True,
                              timeout=60)
    labels = {}
    for name, text in re.findall(r"(?m)^(zcfwd_\w+)(?:\{(.*)\})? \S+$", done.stdout):
        labels.setdefault(name, set()).update(re.findall(r'(\w+)="', text))
    for expression, legend in queries():
        names = re.findall(r"zcfwd_\w+", expression)
        assert names and all(name in labels for name in names), expression
        assert set(re.findall(r"\{\{(\w+)\}\}", legend)) <= labels[names[0]] | {"instance"}, (legend, labels[names[0]])
        assert expression.count('{instance=~"$instance"}') == len(names), "it would show the figures of other programs"
        assert all(("rate(" in expression) == name.endswith("_total") or name == "zcfwd_runs_total" for name in names), expression
