/* Memory that a port's driver may read until the port is closed. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "port/port_keep.h"

#include "base/err.h"
#include "port/port.h"

#include <errno.h>
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

struct port_kept {
	struct port_kept *next;
	alignas(16) uint8_t data[];
};

void *
port_keep(struct port *p, const void *data, size_t bytes, struct err *e)
{
	struct port_kept *k = calloc(1, sizeof(*k) + bytes);

	if (k == NULL) {
		err_set(e, ENOMEM, "no memory for %zu bytes of port %u", bytes, p->id);
		return NULL;
	}
	if (data != NULL)
		memcpy(k->data, data, bytes);
	k->next = p->kept;
	p->kept = k;
	return k->data;
}

void
port_keep_free(struct port *p)
{
	while (p->kept != NULL) {
		struct port_kept *next = p->kept->next;

		free(p->kept);
		p->kept = next;
	}
}
