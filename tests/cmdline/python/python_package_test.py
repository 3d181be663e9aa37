# SPDX-License-Identifier: BSD-3-Clause
"""The Python package as users get it: the examples of its page, the fixture, the wheel, the folder in which it is installed."""
import ast
import base64
import csv
import hashlib
import io
import json
import re
import subprocess
import sys
import zipfile

import pytest
from conftest import ROOT, binary_path
from limits import limit
from package import package_env

pytestmark = pytest.mark.zcfwd
PACKAGE = ROOT / "cmdline/python/zcfwd"
EXAMPLES = re.findall(r"(?ms)^```python\n(.*?)^```$", (ROOT / "doc/python.md").read_text(encoding="utf-8"))


def python(*words, **options):
    return subprocess.run([sys.executable, *words], capture_output=True, text=True, timeout=limit(90), check=False, **options)


@pytest.mark.needs("compare")
def test_example(binary):
    """The first example of the page prints a rate, a table, and an error with its word."""
    done = python("-c", EXAMPLES[0], env=package_env(binary))
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert re.fullmatch(r"\d+\.\d Mpps, lost 0 \{\}", lines[0]), done.stdout
    assert [line.split()[:2] for line in lines[1:5]] == [["io", "8"], ["io", "32"], ["mac", "8"], ["mac", "32"]]
    assert lines[5].startswith("EINVAL, 'many': column 11: ")


def test_example_events(binary):
    done = python("-c", EXAMPLES[1], env=package_env(binary))
    assert done.returncode == 0, done.stderr
    *events, received = done.stdout.splitlines()
    assert len(events) >= 2 and {event.split()[0] for event in events} == {"answer"} and int(received) > 0


def test_fixture(binary, tmp_path):
    """The example of the page is a test that passes; one on ports that are not there fails with the program's words."""
    assert "zcfwd_session" in EXAMPLES[2]
    (tmp_path / "test_page.py").write_text(EXAMPLES[2] + EXAMPLES[2].replace("net_null0", "net_nothing0").replace("test_nothing", "test_bad"), encoding="utf-8")
    done = python("-m", "pytest", "-q", "-p", "zcfwd.pytest_plugin", "-p", "no:cacheprovider", str(tmp_path), env=package_env(binary), cwd=tmp_path)
    assert done.returncode == 1 and "1 passed, 1 error" in done.stdout and "StartError: zcfwd did not start" in done.stdout, done.stdout + done.stderr


def test_wheel(binary, tmp_path):
    """It has each file with its hash, the fixture's entry point, and the version of the project; two have the same bytes."""
    paths = []
    for name in "ab":
        done = python(ROOT / "devtools/wheel", tmp_path / name)
        assert done.returncode == 0, done.stderr
        paths.append(done.stdout.strip())
    first, second = (open(path, "rb").read() for path in paths)
    assert first == second
    with zipfile.ZipFile(paths[0]) as wheel:
        wheel.extractall(tmp_path / "site")
        [record] = [name for name in wheel.namelist() if name.endswith("/RECORD")]
        rows = {name: (digest, size) for name, digest, size in csv.reader(io.StringIO(wheel.read(record).decode()))}
        assert set(rows) == set(wheel.namelist())
        for name in set(rows) - {record}:
            digest = base64.urlsafe_b64encode(hashlib.sha256(wheel.read(name)).digest()).rstrip(b"=").decode()
            assert rows[name] == (f"sha256={digest}", str(wheel.getinfo(name).file_size)), name
    sources = {str(path.relative_to(PACKAGE.parent)) for path in PACKAGE.rglob("*") if path.suffix != ".pyc" and path.is_file()}
    assert sources == {name for name in rows if name.startswith("zcfwd/")}
    text = "import importlib.metadata as m, zcfwd\nprint(zcfwd.__file__, m.version('zcfwd'), [e.value for e in m.entry_points()['pytest11'] if e.name == 'zcfwd'] if isinstance(m.entry_points(), dict) else [e.value for e in m.entry_points(group='pytest11', name='zcfwd')])"
    done = python("-I", "-c", f"import sys; sys.path.insert(0, {str(tmp_path / 'site')!r})\n{text}")
    version = re.search(r"version: '([^']*)'", (ROOT / "meson.build").read_text(encoding="utf-8"))[1]
    assert done.stdout.split() == [f"{tmp_path}/site/zcfwd/__init__.py", version, "['zcfwd.pytest_plugin']"], done.stdout + done.stderr


def test_folder():
    """What make install uses is a folder that this Python searches, for the prefixes of make and of packages."""
    for prefix in ("/usr", "/usr/local"):
        folder = python(ROOT / "cmdline/python/folder.py", prefix).stdout.strip()
        assert re.fullmatch(prefix + r"/lib/python3(\.\d+)?/(dist|site)-packages", folder)
        assert folder in python("-c", "import sys; print('\\n'.join(sys.path))").stdout.split() or prefix == "/usr/local", folder
    assert python(ROOT / "cmdline/python/folder.py", "/opt/x/").stdout.startswith("/opt/x/lib/python3.")
    listed = json.loads(subprocess.run(["meson", "introspect", "--installed", binary_path().parent], check=True, capture_output=True, text=True, timeout=limit(60)).stdout)
    assert {path.rpartition("/")[2] for path in listed.values() if "-packages/zcfwd" in path} == {"zcfwd", "METADATA", "entry_points.txt"}


def test_old_python():
    """Nothing in it is newer than the Python that it is for; each function has types."""
    for path in sorted(PACKAGE.rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"), feature_version=(3, 9))
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef):
                named = [one for one in (*node.args.args, *node.args.kwonlyargs) if one.arg not in ("self", "cls")]
                assert node.returns is not None and all(one.annotation is not None for one in named), f"{path}: {node.name}"
