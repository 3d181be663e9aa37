# SPDX-License-Identifier: BSD-3-Clause
"""The command doctor about network cards and ports: of a host made of files, and of ports on net_null."""
import os
import re

import pytest

from session import TO_JSON, Session, ordinary_pages

pytestmark = pytest.mark.zcfwd
CARDS = "/sys/bus/pci/devices"


def put(root, path, text):
    file = root / path.lstrip("/")
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"{text}\n", encoding="ascii")


def card(root, address, vendor, device, driver, interface=None, flags="0x1002"):
    for name, text in {"class": "0x020000", "vendor": vendor, "device": device, "numa_node": "0"}.items():
        put(root, f"{CARDS}/{address}/{name}", text)
    if interface:
        put(root, f"{CARDS}/{address}/net/{interface}/flags", flags)
    os.symlink(f"../../drivers/{driver}", root / f"{CARDS}/{address}/driver".lstrip("/"))


@pytest.fixture
def host(tmp_path):
    """Four cards: one in use by the kernel, one that is free, one that needs no binding, one that is bound. No IOMMU, no huge pages."""
    root = tmp_path / "host"
    card(root, "0000:01:00.0", "0x8086", "0x1521", "igb", "eno1", "0x1003")
    card(root, "0000:02:00.0", "0x8086", "0x1572", "i40e", "ens2")
    card(root, "0000:03:00.0", "0x15b3", "0x1017", "mlx5_core", "ens3")
    card(root, "0000:04:00.0", "0x8086", "0x1592", "vfio-pci")
    put(root, "/proc/net/route", "Iface Destination Gateway Flags RefCnt Use Metric Mask\neno1 00000000 0100000A 0003 0 0 0 00000000")
    put(root, "/proc/cpuinfo", "vendor_id : GenuineIntel")
    put(root, "/proc/cmdline", "ro quiet")
    for name in ("nr", "free"):
        put(root, f"/sys/devices/system/node/node0/hugepages/hugepages-2048kB/{name}_hugepages", "0")
    return root


def findings(session, check):
    return [one for one in session.json("doctor")["checks"] if one["check"] == check]


def test_no_port(binary, host):
    """The missing port is said first, then each card with its command; all lines but commands fit 80 columns."""
    with Session(binary, (), env={"ZCFWD_HOST": str(host)}, memory=ordinary_pages(128)) as session:
        text = session.cmd("doctor")
        session.ok(TO_JSON)
        answer = session.json("doctor")
    first, *cards = answer["checks"][:5]
    assert (first["check"], first["verdict"], first["found"]) == ("ports", "fails", "no port: --no-pci ignores all cards")
    assert [(one["check"], one["verdict"], one["found"], one.get("change")) for one in cards] == [
        ("cards", "warning", "0000:01:00.0 8086:1521, igb, node 0: in use, eno1 has the default route; binding it cuts this host off", None),
        ("cards", "fails", "0000:02:00.0 8086:1572, i40e, node 0: not bound", "dpdk-devbind.py --bind=vfio-pci 0000:02:00.0"),
        ("cards", "warning", "0000:03:00.0 15b3:1017, mlx5_core, node 0: needs no binding, but is no port", "start without --no-pci"),
        ("cards", "warning", "0000:04:00.0 8086:1592, vfio-pci, node 0: bound, but is no port", "start without --no-pci")]
    others = {one["change"] for one in answer["checks"] if one["check"] in ("VFIO", "node pages")}
    assert others == {"modprobe vfio-pci", "boot with intel_iommu=on iommu=pt",
                      "echo 1024 > /sys/devices/system/node/node0/hugepages/hugepages-2048kB/nr_hugepages"}
    assert answer["fails"] == 3  # ports, cards, VFIO
    assert re.search(r"(?m)^\S+ doctor\n  ports          fails    no port: |\A  ports          fails    no port: ", text), text
    assert "3 of 26 checks found what keeps ports from forwarding\n" in text
    assert [line for line in text.splitlines() if len(line) > 80 and "change: " not in line] == []
    assert re.search(r"(?m)^  cards          fails    0000:02:00\.0 8086:1572, i40e, node 0: not bound\n"
                     r" {17}change:  dpdk-devbind\.py --bind=vfio-pci 0000:02:00\.0\n"
                     r" {17}source:  /sys/bus/pci/devices/0000:02:00\.0/driver$", text), text


def test_ports(binary, host):
    """Once there is a port, doctor examines cards that are bound for user space, and no card that the kernel uses."""
    with Session(binary, env={"ZCFWD_HOST": str(host)}, memory=ordinary_pages(128)) as session:
        session.ok(TO_JSON)
        assert [one["found"] for one in findings(session, "ports")] == ["2 ports"]
        assert [one["verdict"] for one in findings(session, "cards")] == ["ok"]
        assert "boot with intel_iommu=on iommu=pt" in [one["change"] for one in findings(session, "VFIO")]
        assert [one["found"] for one in findings(session, "node pages")] == ["node 0 of 0000:04:00.0 has no huge pages"]


def test_queues(binary):
    """Lcores without a queue, queues without an lcore, a port that no lcore polls; and what is right again."""
    lcores = "0,1,2,3"
    with Session(binary, ("net_null0", "net_null1"), ["--nb-cores=3"], lcores=lcores, memory=ordinary_pages(128)) as session:
        session.ok(TO_JSON)
        (one,) = findings(session, "queues")
        assert (one["verdict"], one["found"]) == ("warning", "1 of 3 lcores have no queue: there are fewer queues than lcores")
        assert one["change"].startswith("set nbcore 2, ")
        session.ok("set nbcore 2")
        assert [one["verdict"] for one in findings(session, "queues")] == ["ok"]
        session.ok("port stop all", "port config all rxq 2", "port start all")
        assert [(one["verdict"], one["found"], one["change"]) for one in findings(session, "queues")] == [
            ("spoils", f"port {port}: 1 of 2 Rx queues are polled, packets of the others are lost",
             "port stop all; port config all txq 2; port start all") for port in (0, 1)]
        session.ok("port stop all", "port config all txq 2", "port start all")  # as it says
        assert [one["verdict"] for one in findings(session, "queues")] == ["ok"]
        session.ok("set nbport 1", "set nbcore 1")
        assert [(one["verdict"], one["found"]) for one in findings(session, "queues")] == [("warning", "port 1 is started, but no lcore polls it")]
        session.ok("set fwd txonly")  # does not receive
        assert [one["verdict"] for one in findings(session, "queues")] == ["ok"]


def test_frame_size(binary):
    """Buffers that are smaller than the longest frame, on ports that cannot use several for one; the option that it names is the cure."""
    with Session(binary, args=["--mbuf-size=1200"], memory=ordinary_pages(128)) as session:
        session.ok(TO_JSON)
        found = findings(session, "frame size")
    assert [(one["verdict"], one["found"]) for one in found] == [
        ("spoils", f"port {port}: frames of 1518 bytes, buffers of 1072, no scatter: long frames are lost") for port in (0, 1)]
    (option,) = {one["change"].removeprefix("start with ") for one in found}
    with Session(binary, args=[option], memory=ordinary_pages(128)) as session:
        session.ok(TO_JSON)
        assert [one["verdict"] for one in findings(session, "frame size")] == ["ok"]
