# SPDX-License-Identifier: BSD-3-Clause
"""A guest that is a lab's host: two nodes, PCI cards, an IOMMU, and the commands of doc/howto/cards.md."""
import contextlib
import json
import pathlib
import re
import select
import socket

import initrd
from guest import CLOUD, COMMAND_S, PROMPT, Guest

PAGE = (pathlib.Path(__file__).resolve().parents[2] / "doc/howto/cards.md").read_text(encoding="utf-8")
MODULES = (*initrd.MODULES, "irqbypass", "vfio", "vfio_virqfd", "vfio_iommu_type1", "vfio-pci-core", "vfio-pci", "uio", "uio_pci_generic", "vmxnet3")
MIB = 1024
PAGES = 100  # of 2 MiB, on each node
HUB = "hubport,hubid=0"
ON_BOARD, OWN_BUS = "board", "bus"
SLOT, BUS = 8, 0x40
ZCFWD = r"(?m)^zcfwd> "
START_S = 120


class Nic:
    """A PCI card. model: QEMU's word for it; wire: its -netdev, without id; place: ON_BOARD, OWN_BUS, or the node of its bridge."""

    def __init__(self, model, wire, place=ON_BOARD):
        self.model, self.wire, self.place, self.address = model, wire, place, None


class Host(Guest):
    """cpus: of each node. nics get their addresses: from 0000:00:08.0 on board, 0000:01:00.0 on own buses, and 0000:41:00.0 and 0000:81:00.0 on the nodes."""

    LACKS = re.compile(r"(dpdk-devbind\.py|modprobe|ip) |.*sriov_numvfs")

    def __init__(self, path, nics, iommu=True, flavour=CLOUD, mib=MIB, cpus=(1, 1)):
        super().__init__(path, [], mib, flavour)
        at = self.argv.index("-object")
        del self.argv[at:at + 4]  # the memory of one node
        self.argv += ["-machine", "q35"]
        for node in (0, 1):
            self.argv += ["-object", f"memory-backend-memfd,id=mem{node},size={mib // 2}M", "-numa", f"node,nodeid={node},memdev=mem{node}"]
        self.argv[self.argv.index("1,maxcpus=2")] = f"{sum(cpus)},sockets={sum(cpus)}"
        for number in range(sum(cpus)):
            self.argv += ["-numa", f"cpu,node-id={int(number >= cpus[0])},socket-id={number}"]
        if iommu:
            self.argv += ["-device", "intel-iommu"]
        self.used = {place: 0 for place in (ON_BOARD, OWN_BUS, 0, 1)}
        for node in sorted({nic.place for nic in nics} & {0, 1}):
            self.argv += ["-device", f"pxb-pcie,id=node{node},bus_nr={BUS * (node + 1)},numa_node={node},bus=pcie.0"]
        for number, nic in enumerate(nics):
            self.argv += ["-netdev", f"{nic.wire},id=h{number}", "-device",
                          f"{nic.model},netdev=h{number},romfile=,{self.place(nic)}{self.features(nic.model, iommu)}"]

    def place(self, nic):
        """Choose the next slot or bus, and return QEMU's words for it."""
        number = self.used[nic.place]
        self.used[nic.place] += 1
        if nic.place == ON_BOARD:
            nic.address = f"0000:00:{SLOT + number:02x}.0"
            return f"bus=pcie.0,addr={SLOT + number:#x}"
        bus, parent, slot = (number + 1, "pcie.0", SLOT + 8 + number) if nic.place == OWN_BUS else (
            BUS * (nic.place + 1) + number + 1, f"node{nic.place}", number)
        nic.address = f"0000:{bus:02x}:00.0"
        self.argv += ["-device", f"pcie-root-port,id=port{bus},bus={parent},chassis={bus},addr={slot:#x}"]
        return f"bus=port{bus}"

    @staticmethod
    def features(model, iommu):
        if not model.startswith("virtio"):
            return ""
        return ",disable-legacy=on" + (",iommu_platform=on" if iommu else "")

    def users(self):
        """Root and alice."""
        self.sh("mkdir -p /var/run /etc/security/limits.d; chmod 755 /; chmod 777 /tmp; echo 'root:x:0:0::/:/bin/sh' >/etc/passwd; "
                "echo 'alice:x:1000:1000::/tmp:/bin/sh' >>/etc/passwd")

    def block(self, word, *changes, words="", timeout=COMMAND_S):
        """Run the page's first block that has the word, with changes, without the commands that the guest lacks. words: more for the last line."""
        block = next(block for block in re.findall(r"(?ms)^```sh\n(.*?)^```$", PAGE) if word in block)
        for old, new in changes:
            assert old in block
            block = block.replace(old, new)
        lines = [line for line in block.splitlines() if not self.LACKS.match(line)]
        self.sh("cat >/tmp/block <<'END'\n" + "\n".join(lines) + f"{words}\nEND\ntrue")
        return self.sh("sh -eu /tmp/block", timeout)

    def driver(self, card):
        return self.sh(f"basename \"$(readlink /sys/bus/pci/devices/{card}/driver)\"").strip()

    def bind(self, card, driver):
        self.block("echo vfio-pci >", ("0000:01:00.0", card), ("vfio-pci", driver))
        assert self.driver(card) == driver

    def give_back(self, card):
        self.block("echo >/sys/bus/pci/devices/$card/driver_override", ("0000:01:00.0", card))

    def free_pages(self):
        """Of 2 MiB, on node 0 and node 1."""
        return [int(n) for n in self.sh("cat /sys/devices/system/node/node*/hugepages/hugepages-2048kB/free_hugepages").split()]

    def reserve_pages(self):
        said = self.block("# 512 pages", ("echo 512", f"echo {PAGES}"))
        assert f"node1/hugepages/hugepages-2048kB/free_hugepages:{PAGES}\n" in said and self.free_pages() == [PAGES] * 2


# Lines for the program pass through this loop, and those for the guest's shell are run by it; !! ends it. BusyBox's cat waits for more before it passes a line on.
FEED = r"""while read -r l; do case "$l" in !!) break;; !*) (eval "${l#!}" 2>&1; echo "done=$?") >&2;; *) echo "$l" || break;; esac; done"""


class Shell:
    """The program with its shell on the guest's console, through pipes. Use as a context manager: it ends by `quit` with status 0."""

    def __init__(self, guest, line):
        self.guest, self.status = guest, None
        guest.child.send(f"{FEED} | (ZCFWD_CHECK=1 {line}; echo program=$?) 2>&1 | cat\n")
        self.said = self.expect(ZCFWD, START_S)

    def __enter__(self):
        return self

    def __exit__(self, kind, *exc):
        if self.status is None:
            with contextlib.nullcontext() if kind is None else contextlib.suppress(AssertionError):  # the next test needs the console
                said = self.quit()
                assert self.status == 0, said

    def expect(self, pattern, timeout=COMMAND_S):
        return self.guest.expect(pattern, timeout).replace("\r", "")

    def cmd(self, *lines, timeout=COMMAND_S):
        """The answer to the last of the lines. A prompt may come unasked, after a line about a link: each line is waited for first."""
        for line in lines:
            self.guest.child.send(f"{line}\n")
            self.expect(re.escape(line) + r"\r?\n", timeout)
            text = self.expect(ZCFWD, timeout)
        return text

    def json(self, line, timeout=COMMAND_S):
        """Between its words and the next object there is no prompt."""
        self.guest.child.send(f"set output json\n{line}\nset output text\n")
        self.expect(r"set output json\r?\n", timeout)
        text = self.expect(ZCFWD, timeout)
        answers = [json.loads(row) for row in text.splitlines() if row.startswith("{")]
        answer = next(answer for answer in answers if answer.get("command") == line)
        assert answer["ok"], text
        return answer

    def beside(self, line, timeout=COMMAND_S):
        """A command of the guest while the program runs."""
        self.guest.child.send(f"!{line}\n")
        said = self.expect(r"done=(\d+)\r?\n", timeout)
        assert self.guest.child.match[1] == "0", said
        return said

    def quit(self):
        """What it printed at its end; its exit status is in status."""
        self.guest.child.send("quit\n")
        said = self.expect(r"program=(\d+)\r?\n", START_S)
        self.status = int(self.guest.child.match[1])
        self.guest.child.send("!!\n")
        self.guest.expect(PROMPT, START_S)
        return said


def nodes_of(shell, pool, pid="$(pidof zcfwd)"):
    """Pages of each node in the mapping that has the pool's memory, by the kernel. pid: of the shell's program, if others run beside it."""
    start = int(re.search(rf"name:<MP_{pool}_0>.*virt:(0x[0-9a-f]+)", shell.cmd("dump_memzone"))[1], 16)
    rows = [(int(row.split()[0], 16), row) for row in shell.beside(f"cat /proc/{pid}/numa_maps").splitlines() if re.match("[0-9a-f]+ ", row)]
    row = max((address, text) for address, text in rows if address <= start)[1]
    return {int(node): int(pages) for node, pages in re.findall(r" N(\d)=(\d+)", row)}


class Cable:
    """The test's end of a card's wire: a datagram socket, a frame per datagram."""

    def __init__(self, folder, name):
        self.here, self.card = (str(folder / f"{name}.{end}") for end in ("test", "card"))
        self.wire = f"dgram,local.type=unix,local.path={self.card},remote.type=unix,remote.path={self.here}"
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)
        self.socket.bind(self.here)

    def put(self, frame):
        self.socket.settimeout(COMMAND_S)
        self.socket.sendto(frame, self.card)

    def take(self, timeout=COMMAND_S):
        """The next frame that the card has sent."""
        self.socket.settimeout(timeout)
        return self.socket.recv(65536)

    def silent(self):
        """Nothing more has come."""
        return not select.select([self.socket], [], [], 0.3)[0]

    def drain(self):
        """Forget what came."""
        while not self.silent():
            self.take()
