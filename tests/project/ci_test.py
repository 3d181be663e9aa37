# SPDX-License-Identifier: BSD-3-Clause
"""Continuous integration itself: .ci/run on a tree whose tests are made up is red for each thing that it must not call green."""
import datetime
import json
import os
import re
import shutil
import subprocess
import sys

import pytest

from conftest import ROOT, binary_path, turns

REAL = (".ci/run", "Makefile", "devtools/ci-tests", "devtools/cross", "devtools/disguise", "devtools/matrix", "devtools/matrix-row", "devtools/test",
        "devtools/test-summary", "devtools/ungrouped")
# meson test with made-up tests: tests.json says of each what it prints at its first, second, ... run; the last holds for all that follow.
MESON = """#!/usr/bin/python3
import json, os, sys, time
from xml.sax.saxutils import quoteattr
tests, words = json.load(open("tests.json")), sys.argv[2:]
if sys.argv[1] == "introspect":
    print(json.dumps([{"name": name, "timeout": test.get("timeout", 1), "suite": ["zcfwd:core"] + ["zcfwd:extended"] * ("extended" in test)}
                      for name, test in tests.items()]))
if sys.argv[1] != "test":
    sys.exit(0)
base = words[words.index("--logbase") + 1]
named = [word for word in words if word in tests]
turn = f"{os.environ['ZCFWD_TEST_SEED']} {os.environ.get('ZCFWD_TEST_ROTATE') or 'all'}"
only = os.environ.get("TEST_ONLY", "").split("\\n") if os.environ.get("TEST_ONLY") else None
with open("ran", "a") as ran:
    print(base, *named, only, file=ran)
open("words", "w").write(" ".join(words))
with open("turns", "a") as turns:
    print(base, turn, file=turns)
umask = os.umask(0)
os.umask(umask)
with open("host", "w") as host:
    print(*(f"{name}={os.environ[name]}" for name in ("FAKE_L2", "HIDE_CPU", "HIDE_IPV6", "LC_ALL", "TZ", "HOME") if name in os.environ),
          f"umask={umask:o}", f"at_once={os.environ['MESON_TESTTHREADS']}", f"cpus={','.join(map(str, sorted(os.sched_getaffinity(0))))}", file=host)
junit, lines, bad = [], [], False
if "--suite" in words or "--no-suite" in words:
    assert not named
    named = [name for name in tests if ("extended" in tests[name]) == ("extended" in words and "--no-suite" not in words)]
elif not named:
    named = list(tests)
for name in named:
    test = tests[name]
    count = "count." + name
    times = int(open(count).read()) if os.path.exists(count) else 0
    if not base.startswith("beside"):
        open(count, "w").write(str(times + 1))
    time.sleep(test.get("takes", 0) if base.startswith("again") else 0)
    output, cases, failed, ran = [], [], False, False
    for number, (case, verdicts) in enumerate(test["cases"].items(), 1):
        if only and case not in only:
            continue
        verdict = verdicts[min(times, len(verdicts) - 1)]
        skipped, wrong = verdict.startswith("skip"), verdict == "fail"
        output.append(f"{'not ok' if wrong else 'ok'} {number} - {case}" + (f" # SKIP {verdict[5:]}" if skipped else ""))
        cases.append(f'<testcase name={quoteattr(f"{number} - {case}")}>{"<failure/>" * wrong}{"<skipped/>" * skipped}</testcase>')
        failed |= wrong
        ran |= not skipped
    result = test.get("result", "FAIL" if failed else "OK" if ran else "SKIP")
    bad |= result not in ("OK", "SKIP")
    full = "zcfwd:core / " + name
    lines.append({"name": full, "stdout": "\\n".join(output) + test.get("prints", ""), "result": result, "returncode": int(failed),
                  "starttime": test.get("start", 0), "duration": 1})
    if cases:
        junit.append(f'<testsuite name="zcfwd.{full}">{"".join(cases)}</testsuite>')
logs = "build/meson-logs/"
open(logs + base + ".json", "w").write("\\n".join(map(json.dumps, lines)))
open(logs + base + ".txt", "w").write("run " + base)
open(logs + base + ".junit.xml", "w").write(f'<testsuites>{"".join(junit)}</testsuites>')
sys.exit(bad or os.path.exists("meson-fails"))
"""
MAKE = """#!/bin/sh
case $1 in
run) printf 'RX-packets: 7  RX-bytes: 1\\nRX-packets: 8  RX-bytes: 1\\n' ;;
install)
	mkdir -p "${2#DESTDIR=}/usr/local/bin"
	printf '#!/bin/sh\\n' >"${2#DESTDIR=}/usr/local/bin/zcfwd"
	touch "${2#DESTDIR=}/usr/local/dma_adaptive.so"
	chmod +x "${2#DESTDIR=}/usr/local/bin/zcfwd" ;;
tsan) test "$2" = FUZZ_SECONDS=0 ;;
uninstall) rm -r build-installed/usr ;;
*) exec MAKE "$@" ;;
esac
"""
TODAY = datetime.date.today()
SOON, LATE, PAST = (str(TODAY + datetime.timedelta(days)) for days in (13, 15, -1))
# A name with what once made the machinery take a part of it for the name of a test.
ODD = "b_test.py::test_odd[a / b: c]"
FLAKY = {"b_test": {"cases": {"b_test.py::test_good": ["ok"], ODD: ["fail", "ok", "fail", "ok"]}}}


class Tree:
    """A clone with the real machinery and made-up tests."""

    def __init__(self, path):
        self.path = path
        for name in (*REAL, "tools/x", "doc/x", "tests/x", "build/tests/x", "build/meson-logs/x"):
            (path / name).parent.mkdir(parents=True, exist_ok=True)
        for name in REAL:
            shutil.copy(ROOT / name, path / name)
        self.tool("devtools/debian-root", 'claim() { mkdir -p "$1"; }\nown_release() { echo none; }\nmake_root() { false; }\n')
        self.tool("devtools/driver-source", "#!/bin/sh\necho /source\n")
        for name in ("devtools/setup", "devtools/compile", "devtools/variants"):
            self.tool(name, "#!/bin/sh\n")
        self.tool("tools/meson", MESON)
        self.tool("tools/make", MAKE.replace("MAKE", shutil.which("make")))
        for name in ("unshare", "mmdebstrap"):  # no bare root
            self.tool(f"tools/{name}", "#!/bin/sh\nexit 1\n")
        self.write("tests/ledger", "# none\n")
        self.write("tests/expected-skips", "floor | 3 | tests | of these\n")
        self.tests()

    def tool(self, name, text):
        self.write(name, text)
        (self.path / name).chmod(0o755)

    def write(self, name, text):
        (self.path / name).write_text(text, encoding="utf-8")

    def read(self, name):
        return (self.path / name).read_text(encoding="utf-8")

    def tests(self, **more):
        """One good test, which runs all the time, one in each part of the second tier, and others, which short limits place beside x_test."""
        good = {"a_test": {"cases": {"one": ["ok"], "two": ["ok"]}}, "x_test": {"cases": {"three": ["ok"]}, "extended": True, "start": 100},
                "y_test": {"cases": {"four": ["ok"]}, "extended": True, "timeout": 9}, "z_test": {"cases": {"five": ["ok"]}, "extended": True, "timeout": 9}}
        self.write("tests.json", json.dumps({**good, **more}))

    def run(self, *command, **environ):
        """(green, what was printed)."""
        path = f"{self.path / 'tools'}:{os.environ['PATH']}"
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MESON", "TEST_", "LOGBASE", "CI_", "COMPILE", "FAKE_", "HIDE_", "CPUS", "ZCFWD_TEST_"))}
        done = subprocess.run(command or [".ci/run"], cwd=self.path, env={**clean, "PATH": path, "DISGUISE": "none", **environ}, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", timeout=200, check=False)
        return done.returncode == 0, done.stdout


@pytest.fixture
def tree(tmp_path):
    return Tree(tmp_path)


def red(tree, *expected, **environ):
    green, text = tree.run(**environ)
    assert not green, text
    for piece in expected:
        assert piece in text, text
    assert " 0 failed" not in text.splitlines()[-1], text
    return text


def test_green(tree):
    green, text = tree.run()
    assert green and text.splitlines()[-1] == "7 passed, 0 failed", text
    assert tree.read("ran").splitlines() == ["testlog None", "testlog-extended x_test None"]
    assert "ci: ZCFWD_TEST_SEED=101\n" in text and "ci: extended tests: part 3 of 3: x_test\n" in text, text
    assert tree.read("turns").splitlines() == ["testlog 101 yes", "testlog-extended 101 all"]


def test_parts(tree):
    """Consecutive commits run all extended tests, each once; make test-all runs them at once, with all cases."""
    for seed in (101, 202, 303):
        assert tree.run("devtools/ci-tests", "run", "build", "in-place", "100", ZCFWD_TEST_SEED=str(seed))[0]
    parts = [line.split()[1] for line in tree.read("ran").splitlines() if line.startswith("testlog-extended")]
    assert sorted(parts) == ["x_test", "y_test", "z_test"], parts
    green, text = tree.run("make", "test-all")
    assert green and tree.read("turns").splitlines()[-1] == "testlog 1 all", text


@pytest.mark.parametrize("args, turn", [([], "yes"), (["TEST_ARGS=--suite functional --no-suite extended"], "yes"), (["TEST_ARGS=a_test"], "all")])
def test_turns(tree, args, turn):
    """Who names a test gets all of its cases."""
    green, text = tree.run("make", "test", *args)
    assert green and tree.read("turns").splitlines() == [f"testlog 1 {turn}"], text
    assert ("test: ZCFWD_TEST_SEED=1, which chooses a part" in text) == (turn == "yes"), text


@pytest.mark.parametrize("n", [2, 3, 4, 5, 8])
@pytest.mark.parametrize("step", [1, 101])  # of seeds, of commits
def test_cases_take_turns(n, step):
    """n seeds take each case once, whatever their number, and no seed takes none; a run of a product has each of two devices."""
    for count in (1, n - 1, n, n + 1, 47):
        taken = [turns(range(count), n, 7 + step * seed) for seed in range(min(n, count))]
        assert sorted(sum(taken, [])) == list(range(count)) and all(taken), (count, taken)
    assert all({case % 2 for case in turns(range(6 * n), n, step * seed)} == {0, 1} for seed in range(n))


@pytest.mark.needs()
def test_each_file_is_in_a_tier():
    """A file of tests that no meson.build names is in no tier, and would never run."""
    listed = json.loads(subprocess.run(["meson", "introspect", "--tests", binary_path().parent], check=True, capture_output=True, timeout=60).stdout)
    run = {os.path.realpath(word) for test in listed for word in test["cmd"]}
    here = {str(path) for path in (ROOT / "tests").rglob("*_test.py") if "soak_test" not in path.name and "vm" not in path.parts}
    assert here <= run, here - run


def test_colours(tree):
    """A sanitizer's report has some; meson copies them into its XML, which allows no such characters."""
    tree.tests(b_test={"cases": {"\x1b[31mred": ["ok"]}})
    green, text = tree.run()
    assert green and text.splitlines()[-1] == "8 passed, 0 failed", text


def test_nothing_extended(tree):
    """Each tier has to run."""
    tree.write("tests.json", json.dumps({"a_test": {"cases": {"one": ["ok"], "two": ["ok"], "three": ["ok"]}}}))
    red(tree, "extended tests: none")


def test_failed_in_second_tier(tree):
    tree.tests(b_test={"cases": {"bad": ["fail", "ok"]}, "extended": True, "start": 100})
    red(tree, "again: b_test: bad: failed 0 of 20, beside x_test", "failed: b_test: bad", "7 passed, 1 failed")


def test_named(tree):
    """TEST_ARGS names some tests: the floor is for all of them."""
    tree.tests(b_test={"cases": {"good": ["ok"]}})
    green, text = tree.run(TEST_ARGS="b_test")
    assert green and text.splitlines()[-1] == "5 passed, 0 failed", text
    assert tree.read("ran").splitlines() == ["testlog b_test None"]


@pytest.mark.parametrize("what", ["devtools/compile", "devtools/setup", "tools/meson"])
def test_nothing_ran(tree, what):
    """What fails before the first test."""
    tree.tool(what, "#!/bin/sh\necho it went wrong; exit 1\n")
    red(tree, "no test ran")


@pytest.mark.parametrize("command", [[".ci/run"], ["make", "test"]])
def test_old_log_is_not_counted(tree, command):
    assert tree.run(*command)[0]
    tree.tool("devtools/compile", "#!/bin/sh\nexit 1\n")
    green, text = tree.run(*command)
    assert not green and "no test ran" in text, text


def test_status_alone(tree):
    """meson ends with an error, though each test was good."""
    tree.write("meson-fails", "")
    red(tree, "status 2, although no test failed")


def test_no_judge(tree):
    """Of a program that does not start there is no last line to count."""
    tree.tool("devtools/ci-tests", "#!/bin/sh\necho 9 passed, 0 failed; exit 1\n")
    red(tree)
    tree.tool("devtools/ci-tests", "#!/bin/sh\nexit 0\n")
    red(tree)


def test_driver_source(tree):
    tree.tool("devtools/driver-source", "#!/bin/sh\necho driver-source: the archive is down >&2; exit 1\n")
    red(tree, "DPDK's source is missing: driver-source: the archive is down")


def test_floor(tree):
    tree.write("tests/expected-skips", "floor | 4 | tests | of these\n")
    red(tree, "3 tests ran: expected 4 or more")


def test_variants(tree):
    """A feature that cannot be left out is a failure beside those of the tests."""
    tree.tool("devtools/variants", '#!/bin/sh\n[ "$1 $2" = "build --seed" ] && echo variants: without bond: not built; exit 1\n')
    red(tree, "variants: without bond: not built", "ci: make variants: ", "7 passed, 1 failed")


def test_make_run(tree):
    tree.tool("tools/make", MAKE.replace("RX-packets: 8", "RX-packets: 0").replace("MAKE", shutil.which("make")))
    red(tree, "ci: make run: ", "6 passed, 1 failed")


KILL = """until grep -q reserved build-bare/run.log; do :; done
pid=$$
while [ "$pid" -gt 1 ]; do
	parent=$(sed 's/.*) . //; s/ .*//' /proc/$pid/stat)
	[ "$(cat /proc/$pid/comm)" != run ] || kill $pid
	pid=$parent
done
"""


@pytest.mark.parametrize("killed", [False, True])
def test_pages_are_given_back(tree, killed):
    """Those that make run reserved, and no others: another test may have reserved some since. The kernel's number is a file here."""
    knob, unshare = tree.path / "knob", shutil.which("unshare")
    state = [unshare, "--mount", "sh", "-ec", f"mount --bind '{knob}' /proc/sys/vm/nr_hugepages; exec .ci/run"]
    tree.write("knob", "100\n")
    if subprocess.run([*state[:4], state[4].replace(".ci/run", "true")], capture_output=True, check=False, timeout=60).returncode != 0:
        pytest.skip("this state cannot be had here")
    reserves = f"""run) echo 420 >/proc/sys/vm/nr_hugepages
        echo 'run: reserved 256 huge pages of 2 MiB, which stay reserved' >&2
        {KILL if killed else ""}"""
    tree.tool("tools/make", MAKE.replace("run)", reserves).replace("MAKE", shutil.which("make")))
    green, text = tree.run(*state)
    assert green != killed, text
    assert tree.read("knob") == "164\n"


SKIPPED = {"b_test": {"cases": {"b1": ["skip needs [AVX-512]"], "b2": ["skip needs [AVX-512]"]}},
           "c_test": {"cases": {}, "result": "SKIP", "prints": "1..0 # SKIP no model here"}}


@pytest.mark.parametrize("lines, missing", [
    ([], ["b_test: needs [AVX-512] (2 times)", "c_test: no model here"]),
    (["in-place | 1 | b_test | needs [AVX-512]", "any | 1 | c_test | no model*"], ["b_test: needs [AVX-512]"]),
    (["in-place | 2 | b_test | needs [AVX-512]", "bare-root | 1 | c_test | no model here"], ["c_test: no model here"]),
    (["in-place | 2 | b_test | needs A", "any | 1 | * | no*"], ["b_test: needs [AVX-512] (2 times)"]),
    (["any | many | b_test | needs*"], ["expected a count"]),
    (["any | 2 | b_test"], ["expected 4 fields"]),
])
def test_unexpected_skips(tree, lines, missing):
    tree.tests(**SKIPPED)
    tree.write("tests/expected-skips", "\n".join(["floor | 3 | tests | of these", *lines]) + "\n")
    text = red(tree, *missing)
    assert text.count("failed: unexpected skip") == len(missing) or "expected-skips:" in text, text


def test_expected_skips(tree):
    """One command adds the lines that are missing."""
    tree.tests(**SKIPPED)
    red(tree)
    _, lines = tree.run("devtools/ci-tests", "skips", "build")
    assert lines.splitlines() == [f"{lines.split()[0]} | 2 | b_test | needs [AVX-512]", f"{lines.split()[0]} | 1 | c_test | no model here"]
    tree.run("devtools/ci-tests", "skips", "build", "--write")
    green, text = tree.run()
    assert green and text.splitlines()[-1] == "7 passed, 0 failed, 3 skipped", text


@pytest.mark.parametrize("line, environ", [("one-cpu", {"CPUS": str(min(os.sched_getaffinity(0)))}), ("no-avx512", {"HIDE_CPU": "avx512"})], ids=["CPUS", "HIDE_CPU"])
def test_environment_of_skips(tree, line, environ):
    """Skips that only a narrowed machine has."""
    tree.tests(b_test={"cases": {"b1": ["skip too narrow"]}})
    tree.write("tests/expected-skips", f"floor | 3 | tests | of these\n{line} | 1 | b_test | too narrow\n")
    if line == "one-cpu" and len(os.sched_getaffinity(0)) > 1:
        red(tree, "failed: unexpected skip")
    green, text = tree.run(**environ)
    assert green, text
    assert ("ci: functional tests of make test alone, because on one CPU" in text) == (line == "one-cpu" or len(os.sched_getaffinity(0)) == 1), text


def test_one_cpu_at_once(tree):
    """The tests are as many at once as suits the CPUs of the disguise, and one CPU runs the functional tests of the first tier alone."""
    green, text = tree.run(DISGUISE="last-cpu")
    assert green and text.splitlines()[-1].startswith("6 passed, 0 failed"), text
    assert tree.read("ran").splitlines() == ["testlog None"] and "--suite functional --no-suite extended" in tree.read("words")
    assert "at_once=2" in tree.read("host").split(), tree.read("host")


def disguise(*words):
    return subprocess.run([ROOT / "devtools/disguise", *words], capture_output=True, text=True, check=True, timeout=60).stdout.strip()


@pytest.mark.parametrize("name, expected", [
    ("none", ()), ("l2-256k", ("FAKE_L2=262144",)), ("l2-512k", ("FAKE_L2=524288",)), ("l2-4m", ("FAKE_L2=4194304",)), ("l2-unknown", ("FAKE_L2=0",)),
    ("last-cpu", (f"cpus={max(os.sched_getaffinity(0))}",)), ("no-avx512", ("HIDE_CPU=avx512",)), ("no-avx2", ("HIDE_CPU=avx2",)),
    ("no-ipv6", ("HIDE_IPV6=1",)), ("german", ("LC_ALL=de_DE.UTF-8",)), ("posix", ("LC_ALL=POSIX",)), ("nepal", ("TZ=Asia/Kathmandu",)),
    ("umask", ("umask=77",)), ("no-home", ())])
def test_disguise(tree, name, expected):
    """Tests run on another host, and the run says on which."""
    green, text = tree.run(DISGUISE=name, HOME="/home/x", LC_ALL="C", TZ="UTC")
    assert green and f"ci: disguise: {disguise('words', name)}\n" in text, text
    host = tree.read("host").split()
    assert set(expected) <= set(host) and ("HOME=/home/x" in host) == (name != "no-home"), host
    if name == "none":
        assert not any(word.startswith(("FAKE", "HIDE")) for word in host), host


def test_disguise_of_the_seed(tree):
    """Seeds that follow each other choose all disguises, and nothing else; a narrowed machine is disguised already."""
    names = disguise("list").split()
    for step in (1, 101):  # of seeds, of commits
        assert sorted(disguise("pick", str(100 + step * n)) for n in range(len(names))) == sorted(names) and "none" not in names
    for environ, name in (({"ZCFWD_TEST_SEED": "3"}, disguise("pick", "3")), ({"HIDE_CPU": "avx512"}, "none")):
        green, text = tree.run(DISGUISE="", **environ)
        assert green and f"ci: disguise: {disguise('words', name)}\n" in text, text


def test_unknown_disguise(tree):
    green, text = tree.run(DISGUISE="l2-1m")
    (line,) = [line for line in text.splitlines() if "setlocale" not in line]  # bash warns where the run's locale is not there
    assert not green and line.startswith('disguise: "l2-1m": expected none, l2-256k, '), text


@pytest.mark.parametrize("line, name", [("one-cpu", "last-cpu"), ("no-avx2", "no-avx2"), ("no-avx512", "no-avx2"), ("no-ipv6", "no-ipv6")])
def test_skips_of_a_disguise(tree, line, name):
    tree.tests(b_test={"cases": {"b1": ["skip too narrow"]}})
    tree.write("tests/expected-skips", f"floor | 3 | tests | of these\n{line} | 1 | b_test | too narrow\n")
    green, text = tree.run(DISGUISE=name)
    assert green, text
    if name == "no-ipv6" and os.path.exists("/proc/sys/net/ipv6"):
        red(tree, "failed: unexpected skip")


def test_silence_is_no_skip(tree):
    tree.tests(c_test={"cases": {}, "result": "SKIP"})
    red(tree, "failed: c_test: skip")


def test_repeats(tree):
    """What fails runs 20 times more, alone of its file, beside what ran beside it; the first log stays, and the run is red."""
    tree.tests(**FLAKY)
    red(tree, f"again: b_test: {ODD}: failed 1 of 20, beside a_test", f"failed: b_test: {ODD}", "8 passed, 1 failed")
    assert tree.read("build/meson-logs/testlog.txt") == "run testlog"
    ran = tree.read("ran").splitlines()
    assert [line for line in ran if line.startswith("again")] == [f"again-b_test-{n} b_test {[ODD]}" for n in range(1, 21)]
    assert "beside-b_test-a_test a_test None" in ran
    assert all((tree.path / f"build/meson-logs/again-b_test-{n}.txt").exists() for n in range(1, 21))


def test_always(tree):
    tree.tests(b_test={"cases": {"bad": ["fail"], "bad too": ["fail", "ok"]}, "start": 5})
    red(tree, "again: b_test: bad: failed 20 of 20, beside no other test", "again: b_test: bad too: failed 0 of 20", "7 passed, 2 failed")


def test_crash(tree):
    """The failing case is unknown: the whole test runs again, and passes only if all its cases do."""
    tree.tests(b_test={"cases": {"good": ["ok"]}, "result": "TIMEOUT"})
    red(tree, "again: b_test: timeout, status 0: failed 20 of 20", "8 passed, 1 failed")
    assert "again-b_test-1 b_test None" in tree.read("ran")


def test_repeats_end(tree):
    """Repeats get the time that is left, no more, and say so."""
    tree.tests(b_test={"cases": {"bad": ["fail"]}, "takes": 1.5})
    green, text = tree.run("devtools/ci-tests", "run", "build", "in-place", "6")
    assert not green and "(expected 20 runs, the time was up)" in text, text


def test_hang(tree):
    """Tests that do not end: devtools/ci-tests ends them."""
    tree.tool("devtools/compile", "#!/bin/sh\nsleep 100\n")
    green, text = tree.run("devtools/ci-tests", "run", "build", "in-place", "4")
    assert not green and "make test: not finished after 3 s" in text, text


KNOWN = f"{SOON} | b_test: {ODD} | a neighbour takes the CPU"


def test_ledger(tree):
    tree.tests(**FLAKY)
    tree.write("tests/ledger", f"{KNOWN}\n")
    green, text = tree.run()
    assert green and f"known until {SOON}: b_test: {ODD}: a neighbour takes the CPU" in text, text
    assert text.splitlines()[-1] == "8 passed, 0 failed", text


@pytest.mark.parametrize("line, why", [
    (KNOWN.replace(SOON, PAST), "ledger:1: expired on"),
    (KNOWN.replace(SOON, LATE), "ledger:1: expected a date up to"),
    (KNOWN.replace(SOON, "soon"), "ledger:1: expected a date such as"),
    (f"{SOON} | b_test: {ODD}", "ledger:1: expected 3 fields"),
    (f"{SOON} | b_test: {ODD} | ", "ledger:1: expected 3 fields"),
    (f"{KNOWN}\n{SOON} | b_test: gone | it was renamed", 'ledger: no test is called "b_test: gone"'),
])
def test_wrong_ledger(tree, line, why):
    tree.tests(**FLAKY)
    tree.write("tests/ledger", f"{line}\n")
    red(tree, why)


@pytest.mark.parametrize("case", ["y_test: four", f"b_test: {ODD.replace('/ b', '/ c')}"], ids=["part", "turn"])
def test_ledger_of_other_seeds(tree, case):
    """A case that this seed does not run is not taken for one that is gone."""
    tree.tests(b_test={"cases": {ODD: ["ok"]}})
    tree.write("tests/ledger", f"{SOON} | {case} | a neighbour takes the CPU\n")
    green, text = tree.run()
    assert green, text


def test_ledger_excuses_one(tree):
    tree.tests(b_test={"cases": {ODD: ["fail", "fail", "ok", "fail", "ok"]}})
    tree.write("tests/ledger", f"{KNOWN}\n")
    red(tree, f"again: b_test: {ODD}: failed 2 of 20")


ROOTS = """claim() { mkdir -p "$1"; }
make_root() { mkdir -p "$2" && ln -s "$PWD" "$2/src"; }
copy_source() { :; }
copy_dpdk_sources() { :; }
own_release() { echo bookworm; }
tree_commit() { git rev-parse; }
in_root() {
	case $2 in
	pkg-config*) echo "24.11.3" ;;
	*) bash -euc "${2//\\/src/$PWD}" ;;
	esac
}
"""


MATRIX = "suite,dpdk,commit,date,passed,failed,skipped,plugin_passed,plugin_failed,plugin_skipped"


def roots(tree):
    tree.tool("devtools/debian-root", ROOTS)
    for name, text in (("tools/id", "echo 0"), ("tools/ninja", 'echo "Run-time dependency libdpdk found: YES 22.11.11"'), ("devtools/recycle-table", ""),
                       ("devtools/setup", "echo make"), ("tools/git", '[ "$1" != rev-parse ] || echo abc1234')):
        tree.tool(name, f"#!/bin/sh\n{text}\n")


def test_cross(tree):
    """Suite core on another processor has a row of its own; other tests change nothing."""
    roots(tree)
    tree.write("doc/matrix.csv", f"{MATRIX}\nbookworm,22.11.11,abc1233,2020-01-01,9,0,0,0,0,0\nbookworm-arm64,22.11.11,abc1233,2020-01-01,9,8,7,6,5,4\n")
    green, text = tree.run("devtools/cross", "arm64")
    assert green and "arm64: tests under qemu-user: 2 passed, 0 failed" in text, text
    rows = tree.read("doc/matrix.csv").splitlines()
    assert rows == [MATRIX, "bookworm,22.11.11,abc1233,2020-01-01,9,0,0,0,0,0", f"bookworm-arm64,22.11.11,abc1234,{datetime.date.today()},2,0,0,0,0,0"]
    tree.tests(b_test={"cases": {"three": ["fail"]}})
    green, text = tree.run("devtools/cross", "arm64", "b_test")
    assert not green and tree.read("doc/matrix.csv").splitlines() == rows, text


def test_matrix(tree):
    """A run replaces the row of its suite, keeps the others, and counts the cases of the plugin apart; without tests it changes nothing."""
    roots(tree)
    tree.tests(recycle_plugin_test={"cases": {"one": ["ok", "fail", "fail"], "two": ["skip no mock ports here"]}})
    tree.write("doc/matrix.csv", f"{MATRIX}\ntrixie,24.11.1,abc1233,2020-01-01,9,8,7,6,5,4\nsid,25.11.0,abc1233,2020-01-02,9,0,0,0,0,0\n")
    tree.run("devtools/matrix", "trixie")
    today = str(datetime.date.today())
    assert tree.read("doc/matrix.csv").splitlines() == [MATRIX, f"trixie,24.11.3,abc1234,{today},3,0,1,1,0,1", "sid,25.11.0,abc1233,2020-01-02,9,0,0,0,0,0"]
    green, text = tree.run("devtools/matrix", "trixie")
    assert not green and "failed: recycle_plugin_test: one" in text, text
    before = tree.read("doc/matrix.csv")
    assert f"trixie,24.11.3,abc1234,{today},2,1,1,0,1,1\n" in before
    tree.tests(recycle_plugin_test={"cases": {"one": ["ok"]}}, b_test={"cases": {"three": ["ok"]}})
    green, text = tree.run("devtools/matrix", "trixie", TEST_ARGS="b_test")
    assert green and "tests: 1 passed, 0 failed" in text and tree.read("doc/matrix.csv") == before, text
    tree.write("tests.json", "{}")
    assert not tree.run("devtools/matrix", "trixie")[0] and tree.read("doc/matrix.csv") == before


def test_transcripts_of_what_was_left_out():
    """On a build without the features that they need, transcripts are skipped as any other test is."""
    paths = sorted((ROOT / "tests/cmdline/shell").glob("*.transcript"))
    needs = re.findall(r"(?m)^== .*\bneeds ?(\w*)", "".join(path.read_text("utf-8") for path in paths))
    done = subprocess.run([sys.executable, "-m", "pytest", "--tap", "-c", ROOT / "tests/pytest.ini", "-m", "needs", *paths],
                          env={**os.environ, "WITHOUT": " ".join(needs)}, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0 and done.stdout.count("# SKIP a build without") >= len(needs) > 0, done.stdout + done.stderr
