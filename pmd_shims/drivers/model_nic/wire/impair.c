/* A wire that loses, damages, duplicates, reorders and delays packets, as it is configured. A packet
 * has only the first of these that is due, except for the delay. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/drivers/model_nic/wire/traffic_priv.h"

#include <stdlib.h>
#include <string.h>

enum {
	UNDER_WAY = 1 << 16,        /* maximum packets on the wire at a time */
	PASSED_BY = 3,              /* intact packets that overtake a reordered one */
	HELD_NS = 10 * 1000 * 1000, /* ... unless none arrive for this time */
	HEADERS = 42,               /* bytes that are never damaged */
};

/* A packet on the wire. */
struct under_way {
	uint64_t arrives_ns;
	uint32_t len;
	uint8_t *bytes; /* NULL: none */
};

struct impair {
	uint64_t crossed; /* packets so far, every N-th of which is impaired */
	uint64_t random;
	uint64_t last_ns;      /* the latest arrival so far: packets do not overtake each other */
	struct under_way held; /* the packet that waits to be overtaken */
	unsigned passed;       /* intact packets that have overtaken it */
	uint32_t first, n;     /* of the FIFO */
	struct under_way fifo[UNDER_WAY];
};

struct impair *
impair_open(const struct port_config *c)
{
	struct impair *i = calloc(1, sizeof(*i));

	if (i != NULL)
		i->random = (uint64_t)c->seed + 1;
	return i;
}

void
impair_close(struct impair *i)
{
	if (i == NULL)
		return;
	free(i->held.bytes);
	for (uint32_t k = 0; k < i->n; k++)
		free(i->fifo[(i->first + k) % UNDER_WAY].bytes);
	free(i);
}

/* Marsaglia's xorshift. */
static uint64_t
random_next(struct impair *i)
{
	i->random ^= i->random << 13;
	i->random ^= i->random >> 7;
	i->random ^= i->random << 17;
	return i->random;
}

static bool
every(uint32_t n, uint64_t number)
{
	return n != 0 && number % n == 0;
}

/* Let a packet arrive after the delay. */
static void
pass(struct traffic *t, const uint8_t *pkt, uint32_t len, uint64_t now_ns)
{
	const struct port_config *c = t->config;
	struct impair *i = t->impair;
	uint64_t at = now_ns + c->delay_ns;
	struct under_way *u;

	if (c->delay_ns == 0 && c->jitter_ns == 0) {
		arrive_by_wire(t, pkt, len);
		return;
	}
	if (c->jitter_ns != 0)
		at += random_next(i) % (c->jitter_ns + (uint64_t)1);
	if (at < i->last_ns)
		at = i->last_ns;
	u = &i->fifo[(i->first + i->n) % UNDER_WAY];
	*u = (struct under_way){ at, len, i->n < UNDER_WAY ? malloc(len) : NULL };
	if (u->bytes == NULL) {
		t->count.wire_lost++;
		return;
	}
	memcpy(u->bytes, pkt, len);
	i->last_ns = at;
	i->n++;
}

static void
held_pass(struct traffic *t, uint64_t now_ns)
{
	struct under_way held = t->impair->held;

	t->impair->held.bytes = NULL;
	pass(t, held.bytes, held.len, now_ns);
	free(held.bytes);
}

/* Hold a packet back, so that the following ones overtake it. Returns false if one is held. */
static bool
hold(struct impair *i, const uint8_t *pkt, uint32_t len, uint64_t now_ns)
{
	if (i->held.bytes != NULL || (i->held.bytes = malloc(len)) == NULL)
		return false;
	memcpy(i->held.bytes, pkt, len);
	i->held.len = len;
	i->held.arrives_ns = now_ns + HELD_NS;
	i->passed = 0;
	return true;
}

/* Change a bit after the headers, in a copy. Returns the copy. */
static const uint8_t *
damaged(struct traffic *t, const uint8_t *pkt, uint32_t len)
{
	uint8_t *copy = t->damaged;
	const uint64_t random = random_next(t->impair) >> 16;

	if (len <= HEADERS || len > sizeof(t->damaged))
		return pkt;
	memcpy(copy, pkt, len);
	copy[HEADERS + random / 8 % (len - HEADERS)] ^= (uint8_t)(1 << random % 8);
	t->count.wire_corrupted++;
	return copy;
}

void
impair_cross(struct traffic *t, const uint8_t *pkt, uint32_t len, uint64_t now_ns)
{
	const struct port_config *c = t->config;
	struct impair *i = t->impair;
	const uint64_t number = ++i->crossed;

	if (every(c->loss, number)) {
		t->count.wire_lost++;
		return;
	}
	if (every(c->corrupt, number)) {
		pass(t, damaged(t, pkt, len), len, now_ns);
		return;
	}
	if (every(c->duplicate, number)) {
		t->count.wire_duplicated++;
		pass(t, pkt, len, now_ns);
	} else if (every(c->reorder, number) && hold(i, pkt, len, now_ns)) {
		return;
	}
	pass(t, pkt, len, now_ns);
	if (i->held.bytes == NULL || ++i->passed < PASSED_BY)
		return;
	t->count.wire_reordered++;
	held_pass(t, now_ns);
}

unsigned
impair_poll(struct traffic *t, uint64_t now_ns)
{
	struct impair *i = t->impair;
	unsigned moved = 0;

	if (i->held.bytes != NULL && now_ns >= i->held.arrives_ns) {
		t->count.wire_reordered += i->passed > 0;
		held_pass(t, now_ns);
	}
	while (i->n > 0 && i->fifo[i->first].arrives_ns <= now_ns) {
		struct under_way *u = &i->fifo[i->first];

		arrive_by_wire(t, u->bytes, u->len);
		free(u->bytes);
		u->bytes = NULL;
		i->first = (i->first + 1) % UNDER_WAY;
		i->n--;
		moved++;
	}
	return moved;
}

bool
impair_busy(const struct impair *i)
{
	return i->n > 0 || i->held.bytes != NULL;
}
