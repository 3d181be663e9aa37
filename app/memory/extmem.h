/* External memory by name: regions that packets' payload may live in, known to EAL and to the
 * devices. */
#pragma once

#include <rte_common.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;
struct extmem_buffers;
struct extmem_gpu;
struct out;
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
	EXTMEM_GPU,      /* pages of this process that a GPU reads and writes in place */
};

struct extmem_ask {
	const char *name; /* letters, digits, - and _ */
	enum extmem_type type;
	const char *path; /* EXTMEM_FILE */
	unsigned int gpu; /* EXTMEM_GPU: number of the device */
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
	/* what other processes read of it; NULL: cannot be shared */
	const struct rte_memzone *card;
	/* of each page, n_pages of them; NULL: addresses are the same for devices */
	uint64_t *iovas;
	size_t n_pages;
	char why[128]; /* why it is not registered */
	struct extmem_gpu *gpu;
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
 * Make a region and tell EAL and the devices of it. *made (may be NULL): the region. Errors: EEXIST
 * the name, EINVAL and ERANGE for sizes and pages that do not fit, ENOMEM, ENODEV and ENOTSUP of
 * GPUs, what the file said; nothing is left behind. Thread: control, all of this file.
 */
int extmem_create(struct extmems *all, const struct extmem_ask *ask, struct extmem **made,
	struct err *e);

/*
 * Take in a region of the primary process by its name, at the same address. ENOENT, EOPNOTSUPP for
 * what cannot be shared.
 */
int extmem_attach(struct extmems *all, const char *name, struct extmem **made, struct err *e);

/* Let go of a region. ENOENT; EBUSY while packets point into it or a run uses it. */
int extmem_delete(struct extmems *all, const char *name, struct err *e);

/* The region; NULL with e filled: ENOENT and what there is. */
struct extmem *extmem_find(const struct extmems *all, const char *name, struct err *e);

/*
 * Its address for devices; RTE_BAD_IOVA where bytes from at on do not follow each other for them,
 * or it is not known.
 */
uint64_t extmem_iova(const struct extmem *m, const void *at, uint64_t bytes);

/*
 * See to it that a port can transmit from a region or receive into it. EOPNOTSUPP with the reason,
 * what the driver said.
 */
int extmem_reach(struct extmem *m, uint16_t port, struct err *e);

/*
 * Refuse to attach a device that would be silent, from then on, beside the memory that is
 * registered. devargs: it, as attach has it. EBUSY.
 */
int extmem_driver_check(const struct extmems *all, const char *devargs, struct err *e);

/*
 * A pool of packet buffers of so many bytes each, headroom included, that lie in the region: as
 * many as fit, most at most, or the few more that it takes for the last one to end in the page
 * where it begins. The same pool as before when that has such buffers. Errors: EBUSY while other
 * buffers of it are out, ENOSPC for less than least, ENOMEM. The region's until it is deleted or
 * cut otherwise.
 */
struct rte_mempool *extmem_pin(struct extmem *m, uint16_t bytes, unsigned int least,
	unsigned int most, unsigned int cache, struct err *e);

/* Packets that point into it now: buffers attached or received into. */
uint64_t extmem_out(const struct extmem *m);

/*
 * EBUSY with the number of packets that still point into it, or the run that uses it; 0: free to be
 * cut anew.
 */
int extmem_idle(const struct extmem *m, struct err *e);

/* Answer `show extmem [NAME]`; name NULL: all. JSON: {"extmem":[...]}. ENOENT. */
int extmem_show(const struct extmems *all, const char *name, struct out *out, struct err *e);

/*
 * Let go of all regions at the end of the program; what packets still point into stays, and a
 * warning says so.
 */
void extmem_close(struct extmems *all, struct out *out);
