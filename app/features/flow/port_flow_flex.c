/* Create flex items from files. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/flow/port_flow_flex.h"

#include "base/err.h"
#include "base/out.h"
#include "base/plain_file.h"
#include "features/flow/language/flow_flex.h"
#include "features/flow/port_flow.h"
#include "features/flow/port_flow_error.h"
#include "features/flow/port_flow_object.h"
#include "port/port.h"

#include <rte_flow.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_BYTES = 1 << 16 }; /* maximum size of a description */

/* Read a file as a string, which the caller frees; NULL with e filled. */
static char *
text_read(const char *path, struct err *e)
{
	FILE *f = plain_file_read(path, e);
	char *text = f != NULL ? calloc(1, FILE_BYTES + 1) : NULL;
	size_t n;

	if (f == NULL)
		return NULL;
	n = text != NULL ? fread(text, 1, FILE_BYTES + 1, f) : 0;
	fclose(f);
	if (text == NULL)
		err_set(e, ENOMEM, "no memory for %s", path);
	else if (n > FILE_BYTES)
		err_set(e, E2BIG, "%s has more than %d bytes", path, FILE_BYTES);
	else
		return text;
	free(text);
	return NULL;
}

static int
create(struct ports *ps, struct port *p, uint32_t number, const struct flow_flex *flex,
	struct err *e)
{
	struct port_object *o = port_flow_object_new(p, PORT_FLEX_ITEM, number, e);
	struct rte_flow_error error = { 0 };

	if (o == NULL)
		return -e->code;
	o->handle = rte_flow_flex_item_create(p->id, &flex->conf, &error);
	if (o->handle == NULL) {
		port_flow_object_drop(p, PORT_FLEX_ITEM, o);
		return port_flow_error(&error, e);
	}
	out_say(ps->out, "port-%u: created flex item #%u\n", p->id, number);
	return 0;
}

int
port_flow_flex_create(struct ports *ps, uint16_t id, uint32_t number, const char *path,
	struct err *e)
{
	const struct flow_defaults defaults = port_flow_defaults(ps, id);
	struct port *p = port_find(ps, id, e);
	char *text = p != NULL ? text_read(path, e) : NULL;
	struct flow_flex *flex = text != NULL ? calloc(1, sizeof(*flex)) : NULL;

	if (text != NULL && flex == NULL)
		err_set(e, ENOMEM, "no memory for a flex item");
	if (flex != NULL && flow_flex_read(text, &defaults, flex, e) != 0)
		err_context(e, "%s", path);
	else if (flex != NULL)
		create(ps, p, number, flex, e);
	free(flex);
	free(text);
	return -e->code;
}

int
port_flow_flex_destroy(struct ports *ps, uint16_t id, uint32_t number, struct err *e)
{
	struct port *p = port_find(ps, id, e);
	struct port_object *o = p != NULL ? port_flow_object_find(p, PORT_FLEX_ITEM, number, e)
					  : NULL;
	struct rte_flow_error error = { 0 };

	if (o == NULL)
		return -e->code;
	if (rte_flow_flex_item_release(id, o->handle, &error) != 0)
		return port_flow_error(&error, e);
	port_flow_object_drop(p, PORT_FLEX_ITEM, o);
	out_say(ps->out, "port-%u: released flex item #%u\n", id, number);
	return 0;
}
