/* Decodes x86-64 moves between registers and memory, as needed to emulate a driver's register
 * accesses. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/drivers/model_nic/trap_decode.h"

#include <string.h>

enum rex { REX_B = 1, REX_X = 2, REX_R = 4, REX_W = 8 };

/* Bytes of ModRM, SIB and displacement; 0: a form without a memory operand. */
static uint8_t
operand_length(const uint8_t *modrm)
{
	uint8_t mod = modrm[0] >> 6, rm = modrm[0] & 7, length = 1;

	if (mod == 3)
		return 0;
	if (rm == 4) {
		length++;
		if (mod == 0 && (modrm[1] & 7) == 5)
			return length + 4;
	}
	if (mod == 0)
		return rm == 5 ? length + 4 : length;
	return length + (mod == 1 ? 1 : 4);
}

/* Opcodes of one byte: 88/89 store, 8A/8B load, C6/C7 store an immediate; even ones move a byte. */
static bool
plain_opcode(uint8_t opcode, uint8_t rex, bool word, struct trap_move *move)
{
	switch (opcode) {
	case 0x88:
	case 0x89: move->write = true; break;
	case 0x8a:
	case 0x8b: break;
	case 0xc6:
	case 0xc7: move->write = move->immediate = true; break;
	default: return false;
	}
	move->bytes = !(opcode & 1) ? 1 : rex & REX_W ? 8 : word ? 2 : 4;
	/* A 32-bit load clears the upper half. */
	move->zero_extended = !move->write && move->bytes >= 4;
	return true;
}

/*
 * Opcodes after 0F: B6/B7 load a byte or a word and clear the upper bits of the register. With
 * prefix 66, 6E/7E load and store the lowest bytes of a vector register.
 */
static bool
long_opcode(uint8_t opcode, uint8_t rex, bool word, struct trap_move *move)
{
	if (word && (opcode == 0x6e || opcode == 0x7e)) {
		move->xmm = true;
		move->write = opcode == 0x7e;
		move->bytes = rex & REX_W ? 8 : 4;
		return true;
	}
	if ((opcode != 0xb6 && opcode != 0xb7) || word)
		return false;
	move->bytes = opcode == 0xb6 ? 1 : 2;
	move->zero_extended = true;
	return true;
}

/*
 * Read the immediate after the operand: 4 bytes, sign-extended, for moves of 8. Returns its bytes.
 */
static uint8_t
immediate_read(const uint8_t *code, struct trap_move *move)
{
	uint8_t bytes = move->bytes == 8 ? 4 : move->bytes;
	int32_t wide = 0;

	if (move->bytes == 8) {
		memcpy(&wide, code, sizeof(wide));
		move->value = (uint64_t)(int64_t)wide;
	} else {
		memcpy(&move->value, code, bytes);
	}
	return bytes;
}

bool
trap_decode(const uint8_t *code, struct trap_move *move)
{
	const uint8_t *p = code;
	uint8_t rex = 0, operand;
	bool word = false, known;

	memset(move, 0, sizeof(*move));
	if (*p == 0x66) {
		word = true;
		p++;
	}
	if ((*p & 0xf0) == 0x40)
		rex = *p++;
	if (*p == 0x0f) {
		known = long_opcode(p[1], rex, word, move);
		p += 2;
	} else {
		known = plain_opcode(*p, rex, word, move);
		p++;
	}
	operand = known ? operand_length(p) : 0;
	if (operand == 0)
		return false;
	move->reg = (*p >> 3 & 7) | (rex & REX_R ? 8 : 0);
	if (move->immediate && move->reg != 0)
		return false;
	/* Without REX, byte registers 4..7 are ah..bh. */
	if (move->bytes == 1 && !move->immediate && !move->zero_extended && rex == 0 &&
		move->reg >= 4)
		return false;
	p += operand;
	if (move->immediate)
		p += immediate_read(p, move);
	move->length = (uint8_t)(p - code);
	return true;
}
