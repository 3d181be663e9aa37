/* Traffic that watches: rings that are touched when they must not be, what is told and when. */
#include "model_nic_watching_traffic.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

struct traffic watching[WATCHING_PORTS];
int watching_missing = -1;

struct traffic *
traffic_open(struct model *m, const struct port_config *c, char *why, size_t size)
{
	if ((int)m->port == watching_missing) {
		snprintf(why, size, "no such file");
		return NULL;
	}
	watching[m->port] = (struct traffic){ .link_in_turn = -1 };
	return &watching[m->port];
}

void
traffic_close(struct traffic *t)
{
	t->closed = true;
}

void
traffic_flush(struct traffic *t)
{
}

unsigned
traffic_turn(struct model *m)
{
	struct traffic *t = m->traffic;
	unsigned moved = 0;

	for (unsigned i = 0; i < 4; i++) {
		if (!atomic_load(&m->rx[i].enabled))
			continue;
		for (unsigned j = 0; j < 50; j++)
			if (atomic_load(&t->freed))
				atomic_fetch_add(&t->touched, 1);
		moved++;
	}
	if (t->link_in_turn >= 0) {
		model_link(m, t->link_in_turn);
		/* Not yet: registers are not a turn's business. */
		assert_int_equal(atomic_load(&m->link_up), !t->link_in_turn);
		t->link_in_turn = -1;
	}
	atomic_fetch_add(&t->turns, 1);
	return moved;
}

void
traffic_ring_changed(struct model *m, struct ring *r, bool rx, bool enabled)
{
	assert_true(rx ? r == &m->rx[r->index] : r == &m->tx[r->index]);
	assert_false(atomic_load(&r->enabled) && enabled);
	if (enabled)
		m->traffic->enabled++;
	else
		m->traffic->disabled++;
}
