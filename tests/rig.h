/* A rig for tests of engines: EAL in the process, a stream from one loopback port to another, the law at the end. */
#pragma once

#include "engine.h"

#include <rte_mbuf.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

/* The ports that the stream receives from and transmits to; what is sent to a port comes in by it. */
enum { RIG_IN, RIG_OUT };

#define RIG_MBUFS 3071 /* more than the rings of both ports take, 1023 each */
#define RIG_FRAME_MAX 512

/* A frame in the making, and where its headers begin. */
struct rig_frame {
	uint8_t bytes[RIG_FRAME_MAX];
	unsigned int n;
	uint16_t l3, l4; /* 0: none */
};

extern struct rte_mempool *rig_pool;
extern struct settings *rig_settings; /* those of txonly, flowgen and noisy */

/* Begin and end a group of tests. */
int rig_open(void **state);
int rig_close(void **state);

/* Give a setting the value that word spells. */
void rig_set(const char *name, const char *word);

/* A stream that init() has not seen yet: bursts of 32, source 02:..:aa, peer 02:..:bb, tags 0x123 and 0x456. */
struct stream *rig_stream(const struct engine *engine);

/* Let init() see the stream, and be content. Returns s. */
struct stream *rig_begin(struct stream *s);

/* What init() says now; the stream is gone afterwards. */
struct err rig_refusal(struct stream *s);

/* One turn of the stream. */
void rig_turn(struct stream *s);

/* Let the stream go: the law holds, and every packet is back in the pool once the ports have been emptied. */
void rig_end(struct stream *s);

/*
 * A packet of segments of cut bytes each; 0: of one segment. Each segment lies in its own piece of heap, so that a
 * sanitizer sees every byte too far.
 */
struct rte_mbuf *rig_packet(const uint8_t *bytes, unsigned int n, unsigned int cut);

/* Let such a packet come in. */
void rig_put(const uint8_t *bytes, unsigned int n, unsigned int cut);

/* The next packet that went out; NULL: there is none. The caller frees it. */
struct rte_mbuf *rig_take(void);

/* The next packet went out with exactly these bytes. */
void rig_expect(const uint8_t *bytes, unsigned int n);

/* Append n bytes; NULL: counted up from a number that changes from call to call. */
void rig_add(struct rig_frame *f, const void *bytes, unsigned int n);

/* Begin a frame: Ethernet with tags (each 0x8100 or 0x88a8, ended by 0; NULL: none) and type. */
void rig_ether(struct rig_frame *f, const uint16_t *tags, uint16_t type);

/* IPv4 over that, with options and payload bytes, its checksum right. */
void rig_ip4(struct rig_frame *f, uint8_t proto, unsigned int options, unsigned int payload);
