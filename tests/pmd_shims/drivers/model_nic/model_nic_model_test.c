/* Rings that come and go while a thread moves frames; the link; the two modes. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "fixtures/model_nic/model_nic_watching_traffic.h"
#include "fixtures/unit.h"
#include "fixtures/wait.h"
#include "pmd_shims/drivers/model_nic/config.h"
#include "pmd_shims/drivers/model_nic/model_life.h"
#include "pmd_shims/drivers/model_nic/mover.h"

#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

enum { PORTS = WATCHING_PORTS, CHANGES = 300 };

static unsigned resets;
static int link_told;

static void
family_reset(struct model *m)
{
	resets++;
	model_reg_set(m, 0, 0x600d);
}

static void
family_link(struct model *m, bool up)
{
	assert_int_equal(atomic_load(&m->link_up), up);
	link_told = up;
	model_interrupt(m);
}

/* What the driver wrote into an open page, and whether the family noticed. */
static struct {
	bool wrote;
	unsigned looked, acted, moved;
} page;

static bool
family_watch(struct model *m, unsigned moved)
{
	page.looked++;
	page.moved = moved;
	return page.wrote;
}

/* Between register accesses, where rings may be changed. */
static void
family_act(struct model *m)
{
	page.acted++;
	page.wrote = false;
	model_ring_enable(m, &m->rx[2]);
}

static const struct model_family family = { .name = "test",
	.bar_len = 4096,
	.state_size = 16,
	.reset = family_reset,
	.link = family_link,
	.watch = family_watch,
	.act = family_act };

static void
make(bool step)
{
	char why[128];

	memset(&config_current, 0, sizeof(config_current));
	config_current.ports = PORTS;
	config_current.cpu = -1;
	config_current.step = step;
	for (unsigned i = 0; i < PORTS; i++)
		config_current.port[i].family = &family;
	resets = 0;
	link_told = -1;
	assert_int_equal(models_create(why, sizeof(why)), 0);
	for (unsigned i = 0; i < PORTS; i++) {
		assert_int_equal(model_power_on(model_port(i)), 0);
		for (uint16_t q = 0; q < 4; q++)
			model_port(i)->rx[q].index = model_port(i)->tx[q].index = q;
	}
}

/* cmocka takes SIGSEGV between tests: the BAR is made anew in each. */
static int
drop(void **state)
{
	mover_stop();
	models_close();
	for (unsigned i = 0; i < PORTS; i++)
		if (model_port(i) != NULL)
			model_power_off(model_port(i));
	models_free();
	return 0;
}

static void
wait_turns(unsigned port, unsigned more)
{
	unsigned from = atomic_load(&watching[port].polls);

	WAIT_UNTIL(atomic_load(&watching[port].polls) - from >= more);
}

TEST(a_disabled_ring_is_never_touched)
{
	struct traffic *t = &watching[0];
	struct model *m;

	make(false);
	m = model_port(0);
	model_ring_enable(model_port(1), &model_port(1)->rx[0]);
	for (unsigned i = 0; i < CHANGES; i++) {
		struct ring *r = &m->rx[i % 4];

		atomic_store(&t->freed, false);
		r->head = 7;
		model_ring_enable(m, r);
		wait_turns(0, i % 3);
		model_ring_disable(m, r);
		atomic_store(&t->freed, true);
		assert_false(atomic_load(&r->enabled));
	}
	assert_int_equal(t->touched, 0);
	assert_int_equal(t->enabled, CHANGES);
	assert_int_equal(t->disabled, CHANGES);
	assert_int_equal(m->rx[0].head, 0);
	model_ring_disable(m, &m->rx[0]);
	assert_int_equal(t->disabled, CHANGES);
}

TEST(enabling_twice_starts_over)
{
	struct model *m;

	make(true);
	m = model_port(0);
	model_ring_enable(m, &m->tx[1]);
	model_ring_enable(m, &m->tx[1]);
	assert_int_equal(watching[0].enabled, 2);
	assert_int_equal(watching[0].disabled, 1);
	assert_true(models_awake());
	model_ring_enable(m, &m->rx[3]);
	model_rings_disable(m);
	assert_int_equal(watching[0].disabled, 3);
	assert_false(models_awake());
}

TEST(what_is_watched_is_acted_upon_before_a_turn)
{
	struct model *m;

	make(true);
	m = model_port(0);
	memset(&page, 0, sizeof(page));
	models_poll();
	assert_int_equal(page.looked, 0);
	model_watch(m, true);
	model_watch(m, true);
	assert_true(models_awake());
	models_poll();
	assert_int_equal(page.looked, 1); /* of the watched port alone */
	assert_int_equal(page.acted, 0);
	assert_int_equal(watching[0].polls, 2);
	page.wrote = true;
	models_poll();
	assert_int_equal(page.acted, 1);
	assert_int_equal(watching[0].polls, 2); /* in place of a poll */
	assert_int_equal(watching[1].polls, 3);
	assert_true(atomic_load(&m->rx[2].enabled));
	models_poll();
	assert_int_equal(page.moved, 0);
	models_poll();
	assert_int_equal(page.moved, 1); /* in the poll before */
	model_power_off(m);
	assert_false(models_awake());
}

TEST(the_thread_rests_without_rings)
{
	const struct timespec while_ = { .tv_nsec = 5 * 1000 * 1000 };
	time_t end = 0;
	unsigned before;

	make(false);
	model_ring_enable(model_port(0), &model_port(0)->rx[0]);
	wait_turns(0, 100);
	wait_turns(1, 1);
	model_ring_disable(model_port(0), &model_port(0)->rx[0]);
	do {
		before = atomic_load(&watching[0].polls);
		nanosleep(&while_, NULL);
		wait_step(&end, "the thread rests", __FILE__, __LINE__);
	} while (atomic_load(&watching[0].polls) != before);
	model_ring_enable(model_port(1), &model_port(1)->rx[2]);
	wait_turns(0, 1);
}

/* As a driver waits after it wrote to a register that does not trap. */
TEST(settling_acts_without_a_poll)
{
	make(true);
	memset(&page, 0, sizeof(page));
	models_settle();
	assert_int_equal(page.looked, 0); /* no model is watched */
	model_watch(model_port(0), true);
	page.wrote = true;
	models_settle();
	assert_int_equal(page.acted, 1);
	assert_true(atomic_load(&model_port(0)->rx[2].enabled));
	models_settle();
	assert_int_equal(page.acted, 1);
	assert_int_equal(watching[0].polls, 0);
}

TEST(steps_are_the_callers)
{
	make(true);
	assert_int_equal(mover_start(models_poll, models_awake), 0);
	model_ring_enable(model_port(0), &model_port(0)->rx[0]);
	model_ring_enable(model_port(1), &model_port(1)->rx[0]);
	model_ring_enable(model_port(1), &model_port(1)->rx[1]);
	assert_int_equal(watching[0].polls, 0);
	assert_int_equal(models_poll(), 3);
	assert_int_equal(watching[0].polls, 1);
	assert_int_equal(watching[1].polls, 1);
	model_power_off(model_port(1));
	assert_int_equal(models_poll(), 1);
	assert_int_equal(watching[1].polls, 1);
}

TEST(the_link_is_told_once)
{
	struct model *m;
	int fds[2];
	uint32_t count;

	make(true);
	m = model_port(0);
	assert_int_equal(pipe(fds), 0);
	m->interrupt_fd = fds[1];
	model_link(m, true);
	assert_int_equal(link_told, -1);
	model_link(m, false);
	assert_int_equal(link_told, 0);
	assert_int_equal(read(fds[0], &count, sizeof(count)), sizeof(count));
	model_link(m, false);
	assert_int_equal(atomic_load(&m->link_changes), 1);
	model_link(m, true);
	assert_int_equal(atomic_load(&m->link_changes), 2);
	m->interrupt_fd = -1;
	close(fds[0]);
	close(fds[1]);
}

static bool
raised(int event)
{
	uint64_t n;

	return read(event, &n, sizeof(n)) == sizeof(n);
}

/* MSI, or an event for each vector; the model closes what it was given. */
TEST(vectors_have_events)
{
	struct model *m;
	int events[3];

	make(true);
	m = model_port(0);
	for (unsigned i = 0; i < 3; i++)
		events[i] = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	model_interrupt_vector(m, 128); /* it has no event */
	model_event_set(m, MODEL_MSI, dup(events[0]));
	model_interrupt_vector(m, 128);
	assert_true(raised(events[0]));
	model_event_set(m, 0, -1);
	model_interrupt_vector(m, 0);
	assert_false(raised(events[0])); /* MSI-X is on, and the vector has none */
	model_event_set(m, 128, dup(events[1]));
	model_interrupt_vector(m, 128);
	model_interrupt_vector(m, 127);
	model_interrupt_vector(m, MODEL_VECTORS_MAX);
	assert_true(raised(events[1]));
	assert_false(raised(events[0]) || raised(events[2]));
	model_event_set(m, 128, dup(events[2]));
	model_interrupt_vector(m, 128);
	assert_true(!raised(events[1]) && raised(events[2]));
	model_vectors_close(m);
	model_interrupt_vector(m, 128);
	assert_true(raised(events[0]) && !raised(events[2]));
	assert_int_equal(m->vector_fd[128], -1);
	model_event_set(m, MODEL_MSI, -1);
	model_interrupt_vector(m, 128);
	assert_false(raised(events[0]));
	for (unsigned i = 0; i < 3; i++)
		close(events[i]);
}

TEST(in_a_turn_the_link_waits_for_its_end)
{
	struct model *m;

	make(true);
	m = model_port(1);
	model_ring_enable(m, &m->rx[0]);
	watching[1].link_in_poll = 0;
	models_poll();
	assert_int_equal(link_told, 0);
	assert_false(atomic_load(&m->link_up));
}

/* Power goes off and comes on: the link is up, the rings are as new. */
TEST(power_cycles)
{
	struct model *m;

	make(false);
	m = model_port(0);
	for (unsigned i = 0; i < 20; i++) {
		model_ring_enable(m, &m->rx[0]);
		wait_turns(0, 2);
		model_link(m, false);
		model_power_off(m);
		assert_null(m->bar);
		assert_false(atomic_load(&m->rx[0].enabled));
		model_power_off(m);
		assert_int_equal(model_power_on(m), 0);
		assert_true(atomic_load(&m->link_up));
		assert_int_equal(model_reg(m, 0), 0x600d);
	}
	assert_int_equal(resets, PORTS + 20);
	assert_null(model_port(PORTS));
	assert_null(model_port(MODEL_PORTS_MAX));
}

TEST(closing_tells_traffic)
{
	struct model *m;

	make(false);
	m = model_port(0);
	model_ring_enable(m, &m->rx[0]);
	wait_turns(0, 2);
	mover_stop();
	models_close();
	assert_true(watching[0].closed && watching[1].closed);
	assert_int_equal(watching[0].disabled, 1);
	/* A driver that still runs may do as it likes. */
	model_ring_enable(m, &m->rx[0]);
	assert_int_equal(models_poll(), 0);
	model_ring_disable(m, &m->rx[0]);
	assert_int_equal(watching[0].disabled, 1);
}

TEST(a_cpu_that_is_not_there)
{
	make(true);
	config_current.step = false;
	config_current.cpu = 1023;
	assert_true(mover_start(models_poll, models_awake) < 0);
	assert_false(mover_cpu_usable(1023));
	assert_true(mover_cpu_usable(sched_getcpu()));
}

TESTS(.after = drop);
