# SPDX-License-Identifier: BSD-3-Clause
"""doc/json.md: every example in it is run, and its answer has exactly the members, types and units that the page lists."""
import importlib.machinery
import importlib.util
import json
import re
import subprocess

import pytest
from conftest import ROOT
from modelled import dpdk_release
from session import STARTUP_S

pytestmark = pytest.mark.zcfwd

PAGE = ROOT / "doc/json.md"
ROW = re.compile(r"^\| ?`([^`]+)` ?\| ?([^|]*?) ?\| ?([^|]*?) ?\| ?(.*?) ?\|$")
SAME = re.compile(r"as in `([^`]+)`(?:: `([^`]+)`)?")
# The page is of this release: drivers and ethdev of others may report more.
exact = pytest.mark.skipif(not dpdk_release().startswith("22.11"), reason="doc/json.md is of DPDK 22.11")


def load():
    loader = importlib.machinery.SourceFileLoader("json_reference", str(ROOT / "devtools/json-reference"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("json_reference", loader))
    loader.exec_module(module)
    return module


reference = load()


def documented():
    """{command: {path: (type, unit, meaning)}} of the page."""
    found = {}
    for section in PAGE.read_text(encoding="utf-8").split("\n### ")[1:]:
        command, *lines = section.split("\n## ")[0].splitlines()
        found[command] = {match[1]: match.groups()[1:] for match in map(ROW.match, lines) if match}
    return found


PAGES = documented()


@pytest.fixture(scope="module")
def schema(binary, tmp_path_factory):
    folder = tmp_path_factory.mktemp("schema")
    subprocess.run([binary, "--generate-docs", f"{folder}/"], check=True, timeout=STARTUP_S)
    return json.loads((folder / "answer.schema.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def answers(binary):
    return list(zip(reference.commands(), reference.answers(binary)))


def violations(schema, rule, value, path="answer"):
    """What a value has against a rule of the JSON Schema; of the keywords, those that the program writes."""
    if "$ref" in rule:
        rule = schema["$defs"][rule["$ref"].rpartition("/")[2]]
    types = rule.get("type", [])
    kind = "an object of Python" if value is object else reference.type_of(value)
    allowed = {types} if isinstance(types, str) else set(types)
    allowed |= {"integer"} if "number" in allowed else set()
    if types and {"histogram": "object"}.get(kind, kind) not in allowed:
        yield f"{path} is {kind}: expected {types}"
    elif isinstance(value, dict):
        yield from (f"{path} has no {name}" for name in rule.get("required", ()) if name not in value)
        for name, one in value.items():
            yield from violations(schema, rule.get("properties", {}).get(name, rule.get("additionalProperties", {})), one, f"{path}.{name}")
    elif isinstance(value, list):
        for one in value:
            yield from violations(schema, rule.get("items", {}), one, path + "[]")


def expected(command, below=""):
    """The page's members of a command, or of one of its parts, with those that are described at another command."""
    for path, (word, unit, meaning) in PAGES[command].items():
        if below and not path.startswith((below + ".", below + "[]")):
            continue
        yield path, word, unit
        same = SAME.fullmatch(meaning)
        if same:
            part = same[2] or ""
            for further, one, two in expected(same[1], part):
                yield path + (further[len(part):] if part else "." + further), one, two


def mismatches(command, one):
    """Members that answers to a command have and the page has not, or the other way round, or of another type."""
    page = {path: word for path, word, _ in expected(command)}
    named = {path.removesuffix(".*") for path in page if path.endswith(".*")}
    found = reference.seen(one, named)
    for path, (types, n) in found.items():
        if path.endswith("[]"):
            continue
        word = page.get(path)
        if word is None:
            yield f"{path} is not in the page"
        elif types - reference.allowed(re.sub(r" of [\w ]+", "", word)):
            yield f"{path} is {' or '.join(sorted(types))}: the page has {word}"
        elif "optional" not in word and reference.optional(found, path, len(one)):
            yield f"{path} is not in every answer"
    for path, word in page.items():
        above = reference.parent(path)
        if path not in found and not path.endswith(".*") and "optional" not in word and (not above or above in found):
            yield f"no answer has {path}"


def test_page_has_commands():
    assert len(PAGES) > 40 and {"start", "show port stats all", "show fwd counters"} <= set(PAGES)


def test_envelope(schema, answers):
    """Every answer, failures too, agrees with the schema that the program prints."""
    for (_, command, _, fails, _), answer in answers:
        assert list(violations(schema, schema, answer)) == [], command
        assert answer["ok"] != fails and ("error" in answer) == fails and answer["schema"] == 1


@exact
@pytest.mark.parametrize("command", PAGES)
def test_members(answers, command):
    one = [answer for (_, name, documented, _, _), answer in answers if name == command and documented]
    assert one and list(mismatches(command, one)) == []


def test_rows_are_the_schemas(schema, answers):
    """Rows of statistics have the type that their table says; null is what was not counted."""
    tables = {"show fwd counters": ("streams", "stream"), "show fwd bursts": ("streams", "stream"), "show port stats all": ("ports", "port")}
    n = 0
    for (_, command, *_), answer in answers:
        where, table = tables.get(command, (None, None))
        for one in answer.get(where, ()):
            known = {name: value for name, value in one.items() if name in schema["$defs"][table]["properties"]}
            assert len(known) > 1 and list(violations(schema, schema["$defs"][table], known)) == []
            n += len(known)
    assert n > 40


@exact
@pytest.mark.parametrize("command", PAGES)
def test_schema_of_a_command(schema, answers, command):
    """Each answer agrees with the JSON Schema of its command, and one of another type does not."""
    rules = json.loads((ROOT / "doc/commands.schema.json").read_text(encoding="utf-8"))
    assert rules["version"] == schema["version"] and set(rules["$defs"]) == set(PAGES)
    rule = {name: value for name, value in rules["$defs"][command].items() if name != "$ref"}
    own = {answer["command"]: answer for (_, name, documented, fails, _), answer in answers if name == command and documented and not fails}
    assert own
    for answer in own.values():
        assert list(violations(schema, rule, answer)) == []
        name = next(iter(rule.get("properties", {})), None)
        assert name is None or "type" not in rule["properties"][name] or list(violations(schema, rule, {**answer, name: object}))


@exact
def test_page_is_current(schema, answers):
    found = [answer for _, answer in answers]
    assert PAGE.read_text(encoding="utf-8") == reference.page(schema, found), "run make docs"
    assert (ROOT / "doc/commands.schema.json").read_text(encoding="utf-8") == reference.schemas(schema, found), "run make docs"


@exact
def test_other_members_are_seen(answers):
    """A member more, less or of another type is no match."""
    (answer,) = [answer for (_, command, *_), answer in answers if command == "show pool"]
    pool = answer["pools"][0]
    for changed in ({**pool, "more": 1}, {name: value for name, value in pool.items() if name != "size"}, {**pool, "size": "8192"}):
        assert list(mismatches("show pool", [{**answer, "pools": [changed]}]))
    assert not list(mismatches("show pool", [answer]))
