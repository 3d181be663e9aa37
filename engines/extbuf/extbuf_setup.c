/* Initialises a stream of the engine extbuf: checks, the memory region, its buffers, the threshold. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/err.h"
#include "base/out.h"
#include "base/setting.h"
#include "engines/common/pinned.h"
#include "engines/common/pkt.h"
#include "engines/engine.h"
#include "engines/extbuf/extbuf_priv.h"
#include "memory/extmem.h"
#include "memory/extmem_buffers.h"
#include "memory/extmem_device.h"
#include "memory/mbuf_readonly.h"
#include "memory/pool_memory.h"
#include "pmd_shims/extbuf.h"

#include <rte_lcore.h>
#include <rte_malloc.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define BUFFERS_LEAST BURST_MAX /* enough for a burst */
#define BUFFERS_MOST 32768      /* per stream; mode storage: shinfos */
#define BUFFERS_OWN 4096        /* per stream, in a region that the engine creates */
#define SHARED_BYTES 65536      /* default size of a buffer that packets share */
#define STORAGE_BYTES (UINT64_C(4) << 20)
static_assert(EXTBUF_BUFFER_MOST / 64 <= EXTMEM_BUFFERS_SHARED, "packets in a buffer");
/*
 * Initial threshold before anything is measured: attaching pays off from this length on with rings
 * of 1024 descriptors (from about 300 bytes on with rings of 256).
 */
#define THRESHOLD_FIRST 576
#define FRAME_EXTRA 26 /* Ethernet header, two tags, CRC */

/* The kinds of mbufs that this stream sends, a bit 1 << enum extbuf_tx_use for each. */
static unsigned int
uses_of(const struct extbuf *x)
{
	const bool copies = x->mode == EXTBUF_STORAGE && x->storage.copy;
	unsigned int uses = x->head > 0 ? 1u << EXTBUF_TX_SEGMENTS : 0;

	if (x->mode == EXTBUF_PINNED)
		uses |= 1u << EXTBUF_TX_PINNED;
	else if (x->mode != EXTBUF_COPY && !copies)
		uses |= 1u << (x->shared || x->mode == EXTBUF_STORAGE ? EXTBUF_TX_SHARED
								      : EXTBUF_TX_ATTACHED);
	return uses;
}

/*
 * Copy if the Tx queue cannot handle attached buffers, because it frees mbufs without checking
 * them. Only the first such stream warns, with the reason and a way around it.
 */
static void
fall_back(const struct stream *s, struct extbuf *x)
{
	const unsigned int uses = uses_of(x) & (1u << EXTBUF_TX_ATTACHED | 1u << EXTBUF_TX_SHARED);
	bool said = false;
	struct err why;

	err_clear(&why);
	if (uses == 0 ||
		extbuf_tx_check(s->tx_port, s->tx_queue, s->tx_end.offloads, uses, &why) !=
			-EOPNOTSUPP)
		return;
	for (unsigned int i = 0; i < s->index; i++)
		said |= ((const struct extbuf *)s->siblings[i]->state)->fallback;
	if (!said)
		out_warn(((const struct extbuf_config *)s->config)->out,
			"extbuf copies packets instead of attaching them: %s\n", why.text);
	x->fallback = true;
	if (x->mode == EXTBUF_STORAGE)
		x->storage.copy = true;
	else
		x->mode = EXTBUF_COPY;
}

/* Refuse Tx paths that cannot send such mbufs, and pools whose mbufs cannot be attached to. */
static int
path_check(const struct stream *s, const struct extbuf *x, struct err *e)
{
	const unsigned int uses = uses_of(x);

	if ((uses & (1u << EXTBUF_TX_ATTACHED | 1u << EXTBUF_TX_SHARED)) != 0 &&
		extbuf_is_pinned(s->pool))
		return err_set(e, EINVAL,
			"pool %s has mbufs with external buffers, to which no others can be attached; use another --mp-alloc than xbuf",
			s->pool->name);
	return extbuf_tx_check(s->tx_port, s->tx_queue, s->tx_end.offloads, uses, e);
}

/* Bytes of a buffer that its shinfo needs. */
static uint32_t
tail_bytes(const struct extbuf *x)
{
	return x->tail ? EXTMEM_BUFFERS_TAIL : 0;
}

/* Decide the bytes per buffer for packets, the same for all streams because they share the region. */
static int
setup_bytes_decide(const struct stream *s, const struct extbuf *x, uint32_t *bytes, struct err *e)
{
	const uint32_t tail = tail_bytes(x);
	uint32_t frame = 0;

	if (x->mode == EXTBUF_STORAGE && x->tail)
		return err_set(e, EINVAL,
			"extbuf-shinfo tail: mode storage does not write into its memory; expected private or shared");
	*bytes = (uint32_t)setting_u64(s->settings, "extbuf-buffer");
	for (unsigned int i = 0; i < s->n_siblings; i++)
		frame = RTE_MAX(frame, s->siblings[i]->rx_end.mtu + (uint32_t)FRAME_EXTRA);
	frame = RTE_MIN(RTE_ALIGN_CEIL(frame, 64), EXTBUF_SLICE_MOST - tail);
	if (x->mode == EXTBUF_STORAGE)
		*bytes = 0;
	else if (*bytes == 0)
		*bytes = x->shared ? RTE_MAX((uint32_t)SHARED_BYTES, frame) : frame + tail;
	else if (*bytes % 64 != 0 || *bytes < 64 || (!x->shared && *bytes > EXTBUF_SLICE_MOST))
		return err_set(e, EINVAL,
			"extbuf-buffer %u: expected a multiple of 64 from 64 to %u%s", *bytes,
			x->shared ? EXTBUF_BUFFER_MOST : EXTBUF_SLICE_MOST,
			x->shared ? "" : ", or extbuf-shinfo shared");
	else if (*bytes < frame + tail && tail > 0)
		return err_set(e, EINVAL,
			"extbuf-buffer %u: expected at least %u with extbuf-shinfo tail, %u for the longest frame and %u for the shinfo",
			*bytes, frame + tail, frame, tail);
	if (x->slice % 64 != 0 || (x->shared && x->mode != EXTBUF_STORAGE && x->slice > *bytes))
		if (x->mode != EXTBUF_STORAGE)
			return err_set(e, EINVAL,
				"extbuf-slice %u: expected a multiple of 64, at most the buffer size, %u bytes",
				x->slice, *bytes);
	*bytes -= tail;
	return 0;
}

/* True if a region is large enough, and free or cut as this run needs it. */
static bool
region_fits(const struct stream *s, const struct extbuf *x, const struct extmem *m, uint64_t size,
	uint32_t bytes)
{
	return m->bytes >= size &&
		(extmem_buffers_alike(m, s->n_siblings, bytes, x->tail) ||
			extmem_idle(m, NULL) == 0);
}

/* Find a region of an earlier run that fits, or create one. Others that are free are deleted. */
static int
own_region(struct stream *s, struct extbuf *x, uint32_t bytes, struct err *e)
{
	struct extmems *const extmems = ((const struct extbuf_config *)s->config)->extmems;
	const char *const name = x->mode == EXTBUF_STORAGE ? "storage" : "extbuf";
	const size_t length = strlen(name);
	const uint64_t n = x->shared ? BUFFERS_OWN / 16 : BUFFERS_OWN,
		       size = x->mode == EXTBUF_STORAGE
		? STORAGE_BYTES
		: s->n_siblings * n * (bytes + tail_bytes(x));
	const struct extmem_ask ask = { .name = name,
		.type = EXTMEM_HEAP,
		.bytes = RTE_ALIGN_CEIL(size, (uint64_t)4096),
		.socket = SOCKET_ID_ANY,
		.own = true,
		.numbered = true };

	for (struct extmem *m = extmems->first, *next; m != NULL; m = next) {
		next = m->next;
		if (strncmp(m->name, name, length) != 0 || m->name[length] != '.')
			continue;
		if (region_fits(s, x, m, ask.bytes, bytes)) {
			x->memory = m;
			return 0;
		}
		extmem_delete(extmems, m->name, NULL);
	}
	return extmem_create(extmems, &ask, &x->memory, e);
}

/* Find the region of this run: the one that is set, or one that the first stream found for all. */
static int
region_find(struct stream *s, struct extbuf *x, uint32_t bytes, struct err *e)
{
	const char *name = setting_text(s->settings, "extbuf-memory");
	int ret = 0;

	if (name[0] != '\0') {
		x->memory =
			extmem_find(((const struct extbuf_config *)s->config)->extmems, name, e);
		ret = x->memory == NULL ? -ENOENT : 0;
	} else if (s->index > 0) {
		x->memory = ((const struct extbuf *)s->siblings[0]->state)->memory;
	} else {
		ret = own_region(s, x, bytes, e);
		for (uint64_t i = 0; ret == 0 && bytes == 0 && i < x->memory->bytes; i++)
			x->memory->addr[i] = (uint8_t)(i ^ i >> 8 ^ i >> 16);
	}
	if (ret != 0)
		return ret;
	if (!x->memory->writable && x->mode != EXTBUF_STORAGE)
		return err_set(e, EINVAL, "memory %s is read-only; use \"set extbuf mode storage\"",
			name);
	if (x->tail && x->memory->on_device)
		return err_set(e, EINVAL,
			"memory %s is on a GPU, where CPUs cannot count references; expected extbuf-shinfo private or shared",
			name);
	return extmem_reach(x->memory, s->tx_port, e);
}

static void
stats_keep(struct stream *s, const struct extbuf *x)
{
	struct extbuf_stats *f = s->kept;

	f->mode = x->mode;
	f->word = setting_choice(s->settings, "extbuf-mode", x->mode);
	snprintf(f->memory, sizeof(f->memory), "%s",
		x->memory != NULL ? x->memory->name : s->rx_pool->name);
	if (x->buffers != NULL) {
		f->bytes = x->mode == EXTBUF_STORAGE ? x->storage.bytes : x->buffers->bytes;
		f->n = x->mode == EXTBUF_STORAGE ? x->storage.n : x->buffers->n;
	}
	f->slice = x->slice;
	f->shinfo = setting_choice(s->settings, "extbuf-shinfo",
		setting_u64(s->settings, "extbuf-shinfo"));
	f->split = x->head > 0;
	atomic_store(&f->copy_below, x->copy_below);
	f->buffers = x->buffers;
}

/* Decide the length from which on packets are attached. */
static void
threshold_decide(struct stream *s, struct extbuf *x)
{
	struct extbuf_stats *f = s->kept;
	struct rte_eth_txq_info queue;

	x->copy_below = x->mode == EXTBUF_COPY ? THRESHOLD_NEVER : 0;
	if (x->mode != EXTBUF_AUTO)
		return;
	x->copy_below = (uint32_t)setting_u64(s->settings, "extbuf-threshold");
	if (x->copy_below != 0)
		return;
	f->autotuned = true;
	if (rte_eth_tx_queue_info_get(s->tx_port, s->tx_queue, &queue) != 0)
		queue.nb_desc = 0;
	x->copy_below = threshold_autotune_open(&x->autotune, THRESHOLD_FIRST, queue.nb_desc,
		(uint64_t)s->tsc_hz, false);
}

static int
pinned_check(const struct stream *s, struct err *e)
{
	if (extbuf_is_pinned(s->rx_pool))
		return 0;
	return err_set(e, EINVAL,
		"port %u receives into pool %s, which is not in external memory; set extbuf mode pinned before start, or use --mp-alloc=xbuf",
		s->rx_port, s->rx_pool->name);
}

static void
settings_read(const struct stream *s, struct extbuf *x)
{
	x->mode = (enum extbuf_mode)setting_u64(s->settings, "extbuf-mode");
	x->slice = (uint32_t)setting_u64(s->settings, "extbuf-slice");
	x->shared = setting_u64(s->settings, "extbuf-shinfo") == EXTBUF_SHARED;
	x->tail = setting_u64(s->settings, "extbuf-shinfo") == EXTBUF_TAIL;
	x->touch = (uint32_t)setting_u64(s->settings, "extbuf-touch");
	x->head = setting_on(s->settings, "extbuf-split") ? EXTBUF_HEAD : 0;
	x->storage.copy = setting_u64(s->settings, "extbuf-storage") != 0;
	x->storage.tcp = setting_on(s->settings, "extbuf-tcp");
	x->storage.tso = x->storage.tcp && (s->tx_end.offloads & RTE_ETH_TX_OFFLOAD_TCP_TSO) != 0;
	x->room = rte_pktmbuf_data_room_size(s->pool) - RTE_PKTMBUF_HEADROOM;
	x->flags = pkt_tx_flags(&s->tx_end);
	x->readonly = x->mode == EXTBUF_PINNED ? mbuf_readonly_lookup() : 0;
}

int
extbuf_setup(struct stream *s, struct err *e)
{
	struct extbuf *x = s->state;
	uint32_t bytes = 0;
	int ret;

	settings_read(s, x);
	s->kept = rte_zmalloc_socket("extbuf stats", sizeof(struct extbuf_stats), 0,
		(int)rte_lcore_to_socket_id(s->lcore));
	if (s->kept == NULL)
		return err_set(e, ENOMEM, "extbuf: no memory for stream %u", s->index);
	fall_back(s, x);
	ret = path_check(s, x, e);
	if (ret == 0 && x->mode == EXTBUF_PINNED)
		ret = pinned_check(s, e);
	if (ret == 0 && x->mode != EXTBUF_PINNED) {
		ret = setup_bytes_decide(s, x, &bytes, e);
		if (ret == 0)
			ret = region_find(s, x, bytes, e);
		if (ret == 0) {
			x->buffers = extmem_buffers_open(x->memory, s->index, s->n_siblings, bytes,
				x->tail, x->shared ? 2 : BUFFERS_LEAST, BUFFERS_MOST, e);
			ret = x->buffers == NULL ? -e->code : 0;
		}
		if (ret == 0 && x->mode == EXTBUF_STORAGE)
			ret = extbuf_storage_init(s, e);
	}
	if (ret != 0)
		return ret;
	threshold_decide(s, x);
	stats_keep(s, x);
	return 0;
}

void
extbuf_setup_end(struct stream *s)
{
	struct extbuf *x = s->state;

	extbuf_forward_end(x);
	extbuf_storage_end(x);
	extmem_buffers_close(x->buffers);
	x->buffers = NULL;
}

void
extbuf_setup_forget(struct stream *s)
{
	rte_free(s->kept);
}

/* Mode pinned: a pool in external memory into which all ports receive, large enough and accessible
 * by all of them. */

#define OWN_NAME "pinned.1" /* region that is created if no memory is set */

int
extbuf_pinned_prepare(const void *config, const struct engine_ports *ports,
	struct rte_mempool **pool, struct err *e)
{
	const struct extbuf_config *c = config;
	const struct pinned_ask ask = { c->settings, c->extmems, "extbuf-memory", "extbuf-buffer",
		OWN_NAME, EXTMEM_HEAP, 0 };
	struct extmem *m;

	*pool = NULL;
	if (setting_u64(c->settings, "extbuf-mode") != EXTBUF_PINNED)
		return 0;
	/* With --mp-alloc=xbuf all pools are pinned already. */
	if (setting_text(c->settings, "extbuf-memory")[0] == '\0' && ports->instead == NULL &&
		setting_u64(c->settings, "mp-alloc") == POOL_XBUF)
		return 0;
	m = pinned_prepare(&ask, ports, e);
	if (m == NULL)
		return -e->code;
	*pool = m->pinned;
	return 0;
}
