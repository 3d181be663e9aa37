/* Makes models, powers them on and off, enables their rings, polls them, sets their links. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/drivers/model_nic/model_life.h"

#include "pmd_shims/drivers/model_nic/config.h"
#include "pmd_shims/drivers/model_nic/model.h"
#include "pmd_shims/drivers/model_nic/mover.h"
#include "pmd_shims/drivers/model_nic/ring.h"
#include "pmd_shims/drivers/model_nic/trap.h"
#include "pmd_shims/drivers/model_nic/wire/traffic.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * Held during a poll, and while a ring is enabled or disabled. Lock order: trap_lock() first.
 */
static struct ticket polling;
static atomic_uint awake; /* number of enabled rings and watched models */

/* Apply the configuration c to a model that is off. */
static int
model_become(struct model *m, const struct port_config *c, char *why, size_t size)
{
	free(m->state);
	m->family = c->family;
	m->log = config_current.log;
	memcpy(m->mac, c->mac, sizeof(m->mac));
	m->state = calloc(1, m->family->state_size + 1);
	if (m->state == NULL) {
		snprintf(why, size, "port %u: no memory", m->port);
		return -1;
	}
	return m->family->present != NULL ? m->family->present(why, size) : 0;
}

static int
model_traffic_open(struct model *m, const struct port_config *c, char *why, size_t size)
{
	int prefix = snprintf(why, size, "port %u: ", m->port);
	struct traffic *traffic = traffic_open(m, c, why + prefix, size - (size_t)prefix);

	ticket_lock(&polling);
	m->traffic = traffic;
	ticket_unlock(&polling);
	return traffic != NULL ? 0 : -1;
}

static void
model_traffic_close(struct model *m)
{
	struct traffic *traffic;

	model_rings_disable(m);
	ticket_lock(&polling);
	traffic = m->traffic;
	m->traffic = NULL;
	ticket_unlock(&polling);
	if (traffic != NULL)
		traffic_close(traffic);
}

static int
model_begin(unsigned port, char *why, size_t size)
{
	struct model *m = model_make(port);

	if (m == NULL) {
		snprintf(why, size, "port %u: no memory", port);
		return -1;
	}
	return model_become(m, &config_current.port[port], why, size);
}

int
models_create(char *why, size_t size)
{
	const struct model_config *c = &config_current;
	unsigned i;

	for (i = 0; i < c->ports; i++)
		if (model_begin(i, why, size) != 0)
			return -1;
	/* All models have to exist before traffic looks for peers. */
	for (i = 0; i < c->ports; i++)
		if (model_traffic_open(model_port(i), &c->port[i], why, size) != 0)
			return -1;
	return 0;
}

void
model_forget(unsigned port)
{
	if (model_port(port) != NULL)
		model_traffic_close(model_port(port));
}

int
model_create(unsigned port, char *why, size_t size)
{
	model_forget(port);
	if (model_begin(port, why, size) != 0)
		return -1;
	return model_traffic_open(model_port(port), &config_current.port[port], why, size);
}

void
models_close(void)
{
	for (unsigned i = 0; i < MODEL_PORTS_MAX; i++)
		model_forget(i);
}

static bool
is_on(const struct model *m)
{
	return atomic_load_explicit(&m->on, memory_order_relaxed);
}

static void
power_set(struct model *m, bool on)
{
	trap_lock(m);
	ticket_lock(&polling);
	atomic_store(&m->on, on);
	ticket_unlock(&polling);
	trap_unlock(m);
}

/* Let go of a card outside. */
static void
let_go(struct model *m)
{
	if (m->family->power != NULL)
		m->family->power(m, false);
}

int
model_power_on(struct model *m)
{
	int ret;

	memset(m->state, 0, m->family->state_size);
	memset(m->rx, 0, sizeof(m->rx));
	memset(m->tx, 0, sizeof(m->tx));
	atomic_store(&m->asked, 0);
	trap_close(m);
	ret = m->family->power != NULL ? m->family->power(m, true) : 0;
	if (ret == 0)
		ret = trap_open(m);
	if (ret != 0) {
		let_go(m);
		return ret;
	}
	atomic_store(&m->link_up, true);
	m->family->reset(m);
	ret = mover_start(models_poll, models_awake);
	if (ret != 0) {
		trap_close(m);
		let_go(m);
	} else {
		power_set(m, true);
	}
	return ret;
}

void
model_power_off(struct model *m)
{
	if (m->bar == NULL)
		return;
	model_watch(m, false);
	model_rings_disable(m);
	power_set(m, false);
	ticket_lock(&polling);
	if (m->traffic != NULL)
		traffic_flush(m->traffic);
	ticket_unlock(&polling);
	let_go(m);
	/*
	 * A driver's interrupt handler may still read registers, for drivers do not wait for its end. Those
	 * of a card outside take long; they stay until the next power-on, and read as all ones.
	 */
	if (!family_is_outside(m->family))
		trap_close(m);
}

static bool
is_rx(const struct model *m, const struct ring *r)
{
	return r >= m->rx && r < m->rx + MODEL_QUEUES_MAX;
}

void
model_ring_enable(struct model *m, struct ring *r)
{
	bool first = false;
	unsigned number;

	model_ring_disable(m, r);
	ticket_lock(&polling);
	ring_begin(r);
	number = (unsigned)(r - (is_rx(m, r) ? m->rx : m->tx)) + 1;
	if (number > m->rings)
		m->rings = number;
	if (m->traffic != NULL) {
		traffic_ring_changed(m, r, is_rx(m, r), true);
		atomic_store(&r->enabled, true);
		first = atomic_fetch_add(&awake, 1) == 0;
	}
	ticket_unlock(&polling);
	model_log(m, 2, "%s ring %u enabled: %u descriptors", is_rx(m, r) ? "Rx" : "Tx", r->index,
		r->size);
	if (first)
		mover_wake();
}

void
model_watch(struct model *m, bool on)
{
	if (atomic_exchange(&m->watched, on) == on)
		return;
	if (!on)
		atomic_fetch_sub(&awake, 1);
	else if (atomic_fetch_add(&awake, 1) == 0)
		mover_wake();
}

bool
models_awake(void)
{
	return atomic_load(&awake) != 0;
}

void
model_ring_disable(struct model *m, struct ring *r)
{
	if (!atomic_load(&r->enabled))
		return;
	ticket_lock(&polling);
	if (atomic_exchange(&r->enabled, false)) {
		atomic_fetch_sub(&awake, 1);
		traffic_ring_changed(m, r, is_rx(m, r), false);
	}
	ticket_unlock(&polling);
	model_log(m, 2, "%s ring %u disabled", is_rx(m, r) ? "Rx" : "Tx", r->index);
}

void
model_filters_take(struct model *m)
{
	ticket_lock(&polling);
	if (m->traffic != NULL)
		traffic_filters_take(m->traffic);
	ticket_unlock(&polling);
}

void
model_rings_leave(struct model *m, uint64_t address, uint64_t size)
{
	for (unsigned i = 0; i < MODEL_QUEUES_MAX; i++) {
		if ((uint64_t)(uintptr_t)m->rx[i].desc - address < size)
			model_ring_disable(m, &m->rx[i]);
		if ((uint64_t)(uintptr_t)m->tx[i].desc - address < size)
			model_ring_disable(m, &m->tx[i]);
	}
}

void
model_rings_disable(struct model *m)
{
	for (unsigned i = 0; i < MODEL_QUEUES_MAX; i++) {
		model_ring_disable(m, &m->rx[i]);
		model_ring_disable(m, &m->tx[i]);
	}
}

/* Run a function of the family, with register accesses of the driver locked out. */
static void
family_run(struct model *m, void (*run)(struct model *m))
{
	trap_lock(m);
	if (is_on(m) && run != NULL)
		run(m);
	trap_unlock(m);
}

void
model_link(struct model *m, bool up)
{
	trap_lock(m);
	if (is_on(m) && atomic_load(&m->link_up) != up) {
		atomic_store(&m->link_up, up);
		atomic_fetch_add(&m->link_changes, 1);
		if (m->family->link != NULL)
			m->family->link(m, up);
	}
	trap_unlock(m);
}

void
model_reset(struct model *m)
{
	family_run(m, m->family->reset);
}

static void
event_replace(int *slot, int event)
{
	if (*slot >= 0)
		close(*slot);
	*slot = event;
}

void
model_event_set(struct model *m, int vector, int event)
{
	trap_lock(m);
	ticket_lock(&polling);
	if (vector == MODEL_MSI) {
		m->interrupt_bytes = sizeof(uint64_t);
		event_replace(&m->interrupt_fd, event);
	} else {
		m->vectored = true;
		event_replace(&m->vector_fd[vector], event);
	}
	ticket_unlock(&polling);
	trap_unlock(m);
}

void
model_vectors_close(struct model *m)
{
	trap_lock(m);
	ticket_lock(&polling);
	m->vectored = false;
	for (unsigned i = 0; i < MODEL_VECTORS_MAX; i++)
		event_replace(&m->vector_fd[i], -1);
	ticket_unlock(&polling);
	trap_unlock(m);
}

/* Carry out the requests of a poll. */
static void
asked_do(struct model *m, uint32_t what)
{
	if ((what & MODEL_LINK_DOWN) != 0)
		model_link(m, false);
	if ((what & MODEL_LINK_UP) != 0)
		model_link(m, true);
	if ((what & MODEL_ANNOUNCE) != 0)
		family_run(m, m->family->reset_announce);
	if ((what & MODEL_RESET) != 0)
		family_run(m, m->family->reset);
}

/* Frames moved in the last poll of each port. Protected by polling. */
static unsigned moved_before[MODEL_PORTS_MAX];

/* True if the family has to act on registers that do not trap. The caller holds polling. */
static bool
model_differs(struct model *m)
{
	return is_on(m) && m->traffic != NULL &&
		atomic_load_explicit(&m->watched, memory_order_relaxed) &&
		m->family->watch(m, moved_before[m->port]);
}

static unsigned
model_poll(struct model *m)
{
	unsigned moved = 0;
	bool act;

	ticket_lock(&polling);
	act = model_differs(m);
	if (is_on(m) && m->traffic != NULL) {
		moved = act ? 0 : traffic_poll(m);
		moved_before[m->port] = moved;
	}
	ticket_unlock(&polling);
	if (act)
		family_run(m, m->family->act);
	if (atomic_load_explicit(&m->asked, memory_order_relaxed) != 0)
		asked_do(m, atomic_exchange(&m->asked, 0));
	return moved;
}

void
models_settle(void)
{
	for (unsigned i = 0; i < config_current.ports; i++) {
		struct model *m = model_port(i);
		bool act;

		if (m == NULL)
			continue;
		ticket_lock(&polling);
		act = model_differs(m);
		ticket_unlock(&polling);
		if (act)
			family_run(m, m->family->act);
	}
}

unsigned
models_poll(void)
{
	unsigned moved = 0;

	for (unsigned i = 0; i < config_current.ports; i++)
		if (model_port(i) != NULL)
			moved += model_poll(model_port(i));
	return moved;
}
