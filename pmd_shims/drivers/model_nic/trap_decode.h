/* Decoding of the instruction that accessed a register. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* A move between a register and memory, as an x86-64 instruction encodes it. */
struct trap_move {
	uint8_t length;     /* bytes of the instruction */
	uint8_t bytes;      /* bytes moved: 1, 2, 4 or 8 */
	bool write;         /* from register to memory */
	bool immediate;     /* value is written instead of a register */
	bool xmm;           /* reg is a vector register; a load clears its other bytes */
	bool zero_extended; /* a load clears the register's other bytes */
	uint8_t reg;        /* number as encoded: 0 rax, 1 rcx, ... 15 r15 */
	uint64_t value;
};

/*
 * Decode the instruction at code into *move; reads no byte behind it. Returns false if it is none
 * of the forms that compilers use for plain loads and stores. Source: Intel SDM volume 2, MOV,
 * MOVZX, MOVD.
 */
bool trap_decode(const uint8_t *code, struct trap_move *move);
