/* Hosts made of files, with network cards: their drivers, interfaces, IOMMU groups, links, huge pages. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/base.h"
#include "compat.h"
#include "features/doctor/pci_card.h"
#include "fixtures/doctor_host.h"
#include "fixtures/unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CARD "0000:01:00.0"
#define SECOND "0000:01:00.1"
#define DEVICE(address, file) "/sys/bus/pci/devices/" address "/" file
#define NOIOMMU "/sys/module/vfio/parameters/enable_unsafe_noiommu_mode"
#define BIND "dpdk-devbind.py --bind=vfio-pci " CARD

/* The port of a card, forwarding at 10 Gbit/s. */
static struct doctor_port *
port(const char *address)
{
	struct doctor_port *p = &fake_use.ports[fake_use.n_ports];

	*p = (struct doctor_port){ .id = (uint16_t)fake_use.n_ports++,
		.started = true,
		.link_known = true,
		.link_up = true,
		.mbps = 10000,
		.mbps_max = 10000,
		.polled_known = true,
		.n_rxq = 1,
		.n_polled = 1 };
	snprintf(p->pci, sizeof(p->pci), "%s", address);
	fake_use.any_port = true;
	return p;
}

/*
 * An Intel host with an IOMMU, huge pages, and a card of i40e whose interface is down; no port. Beside
 * it are a disk controller, and a second function without a driver.
 */
static int
fake_make(void **state)
{
	fake_begin();
	fake_file(DEVICE("0000:00:01.0", "class"), "0x010601");
	fake_file(DEVICE("0000:00:01.0", "vendor"), "0x8086");
	fake_file(DEVICE(CARD, "class"), "0x020000");
	fake_file(DEVICE(CARD, "vendor"), "0x8086");
	fake_file(DEVICE(CARD, "device"), "0x1572");
	fake_file(DEVICE(CARD, "numa_node"), "1");
	fake_file(DEVICE(CARD, "net/ens1/flags"), "0x1002");
	fake_file("/sys/class/net/ens1/operstate", "down");
	fake_file(DEVICE(CARD, "current_link_speed"), "8.0 GT/s PCIe");
	fake_file(DEVICE(CARD, "max_link_speed"), "8.0 GT/s PCIe");
	fake_file(DEVICE(CARD, "current_link_width"), "8");
	fake_file(DEVICE(CARD, "max_link_width"), "8");
	fake_link(DEVICE(CARD, "driver"), "../../../bus/pci/drivers/i40e");
	fake_link(DEVICE(CARD, "iommu_group"), "../../../kernel/iommu_groups/12");
	fake_file("/sys/kernel/iommu_groups/12/type", "DMA");
	fake_file("/sys/kernel/iommu_groups/12/devices/" CARD, "");
	fake_file("/sys/class/iommu/dmar0/x", "");
	fake_file("/sys/module/vfio_pci/x", "");
	fake_file(NOIOMMU, "N");
	fake_file("/dev/vfio/12", "");
	fake_file("/proc/cpuinfo", "processor : 0\nvendor_id : GenuineIntel\nflags : fpu sse2");
	fake_file("/proc/cmdline", "ro quiet");
	fake_file("/sys/devices/system/node/node0/hugepages/hugepages-2048kB/nr_hugepages", "0");
	fake_file("/sys/devices/system/node/node0/hugepages/hugepages-2048kB/free_hugepages", "0");
	fake_file("/sys/devices/system/node/node1/hugepages/hugepages-2048kB/nr_hugepages", "1024");
	fake_file("/sys/devices/system/node/node1/hugepages/hugepages-2048kB/free_hugepages",
		"1024");
	return 0;
}

static void
bound(const char *driver)
{
	char target[64];

	snprintf(target, sizeof(target), "../../../bus/pci/drivers/%s", driver);
	fake_link(DEVICE(CARD, "driver"), target);
}

/* Each missing port is said first, then each card with the command that binds it. */
TEST(no_port)
{
	fake_says("ports", DOCTOR_FAILS, "no port",
		"bind a card, see below; without one: --vdev=net_tap0");
	assert_string_equal(fake_findings.list[0].check, "ports");
	fake_says("cards", DOCTOR_FAILS, CARD " 8086:1572, i40e, node 1: not bound", BIND);
	assert_string_equal(fake_finding("cards", 0)->source, DEVICE(CARD, "driver"));
	fake_fine("VFIO");
	fake_use.no_pci = true;
	fake_says("ports", DOCTOR_FAILS, "no port: --no-pci ignores all cards",
		"start without --no-pci, or with --vdev=net_tap0");
	fake_gone(DEVICE(CARD, "class"));
	fake_use.no_pci = false;
	fake_says("ports", DOCTOR_FAILS, "no port",
		"this host shows no network card; without one: --vdev=net_tap0");
	fake_says("cards", DOCTOR_UNKNOWN, "no network card is on the PCI bus", "");
	fake_use.any_port = true;
	fake_fine("ports");
	fake_fine("cards");
}

/* The command is that of the tool that the host has. */
TEST(tools)
{
	fake_file("/usr/sbin/driverctl", "");
	fake_says("cards", DOCTOR_FAILS, CARD " 8086:1572, i40e, node 1: not bound",
		"driverctl set-override " CARD " vfio-pci");
	fake_file("/usr/bin/dpdk-devbind.py", "");
	fake_says("cards", DOCTOR_FAILS, CARD " 8086:1572, i40e, node 1: not bound", BIND);
}

TEST(other_cards)
{
	bound("vfio-pci");
	fake_says("cards", DOCTOR_WARNING,
		CARD " 8086:1572, vfio-pci, node 1: bound, but is no port",
		"start with -a " CARD " --log-level=lib.eal:info");
	fake_use.no_pci = true;
	fake_says("cards", DOCTOR_WARNING,
		CARD " 8086:1572, vfio-pci, node 1: bound, but is no port",
		"start without --no-pci");
	fake_use.no_pci = false;
	fake_gone(DEVICE(CARD, "driver"));
	fake_file(DEVICE(CARD, "numa_node"), "-1");
	fake_says("cards", DOCTOR_FAILS, CARD " 8086:1572, no driver: not bound", BIND);
	fake_file(DEVICE(CARD, "vendor"), "0x15b3");
	bound("mlx5_core");
	fake_says("cards", DOCTOR_WARNING,
		CARD " 15b3:1572, mlx5_core: needs no binding, but is no port",
		"start with -a " CARD "; needs libibverbs and DPDK's mlx5 driver");
	fake_file(DEVICE(SECOND, "class"), "0x020000");
	fake_file(DEVICE(SECOND, "vendor"), "0x1af4");
	fake_file(DEVICE(SECOND, "device"), "0x1000");
	fake_says_at("cards", 1, DOCTOR_FAILS, SECOND " 1af4:1000, no driver: not bound",
		"dpdk-devbind.py --bind=vfio-pci " SECOND);
}

/* A card that the kernel uses gets a warning, never a command. */
TEST(in_use)
{
#define IN_USE CARD " 8086:1572, i40e, node 1: in use, ens1 "
#define CUT "; binding it cuts this host off"
	fake_file(DEVICE(CARD, "net/ens1/flags"), "0x1003");
	fake_says("cards", DOCTOR_WARNING, IN_USE "is up" CUT, "");
	fake_file(DEVICE(CARD, "net/ens1/upper_br0/x"), "");
	fake_says("cards", DOCTOR_WARNING, IN_USE "is part of another interface" CUT, "");
	fake_file("/proc/net/if_inet6",
		"fe800000000000000000000000000001 02 40 20 80 ens1\nfd000000000000000000000000000001 03 40 00 80 ens2");
	fake_says("cards", DOCTOR_WARNING, IN_USE "is part of another interface" CUT, "");
	fake_file("/proc/net/if_inet6", "fd000000000000000000000000000001 02 40 00 80 ens1");
	fake_says("cards", DOCTOR_WARNING, IN_USE "has an IP address" CUT, "");
	fake_gone("/proc/net/if_inet6");
	fake_file("/proc/net/route",
		"Iface Destination Gateway Flags RefCnt Use Metric Mask\nens1 0000000A 00000000 0001 0 0 0 000000FF\nens2 00000000 0100000A 0003 0 0 0 00000000");
	fake_says("cards", DOCTOR_WARNING, IN_USE "has an IP address" CUT, "");
	/* Half of all addresses, as some tunnels have. */
	fake_file("/proc/net/route",
		"Iface Destination Gateway Flags RefCnt Use Metric Mask\nens1 00000000 0100000A 0003 0 0 0 00000080");
	fake_says("cards", DOCTOR_WARNING, IN_USE "has an IP address" CUT, "");
	fake_file("/proc/net/route",
		"Iface Destination Gateway Flags RefCnt Use Metric Mask\nens1 00000000 0100000A 0003 0 0 0 00000000");
	fake_says("cards", DOCTOR_WARNING, IN_USE "has the default route" CUT, "");
	fake_gone("/proc/net/route");
	fake_file("/proc/net/ipv6_route",
		"fe800000000000000000000000000000 40 00000000000000000000000000000000 00 00000000000000000000000000000000 00000100 00000001 00000000 00000001 ens1");
	fake_says("cards", DOCTOR_WARNING, IN_USE "is part of another interface" CUT, "");
	fake_file("/proc/net/ipv6_route",
		"00000000000000000000000000000000 00 00000000000000000000000000000000 00 fe800000000000000000000000000009 00000400 00000001 00000000 00000003 ens1");
	fake_says("cards", DOCTOR_WARNING, IN_USE "has the default route" CUT, "");
	fake_fine("VFIO");
	fake_fine("node pages");
}

/* The interface of a virtio card is in the folder of its virtio device. */
TEST(virtio)
{
	fake_file(DEVICE(SECOND, "class"), "0x020000");
	fake_file(DEVICE(SECOND, "vendor"), "0x1af4");
	fake_file(DEVICE(SECOND, "device"), "0x1000");
	fake_file(DEVICE(SECOND, "virtio0/net/eth0/flags"), "0x1003");
	fake_link(DEVICE(SECOND, "driver"), "../../../bus/pci/drivers/virtio-pci");
	fake_says_at("cards", 1, DOCTOR_WARNING,
		SECOND " 1af4:1000, virtio-pci: in use, eth0 is up; binding it cuts this host off",
		"");
}

TEST(no_iommu)
{
	static const char found[] = "the kernel uses no IOMMU: vfio-pci refuses to open cards";

	fake_gone("/sys/class/iommu/dmar0/x");
	fake_gone("/sys/class/iommu/dmar0");
	fake_says("VFIO", DOCTOR_FAILS, found, "boot with intel_iommu=on iommu=pt");
	fake_file("/proc/cmdline", "ro intel_iommu=on");
	fake_says("VFIO", DOCTOR_FAILS, found,
		"enable VT-d in the firmware's set-up; else bind to uio_pci_generic");
	fake_file("/proc/cpuinfo", "vendor_id : AuthenticAMD");
	fake_says("VFIO", DOCTOR_FAILS, found,
		"enable the IOMMU (AMD-Vi, SMMU) in the firmware's set-up; else echo 1 > " NOIOMMU);
	fake_file("/proc/cpuinfo", "vendor_id : GenuineIntel\nflags : sse2 hypervisor");
	fake_says("VFIO", DOCTOR_FAILS, found,
		"echo 1 > " NOIOMMU ", or give this machine an IOMMU");
	fake_gone(NOIOMMU);
	fake_says("VFIO", DOCTOR_FAILS, found,
		"bind to uio_pci_generic: this kernel's vfio has no mode without IOMMU");
	fake_file(NOIOMMU, "Y");
	fake_says("VFIO", DOCTOR_WARNING, "vfio without IOMMU: cards can write to all memory", "");
	fake_gone("/sys/module/vfio_pci/x");
	fake_gone("/sys/module/vfio_pci");
	fake_says_at("VFIO", 0, DOCTOR_FAILS, "the kernel module vfio-pci is not loaded",
		"modprobe vfio-pci");
	/* A host with a port does not wait for vfio, nor does one whose card the kernel uses. */
	fake_use.any_port = true;
	fake_fine("VFIO");
	fake_use.any_port = false;
	fake_file(DEVICE(CARD, "net/ens1/flags"), "0x1003");
	fake_fine("VFIO");
}

/* A card that is bound, but cannot be opened. */
TEST(groups)
{
	bound("vfio-pci");
	fake_fine("VFIO");
	fake_file(DEVICE(SECOND, "class"), "0x020000");
	fake_file(DEVICE(SECOND, "vendor"), "0x8086");
	fake_file("/sys/kernel/iommu_groups/12/devices/" SECOND, "");
	fake_file("/sys/kernel/iommu_groups/12/devices/0000:00:01.0", "");
	fake_fine("VFIO"); /* neither has a driver */
	fake_link(DEVICE("0000:00:01.0", "driver"), "../../../bus/pci/drivers/pcieport");
	fake_fine("VFIO"); /* bridges may keep theirs */
	fake_link(DEVICE(SECOND, "driver"), "../../../bus/pci/drivers/i40e");
	fake_says("VFIO", DOCTOR_FAILS,
		CARD ": IOMMU group 12 also holds " SECOND ", which the kernel drives (i40e)",
		"dpdk-devbind.py --bind=vfio-pci " SECOND);
	fake_file(DEVICE(SECOND, "net/ens2/flags"), "0x1003");
	fake_says("VFIO", DOCTOR_FAILS,
		CARD ": IOMMU group 12 also holds " SECOND ", which the kernel drives (i40e)",
		"move the card to a slot with a group of its own; ens2 is up");
	/* The card of an open port was opened; another one that is bound was not. */
	port(CARD);
	fake_fine("VFIO");
	fake_link(DEVICE(SECOND, "driver"), "../../../bus/pci/drivers/vfio-pci");
	fake_link(DEVICE("0000:00:01.0", "driver"), "../../../bus/pci/drivers/ahci");
	fake_says("VFIO", DOCTOR_FAILS, SECOND ": bound to vfio-pci, but has no IOMMU group",
		"dpdk-devbind.py -u " SECOND ", and bind it again");
}

TEST(no_group)
{
	bound("vfio-pci");
	strcpy(fake_use.lock_limit, "only 0.1 MiB may be locked");
	fake_says("VFIO", DOCTOR_WARNING, "vfio-pci locks all memory that a card can access",
		"only 0.1 MiB may be locked");
	fake_use.lock_limit[0] = '\0';
	fake_gone("/dev/vfio/12");
	fake_says("VFIO", DOCTOR_FAILS, CARD ": no file /dev/vfio/12",
		"in a container: --device=/dev/vfio/vfio --device=/dev/vfio/12");
	fake_file(DEVICE(CARD, "vfio-dev/vfio0/dev"), "511:0");
	fake_says("VFIO", DOCTOR_FAILS, CARD ": no file /dev/vfio/12",
		"in a container: --device=/dev/vfio/vfio --device=/dev/vfio/12");
	fake_file("/dev/vfio/devices/vfio0", "");
	if (SINCE_26_11(false, true))
		fake_fine("VFIO");
	else
		fake_says("VFIO", DOCTOR_FAILS,
			CARD
			": no file /dev/vfio/12; there is /dev/vfio/devices/vfio0, which this DPDK does not open",
			"a kernel with CONFIG_VFIO_GROUP; in a container: --device=/dev/vfio/vfio --device=/dev/vfio/12");
	fake_gone("/dev/vfio/devices/vfio0");
	fake_file("/sys/bus/pci/iommu_groups/12/name", "vfio-noiommu");
	fake_link(DEVICE(CARD, "iommu_group"), "../../iommu_groups/12");
	fake_says("VFIO", DOCTOR_FAILS, CARD ": no file /dev/vfio/noiommu-12",
		"in a container: --device=/dev/vfio/vfio --device=/dev/vfio/noiommu-12");
	fake_gone(DEVICE(CARD, "iommu_group"));
	fake_says("VFIO", DOCTOR_FAILS, CARD ": bound to vfio-pci, but has no IOMMU group",
		"dpdk-devbind.py -u " CARD ", and bind it again");
}

/* A user without rights. Root has all, so it becomes another user meanwhile. */
TEST(permission)
{
	static const char found[] = CARD ": this user must not open /dev/vfio/12";
	const uid_t own = geteuid();
	char whole[256];

	bound("vfio-pci");
	snprintf(whole, sizeof(whole), "%s/dev/vfio/12", fake_root);
	assert_int_equal(chmod(whole, 0), 0);
	assert_int_equal(own != 0 ? 0 : seteuid(65534), 0);
	fake_examine();
	assert_int_equal(own != 0 ? 0 : seteuid(own), 0);
	for (unsigned int i = 0; i < fake_findings.n; i++)
		if (strcmp(fake_findings.list[i].found, found) == 0) {
			assert_string_equal(fake_findings.list[i].change,
				"chown $USER /dev/vfio/12; ulimit -l unlimited");
			return;
		}
	fail_msg("expected \"%s\"", found);
}

TEST(rates)
{
	static const struct {
		struct pci_card_link link;
		double gbps;
	} links[] = {
		{ { 2.5, 1 }, 2 },
		{ { 5, 8 }, 32 },
		{ { 8, 8 }, 63.01 },
		{ { 16, 16 }, 252.06 },
		{ { 32, 16 }, 504.12 },
		{ { 64, 16 }, 944 },
		{ { 0, 16 }, 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(links); i++)
		assert_true(fabs(pci_card_gbps(&links[i].link) - links[i].gbps) < .01);
}

TEST(pcie)
{
	struct doctor_port *p = port(CARD);

	p->mbps = p->mbps_max = 40000;
	fake_fine("PCI Express");
	/* A second port of the card shares its link: 80 Gbit/s of 63. */
	fake_file(DEVICE(SECOND, "class"), "0x020000");
	fake_file(DEVICE(SECOND, "vendor"), "0x8086");
	fake_file(DEVICE(SECOND, "current_link_speed"), "8.0 GT/s PCIe");
	fake_file(DEVICE(SECOND, "current_link_width"), "8");
	*port(SECOND) = *p;
	fake_use.ports[1].id = 1;
	strcpy(fake_use.ports[1].pci, SECOND);
	fake_says("PCI Express", DOCTOR_SPOILS,
		"ports 0,1: x8 at 8 GT/s carries 63.0 Gbit/s, the ports have 80; the card can x8 at 8 GT/s",
		"divide the load among cards: the card's own link is the limit");
	/* Ports of another card do not count. */
	fake_file(DEVICE("0000:02:00.0", "vendor"), "0x8086");
	fake_file(DEVICE("0000:02:00.0", "current_link_speed"), "8.0 GT/s PCIe");
	fake_file(DEVICE("0000:02:00.0", "current_link_width"), "8");
	strcpy(fake_use.ports[1].pci, "0000:02:00.0");
	fake_fine("PCI Express");
	fake_file(DEVICE(CARD, "current_link_width"), "4");
	fake_says("PCI Express", DOCTOR_SPOILS,
		"port 0: x4 at 8 GT/s carries 31.5 Gbit/s, the port has 40; the card can x8 at 8 GT/s",
		"use a slot with x8 at 8 GT/s, or reseat the card: lspci -vvs " CARD);
	assert_string_equal(fake_finding("PCI Express", 0)->source,
		DEVICE(CARD, "current_link_width"));
	fake_use.ports[0].mbps = 10000;
	fake_says("PCI Express", DOCTOR_WARNING,
		"port 0: x4 at 8 GT/s carries 31.5 Gbit/s, the port has 10; the card can x8 at 8 GT/s",
		"use a slot with x8 at 8 GT/s, or reseat the card: lspci -vvs " CARD);
	/* A link that is down says nothing: then the card's best counts. */
	fake_use.ports[0].link_up = false;
	assert_int_equal(fake_finding("PCI Express", 0)->verdict, DOCTOR_SPOILS);
	fake_use.ports[0].link_up = true;
	fake_file(DEVICE(CARD, "current_link_width"), "8");
	fake_file(DEVICE(CARD, "current_link_speed"), "2.5 GT/s PCIe");
	fake_says("PCI Express", DOCTOR_WARNING,
		"port 0: x8 at 2.5 GT/s carries 16.0 Gbit/s, the port has 10; the card can x8 at 8 GT/s",
		"use a slot with x8 at 8 GT/s, or reseat the card: lspci -vvs " CARD);
	fake_file(DEVICE(CARD, "current_link_speed"), "Unknown");
	fake_fine("PCI Express");
}

/* A virtual function: its card's link, and its card's interface. */
TEST(vf)
{
	struct doctor_port *p = port("0000:01:02.0");

	fake_file(DEVICE("0000:01:02.0", "class"), "0x020000");
	fake_file(DEVICE("0000:01:02.0", "vendor"), "0x8086");
	fake_file(DEVICE("0000:01:02.0", "current_link_speed"), "Unknown");
	fake_file(DEVICE("0000:01:02.0", "current_link_width"), "0");
	fake_link(DEVICE("0000:01:02.0", "physfn"), "../" CARD);
	fake_says("PF of VF", DOCTOR_FAILS, "0000:01:02.0: its card's interface ens1 is down",
		"ip link set ens1 up");
	assert_string_equal(fake_finding("PF of VF", 0)->source, "/sys/class/net/ens1/operstate");
	fake_file(DEVICE(CARD, "net/ens1/flags"), "0x1003");
	fake_says("PF of VF", DOCTOR_FAILS, "0000:01:02.0: its card's interface ens1 is down",
		"check its cable: ens1 is up, but has no link");
	fake_file("/sys/class/net/ens1/operstate", "up");
	fake_fine("PF of VF");
	p->mbps = 100000;
	fake_says("PCI Express", DOCTOR_SPOILS,
		"port 0: x8 at 8 GT/s carries 63.0 Gbit/s, the port has 100; the card can x8 at 8 GT/s",
		"divide the load among cards: the card's own link is the limit");
	/* One that no program has is not examined. */
	fake_file("/sys/class/net/ens1/operstate", "down");
	fake_use.n_ports = 0;
	fake_fine("PF of VF");
}

#define PAGES(node, file) \
	"/sys/devices/system/node/node" node "/hugepages/hugepages-2048kB/" file "_hugepages"

TEST(node_pages)
{
	fake_fine("node pages");
	fake_file(PAGES("1", "free"), "0");
	fake_says("node pages", DOCTOR_SPOILS,
		"node 1 of " CARD ": other programs use all 2048 MiB of its huge pages",
		"echo 2048 > " PAGES("1", "nr"));
	fake_file(PAGES("1", "nr"), "0");
	fake_says("node pages", DOCTOR_SPOILS, "node 1 of " CARD " has no huge pages",
		"echo 1024 > " PAGES("1", "nr"));
	/* Pages of another size do as well. */
	fake_file("/sys/devices/system/node/node1/hugepages/hugepages-1048576kB/nr_hugepages", "4");
	fake_file("/sys/devices/system/node/node1/hugepages/hugepages-1048576kB/free_hugepages",
		"4");
	fake_fine("node pages");
	fake_file("/sys/devices/system/node/node1/hugepages/hugepages-1048576kB/free_hugepages",
		"0");
	assert_int_equal(fake_finding("node pages", 0)->verdict, DOCTOR_SPOILS);
	port(CARD); /* the program itself has them */
	fake_fine("node pages");
	fake_file("/sys/devices/system/node/node1/hugepages/hugepages-1048576kB/nr_hugepages", "0");
	fake_says("node pages", DOCTOR_SPOILS, "node 1 of " CARD " has no huge pages",
		"echo 1024 > " PAGES("1", "nr"));
	fake_file("/sys/devices/system/node/node1/hugepages/hugepages-1048576kB/nr_hugepages", "4");
	fake_use.hugepages = false;
	assert_int_equal(fake_finding("node pages", 0)->verdict, DOCTOR_SPOILS);
	/* A card of which the kernel does not know the node may be on any of two. */
	fake_file(DEVICE(CARD, "numa_node"), "-1");
	fake_fine("node pages");
	fake_file(DEVICE(CARD, "numa_node"), "0");
	fake_says("node pages", DOCTOR_SPOILS, "node 0 of " CARD " has no huge pages",
		"echo 1024 > " PAGES("0", "nr"));
	/* Two cards of a node are one finding. */
	fake_file(DEVICE(SECOND, "class"), "0x020000");
	fake_file(DEVICE(SECOND, "vendor"), "0x8086");
	fake_file(DEVICE(SECOND, "numa_node"), "0");
	strcpy(port(SECOND)->pci, SECOND);
	assert_null(fake_finding("node pages", 1));
}

TEST(links)
{
	struct doctor_port *p = port(CARD);

	fake_fine("link");
	p->mbps = 1000;
	fake_says("link", DOCTOR_SPOILS, "port 0: its link has 1 Gbit/s, the card can 10",
		"show port 0 module_eeprom; check the peer's speed");
	p->half_duplex = true;
	fake_says_at("link", 0, DOCTOR_SPOILS, "port 0: its link is half-duplex",
		"switch autonegotiation on at the peer");
	p->link_up = false;
	fake_says("link", DOCTOR_FAILS, "port 0: its link is down",
		"set link-up port 0; else check cable, transceiver and the peer");
	p->started = false;
	fake_fine("link");
}

TEST(pauses)
{
	struct doctor_port *p = port(CARD);

	fake_fine("flow control");
	p->pause_tx = true;
	fake_says("flow control", DOCTOR_SPOILS,
		"port 0 asks its peer for pauses: loss becomes delay", "set flow_ctrl tx off 0");
	p->pause_rx = true;
	fake_says_at("flow control", 0, DOCTOR_SPOILS,
		"port 0 stops sending when its peer asks for a pause", "set flow_ctrl rx off 0");
	fake_says_at("flow control", 1, DOCTOR_SPOILS,
		"port 0 asks its peer for pauses: loss becomes delay", "set flow_ctrl tx off 0");
}

TEST(frames)
{
	struct doctor_port *p = port(CARD);

	p->frame_bytes = 9018;
	fake_fine("frame size"); /* buffers of unknown size */
	p->buffer_bytes = 2048;
	fake_says("frame size", DOCTOR_SPOILS,
		"port 0: frames of 9018 bytes, buffers of 2048, no scatter: long frames are lost",
		"start with --mbuf-size=9146");
	p->can_scatter = true;
	fake_says("frame size", DOCTOR_SPOILS,
		"port 0: frames of 9018 bytes, buffers of 2048, no scatter: long frames are lost",
		"port stop 0; port config 0 rx_offload scatter on; port start 0");
	p->scatter = true;
	fake_fine("frame size");
	p->scatter = false;
	p->frame_bytes = 2048;
	fake_fine("frame size");
}

TEST(queues)
{
	struct doctor_port *p = port(CARD);

	fake_use.n_lcores = 4;
	fake_fine("queues");
	fake_use.n_idle = 3;
	fake_says("queues", DOCTOR_WARNING,
		"3 of 4 lcores have no queue: there are fewer queues than lcores",
		"set nbcore 1, or more queues: --rxq=N --txq=N");
	fake_use.n_idle = 0;
	p->n_rxq = 4;
	fake_says("queues", DOCTOR_SPOILS,
		"port 0: 1 of 4 Rx queues are polled, packets of the others are lost",
		"port stop all; port config all txq 4; port start all");
	p->polled_known = false; /* of an engine that does not receive */
	fake_fine("queues");
	p->n_rxq = 1;
	fake_use.ports[1] = (struct doctor_port){ .id = 7, .polled_known = true, .n_rxq = 1 };
	fake_use.n_others = 1;
	fake_says("queues", DOCTOR_WARNING, "port 7 is started, but no lcore polls it",
		"port stop 7, or name it in set portlist");
}

TEST(firmware)
{
	static const char found[] =
		"port 0 (net_ice): no DDP package, so it has one queue and no RSS";
	struct doctor_port *p = port(CARD);

	fake_says("firmware", DOCTOR_UNKNOWN, "no driver reports a version", "");
	strcpy(p->firmware, "6.80 0x80003d05");
	fake_says("firmware", DOCTOR_OK, "port 0: 6.80 0x80003d05", "");
	fake_fine("DDP package");
	strcpy(p->driver, "net_ice");
	fake_file("/lib/firmware/intel/ice/ddp/ice-1.3.30.0.pkg", "");
	fake_says("DDP package", DOCTOR_SPOILS, found,
		"install ice.pkg (linux-firmware) in /lib/firmware/intel/ice/ddp");
	fake_file("/lib/firmware/updates/intel/ice/ddp/ice-b49691ffffa1a2b3.pkg", "");
	fake_fine("DDP package");
	fake_gone("/lib/firmware/updates/intel/ice/ddp/ice-b49691ffffa1a2b3.pkg");
	fake_file("/lib/firmware/intel/ice/ddp/ice.pkg", "");
	fake_fine("DDP package");
}

/* A host without files: nothing is made up. */
TEST(silent)
{
	fake_remove(state);
	assert_int_equal(mkdir(fake_root, 0700), 0);
	fake_says("cards", DOCTOR_UNKNOWN, "no network card is on the PCI bus", "");
	port(CARD);
	fake_fine("VFIO");
	fake_fine("PCI Express");
	fake_fine("PF of VF");
	fake_fine("node pages");
}

TESTS(.before = fake_make, .after = fake_remove);
