/* The NVM of 82599 and X540: a checksum, a firmware version, set-up sequences for modules. Source:
 * Intel 82599 datasheet, chapter 6. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/drivers/model_nic/ixgbe/ixgbe_priv.h"

/* Words that are not 0. Pointers refer to words of this table too. */
static const struct {
	uint16_t at, value;
} words[] = {
	{ 0x00f, 0x100 }, { 0x104, 0x110 }, /* firmware modules; the fifth of them ... */
	{ 0x117, 6 },                       /* ... has the version, at least 6 to support SFP+ */
	{ 0x02b, 0x120 },                   /* list of set-up sequences, after a length: */
	{ 0x121, 5 }, { 0x122, 0x130 },     /* that of SR and LR modules on the first core */
	{ 0x131, 0xffff },                  /* ... is empty */
	{ 0x123, 0xffff },                  /* end of the list */
};

static uint16_t
word(uint32_t at)
{
	enum { CHECKSUM = 0x3f, SUM = 0xbaba };
	uint32_t sum = 0;

	for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (words[i].at == at)
			return words[i].value;
		if (words[i].at < CHECKSUM)
			sum += words[i].value;
	}
	return at == CHECKSUM ? (uint16_t)(SUM - sum) : 0;
}

void
ixgbe_nvm_read(struct model *m, uint32_t value)
{
	const uint32_t start = 1, done = 2;

	if ((value & start) != 0)
		model_reg_set(m, IXGBE_NVM_READ,
			(uint32_t)word(value >> 2 & 0x3fff) << 16 | (value & 0xfffc) | done);
}

/* Grant any request for direct access to the NVM's four lines; reads return 0. */
void
ixgbe_nvm_control(struct model *m, uint32_t value)
{
	enum { OUT = 1 << 3, REQUEST = 1 << 6, GRANT = 1 << 7, PRESENT = 1 << 8, SIZE = 5 << 11 };
	uint32_t granted = (value & REQUEST) != 0 ? GRANT : 0;

	value &= ~(uint32_t)(OUT | GRANT);
	model_reg_set(m, IXGBE_NVM_CONTROL, value | granted | PRESENT | SIZE);
}
