/* The memory of this process that QEMU's cards reach: at the same address in theirs. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Addresses of memory that a machine of QEMU can have: it emulates 40 bits, devices use the rest. */
#define QEMU_MEMORY_FIRST (UINT64_C(4) << 30)
#define QEMU_MEMORY_LAST (UINT64_C(900) << 30)

enum { QEMU_PIECES = 8 };

/* A part of a file, mapped at an address. */
struct piece {
	uint64_t address, len, offset;
	int fd;
};

/*
 * The memory of EAL. Returns the number of pieces, or -1 with one line in why: it is not in files, in too
 * many, or out of reach. The files stay EAL's.
 */
int memory_of_eal(struct piece *pieces, char *why, size_t size);

/*
 * The piece that the memory at an address is. Returns 0 with a file to be closed, or -1 with one line in
 * why.
 */
int memory_at(uint64_t address, uint64_t len, struct piece *p, char *why, size_t size);
