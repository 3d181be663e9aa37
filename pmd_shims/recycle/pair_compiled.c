/* Selects the loop compiled for two kinds of queues and the machine's SIMD width. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/recycle/pair_compiled.h"

#include "pmd_shims/recycle/pair_table.h"

pair_run *
pair_compiled(const struct shim_rx *rx, const struct shim_tx *tx, enum zcfwd_recycle_mode mode,
	bool window)
{
	if (tx->batch != 1 && rx->batch != 1 && tx->batch != rx->batch)
		return NULL;
	switch (shim_simd_bits()) {
#ifdef RTE_ARCH_X86_64
	case 512: return pair_table_512(rx, tx, mode, window);
	case 256: return pair_table_256(rx, tx, mode, window);
#endif
	default: return pair_table_128(rx, tx, mode, window);
	}
}
