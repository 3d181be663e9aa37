/* The decoder of register accesses: instructions that it knows, and those that it must leave
 * alone. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "fixtures/unit.h"
#include "pmd_shims/drivers/model_nic/trap_decode.h"

#include <stdlib.h>

/* Byte sequences: what is read of them. */
TEST(decoding)
{
	static const struct {
		uint8_t code[12], length, bytes, reg;
		bool write, immediate;
		uint64_t value;
	} rows[] = {
		{ { 0x8b, 0x07 }, 2, 4, 0, false, false, 0 },             /* mov (%rdi), %eax */
		{ { 0x8b, 0x05, 1, 2, 3, 4 }, 6, 4, 0, false, false, 0 }, /* mov x(%rip), %eax */
		{ { 0x8b, 0x04, 0x25, 1, 2, 3, 4 }, 7, 4, 0, false, false, 0 }, /* mov x, %eax */
		{ { 0x8b, 0x44, 0x24, 8 }, 4, 4, 0, false, false, 0 }, /* mov 8(%rsp), %eax */
		{ { 0x8b, 0x84, 0x24, 8, 0, 0, 0 }, 7, 4, 0, false, false, 0 },
		{ { 0x44, 0x89, 0x3e }, 3, 4, 15, true, false, 0 },   /* mov %r15d, (%rsi) */
		{ { 0x41, 0x89, 0x45, 0 }, 4, 4, 0, true, false, 0 }, /* mov %eax, 0(%r13) */
		{ { 0x4c, 0x8b, 0x00 }, 3, 8, 8, false, false, 0 },   /* mov (%rax), %r8 */
		{ { 0xc7, 0x07, 0xef, 0xcd, 0xab, 0x89 }, 6, 4, 0, true, true, 0x89abcdef },
		{ { 0xc7, 0x47, 4, 1, 0, 0, 0 }, 7, 4, 0, true, true, 1 },
		{ { 0x48, 0xc7, 0x07, 0xfe, 0xff, 0xff, 0xff }, 7, 8, 0, true, true,
			UINT64_C(0xfffffffffffffffe) },
		{ { 0x66, 0xc7, 0x07, 0x34, 0x12 }, 5, 2, 0, true, true, 0x1234 },
		{ { 0xc6, 0x07, 0x7f }, 3, 1, 0, true, true, 0x7f },
		{ { 0x66, 0x41, 0x89, 0x04, 0x24 }, 5, 2, 0, true, false, 0 },
		{ { 0x40, 0x88, 0x37 }, 3, 1, 6, true, false, 0 }, /* mov %sil, (%rdi) */
		{ { 0x0f, 0xb6, 0x07 }, 3, 1, 0, false, false, 0 },
		{ { 0x44, 0x0f, 0xb7, 0x4f, 2 }, 5, 2, 9, false, false, 0 },
		{ { 0x66, 0x0f, 0x6e, 0x80, 8, 0x20, 0xc, 0 }, 8, 4, 0, false, false,
			0 }, /* movd */
		{ { 0x66, 0x44, 0x0f, 0x7e, 0x0f }, 5, 4, 9, true, false, 0 },
		/* Not ours to do. */
		{ { 0x8b, 0xc7 }, 0, 0, 0, false, false, 0 },             /* registers only */
		{ { 0x88, 0x37 }, 0, 0, 0, false, false, 0 },             /* mov %dh, (%rdi) */
		{ { 0xc7, 0x0f, 0, 0, 0, 0 }, 0, 0, 0, false, false, 0 }, /* C7 /1: no such move */
		{ { 0x03, 0x07 }, 0, 0, 0, false, false, 0 },             /* add */
		{ { 0x0f, 0xbe, 0x07 }, 0, 0, 0, false, false, 0 },       /* movsx */
		{ { 0x0f, 0x6e, 0x07 }, 0, 0, 0, false, false, 0 },       /* an MMX register */
		{ { 0xf3, 0xa4 }, 0, 0, 0, false, false, 0 },             /* rep movsb */
		{ { 0xc5, 0xfa, 0x6f, 0x07 }, 0, 0, 0, false, false, 0 }, /* vmovdqu */
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct trap_move move;
		bool known = trap_decode(rows[i].code, &move);

		if (known != (rows[i].length != 0))
			fail_msg("row %zu: %sknown", i, known ? "" : "un");
		if (!known)
			continue;
		if (move.length != rows[i].length || move.bytes != rows[i].bytes ||
			move.reg != rows[i].reg || move.write != rows[i].write ||
			move.immediate != rows[i].immediate || move.value != rows[i].value)
			fail_msg("row %zu: length %u bytes %u reg %u value %llx", i, move.length,
				move.bytes, move.reg, (unsigned long long)move.value);
	}
}
