/* Replaces an entry of the table of addresses through which net_virtio calls another library. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/drivers/model_nic/qemu/import.h"

#include "pmd_shims/dpdk_private.h"

#include <elf.h>
#include <link.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int (*map_before)(struct rte_pci_device *d);

/* A device whose BARs have addresses has nothing left to be mapped. */
static int
map_device(struct rte_pci_device *d)
{
	for (unsigned i = 0; i < PCI_MAX_RESOURCE; i++)
		if (d->mem_resource[i].addr != NULL && d->kdrv == KDRV_UIO_GENERIC)
			return 0;
	return map_before(d);
}

/* What of an object's dynamic section is needed here. */
struct tables {
	const ElfW(Sym) * symbols;
	const char *names;
	const ElfW(Rela) * relocations[2];
	size_t n[2];
};

static void
tables_read(const ElfW(Dyn) * d, struct tables *t)
{
	for (; d->d_tag != DT_NULL; d++)
		switch (d->d_tag) {
		case DT_SYMTAB: t->symbols = (const void *)d->d_un.d_ptr; break;
		case DT_STRTAB: t->names = (const void *)d->d_un.d_ptr; break;
		case DT_JMPREL: t->relocations[0] = (const void *)d->d_un.d_ptr; break;
		case DT_PLTRELSZ: t->n[0] = d->d_un.d_val / sizeof(ElfW(Rela)); break;
		case DT_RELA: t->relocations[1] = (const void *)d->d_un.d_ptr; break;
		case DT_RELASZ: t->n[1] = d->d_un.d_val / sizeof(ElfW(Rela)); break;
		default: break;
		}
}

/* Write an entry, also one that the linker has made read-only. */
static void
entry_set(uintptr_t *entry)
{
	const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	void *start = (void *)((uintptr_t)entry & ~(page - 1));
	int (*ours)(struct rte_pci_device *) = map_device;
	uintptr_t now = *entry;

	if (mprotect(start, page, PROT_READ | PROT_WRITE) != 0)
		return;
	if (now != (uintptr_t)ours)
		memcpy(&map_before, &now, sizeof(now));
	*entry = (uintptr_t)ours;
}

static int
object_look(struct dl_phdr_info *info, size_t size, void *arg)
{
	const char *base = strrchr(info->dlpi_name, '/');
	struct tables t = { .symbols = NULL };

	if (strstr(base != NULL ? base : info->dlpi_name, "net_virtio") == NULL)
		return 0;
	for (unsigned i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
			tables_read((const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr),
				&t);
	for (unsigned k = 0; k < 2; k++)
		for (size_t i = 0; i < t.n[k]; i++) {
			const ElfW(Rela) *r = &t.relocations[k][i];
			const char *name = t.names + t.symbols[ELF64_R_SYM(r->r_info)].st_name;

			if (strcmp(name, "rte_pci_map_device") == 0)
				entry_set((uintptr_t *)(info->dlpi_addr + r->r_offset));
		}
	return 0;
}

void
import_bars_mapped(void)
{
	dl_iterate_phdr(object_look, NULL);
}
