/* The memory of a guest, in this process at the guest's own addresses. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { GUEST_PIECES = 32 };

struct guest_memory {
	struct {
		uint64_t address, size;
		bool gone; /* the guest took it back; nothing is behind it */
	} piece[GUEST_PIECES];
	unsigned n;
};

/*
 * Map a part of a file where the guest has it, so that addresses in descriptors are pointers. The first
 * 64 KiB of a guest stay out. Returns 0, or -errno: -EEXIST if something of this process is there.
 */
int guest_memory_map(struct guest_memory *g, int fd, uint64_t offset, uint64_t address,
	uint64_t size);

/*
 * The guest takes memory back, in which no ring is enabled. What a card still writes there goes nowhere. Returns 0, or -ENOENT if
 * none was mapped there.
 */
int guest_memory_unmap(struct guest_memory *g, uint64_t address, uint64_t size);

/* Forget all; no card may use it any more. */
void guest_memory_close(struct guest_memory *g);
