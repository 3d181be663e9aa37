/* What an instruction that touched a register would have done. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* A move between a register and memory, as an x86-64 instruction encodes it. */
struct trap_move {
	uint8_t length;     /* of the instruction, bytes */
	uint8_t bytes;      /* moved: 1, 2, 4 or 8 */
	bool write;         /* to memory */
	bool immediate;     /* value is written, no register */
	bool xmm;           /* reg is a vector register's number; a load clears the rest of it */
	bool zero_extended; /* the whole register is written, not its low bytes alone */
	uint8_t reg;        /* as encoded: 0 rax, 1 rcx, ... 15 r15 */
	uint64_t value;
};

/*
 * Read the instruction at code (as far as it goes) into *move. false: none of the forms that
 * compilers make of a plain load or store. Source: Intel SDM volume 2, MOV, MOVZX, MOVD.
 */
bool trap_decode(const uint8_t *code, struct trap_move *move);
