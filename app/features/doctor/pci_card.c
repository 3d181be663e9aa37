/* Read what the kernel tells of network cards on the PCI bus. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/doctor/pci_card.h"

#include "base/base.h"
#include "features/doctor/host_files.h"

#include <dirent.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	PATH = 256,
	CLASS_ETHERNET = 0x0200,
	SCOPE_LINK = 0x20,
};

/* Write the path of a file of a device. Returns path. */
static const char *
path_of(const char *address, const char *file, char path[PATH])
{
	snprintf(path, PATH, PCI_CARD_FOLDER "/%s/%s", address, file);
	return path;
}

static bool
hex_read(const char *root, const char *address, const char *file, unsigned long *n)
{
	char path[PATH], line[32];

	if (!host_line(root, path_of(address, file, path), line, sizeof(line)))
		return false;
	*n = strtoul(line, NULL, 16);
	return true;
}

static struct pci_card_link
link_read(const char *root, const char *address, const char *which)
{
	char path[PATH], file[64], line[64];
	struct pci_card_link link = { 0 };

	snprintf(file, sizeof(file), "%s_link_speed", which);
	if (host_line(root, path_of(address, file, path), line, sizeof(line)))
		link.gts = strtod(line, NULL); /* "Unknown" is 0 */
	snprintf(file, sizeof(file), "%s_link_width", which);
	if (host_line(root, path_of(address, file, path), line, sizeof(line)))
		link.width = (unsigned int)strtoul(line, NULL, 10);
	return link;
}

/* True for a line of /proc/net/route that is a route by the interface; its first one. */
static bool
is_route(const char *line, void *context)
{
	char interface[PCI_CARD_NAME];

	return sscanf(line, "%31s", interface) == 1 && strcmp(interface, context) == 0;
}

static bool
is_default_route(const char *line, void *context)
{
	char interface[PCI_CARD_NAME];
	unsigned long to, mask;

	return sscanf(line, "%31s %lx %*s %*s %*s %*s %*s %lx", interface, &to, &mask) == 3 &&
		to == 0 && mask == 0 && strcmp(interface, context) == 0;
}

/* /proc/net/ipv6_route: the destination, its length (0: all), and the interface as the last word. */
static bool
is_default_route6(const char *line, void *context)
{
	char interface[PCI_CARD_NAME];
	unsigned int length;

	return sscanf(line, "%*s %x %*s %*s %*s %*s %*s %*s %*s %31s", &length, interface) == 2 &&
		length == 0 && strcmp(interface, context) == 0;
}

/* /proc/net/if_inet6: an address that is not just of the link, which each interface has. */
static bool
is_address6(const char *line, void *context)
{
	char interface[PCI_CARD_NAME];
	unsigned int scope;

	return sscanf(line, "%*s %*s %*s %x %*s %31s", &scope, interface) == 2 &&
		scope != SCOPE_LINK && strcmp(interface, context) == 0;
}

/* folder: the interface's. */
static bool
is_below(const char *root, const char *folder)
{
	struct dirent **names;
	const unsigned int n = host_names(root, folder, &names);
	bool below = false;

	for (unsigned int i = 0; i < n; i++)
		below |= strcmp(names[i]->d_name, "master") == 0 ||
			strncmp(names[i]->d_name, "upper_", 6) == 0;
	host_names_free(names, n);
	return below;
}

static enum pci_card_use
use_read(const char *root, const char *folder, char *interface)
{
	char path[PATH + PCI_CARD_NAME], line[32];

	if (host_lines(root, "/proc/net/route", is_default_route, interface) ||
		host_lines(root, "/proc/net/ipv6_route", is_default_route6, interface))
		return PCI_CARD_DEFAULT_ROUTE;
	if (host_lines(root, "/proc/net/route", is_route, interface) ||
		host_lines(root, "/proc/net/if_inet6", is_address6, interface))
		return PCI_CARD_ADDRESSED;
	if (is_below(root, folder))
		return PCI_CARD_BELOW;
	snprintf(path, sizeof(path), "%s/flags", folder);
	if (host_line(root, path, line, sizeof(line)) && (strtoul(line, NULL, 16) & IFF_UP) != 0)
		return PCI_CARD_UP;
	return PCI_CARD_IDLE;
}

/* Read the interfaces in a folder "net": the one that is used most. */
static void
interfaces_read(const char *root, const char *net, struct pci_card *card)
{
	struct dirent **names;
	const unsigned int n = host_names(root, net, &names);

	for (unsigned int i = 0; i < n; i++) {
		char folder[PATH], interface[PCI_CARD_NAME];
		enum pci_card_use use;

		snprintf(interface, sizeof(interface), "%.31s", names[i]->d_name);
		snprintf(folder, sizeof(folder), "%.200s/%s", net, interface);
		use = use_read(root, folder, interface);
		if (card->interface[0] != '\0' && use <= card->use)
			continue;
		card->use = use;
		strcpy(card->interface, interface);
	}
	host_names_free(names, n);
}

/* The interface is in the folder net of the device, or in that of its virtio device. */
static void
interface_read(const char *root, struct pci_card *card)
{
	char path[PATH], file[PCI_CARD_NAME + 8];
	struct dirent **names;
	unsigned int n;

	interfaces_read(root, path_of(card->address, "net", path), card);
	if (card->interface[0] != '\0')
		return;
	n = host_names(root, path_of(card->address, "", path), &names);
	for (unsigned int i = 0; i < n; i++) {
		if (strncmp(names[i]->d_name, "virtio", 6) != 0)
			continue;
		snprintf(file, sizeof(file), "%.31s/net", names[i]->d_name);
		interfaces_read(root, path_of(card->address, file, path), card);
	}
	host_names_free(names, n);
}

bool
pci_card_read(const char *root, const char *address, struct pci_card *card)
{
	char path[PATH], line[32], name[PCI_CARD_NAME];
	unsigned long n;

	*card = (struct pci_card){ .node = -1, .group = PCI_CARD_NO_GROUP };
	snprintf(card->address, sizeof(card->address), "%s", address);
	if (!hex_read(root, address, "vendor", &n))
		return false;
	card->vendor = (uint16_t)n;
	if (hex_read(root, address, "device", &n))
		card->device = (uint16_t)n;
	host_link(root, path_of(address, "driver", path), card->driver, sizeof(card->driver));
	host_link(root, path_of(address, "physfn", path), card->pf, sizeof(card->pf));
	if (host_line(root, path_of(address, "numa_node", path), line, sizeof(line)))
		card->node = (int)strtol(line, NULL, 10);
	if (host_link(root, path_of(address, "iommu_group", path), name, sizeof(name))) {
		card->group = (int)strtol(name, NULL, 10);
		card->unsafe = host_line(root, path_of(address, "iommu_group/name", path), line,
				       sizeof(line)) &&
			strcmp(line, "vfio-noiommu") == 0;
	}
	card->link = link_read(root, address, "current");
	card->link_max = link_read(root, address, "max");
	interface_read(root, card);
	return true;
}

unsigned int
pci_card_list(const char *root, struct pci_card **cards)
{
	struct dirent **names;
	const unsigned int n_names = host_names(root, PCI_CARD_FOLDER, &names);
	unsigned int n = 0;

	*cards = n_names > 0 ? calloc(n_names, sizeof(**cards)) : NULL;
	for (unsigned int i = 0; *cards != NULL && i < n_names; i++) {
		unsigned long class;

		if (hex_read(root, names[i]->d_name, "class", &class) &&
			class >> 8 == CLASS_ETHERNET &&
			pci_card_read(root, names[i]->d_name, &(*cards)[n]))
			n++;
	}
	host_names_free(names, n_names);
	return n;
}

bool
pci_card_bound(const struct pci_card *card)
{
	static const char *const drivers[] = { "vfio-pci", "igb_uio", "uio_pci_generic" };

	for (size_t i = 0; i < ARRAY_SIZE(drivers); i++)
		if (strcmp(card->driver, drivers[i]) == 0)
			return true;
	return false;
}

double
pci_card_gbps(const struct pci_card_link *link)
{
	/* Of 10 bits 8 are data up to 5 GT/s, later 128 of 130, and 236 of 256 bytes at 64 GT/s. */
	const double data = link->gts <= 5 ? .8 : link->gts < 64 ? 128. / 130 : 236. / 256;

	return link->gts * link->width * data;
}
