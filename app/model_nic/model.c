/* The life of a model and of its rings. */
#include "model_nic/model.h"

#include "model_nic/core.h"
#include "model_nic/ticket.h"
#include "model_nic/traffic.h"
#include "model_nic/trap.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct model_config core_config;

static struct model *models[MODEL_PORTS_MAX];

/*
 * One turn at a time, whoever takes it; a ring changes between turns. Taken after trap_lock(),
 * never before.
 */
static struct ticket turn;
static _Thread_local bool in_turn;
static atomic_uint awake; /* rings enabled, models watched */

/* Between model_power_on() and _off(). Changes in both locks. */
static bool powered[MODEL_PORTS_MAX];

/* What was asked for in a turn, to be done after it, in this order. */
enum { WANT_LINK_DOWN = 1, WANT_LINK_UP = 2, WANT_ANNOUNCE = 4, WANT_RESET = 8 };
static atomic_uint wanted[MODEL_PORTS_MAX];

struct model *
model_port(unsigned port)
{
	return port < MODEL_PORTS_MAX ? models[port] : NULL;
}

static struct model *
model_new(unsigned port)
{
	struct model *m = calloc(1, sizeof(*m));

	if (m != NULL) {
		m->port = port;
		m->interrupt_fd = -1;
	}
	return m;
}

/* A model that is not on becomes what c says. */
static int
model_become(struct model *m, const struct port_config *c, char *why, size_t size)
{
	free(m->state);
	m->family = c->family;
	memcpy(m->mac, c->mac, sizeof(m->mac));
	m->state = calloc(1, m->family->state_size + 1);
	if (m->state == NULL)
		snprintf(why, size, "port %u: no memory", m->port);
	return m->state != NULL ? 0 : -1;
}

static int
model_traffic_open(struct model *m, const struct port_config *c, char *why, size_t size)
{
	int prefix = snprintf(why, size, "port %u: ", m->port);
	struct traffic *traffic = traffic_open(m, c, why + prefix, size - (size_t)prefix);

	ticket_lock(&turn);
	m->traffic = traffic;
	ticket_unlock(&turn);
	return traffic != NULL ? 0 : -1;
}

static void
model_traffic_close(struct model *m)
{
	struct traffic *traffic;

	model_rings_disable(m);
	ticket_lock(&turn);
	traffic = m->traffic;
	m->traffic = NULL;
	ticket_unlock(&turn);
	if (traffic != NULL)
		traffic_close(traffic);
}

static int
model_make(unsigned port, char *why, size_t size)
{
	if (models[port] == NULL)
		models[port] = model_new(port);
	if (models[port] == NULL) {
		snprintf(why, size, "port %u: no memory", port);
		return -1;
	}
	return model_become(models[port], &core_config.port[port], why, size);
}

int
models_create(char *why, size_t size)
{
	const struct model_config *c = &core_config;
	unsigned i;

	for (i = 0; i < c->ports; i++)
		if (model_make(i, why, size) != 0)
			return -1;
	/* Every model is there before traffic looks for peers. */
	for (i = 0; i < c->ports; i++)
		if (model_traffic_open(models[i], &c->port[i], why, size) != 0)
			return -1;
	return 0;
}

void
model_forget(unsigned port)
{
	if (models[port] != NULL)
		model_traffic_close(models[port]);
}

int
model_create(unsigned port, char *why, size_t size)
{
	model_forget(port);
	if (model_make(port, why, size) != 0)
		return -1;
	return model_traffic_open(models[port], &core_config.port[port], why, size);
}

void
models_close(void)
{
	for (unsigned i = 0; i < MODEL_PORTS_MAX; i++)
		model_forget(i);
}

void
models_free(void)
{
	for (unsigned i = 0; i < MODEL_PORTS_MAX; i++) {
		if (models[i] != NULL)
			free(models[i]->state);
		free(models[i]);
		models[i] = NULL;
	}
}

static void
power_set(struct model *m, bool on)
{
	trap_lock(m);
	ticket_lock(&turn);
	powered[m->port] = on;
	ticket_unlock(&turn);
	trap_unlock(m);
}

int
model_power_on(struct model *m)
{
	int ret;

	memset(m->state, 0, m->family->state_size);
	memset(m->rx, 0, sizeof(m->rx));
	memset(m->tx, 0, sizeof(m->tx));
	atomic_store(&wanted[m->port], 0);
	ret = trap_open(m);
	if (ret != 0)
		return ret;
	atomic_store(&m->link_up, true);
	m->family->reset(m);
	ret = mover_start();
	if (ret != 0)
		trap_close(m);
	else
		power_set(m, true);
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
	ticket_lock(&turn);
	if (m->traffic != NULL)
		traffic_flush(m->traffic);
	ticket_unlock(&turn);
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

	model_ring_disable(m, r);
	ticket_lock(&turn);
	r->head = r->seen = 0;
	if (m->traffic != NULL) {
		traffic_ring_changed(m, r, is_rx(m, r), true);
		atomic_store(&r->enabled, true);
		first = atomic_fetch_add(&awake, 1) == 0;
	}
	ticket_unlock(&turn);
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
	ticket_lock(&turn);
	if (atomic_exchange(&r->enabled, false)) {
		atomic_fetch_sub(&awake, 1);
		traffic_ring_changed(m, r, is_rx(m, r), false);
	}
	ticket_unlock(&turn);
	model_log(m, 2, "%s ring %u disabled", is_rx(m, r) ? "Rx" : "Tx", r->index);
}

void
model_rings_disable(struct model *m)
{
	for (unsigned i = 0; i < MODEL_QUEUES_MAX; i++) {
		model_ring_disable(m, &m->rx[i]);
		model_ring_disable(m, &m->tx[i]);
	}
}

/* The family's part, between register accesses. */
static void
link_set(struct model *m, bool up)
{
	trap_lock(m);
	if (powered[m->port] && atomic_load(&m->link_up) != up) {
		atomic_store(&m->link_up, up);
		atomic_fetch_add(&m->link_changes, 1);
		if (m->family->link != NULL)
			m->family->link(m, up);
	}
	trap_unlock(m);
}

/* Likewise. */
static void
reset_run(struct model *m, void (*run)(struct model *m))
{
	trap_lock(m);
	if (powered[m->port] && run != NULL)
		run(m);
	trap_unlock(m);
}

static void
want_do(struct model *m, unsigned what)
{
	if ((what & WANT_LINK_DOWN) != 0)
		link_set(m, false);
	if ((what & WANT_LINK_UP) != 0)
		link_set(m, true);
	if ((what & WANT_ANNOUNCE) != 0)
		reset_run(m, m->family->reset_announce);
	if ((what & WANT_RESET) != 0)
		reset_run(m, m->family->reset);
}

static void
want(struct model *m, unsigned what)
{
	if (in_turn)
		atomic_fetch_or(&wanted[m->port], what);
	else
		want_do(m, what);
}

void
model_link(struct model *m, bool up)
{
	if (in_turn) /* of two, the later one counts */
		atomic_fetch_and(&wanted[m->port], ~(unsigned)(up ? WANT_LINK_DOWN : WANT_LINK_UP));
	want(m, up ? WANT_LINK_UP : WANT_LINK_DOWN);
}

void
model_reset_announce(struct model *m)
{
	want(m, WANT_ANNOUNCE);
}

void
model_reset(struct model *m)
{
	want(m, WANT_RESET);
}

/* In the turn before, per port. By who has the turn. */
static unsigned moved_before[MODEL_PORTS_MAX];

static void
watched_act(struct model *m)
{
	trap_lock(m);
	if (powered[m->port])
		m->family->act(m);
	trap_unlock(m);
}

static unsigned
model_turn(struct model *m)
{
	unsigned moved = 0;
	bool act = false;

	ticket_lock(&turn);
	if (powered[m->port] && m->traffic != NULL) {
		in_turn = true;
		act = atomic_load_explicit(&m->watched, memory_order_relaxed) &&
			m->family->watch(m, moved_before[m->port]);
		moved = act ? 0 : traffic_turn(m);
		moved_before[m->port] = moved;
		in_turn = false;
	}
	ticket_unlock(&turn);
	if (act)
		watched_act(m);
	if (atomic_load_explicit(&wanted[m->port], memory_order_relaxed) != 0)
		want_do(m, atomic_exchange(&wanted[m->port], 0));
	return moved;
}

unsigned
model_turns(void)
{
	unsigned moved = 0;

	for (unsigned i = 0; i < core_config.ports; i++)
		if (models[i] != NULL)
			moved += model_turn(models[i]);
	return moved;
}

void
model_interrupt(struct model *m)
{
	uint32_t count = 1;

	/* A full pipe has told the driver already. */
	if (m->interrupt_fd >= 0 && write(m->interrupt_fd, &count, sizeof(count)) < 0 &&
		errno != EAGAIN)
		model_log(m, 1, "interrupt: %s", strerror(errno));
}

void
model_log(const struct model *m, int level, const char *format, ...)
{
	char line[256];
	va_list arguments;

	if (core_config.log < level)
		return;
	va_start(arguments, format);
	vsnprintf(line, sizeof(line), format, arguments);
	va_end(arguments);
	fprintf(stderr, "model_nic: port %u %s: %s\n", m->port, m->family->name, line);
}
