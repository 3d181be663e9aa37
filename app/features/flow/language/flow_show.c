/* Show the tables of items and actions as text and JSON. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/flow/language/flow_show.h"

#include "base/out.h"

static const char *const kinds[] = { [FLOW_UINT] = "number",
	[FLOW_INT] = "signed",
	[FLOW_BOOL] = "boolean",
	[FLOW_MAC] = "MAC",
	[FLOW_IPV4] = "IPv4",
	[FLOW_IPV6] = "IPv6",
	[FLOW_STRING] = "characters",
	[FLOW_HEX] = "hex",
	[FLOW_COLOR] = "color",
	[FLOW_WORD] = "word",
	[FLOW_ONE_OF] = "choice",
	[FLOW_MORE] = "numbers",
	[FLOW_HANDLE] = "handle",
	[FLOW_PRESET] = "preset" };

static void
fields_show(struct out *o, const char *key, const struct flow_field *fields, size_t n)
{
	out_nest(o, key, OUT_ARRAY);
	for (size_t i = 0; i < n; i++) {
		const struct flow_field *f = &fields[i];

		out_nest(o, NULL, OUT_OBJECT);
		out_str(o, "name", *f->name != '\0' ? " %s" : "%s", f->name);
		out_str(o, "kind", f->kind != FLOW_WORD ? " <%s>" : "", kinds[f->kind]);
		if (f->words != NULL) {
			out_nest(o, "words", OUT_ARRAY);
			for (size_t k = 0; f->words[k] != NULL; k++)
				out_str(o, "", NULL, f->words[k]);
			out_unnest(o);
		}
		if (f->n_then > 0) {
			out_text(o, " {");
			fields_show(o, "then", f->then, f->n_then);
			out_text(o, " }");
		}
		out_unnest(o);
	}
	out_unnest(o);
}

void
flow_show(struct out *o, const char *key, const struct flow_part *parts, size_t n)
{
	out_nest(o, key, OUT_ARRAY);
	for (size_t i = 0; i < n; i++) {
		const struct flow_part *p = &parts[i];

		out_nest(o, NULL, OUT_OBJECT);
		out_str(o, "name", "%s", p->name);
		if (p->needs != NULL)
			out_str(o, "needs", " (needs DPDK %s)", p->needs);
		fields_show(o, "fields", p->fields, p->n);
		out_text(o, "\n");
		out_unnest(o);
	}
	out_unnest(o);
}
