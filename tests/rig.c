/* The rig: ports, streams, and packets each segment of which lies in its own piece of heap. */
#include "rig.h"

#include "base.h"
#include "err.h"
#include "pkt.h"
#include "setting.h"

#include <rte_eal.h>
#include <rte_lcore.h>
#include <rte_malloc.h>

#include <stdlib.h>
#include <string.h>

extern const struct engine engine_txonly, engine_flowgen, engine_noisy;

struct rte_mempool *rig_pool;
struct settings *rig_settings;

static void
port_open(uint16_t port)
{
	static const struct rte_eth_conf conf;

	assert_int_equal(rte_eth_dev_configure(port, 1, 1, &conf), 0);
	assert_int_equal(rte_eth_rx_queue_setup(port, 0, 64, SOCKET_ID_ANY, NULL, rig_pool), 0);
	assert_int_equal(rte_eth_tx_queue_setup(port, 0, 64, SOCKET_ID_ANY, NULL), 0);
	assert_int_equal(rte_eth_dev_start(port), 0);
}

int
rig_open(void **state)
{
	static char *args[] = { "rig", "--no-huge", "--no-shconf", "--no-pci", "-m", "160",
		"--no-telemetry", "--lcores=0", "--log-level=error", "--vdev=net_ring0",
		"--vdev=net_ring1" };
	const struct engine *engines[] = { &engine_txonly, &engine_flowgen, &engine_noisy };
	struct err e;
	size_t i;

	assert_int_equal(rte_eal_init(ARRAY_SIZE(args), args), ARRAY_SIZE(args) - 1);
	rig_pool = rte_pktmbuf_pool_create("rig", RIG_MBUFS, 0, 0, RTE_MBUF_DEFAULT_BUF_SIZE,
		SOCKET_ID_ANY);
	assert_non_null(rig_pool);
	port_open(RIG_IN);
	port_open(RIG_OUT);
	rig_settings = settings_new();
	for (i = 0; i < ARRAY_SIZE(engines); i++)
		assert_int_equal(settings_add(rig_settings, engines[i]->settings,
					 engines[i]->n_settings, &e),
			0);
	return 0;
}

int
rig_close(void **state)
{
	settings_free(rig_settings);
	rte_eal_cleanup();
	return 0;
}

void
rig_set(const char *name, const char *word)
{
	struct err e;

	err_clear(&e);
	setting_parse(rig_settings, name, word, &e);
	assert_string_equal(e.text, "");
}

struct stream *
rig_stream(const struct engine *engine)
{
	struct stream *s = rte_zmalloc(NULL, sizeof(*s), CACHE_PAIR);

	assert_non_null(s);
	s->state = aligned_alloc(CACHE_PAIR,
		RTE_ALIGN_CEIL(RTE_MAX(engine->state_size, (size_t)1), CACHE_PAIR));
	assert_non_null(s->state);
	memset(s->state, 0, engine->state_size);
	s->engine = engine;
	s->burst = 32;
	s->rx_call = UINT16_MAX;
	s->pool = rig_pool;
	s->settings = rig_settings;
	s->lcore = rte_lcore_id();
	s->rx_port = RIG_IN;
	s->tx_port = RIG_OUT;
	s->tx_end = (struct stream_end){ .port = RIG_OUT,
		.mac = { { 2, 0, 0, 0, 0, 0xaa } },
		.peer = { { 2, 0, 0, 0, 0, 0xbb } },
		.vlan = 0x123,
		.vlan_outer = 0x456 };
	return s;
}

struct stream *
rig_begin(struct stream *s)
{
	struct err e;

	err_clear(&e);
	if (s->engine->init != NULL)
		s->engine->init(s, &e);
	assert_string_equal(e.text, "");
	return s;
}

struct err
rig_refusal(struct stream *s)
{
	struct err e;
	int ret;

	err_clear(&e);
	ret = s->engine->init(s, &e);
	assert_int_equal(ret, -e.code);
	if (s->engine->fini != NULL)
		s->engine->fini(s);
	free(s->state);
	rte_free(s);
	return e;
}

void
rig_turn(struct stream *s)
{
	static const atomic_bool stop = true;

	s->engine->loop(&s, 1, &stop);
}

void
rig_end(struct stream *s)
{
	const struct stream_count *c = &s->count;
	struct rte_mbuf *m;
	uint16_t port;

	if (s->engine->fini != NULL)
		s->engine->fini(s);
	assert_int_equal(c->rx + c->made, c->tx + c->tx_dropped + c->absorbed);
	free(s->state);
	rte_free(s);
	for (port = RIG_IN; port <= RIG_OUT; port++)
		while (rte_eth_rx_burst(port, 0, &m, 1) == 1)
			rte_pktmbuf_free(m);
	assert_int_equal(rte_mempool_avail_count(rig_pool), RIG_MBUFS);
}

static void
piece_free(void *piece, void *shinfo)
{
	free(piece);
	free(shinfo);
}

static struct rte_mbuf *
piece(const uint8_t *bytes, uint16_t n)
{
	struct rte_mbuf *m = rte_pktmbuf_alloc(rig_pool);
	struct rte_mbuf_ext_shared_info *shinfo = malloc(sizeof(*shinfo));
	uint8_t *piece = malloc(n);

	assert_true(m != NULL && shinfo != NULL && piece != NULL);
	memcpy(piece, bytes, n);
	*shinfo = (struct rte_mbuf_ext_shared_info){ .free_cb = piece_free, .fcb_opaque = shinfo };
	rte_mbuf_ext_refcnt_set(shinfo, 1);
	rte_pktmbuf_attach_extbuf(m, piece, RTE_BAD_IOVA, n, shinfo);
	m->data_len = n;
	m->pkt_len = n;
	return m;
}

struct rte_mbuf *
rig_packet(const uint8_t *bytes, unsigned int n, unsigned int cut)
{
	unsigned int part = cut == 0 ? n : cut, at = RTE_MIN(part, n);
	struct rte_mbuf *m = piece(bytes, (uint16_t)at), *more;

	for (; at < n; at += part) {
		more = piece(bytes + at, (uint16_t)RTE_MIN(part, n - at));
		assert_int_equal(rte_pktmbuf_chain(m, more), 0);
	}
	return m;
}

void
rig_put(const uint8_t *bytes, unsigned int n, unsigned int cut)
{
	struct rte_mbuf *m = rig_packet(bytes, n, cut);

	assert_int_equal(rte_eth_tx_burst(RIG_IN, 0, &m, 1), 1);
}

struct rte_mbuf *
rig_take(void)
{
	struct rte_mbuf *m;

	return rte_eth_rx_burst(RIG_OUT, 0, &m, 1) == 1 ? m : NULL;
}

void
rig_expect(const uint8_t *bytes, unsigned int n)
{
	struct rte_mbuf *m = rig_take();
	uint8_t copy[RIG_FRAME_MAX];

	assert_non_null(m);
	assert_int_equal(m->pkt_len, n);
	assert_memory_equal(rte_pktmbuf_read(m, 0, n, copy), bytes, n);
	rte_pktmbuf_free(m);
}

void
rig_add(struct rig_frame *f, const void *bytes, unsigned int n)
{
	unsigned int i;

	assert_true(f->n + n <= RIG_FRAME_MAX);
	for (i = 0; i < n; i++)
		f->bytes[f->n + i] = bytes != NULL ? ((const uint8_t *)bytes)[i]
						   : (uint8_t)(f->n * 7 + i);
	f->n += n;
}

void
rig_ether(struct rig_frame *f, const uint16_t *tags, uint16_t type)
{
	static const uint8_t macs[] = { 2, 1, 2, 3, 4, 5, 2, 6, 7, 8, 9, 10 };

	*f = (struct rig_frame){ 0 };
	rig_add(f, macs, sizeof(macs));
	for (; tags != NULL && *tags != 0; tags++)
		rig_add(f, (uint8_t[]){ (uint8_t)(*tags >> 8), (uint8_t)*tags, 0x01, 0x23 }, 4);
	rig_add(f, (uint8_t[]){ (uint8_t)(type >> 8), (uint8_t)type }, 2);
	f->l3 = f->n;
}

void
rig_ip4(struct rig_frame *f, uint8_t proto, unsigned int options, unsigned int payload)
{
	struct rte_ipv4_hdr ip = { .version_ihl = (uint8_t)(0x45 + options / 4),
		.time_to_live = 64,
		.next_proto_id = proto,
		.total_length = rte_cpu_to_be_16((uint16_t)(20 + options + payload)),
		.src_addr = RTE_BE32(RTE_IPV4(10, 1, 2, 5)),
		.dst_addr = RTE_BE32(RTE_IPV4(10, 9, 8, 7)) };

	rig_add(f, &ip, sizeof(ip));
	rig_add(f, NULL, options);
	ip.hdr_checksum = rte_ipv4_cksum((struct rte_ipv4_hdr *)(f->bytes + f->l3));
	memcpy(f->bytes + f->l3, &ip, sizeof(ip));
	f->l4 = f->n;
	rig_add(f, NULL, payload);
}
