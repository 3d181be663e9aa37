/* Registers that act when touched: the driver's accesses to the BAR fault and are done in its
 * place, hooks included. */
#pragma once

#include "model_nic/model.h"

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

/*
 * Make m's BAR: m->bar, and m->bar_driver whose pages fault but for the family's open ones. Returns
 * 0 or -errno. Installs handlers for SIGSEGV and SIGTRAP; faults elsewhere go to whoever handled
 * them before.
 */
int trap_open(struct model *m);
void trap_close(struct model *m);

/* What runs the family's register functions holds this. Not recursive. */
void trap_lock(struct model *m);
void trap_unlock(struct model *m);

/*
 * Accesses done in the driver's place since trap_open(), and those of them that had to be
 * single-stepped.
 */
void trap_counts(const struct model *m, uint64_t *accesses, uint64_t *stepped);
