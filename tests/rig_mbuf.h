/* Packets for the rig: each segment lies in its own piece of heap, so that a sanitizer sees every byte too far. */
#pragma once

#include "pkt.h"
#include "rig.h"

#define RIG_FRAME_MAX 512

/* A frame in the making, and the offsets of its headers. */
struct rig_frame {
	uint8_t bytes[RIG_FRAME_MAX];
	unsigned int n;
	unsigned int l3, l4; /* 0: none */
};

static inline void
rig_piece_free(void *piece, void *shinfo)
{
	free(piece);
	free(shinfo);
}

static inline struct rte_mbuf *
rig_piece(const uint8_t *bytes, uint16_t n)
{
	struct rte_mbuf *m = rte_pktmbuf_alloc(rig_pool);
	struct rte_mbuf_ext_shared_info *shinfo = malloc(sizeof(*shinfo));
	uint8_t *piece = malloc(n);

	assert_true(m != NULL && shinfo != NULL && piece != NULL);
	memcpy(piece, bytes, n);
	*shinfo = (struct rte_mbuf_ext_shared_info){ .free_cb = rig_piece_free,
		.fcb_opaque = shinfo };
	rte_mbuf_ext_refcnt_set(shinfo, 1);
	rte_pktmbuf_attach_extbuf(m, piece, RTE_BAD_IOVA, n, shinfo);
	m->data_len = n;
	m->pkt_len = n;
	return m;
}

/* A packet of segments of cut bytes each; 0: of one segment. */
static inline struct rte_mbuf *
rig_packet(const uint8_t *bytes, unsigned int n, unsigned int cut)
{
	unsigned int piece = cut == 0 ? n : cut, at = RTE_MIN(piece, n);
	struct rte_mbuf *m = rig_piece(bytes, (uint16_t)at);

	for (; at < n; at += piece)
		assert_int_equal(rte_pktmbuf_chain(m,
					 rig_piece(bytes + at, (uint16_t)RTE_MIN(piece, n - at))),
			0);
	return m;
}

/* Let a packet come in. */
static inline void
rig_put(const uint8_t *bytes, unsigned int n, unsigned int cut)
{
	struct rte_mbuf *m = rig_packet(bytes, n, cut);

	assert_int_equal(rte_eth_tx_burst(RIG_IN, 0, &m, 1), 1);
}

/* The next packet that went out; NULL: there is none. The caller frees it. */
static inline struct rte_mbuf *
rig_take(void)
{
	struct rte_mbuf *m;

	return rte_eth_rx_burst(RIG_OUT, 0, &m, 1) == 1 ? m : NULL;
}

/* The next packet went out with exactly these bytes. */
static inline void
rig_expect(const uint8_t *bytes, unsigned int n)
{
	struct rte_mbuf *m = rig_take();
	uint8_t copy[RIG_FRAME_MAX];

	assert_non_null(m);
	assert_int_equal(m->pkt_len, n);
	assert_memory_equal(rte_pktmbuf_read(m, 0, n, copy), bytes, n);
	rte_pktmbuf_free(m);
}

/* Append n bytes; NULL: counted up from a number that changes from call to call. */
static inline void
rig_add(struct rig_frame *f, const void *bytes, unsigned int n)
{
	unsigned int i;

	assert_true(f->n + n <= RIG_FRAME_MAX);
	for (i = 0; i < n; i++)
		f->bytes[f->n + i] = bytes != NULL ? ((const uint8_t *)bytes)[i]
						   : (uint8_t)(f->n * 7 + i);
	f->n += n;
}

/* Ethernet with tags (each 0x8100 or 0x88a8, ended by 0) and type. */
static inline void
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

/* IPv4 over that, with options and payload bytes, checksum right. */
static inline void
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
