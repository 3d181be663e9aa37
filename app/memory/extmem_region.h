/* A region of external memory: its addresses, pages, users and IO virtual addresses (IOVA). */
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

/* In the order of the words of `extmem create`. */
enum extmem_type {
	EXTMEM_HEAP,     /* DPDK's own memory, which every device can access */
	EXTMEM_ANON,     /* anonymous pages of this process */
	EXTMEM_HUGEPAGE, /* huge pages of a memfd */
	EXTMEM_MEMFD,    /* pages of a memfd */
	EXTMEM_FILE,     /* a read-only copy of a file */
	/*
	 * pages of this process that a GPU accesses directly, or GPU memory that this process maps
	 */
	EXTMEM_GPU,
};

struct extmem_ask {
	const char *name; /* letters, digits, - and _ */
	enum extmem_type type;
	const char *path; /* EXTMEM_FILE */
	unsigned int gpu; /* EXTMEM_GPU: number of the device */
	bool on_device;   /* EXTMEM_GPU: use the device's memory */
	uint64_t bytes;   /* a multiple of the page; EXTMEM_FILE: any number, 0: the whole file */
	uint64_t page;    /* page size, bytes; 0: the type's default */
	int socket;       /* EXTMEM_HEAP: NUMA socket, or SOCKET_ID_ANY */
	bool own;         /* created by the program itself: the name may contain dots */
};

/* The result of mapping a region for a device. */
struct extmem_device {
	char name[64];
	/* 0: mapped; ENOTSUP: not needed or not supported; else the driver's errno, positive */
	int code;
};

struct extmem {
	struct extmem *next;
	char name[EXTMEM_NAME_BYTES];
	enum extmem_type type;
	uint8_t *addr;
	uint64_t bytes;  /* requested size; for a file it may end within a page */
	uint64_t mapped; /* size in whole pages, bytes */
	uint64_t page;   /* page size, bytes */
	bool writable;
	bool borrowed;                  /* attached: the primary process created it */
	bool registered;                /* with EAL */
	int fd;                         /* file of the mapping, -1: none */
	const struct rte_memzone *zone; /* EXTMEM_HEAP */
	/* struct extmem_share for other processes; NULL: cannot be shared */
	const struct rte_memzone *shared;
	/* of each of n_pages pages; NULL: devices use virtual addresses */
	uint64_t *iovas;
	size_t n_pages;
	char why[128]; /* why it is not registered */
	struct extmem_gpu *gpu;
	bool on_device; /* the memory is the GPU's */
	/* a GPU kernel that did not finish may still read it: keep it until the process ends */
	bool gpu_stuck;
	struct extmem_device *devices;
	unsigned int n_devices;
	struct extmem_buffers *buffers; /* its parts */
	struct rte_mempool *pinned;     /* pool with pinned external buffers in it */
	bool received_into;             /* ports receive into pinned; extmem_pin_received() */
};

/* All regions; all zero: none. */
struct extmems {
	struct extmem *first; /* in the order of creation */
};

/*
 * Return the IOVA of at; RTE_BAD_IOVA if it is unknown, or if the bytes from there on are not
 * IOVA-contiguous.
 */
uint64_t extmem_iova(const struct extmem *m, const void *at, uint64_t bytes);
