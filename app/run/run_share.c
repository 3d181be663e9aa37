/* Check that a plan polls each shared Rx queue from one lcore only. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/run_share.h"

#include "base/err.h"
#include "base/setting.h"
#include "port/port.h"
#include "port/port_rx_share.h"
#include "run/run.h"
#include "stream/plan.h"

#include <errno.h>

static int
pair_check(const struct run *r, const struct plan_stream *a, const struct plan_stream *b,
	struct err *e)
{
	const struct port *pa = port_at(r->ports, a->rx_port), *pb = port_at(r->ports, b->rx_port);

	if (a->lcore == b->lcore || pa == NULL || pb == NULL ||
		!port_rx_share_same(pa, a->rx_queue, pb, b->rx_queue))
		return 0;
	return err_set(e, EINVAL,
		"Shared Rx queue group %u queue %u can't be scheduled on different cores:\n"
		"  lcore %u Port %u queue %u\n  lcore %u Port %u queue %u\n"
		"Please use --nb-cores=%u to limit number of forwarding cores",
		(unsigned int)(a->rx_port / setting_u64(r->settings, "rxq-share")) + 1, a->rx_queue,
		a->lcore, a->rx_port, a->rx_queue, b->lcore, b->rx_port, b->rx_queue,
		(unsigned int)setting_u64(r->settings, "rxq"));
}

int
run_share_check(const struct run *r, const struct plan *plan, struct err *e)
{
	int ret = 0;

	if (setting_u64(r->settings, "rxq-share") == 0)
		return 0;
	for (unsigned int i = 0; i < plan->n_streams && ret == 0; i++)
		for (unsigned int j = i + 1; j < plan->n_streams && ret == 0; j++)
			ret = pair_check(r, &plan->streams[i], &plan->streams[j], e);
	return ret;
}
