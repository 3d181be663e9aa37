/* Checks of network cards by what the kernel tells: their drivers, IOMMU groups, PCI Express links,
 * and the huge pages of their nodes. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/base.h"
#include "compat.h"
#include "features/doctor/doctor_priv.h"
#include "features/doctor/host_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	PATH = 128,
	NODE_MIB = 2048, /* huge pages to reserve on a node */
};

#define NOIOMMU "/sys/module/vfio/parameters/enable_unsafe_noiommu_mode"

/* The file of a card, as the source of a finding. */
static void
source_card(struct doctor_finding *f, const struct pci_card *card, const char *file)
{
	doctor_finding_source(f, PCI_CARD_FOLDER "/%s/%s", card->address, file);
}

/* Set the command that binds a card to a driver for programs, by the tool that this host has. */
static void
change_bind(const struct examined *x, struct doctor_finding *f, const char *address)
{
	static const char *const devbind[] = { "/usr/bin/dpdk-devbind.py",
		"/usr/local/bin/dpdk-devbind.py", "/usr/sbin/dpdk-devbind.py",
		"/usr/bin/dpdk-devbind" };
	bool there = !host_there(x->root, "/usr/sbin/driverctl");

	for (size_t i = 0; i < ARRAY_SIZE(devbind); i++)
		there |= host_there(x->root, devbind[i]);
	doctor_finding_change(f,
		there ? "dpdk-devbind.py --bind=vfio-pci %s" : "driverctl set-override %s vfio-pci",
		address);
}

/* Return whether a program may take the card: the kernel does not use it, and no program has it. */
static bool
is_free(const struct pci_card *card)
{
	return !pci_card_bound(card) && card->vendor != PCI_CARD_MELLANOX &&
		card->use == PCI_CARD_IDLE;
}

static bool
is_vfio(const struct pci_card *card)
{
	return strcmp(card->driver, "vfio-pci") == 0;
}

/* Return the forwarding port of the card; NULL: none. */
static const struct doctor_port *
port_of(const struct examined *x, const struct pci_card *card)
{
	for (unsigned int i = 0; i < x->use->n_ports + x->use->n_others; i++)
		if (strcmp(x->use->ports[i].pci, card->address) == 0)
			return &x->use->ports[i];
	return NULL;
}

static void
check_ports(const struct examined *x)
{
	struct doctor_finding *f;

	if (x->use->any_port) {
		doctor_finding_add(x->findings, DOCTOR_OK, "%u port%s", x->use->n_ports,
			x->use->n_ports == 1 ? "" : "s");
		return;
	}
	f = doctor_finding_add(x->findings, DOCTOR_FAILS, "no port%s",
		x->use->no_pci ? ": --no-pci ignores all cards" : "");
	if (x->use->no_pci)
		doctor_finding_change(f, "start without --no-pci, or with --vdev=net_tap0");
	else if (x->n_cards > 0)
		doctor_finding_change(f, "bind a card, see below; without one: --vdev=net_tap0");
	else
		doctor_finding_change(f,
			"this host shows no network card; without one: --vdev=net_tap0");
}

/* The words for how the kernel uses an interface. */
static const char *
use_words(enum pci_card_use use)
{
	static const char *const words[] = {
		[PCI_CARD_IDLE] = "is down",
		[PCI_CARD_UP] = "is up",
		[PCI_CARD_BELOW] = "is part of another interface",
		[PCI_CARD_ADDRESSED] = "has an IP address",
		[PCI_CARD_DEFAULT_ROUTE] = "has the default route",
	};

	return words[use];
}

/* Write "0000:01:00.0 8086:1572, i40e, node 0". */
static void
card_name(const struct pci_card *card, char *name, size_t size)
{
	char node[24] = "";

	if (card->node >= 0)
		snprintf(node, sizeof(node), ", node %d", card->node);
	snprintf(name, size, "%s %04x:%04x, %s%s", card->address, card->vendor, card->device,
		card->driver[0] != '\0' ? card->driver : "no driver", node);
}

/* Set the options that make a port of a card that needs no command first; more: what follows them. */
static void
change_start(const struct examined *x, struct doctor_finding *f, const struct pci_card *card,
	const char *more)
{
	if (x->use->no_pci)
		doctor_finding_change(f, "start without --no-pci");
	else
		doctor_finding_change(f, "start with -a %s%s", card->address, more);
}

static void
check_card(const struct examined *x, const struct pci_card *card)
{
	struct doctor_finding *f;
	char name[96];

	card_name(card, name, sizeof(name));
	if (card->vendor == PCI_CARD_MELLANOX && card->driver[0] != '\0' && !pci_card_bound(card)) {
		f = doctor_finding_add(x->findings, DOCTOR_WARNING,
			"%s: needs no binding, but is no port", name);
		change_start(x, f, card, "; needs libibverbs and DPDK's mlx5 driver");
	} else if (pci_card_bound(card)) {
		f = doctor_finding_add(x->findings, DOCTOR_WARNING, "%s: bound, but is no port",
			name);
		change_start(x, f, card, " --log-level=lib.eal:info");
	} else if (card->use != PCI_CARD_IDLE) {
		f = doctor_finding_add(x->findings, DOCTOR_WARNING,
			"%s: in use, %s %s; binding it cuts this host off", name, card->interface,
			use_words(card->use));
		source_card(f, card, "net, /proc/net/route");
		return;
	} else {
		f = doctor_finding_add(x->findings, DOCTOR_FAILS, "%s: not bound", name);
		change_bind(x, f, card->address);
	}
	source_card(f, card, "driver");
}

/* Without a port: each card, and the command that makes it one. */
static void
check_cards(const struct examined *x)
{
	if (x->use->any_port)
		return;
	if (x->n_cards == 0)
		doctor_finding_add(x->findings, DOCTOR_UNKNOWN,
			"no network card is on the PCI bus");
	for (unsigned int i = 0; i < x->n_cards; i++)
		check_card(x, &x->cards[i]);
}

static bool
is_word(const char *line, void *word)
{
	return strstr(line, word) != NULL;
}

/* The kernel uses no IOMMU, and vfio must not do without one: find what stands in the way. */
static void
check_no_iommu(const struct examined *x)
{
	struct doctor_finding *f = doctor_finding_add(x->findings, DOCTOR_FAILS,
		"the kernel uses no IOMMU: vfio-pci refuses to open cards");

	doctor_finding_source(f, "/sys/class/iommu, " NOIOMMU);
	if (host_there(x->root, "/sys/module/vfio") && !host_there(x->root, NOIOMMU))
		doctor_finding_change(f,
			"bind to uio_pci_generic: this kernel's vfio has no mode without IOMMU");
	else if (host_lines(x->root, "/proc/cpuinfo", is_word, " hypervisor"))
		doctor_finding_change(f, "echo 1 > " NOIOMMU ", or give this machine an IOMMU");
	else if (!host_lines(x->root, "/proc/cpuinfo", is_word, "GenuineIntel"))
		doctor_finding_change(f,
			"enable the IOMMU (AMD-Vi, SMMU) in the firmware's set-up; else echo 1 > " NOIOMMU);
	else if (host_lines(x->root, "/proc/cmdline", is_word, "intel_iommu=on"))
		doctor_finding_change(f,
			"enable VT-d in the firmware's set-up; else bind to uio_pci_generic");
	else
		doctor_finding_change(f, "boot with intel_iommu=on iommu=pt");
}

/* Check the other devices in a card's IOMMU group: if the kernel drives one, vfio refuses all. */
static void
check_group(const struct examined *x, const struct pci_card *card)
{
	static const char *const allowed[] = { "", "vfio-pci", "pci-stub", "pcieport" };
	char path[PATH];
	struct dirent **names;
	unsigned int n;

	snprintf(path, sizeof(path), "/sys/kernel/iommu_groups/%d/devices", card->group);
	n = host_names(x->root, path, &names);
	for (unsigned int i = 0; i < n; i++) {
		struct doctor_finding *f;
		struct pci_card other;
		bool fine = false;

		if (!pci_card_read(x->root, names[i]->d_name, &other))
			continue;
		for (size_t a = 0; a < ARRAY_SIZE(allowed); a++)
			fine |= strcmp(other.driver, allowed[a]) == 0;
		if (fine)
			continue;
		f = doctor_finding_add(x->findings, DOCTOR_FAILS,
			"%s: IOMMU group %d also holds %s, which the kernel drives (%s)",
			card->address, card->group, other.address, other.driver);
		doctor_finding_source(f, "%s", path);
		if (other.use == PCI_CARD_IDLE)
			change_bind(x, f, other.address);
		else
			doctor_finding_change(f,
				"move the card to a slot with a group of its own; %s %s",
				other.interface, use_words(other.use));
	}
	host_names_free(names, n);
}

/* Write the file by which newer kernels open a card without its group. Returns false if there is none. */
static bool
device_alone(const struct examined *x, const struct pci_card *card, char *device, size_t size)
{
	char folder[PATH];
	struct dirent **names;
	unsigned int n;

	snprintf(folder, sizeof(folder), PCI_CARD_FOLDER "/%s/vfio-dev", card->address);
	n = host_names(x->root, folder, &names);
	if (n > 0)
		snprintf(device, size, "/dev/vfio/devices/%.64s", names[0]->d_name);
	host_names_free(names, n);
	return n > 0 && host_there(x->root, device);
}

/* Check that this process may open a card: by its group, or alone, as DPDK is to do from 26.11 on. */
static void
check_device(const struct examined *x, const struct pci_card *card)
{
	char device[PATH], whole[PATH_MAX], alone[PATH];
	struct doctor_finding *f;
	bool by_itself;

	snprintf(device, sizeof(device), "/dev/vfio/%s%d", card->unsafe ? "noiommu-" : "",
		card->group);
	by_itself = !host_there(x->root, device) && device_alone(x, card, alone, sizeof(alone));
	if (by_itself && SINCE_26_11(false, true))
		memcpy(device, alone, sizeof(device));
	if (snprintf(whole, sizeof(whole), "%s%s", x->root, device) >= (int)sizeof(whole) ||
		faccessat(AT_FDCWD, whole, R_OK | W_OK, AT_EACCESS) == 0)
		return;
	if (errno == ENOENT && by_itself) {
		f = doctor_finding_add(x->findings, DOCTOR_FAILS,
			"%s: no file %s; there is %s, which this DPDK does not open", card->address,
			device, alone);
		doctor_finding_change(f,
			"a kernel with CONFIG_VFIO_GROUP; in a container: --device=/dev/vfio/vfio --device=%s",
			device);
	} else if (errno == ENOENT) {
		f = doctor_finding_add(x->findings, DOCTOR_FAILS, "%s: no file %s", card->address,
			device);
		doctor_finding_change(f, "in a container: --device=/dev/vfio/vfio --device=%s",
			device);
	} else {
		f = doctor_finding_add(x->findings, DOCTOR_FAILS, "%s: this user must not open %s",
			card->address, device);
		doctor_finding_change(f, "chown $USER %s; ulimit -l unlimited", device);
	}
	doctor_finding_source(f, "%s", device);
}

static void
check_vfio_card(const struct examined *x, const struct pci_card *card)
{
	if (card->group == PCI_CARD_NO_GROUP) {
		struct doctor_finding *f = doctor_finding_add(x->findings, DOCTOR_FAILS,
			"%s: bound to vfio-pci, but has no IOMMU group", card->address);

		doctor_finding_change(f, "dpdk-devbind.py -u %s, and bind it again", card->address);
		source_card(f, card, "iommu_group");
		return;
	}
	check_group(x, card);
	check_device(x, card);
}

static void
check_vfio(const struct examined *x)
{
	struct dirent **names;
	const unsigned int n = host_names(x->root, "/sys/class/iommu", &names);
	unsigned int n_vfio = 0, n_free = 0;
	char unsafe[8] = "";

	host_names_free(names, n);
	for (unsigned int i = 0; i < x->n_cards; i++) {
		n_vfio += is_vfio(&x->cards[i]) && port_of(x, &x->cards[i]) == NULL;
		n_free += !x->use->any_port && is_free(&x->cards[i]);
	}
	if (n_vfio + n_free == 0)
		return;
	if (!host_there(x->root, "/sys/module/vfio_pci")) {
		struct doctor_finding *f = doctor_finding_add(x->findings, DOCTOR_FAILS,
			"the kernel module vfio-pci is not loaded");

		doctor_finding_change(f, "modprobe vfio-pci");
	}
	host_line(x->root, NOIOMMU, unsafe, sizeof(unsafe));
	if (n == 0 && unsafe[0] != 'Y' && unsafe[0] != '1') {
		check_no_iommu(x);
		return;
	}
	if (n_vfio > 0 && x->use->lock_limit[0] != '\0') {
		struct doctor_finding *f = doctor_finding_add(x->findings, DOCTOR_WARNING,
			"vfio-pci locks all memory that a card can access");

		doctor_finding_change(f, "%s", x->use->lock_limit);
		doctor_finding_source(f, "getrlimit(RLIMIT_MEMLOCK)");
	}
	if (n == 0)
		doctor_finding_source(doctor_finding_add(x->findings, DOCTOR_WARNING,
					      "vfio without IOMMU: cards can write to all memory"),
			NOIOMMU);
	for (unsigned int i = 0; i < x->n_cards; i++)
		if (is_vfio(&x->cards[i]) && port_of(x, &x->cards[i]) == NULL)
			check_vfio_card(x, &x->cards[i]);
}

/* Return the card that has the port's PCI Express link, a virtual function's being that of its card. */
static bool
link_card(const struct examined *x, const struct doctor_port *port, struct pci_card *card)
{
	struct pci_card pf;

	if (port->pci[0] == '\0' || !pci_card_read(x->root, port->pci, card))
		return false;
	if (card->pf[0] != '\0' && pci_card_read(x->root, card->pf, &pf))
		*card = pf;
	return card->link.gts > 0 && card->link.width > 0;
}

/* Return whether two functions are of one card: their addresses differ behind the dot. */
static bool
is_same_card(const struct pci_card *a, const struct pci_card *b)
{
	const size_t n = strcspn(a->address, ".");

	return strncmp(a->address, b->address, n + 1) == 0;
}

/*
 * Add the speed of all ports of the card to *mbps, and their numbers to names, if the port is the
 * first of them.
 */
static bool
card_load(const struct examined *x, unsigned int first, const struct pci_card *card, uint64_t *mbps,
	char *names, size_t size)
{
	size_t at = 0;

	*mbps = 0;
	names[0] = '\0';
	for (unsigned int i = 0; i < x->use->n_ports; i++) {
		const struct doctor_port *port = &x->use->ports[i];
		struct pci_card other;

		if (!link_card(x, port, &other) || !is_same_card(card, &other))
			continue;
		if (i < first)
			return false;
		*mbps += port->link_up && port->mbps != 0 ? port->mbps : port->mbps_max;
		if (at < size)
			at += (size_t)snprintf(names + at, size - at, "%s%u", at > 0 ? "," : "",
				port->id);
	}
	return true;
}

static void
check_pcie(const struct examined *x)
{
	for (unsigned int i = 0; i < x->use->n_ports; i++) {
		struct doctor_finding *f;
		struct pci_card card;
		char names[32];
		uint64_t mbps;
		double gbps;
		bool less, slow;

		if (!link_card(x, &x->use->ports[i], &card) ||
			!card_load(x, i, &card, &mbps, names, sizeof(names)))
			continue;
		gbps = pci_card_gbps(&card.link);
		slow = gbps * 1000 < (double)mbps;
		less = card.link.width < card.link_max.width || card.link.gts < card.link_max.gts;
		if (!slow && !less)
			continue;
		f = doctor_finding_add(x->findings, slow ? DOCTOR_SPOILS : DOCTOR_WARNING,
			"port%s %s: x%u at %g GT/s carries %.1f Gbit/s, the port%s %g; the card can x%u at %g GT/s",
			strchr(names, ',') != NULL ? "s" : "", names, card.link.width,
			card.link.gts, gbps, strchr(names, ',') != NULL ? "s have" : " has",
			(double)mbps / 1000, card.link_max.width, card.link_max.gts);
		if (less)
			doctor_finding_change(f,
				"use a slot with x%u at %g GT/s, or reseat the card: lspci -vvs %s",
				card.link_max.width, card.link_max.gts, card.address);
		else
			doctor_finding_change(f,
				"divide the load among cards: the card's own link is the limit");
		source_card(f, &card, "current_link_width");
	}
}

/* Check the physical function that a virtual one belongs to. */
static void
check_pf(const struct examined *x, const struct pci_card *vf)
{
	struct doctor_finding *f;
	struct pci_card pf;
	char path[PATH], state[16];

	if (vf->pf[0] == '\0' || !pci_card_read(x->root, vf->pf, &pf) || pf.interface[0] == '\0')
		return;
	snprintf(path, sizeof(path), "/sys/class/net/%s/operstate", pf.interface);
	if (!host_line(x->root, path, state, sizeof(state)) || strcmp(state, "down") != 0)
		return;
	f = doctor_finding_add(x->findings, DOCTOR_FAILS, "%s: its card's interface %s is down",
		vf->address, pf.interface);
	if (pf.use == PCI_CARD_IDLE)
		doctor_finding_change(f, "ip link set %s up", pf.interface);
	else
		doctor_finding_change(f, "check its cable: %s is up, but has no link",
			pf.interface);
	doctor_finding_source(f, "%s", path);
}

static void
check_vfs(const struct examined *x)
{
	for (unsigned int i = 0; i < x->n_cards; i++)
		if (pci_card_bound(&x->cards[i]) || port_of(x, &x->cards[i]) != NULL)
			check_pf(x, &x->cards[i]);
}

/* Huge pages of all sizes on a node, in KiB; size_kib: the smallest size, 0: the node has none. */
struct node_pages {
	uint64_t kib, free_kib, size_kib;
};

static struct node_pages
pages_read(const struct examined *x, int node)
{
	struct node_pages pages = { 0 };
	struct dirent **names;
	char folder[PATH], path[2 * PATH];
	unsigned int n;

	snprintf(folder, sizeof(folder), "/sys/devices/system/node/node%d/hugepages", node);
	n = host_names(x->root, folder, &names);
	for (unsigned int i = 0; i < n; i++) {
		uint64_t size, count = 0, unused = 0;

		if (sscanf(names[i]->d_name, "hugepages-%" SCNu64 "kB", &size) != 1 || size == 0)
			continue;
		snprintf(path, sizeof(path), "%s/%.64s/nr_hugepages", folder, names[i]->d_name);
		host_number(x->root, path, &count);
		snprintf(path, sizeof(path), "%s/%.64s/free_hugepages", folder, names[i]->d_name);
		host_number(x->root, path, &unused);
		pages.kib += count * size;
		pages.free_kib += unused * size;
		if (pages.size_kib == 0 || size < pages.size_kib)
			pages.size_kib = size;
	}
	host_names_free(names, n);
	return pages;
}

static void
check_node(const struct examined *x, int node, const struct pci_card *card)
{
	const struct node_pages pages = pages_read(x, node);
	struct doctor_finding *f;
	char path[PATH];
	uint64_t more;

	/* A program with ports has taken its pages already. */
	if (pages.size_kib == 0 || pages.free_kib > 0 ||
		(pages.kib > 0 && x->use->any_port && x->use->hugepages))
		return;
	snprintf(path, sizeof(path),
		"/sys/devices/system/node/node%d/hugepages/hugepages-%" PRIu64 "kB/nr_hugepages",
		node, pages.size_kib);
	if (pages.kib == 0)
		f = doctor_finding_add(x->findings, DOCTOR_SPOILS,
			"node %d of %s has no huge pages", node, card->address);
	else
		f = doctor_finding_add(x->findings, DOCTOR_SPOILS,
			"node %d of %s: other programs use all %" PRIu64 " MiB of its huge pages",
			node, card->address, pages.kib / 1024);
	more = (pages.kib + NODE_MIB * UINT64_C(1024)) / pages.size_kib;
	doctor_finding_change(f, "echo %" PRIu64 " > %s", more > 0 ? more : 1, path);
	doctor_finding_source(f, "/sys/devices/system/node/node%d/hugepages", node);
}

/* Return the card's node; a host with one node often says -1. */
static int
node_of(const struct examined *x, const struct pci_card *card)
{
	if (card->node >= 0)
		return card->node;
	return host_there(x->root, "/sys/devices/system/node/node1") ? -1 : 0;
}

static bool
needs_pages(const struct examined *x, const struct pci_card *card)
{
	return port_of(x, card) != NULL || pci_card_bound(card) ||
		(!x->use->any_port && is_free(card));
}

/* Each node with a card that a program uses, or will use, once. */
static void
check_node_pages(const struct examined *x)
{
	for (unsigned int i = 0; i < x->n_cards; i++) {
		const int node = node_of(x, &x->cards[i]);
		bool known = node < 0 || !needs_pages(x, &x->cards[i]);

		for (unsigned int k = 0; k < i; k++)
			known |= needs_pages(x, &x->cards[k]) && node_of(x, &x->cards[k]) == node;
		if (!known)
			check_node(x, node, &x->cards[i]);
	}
}

/*
 * net_ice loads a package of protocols into the card; without one it runs in "safe mode". Its name is
 * ice.pkg, or ice-SERIAL.pkg for one card.
 */
static bool
has_package(const struct examined *x)
{
	static const char *const folders[] = { "/lib/firmware/updates/intel/ice/ddp",
		"/lib/firmware/intel/ice/ddp" };
	bool there = false;

	for (size_t i = 0; i < ARRAY_SIZE(folders); i++) {
		struct dirent **names;
		const unsigned int n = host_names(x->root, folders[i], &names);

		for (unsigned int k = 0; k < n; k++) {
			unsigned long long serial;
			int end = 0;

			there |= strcmp(names[k]->d_name, "ice.pkg") == 0 ||
				(sscanf(names[k]->d_name, "ice-%16llx.pkg%n", &serial, &end) == 1 &&
					end == (int)strlen("ice-0123456789abcdef.pkg"));
		}
		host_names_free(names, n);
	}
	return there;
}

static void
check_packages(const struct examined *x)
{
	for (unsigned int i = 0; i < x->use->n_ports; i++) {
		const struct doctor_port *port = &x->use->ports[i];
		struct doctor_finding *f;

		if (strcmp(port->driver, "net_ice") != 0 || port->pci[0] == '\0' || has_package(x))
			continue;
		f = doctor_finding_add(x->findings, DOCTOR_SPOILS,
			"port %u (net_ice): no DDP package, so it has one queue and no RSS",
			port->id);
		doctor_finding_change(f,
			"install ice.pkg (linux-firmware) in /lib/firmware/intel/ice/ddp");
		doctor_finding_source(f, "/lib/firmware/intel/ice/ddp/ice.pkg");
	}
}

const struct doctor_row doctor_cards_rows[] = {
	{ "ports", check_ports, "", "rte_eth_dev_is_valid_port()" },
	{ "cards", check_cards, "not examined: the program has ports", PCI_CARD_FOLDER },
	{ "VFIO", check_vfio, "no card waits for vfio-pci",
		"/sys/module/vfio_pci, /sys/class/iommu" },
	{ "PCI Express", check_pcie, "no card's link is slower than its ports",
		PCI_CARD_FOLDER "/*/current_link_speed" },
	{ "PF of VF", check_vfs, "no virtual function has a card that is down",
		PCI_CARD_FOLDER "/*/physfn" },
	{ "node pages", check_node_pages, "no card's node lacks huge pages",
		"/sys/devices/system/node/node*/hugepages" },
	{ "DDP package", check_packages, "no port lacks its DDP package",
		"/lib/firmware/intel/ice/ddp" },
};
const unsigned int doctor_cards_n = ARRAY_SIZE(doctor_cards_rows);
