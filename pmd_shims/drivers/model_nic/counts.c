/* A port's total counters, computed from its rings and its report when the driver reads them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/drivers/model_nic/counts.h"

#include "pmd_shims/drivers/model_nic/report.h"
#include "pmd_shims/drivers/model_nic/wire/traffic.h"

void
counts_lanes_make(struct counts *c)
{
	/* Entry i is for frames of 64 * i bytes and more, with CRC. */
	for (unsigned i = 0; i < 256; i++)
		c->size_lane[i] = i < 1 ? 0
			: i < 2         ? 8
			: i < 4         ? 16
			: i < 8         ? 24
			: i < 16        ? 32
			: i < 24        ? 40
					: 48;
}

/* Add the growth of a count, which may have been reset to 0, to a total. */
static void
grow(uint64_t *total, uint64_t *seen, uint64_t now)
{
	*total += now >= *seen ? now - *seen : now;
	*seen = now;
}

void
counts_total(struct model *m, struct counts *c, struct totals *t)
{
	struct model_nic_report report = { 0 };

	if (m->traffic != NULL)
		traffic_report(m->traffic, &report);
	grow(&c->missed, &c->missed_seen, report.rx_missed);
	grow(&c->oversize, &c->oversize_seen, report.rx_oversize);
	*t = (struct totals){ .missed = c->missed,
		.oversize = c->oversize,
		.errors = c->rx_errors };
	memcpy(t->rx_sizes, c->rx_sizes, sizeof(t->rx_sizes));
	memcpy(t->tx_sizes, c->tx_sizes, sizeof(t->tx_sizes));
	for (unsigned i = 0; i < MODEL_QUEUES_MAX; i++) {
		t->rx += m->rx[i].packets;
		t->rx_bytes += m->rx[i].bytes;
		t->tx += m->tx[i].packets;
		t->tx_bytes += m->tx[i].bytes;
	}
}
