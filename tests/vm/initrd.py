# SPDX-License-Identifier: BSD-3-Clause
"""A guest's first and only file system: BusyBox, modules of its kernel, programs with their libraries."""
import gzip
import lzma
import pathlib
import re
import shutil
import subprocess

# In the order in which they need each other; what a kernel has built in is not there.
MODULES = ("virtio_ring", "virtio", "virtio_pci_legacy_dev", "virtio_pci_modern_dev", "virtio_pci", "failover", "net_failover", "virtio_net")
PROGRAMS = ("iperf3", "ethtool")
INIT = """#!/bin/busybox sh
/bin/busybox --install -s /bin
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs dev /dev
mount -t tmpfs tmpfs /tmp
dmesg -n 1
for module in %s; do
	[ ! -e /modules/$module.ko ] || insmod /modules/$module.ko
done
echo 1 >/proc/sys/net/ipv6/conf/all/disable_ipv6
ip link set lo up
exec setsid cttyhack sh -c 'stty -echo -onlcr; export PS1="guest# "; exec sh'
"""

# For a guest whose root is a disk; what the archive has in packages/ goes there.
DISK_INIT = """#!/bin/busybox sh
/bin/busybox --install -s /bin
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs dev /dev
dmesg -n 1
for module in %s; do
	[ ! -e /modules/$module.ko ] || insmod /modules/$module.ko
done
mkdir -p /disk
mount -t ext4 /dev/vda /disk
[ ! -e /dev/vdb ] || mount -t ext4 /dev/vdb /disk/mnt
for name in proc sys dev; do mount --move /$name /disk/$name; done
mkdir -p /disk/dev/pts
mount -t devpts devpts /disk/dev/pts
mkdir -p /disk/dev/hugepages # as systemd does
mount -t hugetlbfs hugetlbfs /disk/dev/hugepages
mount -t tmpfs tmpfs /disk/run
mount -t tmpfs tmpfs /disk/tmp
[ ! -d /packages ] || cp -r /packages /disk/root/build-deb
exec switch_root /disk /usr/bin/setsid -c /bin/sh -c 'cd /root; stty -echo -onlcr; ip link set lo up; exec env -i HOME=/root TERM=dumb \
	PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive PS1="guest# " sh -i' </disk/dev/ttyS0 >/disk/dev/ttyS0 2>&1
"""
# Beside MODULES; in a kernel for machines the file system is a module too.
DISK_MODULES = (*MODULES, "virtio_blk", "crc16", "mbcache", "jbd2", "crc32c_generic", "libcrc32c", "ext4")


def libraries(program):
    """The files that the program loads, its loader among them."""
    listed = subprocess.run(["ldd", program], capture_output=True, text=True, check=True, timeout=60).stdout
    return re.findall(r"(/\S+) \(0x", listed)


def module(kernel, name):
    """The module's bytes, or None."""
    for path in pathlib.Path(kernel).glob(f"lib/modules/*/kernel/**/{name}.ko*"):
        return lzma.decompress(path.read_bytes()) if path.suffix == ".xz" else path.read_bytes()
    return None


def entry(number, name, mode, data=b""):
    """One member of an archive as cpio writes it with -H newc."""
    fields = (number, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(name) + 1, 0)
    head = b"070701" + b"".join(b"%08x" % field for field in fields) + name.encode() + b"\0"
    return head + bytes(-len(head) % 4) + data + bytes(-len(data) % 4)


def write(path, kernel, modules=MODULES, programs=PROGRAMS, init=INIT, packages=()):
    """Writes the archive for this kernel's folder. programs: names or files, shared objects too; packages: files for packages/."""
    files = {"bin/busybox": pathlib.Path(shutil.which("busybox")).read_bytes(),
             "init": (init % " ".join(modules)).encode()}
    for program in programs:
        program = shutil.which(program) or str(program)
        for file in (program, *libraries(program)):
            files[file.lstrip("/")] = pathlib.Path(file).read_bytes()
    for package in packages:
        files[f"packages/{package.name}"] = package.read_bytes()
    for name in modules:
        if data := module(kernel, name):
            files[f"modules/{name}.ko"] = data
    folders = {str(parent) for name in files for parent in pathlib.PurePath(name).parents} - {"."}
    members = [(name, 0o40755, b"") for name in sorted(folders | {"proc", "sys", "dev", "tmp"})]
    members += [(name, 0o100755, data) for name, data in files.items()]
    archive = b"".join(entry(number, *member) for number, member in enumerate(members, 1)) + entry(0, "TRAILER!!!", 0)
    path.write_bytes(gzip.compress(archive, 1))
