/* Model of the XL710 for net_i40e. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/drivers/model_nic/xl710/xl710.h"

#include "pmd_shims/drivers/model_nic/xl710/xl710_priv.h"

enum { BAR_BYTES = 8 << 20, PAGE = 4096, TX_HEAD = 0xe4000 };

static void
link_changed(struct model *m, bool up)
{
	xl710_link_refresh(m);
}

/*
 * Announce a global reset. net_i40e only logs it; the application has to reset the port.
 */
static void
reset_announce(struct model *m)
{
	const uint32_t global_reset = UINT32_C(1) << 20;

	xl710_cause(m, global_reset);
}

/* Commands may write registers, but not the tail of the command ring. */
static void
written(struct model *m, uint32_t offset, uint32_t old, uint32_t value)
{
	if (offset == XL710_ATQ_TAIL)
		xl710_aq_run(m);
	else
		xl710_written(m, offset, old, value);
}

static void
before_read(struct model *m, uint32_t offset)
{
	if (offset >= XL710_STATISTICS && offset < XL710_STATISTICS_END)
		xl710_counter_read(m, offset);
	else if (xl710_among(offset, TX_HEAD, MODEL_QUEUES_MAX, 4))
		model_reg_set(m, offset, m->tx[(offset - TX_HEAD) / 4].head);
}

static void
after_read(struct model *m, uint32_t offset)
{
	if (offset == XL710_INT_CAUSE)
		model_reg_set(m, offset, 0);
}

const struct model_family model_xl710 = {
	.name = "xl710",
	.text = "Intel XL710 (i40e)",
	.vendor_id = 0x8086,
	.device_id = 0x1583,
	.bar_len = BAR_BYTES,
	.state_size = sizeof(struct xl710),
	.queues_max = MODEL_DATA_QUEUES,
	.open = { { XL710_TX_TAIL, PAGE }, { XL710_RX_TAIL, PAGE } },
	.reset = xl710_reset,
	.before_read = before_read,
	.after_read = after_read,
	.written = written,
	.link = link_changed,
	.reset_announce = reset_announce,
	.rss = xl710_rss,
	.rx_peek = xl710_rx_peek,
	.rx_give = xl710_rx_give,
	.tx_take = xl710_tx_take,
	.tx_done = xl710_tx_done,
	.buffer = xl710_buffer,
};
