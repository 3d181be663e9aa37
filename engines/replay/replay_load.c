/* Loads a capture file into memory that a port can send from, and computes when packets are due. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/err.h"
#include "base/interrupt.h"
#include "engines/replay/replay_file.h"
#include "engines/replay/replay_headers.h"
#include "engines/replay/replay_priv.h"
#include "memory/extmem.h"
#include "memory/extmem_buffers.h"
#include "memory/extmem_device.h"
#include "pmd_shims/tx_frame.h"
#include "stream/stream.h"

#include <rte_common.h>
#include <rte_eal.h>
#include <rte_hash_crc.h>
#include <rte_memory.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LINE RTE_CACHE_LINE_SIZE
/* NICs refuse shorter packets: net_i40e's limit, the highest of all drivers. */
#define BYTES_MIN 17
#define TICKS_MAX 0x1p62
#define CHANGED "the file was overwritten while it was read"

/* When packets are due. */

/* The times of the file. Returns ticks of a pass, or below 0 with e set. */
static double
times_recorded(struct replay_load *l, const struct replay_ask *ask, struct err *e)
{
	const uint64_t first = l->packets[0].ns, length = l->packets[l->n - 1].ns - first;
	const double ticks = ask->tsc_hz / 1e9 / ask->rate.speed;

	for (uint64_t i = 0; i < l->n; i++)
		if (l->packets[i].ns == REPLAY_NO_TIME)
			return err_set(e, ERANGE,
				"packet %u: invalid time stamp: use another replay-rate than the recorded times",
				l->packets[i].number);
	for (uint64_t i = 1; i < l->n; i++)
		if (l->packets[i].ns < l->packets[i - 1].ns)
			return err_set(e, EINVAL,
				"packet %u has an earlier time stamp than the packet before it: use reordercap to sort the file, or another replay-rate",
				l->packets[i].number);
	if (length == 0 && !ask->once)
		return err_set(e, EINVAL,
			"all packets have the same time stamp, so no second pass can begin later: use another replay-rate, or replay-times 1");
	if ((double)length * ticks > TICKS_MAX)
		return err_set(e, ERANGE, "replay-rate %s: the packets would take too long",
			ask->rate_text);
	for (uint64_t i = 0; i < l->n; i++)
		l->packets[i].due = (uint64_t)((double)(l->packets[i].ns - first) * ticks);
	/* The gap before the next pass is the mean of the others. */
	return l->n < 2 ? 0 : (double)length * ticks * (double)l->n / (double)(l->n - 1);
}

/* Equal gaps, or gaps by the packets' lengths. Returns ticks of a pass, or below 0 with e set. */
static double
times_of_rate(struct replay_load *l, const struct replay_ask *ask, double wire_bits, struct err *e)
{
	const struct pace_rate *rate = &ask->rate.rate;
	const double line = ask->line_bps,
		     bps = rate->unit == PACE_PERCENT ? rate->value / 100 * line : rate->value,
		     pps = rate->unit == PACE_PACKETS ? rate->value
						      : bps / (wire_bits / (double)l->n),
		     hz = ask->tsc_hz;
	double bits = 0;

	if (rate->unit == PACE_PERCENT && line == 0)
		return err_set(e, EINVAL,
			"replay-rate %s: the link speed of port %u is unknown: expected packets or bits per second",
			ask->rate_text, ask->port);
	if (pps < PACE_PPS_MIN || pps > PACE_PPS_MAX)
		return err_set(e, ERANGE,
			"replay-rate %s: %g packets/s: expected %g to %g packets/s", ask->rate_text,
			pps, PACE_PPS_MIN, PACE_PPS_MAX);
	for (uint64_t i = 0; i < l->n; i++) {
		l->packets[i].due = (uint64_t)(rate->unit == PACE_PACKETS ? (double)i / pps * hz
									  : bits / bps * hz);
		bits += 8.0 * (l->packets[i].bytes + L1_BYTES);
	}
	return (double)l->n / pps * hz;
}

int
replay_load_times(struct replay_load *l, const struct replay_ask *ask, struct err *e)
{
	double ticks, wire_bits = 0, seconds;

	l->recorded = ask->rate.recorded;
	l->paced = l->recorded || ask->rate.rate.unit != PACE_MAX;
	l->period = l->period_part = 0;
	if (!l->paced)
		return 0;
	for (uint64_t i = 0; i < l->n; i++)
		wire_bits += 8.0 * (l->packets[i].bytes + L1_BYTES);
	ticks = ask->rate.recorded ? times_recorded(l, ask, e)
				   : times_of_rate(l, ask, wire_bits, e);
	if (ticks < 0)
		return -e->code;
	if (ticks > TICKS_MAX)
		return err_set(e, ERANGE, "replay-rate %s: the packets would take too long",
			ask->rate_text);
	seconds = ticks / ask->tsc_hz;
	if (ask->line_bps > 0 && ticks > 0 && wire_bits / seconds > ask->line_bps * 1.0001)
		return err_set(e, ERANGE,
			"replay-rate %s: %.0f packets/s of %.1f bytes on average: port %u can send %.0f at %.0f Mbit/s",
			ask->rate_text, (double)l->n / seconds, (double)l->bytes / (double)l->n,
			ask->port, ask->line_bps / (wire_bits / (double)l->n), ask->line_bps / 1e6);
	l->period = (uint64_t)ticks;
	l->period_part = (uint32_t)((ticks - (double)l->period) * 4294967296.0);
	return 0;
}

/*
 * Reading the file, twice: to check it, and to load it, when it is known how much memory that takes. In
 * between other programs may write the file. The times and lengths of the first reading have to be those
 * of the bytes that are sent, so a packet that differs ends the loading.
 */

struct reading {
	struct replay_load *load;
	const struct replay_ask *ask;
	uint64_t room; /* of load->packets */
	uint64_t lines;
	uint32_t longest;
	uint64_t cut, first_cut; /* packets of which the end was not captured */
	/* The second time. */
	uint64_t loaded; /* packets */
	uint64_t at;     /* bytes of the memory that are used */
};

/* Bytes that the port can send of a packet with VLAN tags. */
static uint32_t
bytes_most(const struct replay_ask *ask, unsigned int tags)
{
	const uint32_t most = ask->mtu + (uint32_t)RTE_ETHER_HDR_LEN + 4 * (tags < 2 ? tags : 2);

	return RTE_MIN(most, (uint32_t)UINT16_MAX);
}

/*
 * Check whether the port can send a packet. Returns 1: it is left out, and counted in *skipped; 0; or
 * -errno with e set.
 */
static int
packet_check(struct reading *r, const struct replay_record *p, struct replay_skipped *skipped,
	struct err *e)
{
	const struct replay_ask *ask = r->ask;
	const struct replay_source *source = &r->load->source;
	struct replay_headers headers;
	char remedy[TX_FRAME_REMEDY];
	uint32_t most;

	if (p->captured < p->length && !source->truncated && source->skip) {
		skipped->cut++;
		return 1;
	}
	if (p->captured < BYTES_MIN) {
		skipped->brief++;
		return source->skip
			? 1
			: err_set(e, ERANGE,
				  "packet %" PRIu64
				  " has %u bytes: expected at least %u; use \"skip\" after the file to leave out what port %u cannot send",
				  p->number, p->captured, BYTES_MIN, ask->port);
	}
	replay_headers_find(p->bytes, p->captured, &headers);
	most = bytes_most(ask, headers.tags);
	if (source->skip && (p->captured > most || (ask->room > 0 && p->captured > ask->room))) {
		skipped->longer++;
		return 1;
	}
	if (p->captured > UINT16_MAX)
		return err_set(e, ERANGE,
			"packet %" PRIu64
			" has %u bytes: no port can send more than %u; use \"skip\" after the file to leave out such packets",
			p->number, p->captured, UINT16_MAX);
	if (p->captured > most) {
		tx_frame_remedy(ask->port, ask->frame,
			p->captured - 4 * RTE_MIN((uint32_t)headers.tags, 2u), remedy);
		return err_set(e, ERANGE,
			"packet %" PRIu64
			" has %u bytes: port %u can send %u, as its MTU is %u; %s, or \"skip\" after the file to leave out such packets",
			p->number, p->captured, ask->port, most, ask->mtu, remedy);
	}
	if (ask->room > 0 && p->captured > ask->room)
		return err_set(e, ERANGE,
			"packet %" PRIu64
			" has %u bytes: expected at most %u, the size of an mbuf, because port %u sends copies",
			p->number, p->captured, ask->room, ask->port);
	return 0;
}

static uint32_t
crc_of(const struct replay_record *p)
{
	return rte_hash_crc(p->bytes, p->captured, 0);
}

static int
packet_add(void *context, const struct replay_record *p, struct err *e)
{
	struct reading *r = context;
	struct replay_load *l = r->load;
	const int ret = packet_check(r, p, &l->skipped, e);

	if (ret != 0)
		return ret < 0 ? ret : 0;
	if (p->captured < p->length) {
		r->first_cut = r->cut == 0 ? p->number : r->first_cut;
		r->cut++;
	}
	if (l->n == r->room) {
		const uint64_t room = RTE_MAX(r->room * 2, UINT64_C(1024));
		struct replay_loaded *more = realloc(l->packets, room * sizeof(*more));

		if (more == NULL)
			return err_set(e, ENOMEM, "no memory to describe %" PRIu64 " packets",
				room);
		l->packets = more;
		r->room = room;
	}
	l->packets[l->n++] = (struct replay_loaded){ .ns = p->ns,
		.bytes = p->captured,
		.flow = crc_of(p),
		.number = (uint32_t)p->number };
	l->bytes += p->captured;
	r->lines += (p->captured + LINE - 1) / LINE;
	r->longest = RTE_MAX(r->longest, p->captured);
	return 0;
}

/*
 * Find room for a packet that is contiguous for devices. Returns false if there is none. A region
 * without IO virtual addresses is for ports that need none.
 */
static bool
place(struct reading *r, uint32_t bytes)
{
	const struct extmem *m = r->load->memory;
	const uint64_t at = r->at;

	if (at + bytes > m->bytes)
		return false;
	if (extmem_iova(m, m->addr + at, bytes) != RTE_BAD_IOVA ||
		extmem_iova(m, m->addr + at, 1) == RTE_BAD_IOVA)
		return true;
	r->at = (uint64_t)((uint8_t *)RTE_PTR_ALIGN_CEIL(m->addr + at + 1, m->page) - m->addr);
	return r->at + bytes <= m->bytes && extmem_iova(m, m->addr + r->at, bytes) != RTE_BAD_IOVA;
}

/* True if this packet is what was there at the first reading. */
static bool
is_same(const struct replay_loaded *before, const struct replay_record *p)
{
	return before->number == (uint32_t)p->number && before->bytes == p->captured &&
		before->ns == p->ns && before->flow == crc_of(p);
}

static int
packet_load(void *context, const struct replay_record *p, struct err *e)
{
	struct reading *r = context;
	const struct replay_ask *ask = r->ask;
	struct replay_load *l = r->load;
	struct replay_loaded *loaded;
	struct replay_skipped again = { .cut = 0 }; /* counted before */
	struct replay_headers headers;
	const int ret = packet_check(r, p, &again, e);
	uint8_t *to;

	if (ret > 0)
		return 0;
	loaded = &l->packets[r->loaded];
	if (ret < 0 || r->loaded == l->n || !is_same(loaded, p))
		return err_set(e, EBUSY, CHANGED ": packet %" PRIu64 " is another one now",
			p->number);
	if (!place(r, loaded->bytes))
		return err_set(e, ERANGE,
			"packet %" PRIu64
			": its %u bytes cross pages that are not contiguous in IOVA space: use larger pages",
			p->number, loaded->bytes);
	to = l->memory->addr + r->at;
	memcpy(to, p->bytes, loaded->bytes);
	replay_headers_find(to, loaded->bytes, &headers);
	replay_headers_rewrite(to, loaded->bytes, &headers, &ask->rewrite, ask->mac, ask->peer);
	loaded->flow = replay_headers_flow(to, loaded->bytes, &headers);
	loaded->line = (uint32_t)(r->at / LINE);
	r->at += RTE_ALIGN_CEIL(loaded->bytes, (uint32_t)LINE);
	r->loaded++;
	return 0;
}

static int
region_create(struct reading *r, struct err *e)
{
	const uint64_t page = rte_eal_has_hugepages() ? RTE_PGSIZE_2M
						      : (uint64_t)sysconf(_SC_PAGESIZE),
		       /* a packet does not cross pages that are not contiguous */
		waste = rte_eal_iova_mode() == RTE_IOVA_PA
		? (r->lines * LINE / page + 2) * (r->longest + LINE)
		: 0;
	const struct extmem_ask ask = { .name = "replay",
		.type = EXTMEM_HEAP,
		.bytes = RTE_ALIGN_CEIL(r->lines * LINE + waste, (uint64_t)sysconf(_SC_PAGESIZE)),
		.socket = r->ask->socket,
		.own = true,
		.numbered = true };

	return extmem_create(r->ask->extmems, &ask, &r->load->memory, e);
}

static int
times_of_port(struct replay_load *l, const struct replay_ask *ask, struct err *e)
{
	l->timed = ask->port;
	return replay_load_times(l, ask, e) == 0 ? 0 : err_context(e, "%s", l->source.path);
}

bool
replay_load_fits(const struct replay_load *l, const struct replay_source *source,
	const struct replay_ask *ask)
{
	/* What passed stricter limits passes these, too; other packets are checked one by one. */
	return strcmp(l->source.path, source->path) == 0 &&
		l->source.truncated == source->truncated && l->source.skip == source->skip &&
		l->skipped.longer == 0 && l->socket == ask->socket &&
		(l->mtu <= ask->mtu || l->longest <= bytes_most(ask, 0)) &&
		(ask->room == 0 || l->longest <= ask->room) &&
		memcmp(&l->rewrite, &ask->rewrite, sizeof(l->rewrite)) == 0 &&
		(!l->rewrite.mac ||
			(rte_is_same_ether_addr(&l->mac, ask->mac) &&
				rte_is_same_ether_addr(&l->peer, ask->peer)));
}

int
replay_load_share(struct replay_load *l, const struct replay_ask *ask, struct err *e)
{
	if (l->timed == ask->port)
		return 0;
	if (extmem_reach(l->memory, ask->port, e) != 0)
		return -e->code;
	return times_of_port(l, ask, e);
}

void
replay_load_left_out(const struct replay_skipped *k, const struct replay_foreign *foreign,
	char *text, size_t size)
{
	const struct {
		uint64_t n;
		const char *reason;
	} row[] = { { k->brief, "shorter than 17 bytes" }, { k->longer, "too long for the port" },
		{ k->cut, "without their end" },
		{ k->foreign, "of interfaces that are not Ethernet" } };
	size_t at = 0;

	*text = '\0';
	for (unsigned int i = 0; i < RTE_DIM(row); i++)
		if (row[i].n > 0 && at < size)
			at += (size_t)snprintf(text + at, size - at, "%s%" PRIu64 " %s",
				at > 0 ? ", " : "", row[i].n, row[i].reason);
	if (k->foreign > 0 && at < size)
		snprintf(text + at, size - at, " (%s)", foreign->text);
}

/* Refuse a file of which nothing is left to send, or what may be left out only if asked. */
static int
left_check(const struct replay_load *l, struct err *e)
{
	char text[REPLAY_LEFT_OUT_TEXT];
	const uint64_t all = l->rest.after;

	if (l->n == 0) {
		replay_load_left_out(&l->skipped, &l->rest.foreign, text, sizeof(text));
		return all == 0
			? err_set(e, EINVAL, "%s: no packets", l->source.path)
			: err_set(e, EINVAL,
				  "%s: the port can send none of its %" PRIu64 " packets: %s",
				  l->source.path, all, text);
	}
	if (l->skipped.foreign == 0 || l->source.skip)
		return 0;
	return err_set(e, EINVAL,
		"%s: %" PRIu64 " of %" PRIu64
		" packets are of interfaces that are not Ethernet; use \"skip\" after the file to leave them out: %s",
		l->source.path, l->skipped.foreign, all, l->rest.foreign.text);
}

/* Read the file the second time, into the memory. */
static int
load_again(struct reading *r, struct err *e)
{
	struct replay_load *l = r->load;
	const char *path = l->source.path;
	int ret = replay_file_read(path, r->ask->extmems->interrupt, packet_load, r, &l->rest, e);

	/* The file could be read before. */
	if (ret == -EINVAL)
		return err_set(e, EBUSY, "%s: " CHANGED ": no packet is left", path);
	if (ret == 0 && r->loaded < l->n)
		return err_set(e, EBUSY,
			"%s: " CHANGED ": %" PRIu64 " of %" PRIu64 " packets are left%s%s", path,
			r->loaded, l->n, l->rest.why[0] != '\0' ? ": " : "", l->rest.why);
	return ret;
}

int
replay_load_open(struct replay_load *l, const struct replay_ask *ask, struct err *e)
{
	const char *path = l->source.path;
	const struct interrupt *signals = ask->extmems->interrupt;
	struct reading r = { .load = l, .ask = ask };
	int ret = replay_file_read(path, signals, packet_add, &r, &l->rest, e);

	l->socket = ask->socket;
	l->mtu = ask->mtu;
	l->longest = r.longest;
	l->rewrite = ask->rewrite;
	l->mac = *ask->mac;
	l->peer = *ask->peer;
	l->skipped.foreign = l->rest.foreign.packets;
	if (ret == 0)
		ret = left_check(l, e);
	if (ret == 0 && r.cut > 0 && !l->source.truncated)
		ret = err_set(e, EINVAL,
			"%s: the end of %" PRIu64 " of %" PRIu64
			" packets was not captured, first of packet %" PRIu64
			": use \"truncated\" after the file to send what was captured, or \"skip\" to leave them out",
			path, r.cut, l->n, r.first_cut);
	if (ret == 0 && r.lines > UINT32_MAX)
		ret = err_set(e, ERANGE, "%s: more than %" PRIu64 " GiB of packets", path,
			(uint64_t)UINT32_MAX * LINE >> 30);
	if (ret == 0)
		ret = times_of_port(l, ask, e);
	if (ret == 0)
		ret = region_create(&r, e);
	if (ret == 0)
		ret = extmem_reach(l->memory, ask->port, e);
	if (ret == 0)
		ret = load_again(&r, e);
	if (ret != 0)
		replay_load_close(l, ask->extmems);
	return ret;
}

void
replay_load_close(struct replay_load *l, struct extmems *extmems)
{
	free(l->packets);
	l->packets = NULL;
	if (l->memory != NULL)
		extmem_release(extmems, l->memory);
	l->memory = NULL;
}
