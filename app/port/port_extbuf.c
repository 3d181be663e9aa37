/* What the drivers of ports make of external buffers: the verdicts shown, and fast free not asked
 * for where it would do harm. */
#include "port/port_extbuf.h"

#include "base/err.h"
#include "base/out.h"
#include "base/setting.h"
#include "memory/pool_memory.h"
#include "pmd_shims/extbuf.h"
#include "port/port.h"
#include "port/port_each.h"

#include <errno.h>
#include <inttypes.h>

static void
verdict_show(struct out *o, const char *use, const struct extbuf_verdict *v)
{
	out_nest(o, use, OUT_OBJECT);
	out_text(o, "    %-9s", use);
	out_str(o, "verdict", "%-8s", extbuf_fate_word(v->fate));
	out_str(o, "reason", "%s\n", v->why);
	out_unnest(o);
}

static void
function_show(struct out *o, const struct extbuf_queue *q)
{
	out_str(o, "function", "%s", q->path[0] != '\0' ? q->path : "a function without a name");
	out_bool(o, "known", "%s\n", q->known, "",
		" of a driver that nobody has looked at: the safe default");
}

static void
rx_show(struct out *o, const struct port *p, uint16_t queue, const struct extbuf_queue *q)
{
	struct rte_mempool *pool = port_rx_pool(p->all, p->socket);

	out_nest(o, NULL, OUT_OBJECT);
	out_u64(o, "queue", "  RX queue %" PRIu64 ": ", queue);
	function_show(o, q);
	out_str(o, "pool", "    pool     %s, ", pool != NULL ? pool->name : "none");
	out_bool(o, "pinned_pool", "%s\n", pool != NULL && extbuf_is_pinned(pool),
		"whose buffers are pinned", "whose buffers are its own");
	for (unsigned int use = 0; use < EXTBUF_RX_USES; use++)
		verdict_show(o, extbuf_rx_word(use), &q->verdict[use]);
	out_unnest(o);
}

static void
tx_show(struct out *o, uint16_t queue, const struct extbuf_queue *q)
{
	out_nest(o, NULL, OUT_OBJECT);
	out_u64(o, "queue", "  TX queue %" PRIu64 ": ", queue);
	function_show(o, q);
	for (unsigned int use = 0; use < EXTBUF_TX_USES; use++)
		verdict_show(o, extbuf_tx_word(use), &q->verdict[use]);
	out_unnest(o);
}

static int
port_show(struct ports *ps, struct port *p, void *ctx, struct err *e)
{
	struct stream_end end;
	struct extbuf_queue q;
	int ret = 0;

	if (p->state != PORT_STARTED)
		return port_fail(ps, e, EBUSY,
			"port %u is stopped: its driver chooses functions when it starts", p->id);
	out_str(ps->out, "driver", NULL, p->info.driver_name);
	out_text(ps->out, "Port %u: %s\n", p->id, p->info.driver_name);
	out_nest(ps->out, "rx", OUT_ARRAY);
	for (uint16_t i = 0; ret == 0 && i < p->n_rxq; i++) {
		ret = extbuf_rx_judge(p->id, i, &q, e);
		if (ret == 0)
			rx_show(ps->out, p, i, &q);
	}
	out_unnest(ps->out);
	out_nest(ps->out, "tx", OUT_ARRAY);
	for (uint16_t i = 0; ret == 0 && i < p->n_txq; i++) {
		port_stream_end(p, i, false, &end);
		ret = extbuf_tx_judge(p->id, i, end.offloads, &q, e);
		if (ret == 0)
			tx_show(ps->out, i, &q);
	}
	out_unnest(ps->out);
	return ret;
}

int
port_extbuf_show(struct ports *ps, uint16_t id, struct err *e)
{
	return port_each(ps, id, port_show, NULL, e);
}
