/* A poll of a port: handles packets sent by the driver, gives packets of a source to the driver,
 * begins and ends faults. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/drivers/model_nic/wire/traffic.h"

#include "pmd_shims/drivers/model_nic/owner.h"
#include "pmd_shims/drivers/model_nic/wire/traffic_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Handles packets sent by the driver: applies offloads, then passes them to another port, writes
 * them to a file, or verifies them. */

/* Verify a packet that came back, and count the result. */
static void
check(struct traffic *t, const uint8_t *pkt, uint32_t len)
{
	struct gen_mark mark;
	struct model *from;
	bool intact;

	if (!gen_mark_read(pkt, len, &mark, &intact)) {
		t->count.foreign++;
		return;
	}
	from = model_port(mark.port);
	if (!intact)
		t->count.corrupted++;
	else if (from == NULL || from->traffic == NULL || from->traffic->verify == NULL)
		t->count.foreign++;
	else
		verify_seen(from->traffic->verify, &mark, &t->count);
}

/* Number of ports whose packets have stamps. Written when traffic is opened and closed. */
static atomic_uint stamping;

static uint64_t
now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Count the latency of a packet with a stamp, which has left the forwarder at now_ns. */
static void
stamp_check(const uint8_t *pkt, uint32_t len, uint64_t now)
{
	const struct model *from;
	uint64_t due_ns;
	unsigned port;

	if (!latency_stamp_read(pkt, len, &port, &due_ns))
		return;
	from = model_port(port);
	if (from != NULL && from->traffic != NULL && due_ns <= now)
		latency_add(&from->traffic->latency, now - due_ns);
}

struct way {
	struct traffic *from, *to;
	uint64_t now_ns; /* 0: latency is not measured */
};

static void
leave(void *way, const uint8_t *pkt, uint32_t len)
{
	const struct way *w = way;
	uint8_t room[OFFLOAD_FRAME_MIN];

	pkt = offload_pad(room, pkt, &len,
		atomic_load_explicit(&w->from->m->tx_frame_min, memory_order_relaxed));
	if (w->from->writer != NULL)
		pcap_writer_put(w->from->writer, pkt, len);
	if (w->from->tx_live != NULL && !live_send(w->from->tx_live, pkt, len))
		w->from->count.tx_unsent++;
	if (w->to != NULL && w->to->impair != NULL) {
		impair_cross(w->to, pkt, len, now_ns());
		return;
	}
	if (w->to != NULL) {
		arrive_by_wire(w->to, pkt, len);
		return;
	}
	if (w->now_ns != 0)
		stamp_check(pkt, len, w->now_ns);
	if (w->from->config->verify)
		check(w->from, pkt, len);
}

/* Send a packet of n frames. */
static void
packet_leave(struct way *w, const struct frame *f, uint16_t n)
{
	struct traffic *t = w->from;
	uint8_t *whole = traffic_gathered(t);
	uint32_t len = 0;

	if (n == 1 && !offload_wanted(f)) {
		leave(w, f->data, f->len);
		return;
	}
	for (uint16_t i = 0; i < n; i++) {
		if (len + f[i].len > TRAFFIC_GATHERED) {
			model_log(t->m, 1, "a packet of more than %u bytes dropped",
				TRAFFIC_GATHERED);
			return;
		}
		memcpy(whole + len, f[i].data, f[i].len);
		len += f[i].len;
	}
	offload_send(whole, len, f, leave, w);
}

void
sink(struct traffic *t, const struct frame *f, uint16_t n, struct traffic *to)
{
	const bool stamps = atomic_load_explicit(&stamping, memory_order_relaxed) != 0;
	struct way w = { t, to, stamps && n > 0 ? now_ns() : 0 };
	uint64_t bytes = 0, packets = 0;
	uint16_t first = 0;

	for (uint16_t i = 0; i < n; i++) {
		bytes += f[i].len;
		packets += f[i].flags & FRAME_EOP;
	}
	t->count.tx_packets += packets;
	t->count.tx_bytes += bytes;
	if (t->config->verify) {
		owner_scan(t->m, &t->count); /* some may have been posted since the poll began */
		for (uint16_t i = 0; i < n; i++)
			owner_sent(f[i].data);
	}
	if (to == NULL && t->writer == NULL && t->tx_live == NULL && !t->config->verify && !stamps)
		return;
	for (uint16_t i = 0; i < n; i++) {
		if ((f[i].flags & FRAME_EOP) == 0)
			continue;
		packet_leave(&w, f + first, (uint16_t)(i + 1 - first));
		first = (uint16_t)(i + 1);
	}
}

enum { TX_ROUNDS = 16 };

/* Number of the port that receives each port's packets, plus one; 0: none. */
static atomic_uint listeners[MODEL_PORTS_MAX];

static atomic_uint *
heard_at(const struct traffic *t)
{
	return t->config->source == SOURCE_WIRE    ? &listeners[t->config->peer]
		: t->config->source == SOURCE_LOOP ? &listeners[t->m->port]
						   : NULL;
}

/* The port that receives this port's packets; NULL: none, or its card is off. */
static struct traffic *
listener(const struct traffic *t)
{
	unsigned port = atomic_load_explicit(&listeners[t->m->port], memory_order_relaxed);
	struct model *m = port != 0 ? model_port(port - 1) : NULL;

	return m != NULL && atomic_load_explicit(&m->on, memory_order_relaxed) ? m->traffic : NULL;
}

/* Parse a fault and check that this port supports it. Returns NULL, or the reason to refuse it. */
static const char *
fault_refused(const struct traffic *t, const char *words, struct fault *f)
{
	if (!fault_parse(words, f))
		return fault_words;
	if (f->kind == FAULT_RESET && t->m->family->reset_announce == NULL)
		return "this device does not reset itself: use another fault";
	return NULL;
}

static bool
plan_check(const struct traffic *t, char *why, size_t size)
{
	const struct port_config *c = t->config;
	struct fault f;

	for (unsigned i = 0; i < c->faults; i++) {
		const char *reason = fault_refused(t, c->fault[i].words, &f);

		if (reason != NULL) {
			snprintf(why, size, "\"fault=%s\": %s", c->fault[i].words, reason);
			return false;
		}
	}
	return true;
}

static bool
files_open(struct traffic *t, char *why, size_t size)
{
	const struct port_config *c = t->config;
	int n;

	if (c->source == SOURCE_PCAP) {
		n = snprintf(why, size, "\"rx=pcap:%s\": ", c->rx_pcap);
		t->reader = pcap_reader_open(c->rx_pcap, c->pcap_loops, why + n, size - (size_t)n);
		if (t->reader == NULL)
			return false;
	}
	if (c->tx_pcap[0] == '\0')
		return true;
	for (unsigned i = 0; i < t->m->port; i++) {
		const struct model *m = model_port(i);

		if (m != NULL && m->traffic != NULL &&
			strcmp(m->traffic->config->tx_pcap, c->tx_pcap) == 0) {
			snprintf(why, size, "\"tx=pcap:%s\": port %u already writes it", c->tx_pcap,
				i);
			return false;
		}
	}
	n = snprintf(why, size, "\"tx=pcap:%s\": ", c->tx_pcap);
	t->writer = pcap_writer_open(c->tx_pcap, why + n, size - (size_t)n);
	return t->writer != NULL;
}

static bool
interfaces_open(struct traffic *t, char *why, size_t size)
{
	const struct port_config *c = t->config;
	const bool receives = c->source == SOURCE_LIVE;
	int n;

	if (receives) {
		n = snprintf(why, size, "\"rx=pcap:@%s\": ", c->rx_live);
		t->rx_live = live_open(c->rx_live, t->m->port, true, why + n, size - (size_t)n);
		if (t->rx_live == NULL)
			return false;
	}
	if (c->tx_live[0] == '\0')
		return true;
	if (receives && strcmp(c->rx_live, c->tx_live) == 0) {
		t->tx_live = t->rx_live;
		return true;
	}
	n = snprintf(why, size, "\"tx=pcap:@%s\": ", c->tx_live);
	t->tx_live = live_open(c->tx_live, t->m->port, false, why + n, size - (size_t)n);
	return t->tx_live != NULL;
}

/* True if all packets of a flow are equal, so that a buffer needs to be written only once. */
static bool
all_alike(const struct port_config *c)
{
	return c->source == SOURCE_GEN && !c->verify && c->vlan == 0 && c->bad_l3 == 0 &&
		c->bad_l4 == 0 && c->error == 0;
}

struct traffic *
traffic_open(struct model *m, const struct port_config *c, char *why, size_t size)
{
	struct traffic *t = calloc(1, sizeof(*t));

	snprintf(why, size, "no memory");
	if (t == NULL)
		return NULL;
	t->m = m;
	t->config = c;
	t->left = c->count != 0 ? c->count : UINT64_MAX;
	t->keep = all_alike(c);
	/* A file would lose what comes before the program enables promiscuous mode. */
	t->filtered = m->family->accepts != NULL && (c->source != SOURCE_PCAP || c->filter);
	t->written = calloc(1 << TRAFFIC_WRITTEN_BITS, sizeof(*t->written));
	t->verify = c->verify ? verify_open(c->flows) : NULL;
	t->impair = config_impairs(c) ? impair_open(c) : NULL;
	if ((config_impairs(c) && t->impair == NULL) || t->written == NULL ||
		(c->verify && t->verify == NULL) || gen_open(&t->gen, m, c) != 0 ||
		!plan_check(t, why, size) || !files_open(t, why, size) ||
		!interfaces_open(t, why, size)) {
		traffic_close(t);
		return NULL;
	}
	if (heard_at(t) != NULL)
		atomic_store(heard_at(t), m->port + 1);
	if (c->burst_max != 0) {
		bursts_open(&t->bursts, c, m->port);
		/* Verified packets have a mark there, and a stamp would change the checksum. */
		t->stamps = !c->verify && c->bad_l4 == 0;
	}
	if (t->stamps)
		atomic_fetch_add(&stamping, 1);
	return t;
}

void
traffic_close(struct traffic *t)
{
	if (t == NULL)
		return;
	if (heard_at(t) != NULL)
		atomic_store(heard_at(t), 0);
	if (t->stamps)
		atomic_fetch_sub(&stamping, 1);
	gen_close(&t->gen);
	impair_close(t->impair);
	verify_close(t->verify);
	pcap_reader_close(t->reader);
	pcap_writer_close(t->writer);
	if (t->tx_live != t->rx_live)
		live_close(t->tx_live);
	live_close(t->rx_live);
	free(t->written);
	free(t);
}

void
traffic_flush(struct traffic *t)
{
	if (t->writer != NULL)
		pcap_writer_flush(t->writer);
}

/* Take all waiting packets, since the driver drops packets if the ring is full. */
static unsigned
ring_empty(struct traffic *t, struct ring *r, struct traffic *to)
{
	struct frame f[MODEL_BURST];
	unsigned moved = 0;

	for (unsigned i = 0; i < TX_ROUNDS; i++) {
		uint16_t descs = 0, n = t->m->family->tx_take(t->m, r, f, MODEL_BURST, &descs);

		if (n > 0)
			sink(t, f, n, to);
		if (descs == 0)
			break;
		t->m->family->tx_done(t->m, r, descs);
		moved += descs;
	}
	return moved;
}

/* Begin the configured faults whose number of packets was reached. */
static void
plan_turn(struct traffic *t)
{
	const struct port_config *c = t->config;
	struct fault f;

	for (unsigned i = 0; i < c->faults; i++) {
		if ((t->planned & 1u << i) != 0 || t->count.rx_packets < c->fault[i].after_packets)
			continue;
		t->planned |= 1u << i;
		if (fault_parse(c->fault[i].words, &f))
			faults_ask(&t->faults, &f);
	}
}

static bool
source_runs(struct traffic *t)
{
	const enum source_kind source = t->config->source;

	return (source == SOURCE_GEN || source == SOURCE_COPY || source == SOURCE_PCAP ||
		       source == SOURCE_LIVE) &&
		t->left > 0 && t->rx_count > 0 &&
		!atomic_load_explicit(&t->paused, memory_order_relaxed) &&
		atomic_load_explicit(&t->m->link_up, memory_order_relaxed);
}

void
traffic_filters_take(struct traffic *t)
{
	for (unsigned i = 0; i < t->tx_count; i++)
		if (t->tx[i]->data_queue < 0)
			ring_empty(t, t->tx[i], NULL);
}

unsigned
traffic_poll(struct model *m)
{
	struct traffic *t = m->traffic, *to;
	unsigned moved = 0;
	uint64_t now = 0;

	if (t->config->faults != 0)
		plan_turn(t);
	if (t->config->rate_pps != 0 || faults_busy(&t->faults))
		now = now_ns();
	if (faults_busy(&t->faults))
		faults_poll(&t->faults, m, now, &t->count);
	if (!faults_last(&t->faults, FAULT_STALL)) {
		to = listener(t);
		if (to != NULL)
			traffic_filters_take(to);
		for (unsigned i = 0; i < t->tx_count; i++)
			moved += ring_empty(t, t->tx[i], to);
	}
	if (t->impair != NULL && impair_busy(t->impair)) {
		moved += impair_poll(t, now_ns());
		/* The thread that moves frames takes naps after polls that return 0. */
		moved += config_current.step ? 0 : 1;
	}
	if (t->rx_live != NULL || t->tx_live != NULL)
		moved += live_poll(t, now_ns(), source_runs(t));
	if (t->config->source != SOURCE_LIVE && source_runs(t))
		moved += source_poll(t, now);
	else
		source_rest(t);
	return moved + source_faults(t);
}

/* Add a ring to a list of count rings or remove it. Returns the new count. */
static unsigned
list_change(struct ring **list, unsigned count, struct ring *r, bool enabled)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < count; i++)
		if (list[i] != r)
			list[kept++] = list[i];
	if (enabled)
		list[kept++] = r;
	return kept;
}

void
traffic_ring_changed(struct model *m, struct ring *r, bool rx, bool enabled)
{
	struct traffic *t = m->traffic;

	if (t == NULL)
		return;
	if (!rx) {
		t->tx_count = list_change(t->tx, t->tx_count, r, enabled);
	} else {
		memset(t->written, 0, sizeof(*t->written) << TRAFFIC_WRITTEN_BITS);
		/* Other rings carry no traffic. */
		if (r->data_queue >= 0) {
			/* A port that was stopped does not receive what arrived meanwhile. */
			if (t->rx_live != NULL && t->rx_count == 0)
				live_drain(t->rx_live);
			t->rx_count = list_change(t->rx, t->rx_count, r, enabled);
			t->rx_of[r->data_queue] = enabled ? r : NULL;
		}
	}
	if (!enabled && t->config->verify)
		owner_ring_off(m, r, rx);
}

void
traffic_report(struct traffic *t, struct model_nic_report *r)
{
	const uint64_t *now = (const uint64_t *)&t->count, *base = (const uint64_t *)&t->base;
	uint64_t *to = (uint64_t *)r;

	t->count.missing = t->verify != NULL ? t->count.generated - verify_unique(t->verify) : 0;
	for (size_t i = 0; i < sizeof(*r) / sizeof(*to); i++)
		to[i] = now[i] - base[i];
	r->missing = t->count.missing; /* a level, which a reset does not change */
	latency_report(&t->latency, &t->latency_base, r);
}

void
traffic_report_reset(struct traffic *t)
{
	t->base = t->count;
	t->latency_base = t->latency;
}

void
traffic_pause(struct traffic *t, bool paused)
{
	atomic_store(&t->paused, paused);
}

bool
traffic_fault(struct traffic *t, const char *words, const char **why)
{
	struct fault f;

	*why = fault_refused(t, words, &f);
	if (*why == NULL && f.kind == FAULT_JUMBO && !atomic_load(&t->m->scattered))
		*why = "every packet fits in one buffer: use a larger MTU";
	if (*why == NULL)
		faults_ask(&t->faults, &f);
	return *why == NULL;
}
