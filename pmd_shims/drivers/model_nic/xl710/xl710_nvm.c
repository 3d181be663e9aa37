/* The XL710's NVM: the few words that net_i40e reads; all others are 0. Source: Intel XL710
 * datasheet, chapter 6. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/drivers/model_nic/xl710/xl710_priv.h"

uint16_t
xl710_nvm_word(uint32_t address)
{
	enum { SETTINGS = 0x0100, LLDP = 0x2b, LLDP_OFFSET = 4, BOOT = 0x0200 };
	static const struct {
		uint16_t address, word;
	} words[] = {
		{ 0x17, BOOT }, { 0x18, 0x6010 }, /* version 6.01 */
		{ 0x2d, 0x0710 },                 /* image: 80000710 */
		{ 0x2e, 0x8000 }, { 0x48, SETTINGS }, { SETTINGS + LLDP, LLDP_OFFSET },
		{ SETTINGS + LLDP + LLDP_OFFSET + 1, 0x3333 }, /* each port: receive and send */
	};

	for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (words[i].address == address)
			return words[i].word;
	return 0;
}
