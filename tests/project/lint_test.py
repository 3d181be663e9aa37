# SPDX-License-Identifier: BSD-3-Clause
"""Rules of devtools/lint, each on a tree that breaks it."""
import importlib.machinery

import pytest

from conftest import ROOT

COVERED = "# Which test covers what\n\n## app/base\n\n- `err.c` 100 % of 9: err_test 100,\n  out_test 80\n- `err.h` 100 % of 5: err_test 100\n\n## engines\n\n- `io.c` no code here\n"


@pytest.fixture(scope="module", name="lint")
def linter():
    return importlib.machinery.SourceFileLoader("lint", str(ROOT / "devtools/lint")).load_module()


@pytest.mark.parametrize("more, gone, expected", [
    ((), (), []),
    (("app/base/out.c", "app/base/out.h"), (), [(1, "no item of app/base/out.c: make coverage writes it")]),
    (("engines/err.c",), (), [(1, "no item of engines/err.c: make coverage writes it")]),
    (("engines/io/io.c",), ("engines/io.c",), [(1, "no item of engines/io/io.c: make coverage writes it"), (11, "engines/io.c is not there: make coverage writes this page")]),
    ((), ("app/base/err.h",), [(7, "app/base/err.h is not there: make coverage writes this page")]),
], ids=["all", "new", "same-name", "moved", "gone"])
def test_coverage_page(lint, tmp_path, monkeypatch, more, gone, expected):
    """Each source has its item on the page of coverage, in the section of its folder, and no other file has one."""
    for name in {"app/base/err.c", "app/base/err.h", "engines/io.c", *more} - set(gone):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("/* A made-up file. */\n", encoding="ascii")
    (tmp_path / "doc").mkdir()
    (tmp_path / "doc/coverage.md").write_text(COVERED, encoding="ascii")
    monkeypatch.chdir(tmp_path)
    assert [(line, message) for _, line, message in lint.coverage_page(lint.Tree("build"))] == expected


def test_features_stand_alone(lint, tmp_path, monkeypatch):
    """Only the feature's own files include its headers."""
    (tmp_path / "meson_options.txt").write_text("option('without', type: 'array', value: [], choices: ['bond', 'gpu'],\n", encoding="ascii")
    for name, include in {"app/features/bond/port_bond.h": "", "app/features/bond/port_bond.c": "features/bond/port_bond.h", "app/show/top.c": "features/bond/port_bond.h",
                          "engines/gpu/gpu.h": "", "engines/gpu/gpu.c": "engines/gpu/gpu.h", "cmdline/commands/cmds_show.c": "engines/gpu/gpu.h", "engines/io.c": "engines/engine.h"}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(f'/* A made-up file. */\n#include "{include}"\n' if include else "/* A made-up file. */\n", encoding="ascii")
    monkeypatch.chdir(tmp_path)
    found = [(str(path), line) for path, line, _ in lint.features_stand_alone(lint.Tree("build"))]
    assert sorted(found) == [("app/show/top.c", 2), ("cmdline/commands/cmds_show.c", 2)]


def test_one_clock(lint, tmp_path, monkeypatch):
    """DPDK's frequency of the TSC is for what measures it, and for what runs in other programs."""
    for name in ("app/stream/tsc.c", "app/port/port_stats.c", "pmd_shims/recycle/handle.c", "engines/noisy.c", "cmdline/commands/cmds_show.c"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("/* Not rte_get_tsc_hz(). */\nrte_get_tsc_hz();\nrte_get_timer_hz();\nrte_get_tsc_cycles();\n", encoding="ascii")
    monkeypatch.chdir(tmp_path)
    found = [(str(path), line) for path, line, _ in lint.one_clock(lint.Tree("build"))]
    assert sorted(found) == [(path, line) for path in ("app/port/port_stats.c", "cmdline/commands/cmds_show.c", "engines/noisy.c") for line in (2, 3)]


def test_tests_stand_alone(lint, tmp_path, monkeypatch):
    """A test that another one imports, and one that no list has."""
    for name, text in {"tests/port/meson.build": "python_tests += {\n\t'link_test': [files('link_test.py'), 'core', 60, 'some extended'],\n}\n",
                       "tests/port/life_test.c": "", "tests/port/odd_test.c": "",
                       "tests/port/link_test.py": "from far_test import reach\n", "tests/port/kinds/far_test.py": "", "tests/port/far_soak_test.py": "",
                       "build/compile_commands.json": '[{"file": "../tests/port/life_test.c"}]'}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="ascii")
    monkeypatch.chdir(tmp_path)
    found = [(str(path), message) for path, _, message in lint.tests_stand_alone(lint.Tree("build"))]
    assert found == [("tests/port/link_test.py", "far_test is a test: what tests share is in a module without _test"),
                     ("tests/port/kinds/far_test.py", "tests/port/meson.build does not register it"),
                     ("tests/port/link_test.py", "some of it is extended in tests/port/meson.build, and none is marked so"), ("tests/port/odd_test.c", "tests/port/meson.build does not register it")]
