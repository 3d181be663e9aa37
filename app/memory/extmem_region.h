/* A region of external memory: addresses, pages, who uses it; and its IO virtual addresses. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct extmem_buffers;
struct extmem_gpu;
struct rte_mempool;
struct rte_memzone;

#define EXTMEM_NAME_BYTES 24 /* longest name, with its NUL */

/* The places of these are the places in the words of `extmem create`. */
enum extmem_type {
	EXTMEM_HEAP,     /* DPDK's own memory: every device reaches it */
	EXTMEM_ANON,     /* pages of this process */
	EXTMEM_HUGEPAGE, /* huge pages, in a file without a name */
	EXTMEM_MEMFD,    /* pages in a file without a name */
	EXTMEM_FILE,     /* what a file held when it was read; never written afterwards */
	/* pages of this process that a GPU reads and writes in place, or its own that this one writes */
	EXTMEM_GPU,
};

struct extmem_ask {
	const char *name; /* letters, digits, - and _ */
	enum extmem_type type;
	const char *path; /* EXTMEM_FILE */
	unsigned int gpu; /* EXTMEM_GPU: number of the device */
	bool on_device;   /* EXTMEM_GPU: memory of the device itself */
	uint64_t bytes;   /* a multiple of the page; EXTMEM_FILE: any number, 0: the whole file */
	uint64_t page;    /* bytes; 0: the type's usual one */
	int socket;       /* EXTMEM_HEAP: where; SOCKET_ID_ANY: anywhere */
	bool own;         /* the program's: its name may have dots, which a user's has not */
};

/* A device that was told of a region, or why it was not. */
struct extmem_device {
	char name[64];
	/* 0: mapped; ENOTSUP: needs no mapping, or cannot; else what the driver said, positive */
	int code;
};

struct extmem {
	struct extmem *next;
	char name[EXTMEM_NAME_BYTES];
	enum extmem_type type;
	uint8_t *addr;
	uint64_t bytes;  /* asked for, which may be less than whole pages of a file */
	uint64_t mapped; /* whole pages */
	uint64_t page;   /* bytes */
	bool writable;
	bool borrowed;                  /* another process made it: this one only looks */
	bool registered;                /* with EAL */
	int fd;                         /* behind the mapping, -1: none */
	const struct rte_memzone *zone; /* EXTMEM_HEAP */
	/* the shared descriptor that other processes read; NULL: cannot be shared */
	const struct rte_memzone *shared;
	/* of each page, n_pages of them; NULL: addresses are the same for devices */
	uint64_t *iovas;
	size_t n_pages;
	char why[128]; /* why it is not registered */
	struct extmem_gpu *gpu;
	bool on_device; /* the memory is that GPU's */
	/* a kernel that did not end may read it still: it stays until the process ends */
	bool gpu_stuck;
	struct extmem_device *devices;
	unsigned int n_devices;
	struct extmem_buffers *buffers; /* what it is cut into */
	struct rte_mempool *pinned;     /* packet buffers that lie in it for good */
	bool received_into;             /* ports receive into pinned; who lets them says so */
};

/* All zero at the beginning. */
struct extmems {
	struct extmem *first; /* in the order of their making */
};

/*
 * Its address for devices; RTE_BAD_IOVA where bytes from at on do not follow each other for them,
 * or it is not known.
 */
uint64_t extmem_iova(const struct extmem *m, const void *at, uint64_t bytes);
