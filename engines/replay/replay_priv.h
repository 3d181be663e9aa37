/* Shared by the files of the engine replay: the packets of a port in memory, and a stream's share of
 * them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engines/common/pkt.h"
#include "engines/replay/replay_file.h"
#include "engines/replay/replay_words.h"
#include "memory/extmem_buffers.h"

#include <rte_common.h>
#include <rte_ether.h>

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;
struct extmem;
struct extmems;
struct out;
struct stream;

/* A packet as it is sent. */
struct replay_packet {
	uint64_t iova;
	uint64_t due;   /* TSC ticks after the begin of a pass */
	uint32_t line;  /* where it begins in the memory, in cache lines */
	uint32_t bytes; /* 1..UINT16_MAX */
};

/* A packet as it was loaded, in the order of the file. */
struct replay_loaded {
	uint64_t ns;          /* time stamp */
	uint64_t due;         /* TSC ticks after the begin of a pass */
	uint32_t line, bytes; /* as in struct replay_packet */
	uint32_t flow;        /* replay_headers_flow(); before it is loaded, the CRC of its bytes */
	uint32_t number;      /* in the file, from 1 */
};

/* Packets of a file that are not sent. */
struct replay_skipped {
	uint64_t brief, longer; /* shorter, and longer than the port can send */
	uint64_t cut;           /* their end was not captured */
	uint64_t foreign;       /* of interfaces that are not Ethernet */
};

/*
 * A file in memory: loaded by the first stream that sends it, and shared by all streams whose ports can
 * send the same bytes from there. Times may differ by port, so each stream copies its own.
 */
struct replay_load {
	struct replay_source source;
	/* what it was loaded for, see struct replay_ask */
	struct replay_rewrite rewrite;
	struct rte_ether_addr mac, peer;
	int socket;
	uint16_t mtu;
	uint32_t longest; /* packet, bytes */
	uint16_t timed;   /* port that the times are of: due, period, period_part, paced */
	struct replay_loaded *packets; /* malloc(); only while streams are prepared */
	uint64_t n, bytes;
	struct replay_skipped skipped; /* not among the n */
	struct replay_rest rest;       /* of the file */
	struct extmem *memory;
	unsigned int users;   /* streams */
	uint64_t period;      /* TSC ticks from the begin of a pass to that of the next one, */
	uint32_t period_part; /* and 2^-32 of one */
	bool paced;           /* packets have a time; else they are always due */
	bool recorded;        /* that of the file */
};

/* What a file is loaded for. */
struct replay_ask {
	struct extmems *extmems;
	struct replay_rate rate;
	const char *rate_text; /* as it was typed */
	struct replay_rewrite rewrite;
	const struct rte_ether_addr *mac, *peer;
	const struct frame_limit *frame; /* of the port */
	uint16_t port, mtu;
	int socket;
	bool once; /* the file is sent only once */
	/* longest packet in bytes, if it has to be copied into an mbuf; 0: it has not */
	uint16_t room;
	double line_bps; /* of the port; 0: unknown */
	double tsc_hz;
};

/*
 * Load a file into memory that the port can send from, with addresses rewritten. Errors: those of
 * replay_file_read(); EINVAL: no packets, cut packets, times that go backwards; ERANGE: packets
 * that the port cannot send, a rate above the link's; ENOMEM. Nothing stays loaded then. Thread:
 * control, for all of this file.
 */
int replay_load_open(struct replay_load *l, const struct replay_ask *ask, struct err *e);

#define REPLAY_LEFT_OUT_TEXT 512

/* Write what was left out, by reasons, and the interfaces that are not Ethernet; empty: nothing. */
void replay_load_left_out(const struct replay_skipped *k, const struct replay_foreign *foreign,
	char *text, size_t size);

/* True if what was loaded is what this port would load for itself. */
bool replay_load_fits(const struct replay_load *l, const struct replay_source *source,
	const struct replay_ask *ask);

/*
 * Prepare what was loaded for a port that it fits: the times become this port's. Errors: those of
 * replay_load_times(); the device cannot reach the memory.
 */
int replay_load_share(struct replay_load *l, const struct replay_ask *ask, struct err *e);

/*
 * Free the memory, unless packets that were sent still point to it. Then the next replay_load_open()
 * frees it, or the end of the program.
 */
void replay_load_close(struct replay_load *l, struct extmems *extmems);

/*
 * Fill in when each packet is due, and the period, from the packets' lengths and time stamps. Pure.
 * EINVAL: times go backwards, or no second pass can have a begin; ERANGE: the rate is above the
 * link's, or out of bounds.
 */
int replay_load_times(struct replay_load *l, const struct replay_ask *ask, struct err *e);

#define REPLAY_FOREVER UINT64_MAX

/* Indexes in stream_count.named. */
enum { REPLAY_UNSENT, REPLAY_AGAIN };

/* The configuration of the engine that outlives runs; the atomics are of the current run. */
struct replay_config {
	struct extmems *extmems;
	struct out *out;
	atomic_bool *stop;
	unsigned int sending; /* streams with packets */
	atomic_uint polled;   /* of these, those that were polled with packets that have a time */
	atomic_uint left;     /* of these, those that have not sent everything */
	atomic_ullong begin;  /* TSC when the first pass begins; 0: not all have been polled */
};

/* How a stream replays, for `show replay`; kept after the run. */
struct replay_kept {
	char path[PATH_MAX];
	char rate[32];
	uint64_t packets, bytes; /* of the file, without those that are skipped */
	struct replay_skipped skipped;
	struct replay_rest rest;
	uint64_t mine;  /* packets of this stream */
	uint64_t times; /* 0: without end */
	bool paced, copies;
};

/* State of a stream. Written by its worker after replay_setup_init(). */
struct replay {
	const struct replay_packet *packets;
	const uint8_t *memory;
	uint32_t n, next;
	uint64_t passes; /* left with the current one; REPLAY_FOREVER: without end */
	bool paced, copies, ended;
	uint64_t flags; /* of mbufs */

	/* paced */
	bool polled;   /* is in the config's count */
	uint64_t base; /* TSC at the begin of the pass; 0: it has not begun */
	uint64_t period;
	uint32_t period_part, base_part; /* 2^-32 ticks */
	uint64_t late;                   /* TSC ticks after which a due packet is not sent */

	/* not copies: the shinfo of the next mbufs, on which the stream holds a reference */
	struct extmem_buffer *open;
	uint32_t attached; /* mbufs that were attached to it */
	struct extmem_buffers *references;

	struct pool_blocks blocks;
	struct replay_config *config;
	struct replay_load *load; /* control thread only */
};

/*
 * Functions of struct engine. init(): the file is loaded, or another stream has loaded it. Errors:
 * those of replay_load_open(); EINVAL: no port has a file.
 */
int replay_setup_init(struct stream *s, struct err *e);
int replay_setup_apply(struct stream *const *streams, unsigned int n, const void *config, bool live,
	struct err *e);
void replay_setup_fini(struct stream *s);
void replay_setup_forget(struct stream *s);
void replay_setup_show(struct out *o, const struct stream *s, bool running);
