# SPDX-License-Identifier: BSD-3-Clause
"""The faults of doc/upstream/ with the installed DPDK: each reproducer is red on the releases of the table there, and on no other."""
import importlib.machinery
import importlib.util
import os
import re

import pytest

from cards import qemu_release
from conftest import ROOT, binary_path, cpu_has

LOADER = importlib.machinery.SourceFileLoader("upstream", str(ROOT / "devtools/upstream"))
UPSTREAM = importlib.util.module_from_spec(importlib.util.spec_from_loader("upstream", LOADER))
LOADER.exec_module(UPSTREAM)
FAULTS = UPSTREAM.faults()
MOCKS = {"iavf-stop": "iavf", "ice-avx512-stop": "ice", "mlx5-pages": "mlx5"}
# net_i40e chooses its AVX2 transmit function on CPUs with AVX-512 only.
AVX512 = ("fast-free", "ice-avx512-stop", "virtio-packed-full", "virtio-packed-header", "virtio-packed-offset")
AVX2 = ("iavf-stop", "intel-unarmed")
QEMU = ("e1000-vlan-insert", "vmxnet3-early")
PAGE_LINES = 75


@pytest.fixture(scope="module", name="program")
def compiled(tmp_path_factory):
    if b"libasan" in binary_path().read_bytes():
        pytest.skip("the reproducers cannot load the plugins of a build with sanitizers")
    program = tmp_path_factory.mktemp("upstream") / "reproduce"
    UPSTREAM.compile_reproducer(program, None)
    return program


@pytest.mark.rotates(4)
@pytest.mark.parametrize("fault", [fault for fault in FAULTS if fault.run == "run"], ids=lambda fault: fault.name)
def test_reproducer(program, fault):
    for names, lacks in ((MOCKS, os.environ.get("MOCK_LACKS")), (AVX512, "" if cpu_has("avx512f") else "this CPU has no AVX-512"),
                         (QEMU, "" if qemu_release() else "no QEMU"), (AVX2, "" if cpu_has("avx2") else "this CPU has no AVX2")):
        if fault.name in names and lacks:
            pytest.skip(lacks)
    if MOCKS.get(fault.name) in os.environ.get("MOCK_UNTESTED", "").split():
        pytest.skip(f"mock ports of {MOCKS[fault.name]} are not tested with another release's source")
    word, lines = UPSTREAM.verdict(program, binary_path().parent, fault.name)
    assert fault.expects(word, os.environ["DPDK_RELEASE"]), lines


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_page(fault):
    page = (UPSTREAM.PAGES / f"{fault.name}.md").read_text(encoding="utf-8")
    assert len(page.splitlines()) <= PAGE_LINES
    titles = re.findall(r"^## (.+)", page, re.M)
    assert titles == ["Releases", "Reproducer", "Cause", "Fix"]
    if fault.patch.exists():
        assert f"]({fault.name}.patch)" in page
        text = fault.patch.read_text(encoding="utf-8")
        assert re.match(r"Subject: \[PATCH\] \S+: fix .{1,60}\n\n", text)
        assert re.search(r"^Fixes: [0-9a-f]{12} \(\"", text, re.M) and not re.search(r"^(From|Signed-off-by):", text, re.M)


def test_nothing_is_left_over():
    names = {fault.name for fault in FAULTS}
    assert {path.stem for path in UPSTREAM.PAGES.glob("*.md")} == names | {"README"}
    assert {path.stem for path in UPSTREAM.PAGES.glob("*.patch")} <= names
