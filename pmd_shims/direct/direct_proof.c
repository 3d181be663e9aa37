/* Proves queues' layouts that are not from the table, before packets are forwarded without mbufs. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/direct/direct_proof.h"

#include <stddef.h>

/* seen: what recycling's comparison has shown. more: the comparison of other fields. */
static enum shim_proof
half_prove(struct direct *d, enum shim_proof seen, direct_prove *more)
{
	return seen == SHIM_AGREED && more != NULL ? more(d) : seen;
}

enum recycle_proof
direct_proof_step(struct direct *d)
{
	struct direct_proof *const p = &d->proof;
	enum shim_proof rx = SHIM_AGREED, tx = SHIM_AGREED;

	if (!shim_proofs_enough(p->seen.rx))
		rx = half_prove(d, d->from.ops->prove(&d->from), d->rx_ops->prove);
	if (!shim_proofs_enough(p->seen.tx))
		tx = half_prove(d, d->to.ops->prove(&d->to), d->tx_ops->prove);
	p->state = shim_proofs_add(&p->seen, rx, tx);
	return p->state;
}

bool
direct_counted_alike(struct direct_counted *last, uint64_t packets, uint32_t at, uint64_t size)
{
	const uint64_t counted = packets - last->packets, moved = (at + size - last->at) % size;

	*last = (struct direct_counted){ packets, at };
	return counted != 0 && counted % size == moved;
}
