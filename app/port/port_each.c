/* One call per port that a command names: one port or all of them. */
#include "port/port_each.h"

#include "base/err.h"
#include "base/out.h"
#include "port/port.h"

int
port_each_of(struct ports *ps, const uint16_t *ids, unsigned int n,
	int (*f)(struct ports *ps, struct port *p, void *ctx, struct err *e), void *ctx,
	struct err *e)
{
	unsigned int i;
	int ret = 0;

	out_nest(ps->out, "ports", OUT_ARRAY);
	for (i = 0; i < n; i++) {
		struct port *p = port_at(ps, ids[i]);
		int failed;

		if (p == NULL)
			continue;
		out_nest(ps->out, NULL, OUT_OBJECT);
		out_u64(ps->out, "port", NULL, p->id);
		failed = f(ps, p, ctx, e);
		out_unnest(ps->out);
		if (failed != 0)
			ret = failed;
	}
	out_unnest(ps->out);
	return ret;
}

int
port_each(struct ports *ps, uint16_t id,
	int (*f)(struct ports *ps, struct port *p, void *ctx, struct err *e), void *ctx,
	struct err *e)
{
	uint16_t ids[RTE_MAX_ETHPORTS] = { id };
	unsigned int n = 1;

	if (id == PORT_ALL)
		n = port_ids(ps, ids);
	else if (port_at(ps, id) == NULL)
		return port_missing(ps, id, e);
	return port_each_of(ps, ids, n, f, ctx, e);
}
