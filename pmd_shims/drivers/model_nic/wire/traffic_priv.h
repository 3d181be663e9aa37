/* The parts of traffic on the wire of a modelled port. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/drivers/model_nic/config.h"
#include "pmd_shims/drivers/model_nic/fault.h"
#include "pmd_shims/drivers/model_nic/frame.h"
#include "pmd_shims/drivers/model_nic/model.h"
#include "pmd_shims/drivers/model_nic/report.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct impair;
struct live;
struct pcap_reader;
struct pcap_writer;
struct traffic;
struct verify;

/* Offloads of a NIC: checksums, tags and segmentation on Tx, checksum checks on Rx. */

enum {
	OFFLOAD_TAG = 4,        /* bytes of a VLAN tag */
	OFFLOAD_FRAME_MIN = 60, /* bytes of the shortest frame of Ethernet, without CRC */
};

/* Called with each packet that is sent. */
typedef void offload_out(void *to, const uint8_t *pkt, uint32_t len);

/* True if the frame requests an offload. */
static inline bool
offload_wanted(const struct frame *f)
{
	return f->mss != 0 ||
		(f->flags & (FRAME_CSUM_L3 | FRAME_CSUM_L4 | FRAME_CSUM_OUTER | FRAME_VLAN)) != 0;
}

/*
 * Apply the offloads that f requests by its flags, l2_len (including a tunnel's headers), l3_len,
 * l4_len, mss and vlan, and call out for each resulting packet. pkt: len bytes, which are modified,
 * with OFFLOAD_TAG bytes free before it. As on the card, the L4 checksum starts from the field,
 * which has the sum of the pseudo header, for TSO without the length. A packet whose headers are
 * shorter than these lengths is sent unchanged.
 */
void offload_send(uint8_t *pkt, uint32_t len, const struct frame *f, offload_out *out, void *to);

/*
 * Pad a packet of *len bytes with zeros to min, 0..OFFLOAD_FRAME_MIN, in room. Returns pkt if it is
 * long enough, else room, and sets *len.
 */
const uint8_t *offload_pad(uint8_t room[OFFLOAD_FRAME_MIN], const uint8_t *pkt, uint32_t *len,
	uint32_t min);

/*
 * The flags FRAME_IPV4, _IPV6, _TCP, _UDP of a packet, with or without tags; with check also
 * FRAME_BAD_L3 and _L4.
 */
unsigned offload_inspect(const uint8_t *pkt, uint32_t len, bool check);

/*
 * The right UDP checksum of a packet without tags and IPv4 options, in host byte order.
 */
uint16_t offload_udp4_sum(const uint8_t *pkt, uint32_t len);

/* pcap files: a reader with all packets in memory, and a writer. */

enum { PCAP_PACKET_MIN = 14, PCAP_PACKET_MAX = 16384 };

/*
 * Read the packets of a file of Ethernet frames, with times in micro- or nanoseconds, as far as it can
 * be read, but none that is shorter than PCAP_PACKET_MIN or longer than PCAP_PACKET_MAX bytes: a line
 * on stderr says how many. loops: how often to return them, 0: forever. Returns NULL with the reason in
 * why (of size bytes) if there is no packet.
 */
struct pcap_reader *pcap_reader_open(const char *path, uint32_t loops, char *why, size_t size);
void pcap_reader_close(struct pcap_reader *r);

/*
 * The next packet, of *len bytes, valid until the reader is closed; NULL: there are no more.
 */
const uint8_t *pcap_reader_peek(const struct pcap_reader *r, uint32_t *len);

/* Advance to the following packet. */
void pcap_reader_next(struct pcap_reader *r);

/* Create a file with times in nanoseconds. Returns NULL with the reason in why (of size bytes). */
struct pcap_writer *pcap_writer_open(const char *path, char *why, size_t size);

/*
 * Write buffered packets to the file. Returns false if that has failed: the error is printed once
 * to stderr, and nothing more is written.
 */
bool pcap_writer_flush(struct pcap_writer *w);

/* Write a packet with the current time. */
void pcap_writer_put(struct pcap_writer *w, const uint8_t *pkt, uint32_t len);

/* Flush and close; NULL is fine. */
void pcap_writer_close(struct pcap_writer *w);

/* An interface of the kernel, such as one end of a veth pair, as the wire of a port (live.c). */

/*
 * Open an interface that is up, for receiving and sending, or for sending only. Returns NULL with the
 * reason in why (of size bytes). port: for messages.
 */
struct live *live_open(const char *name, unsigned port, bool receive, char *why, size_t size);
void live_close(struct live *l);

/* The next packet that has arrived, of *len bytes, valid until the next call; NULL: there is none. */
const uint8_t *live_next(struct live *l, uint32_t *len);

/* Drop what has arrived so far, and what the kernel has dropped so far. */
void live_drain(struct live *l);

/* Send a packet. Returns false if the kernel does not accept it; a line on stderr has the first reason. */
bool live_send(struct live *l, const uint8_t *pkt, uint32_t len);

/*
 * Ask the kernel for the interface's state, every 100 ms: now_ns is the time of any monotonic clock. A
 * line on stderr reports each change. *missed: packets dropped because the kernel's buffer was full.
 * Returns true if the interface is up and has a carrier.
 */
bool live_state(struct live *l, uint64_t now_ns, uint64_t *missed);

/*
 * Receive from the interface of a port, and let its link follow that of the interfaces. runs: false if
 * the port's source is off, so that packets are dropped. Returns packets received.
 */
unsigned live_poll(struct traffic *t, uint64_t now_ns, bool runs);

/* Generated packets: flows, sizes, and the mark by which a verified packet is recognised. */

enum { GEN_HEADERS = 42, GEN_MARK = 16, GEN_LENGTH_MAX = 16384 };

/*
 * The first bytes after the UDP header of a verified packet. In host byte order, since the packet
 * is read on the same machine.
 */
struct gen_mark {
	uint32_t magic;
	uint16_t port, flow;
	uint32_t sequence;
	uint32_t sum; /* checksum of the members before it and of the payload after it */
};

struct gen_flow {
	uint32_t sequence, hash;
	uint16_t queue;
};

struct gen {
	const struct port_config *config;
	unsigned port;
	struct gen_flow *flow;                 /* config->flows of them */
	uint16_t *by_queue;                    /* flow numbers sorted by queue */
	uint32_t first[MODEL_DATA_QUEUES + 1]; /* index in by_queue of each queue's first flow */
	uint32_t turn[MODEL_DATA_QUEUES];      /* the last flow used, counted from first */
	uint32_t generation;                   /* m->rss_generation when queues were computed */
	uint32_t step;                         /* number of packets, from which sizes follow */
};

/* Open a generator. Returns 0, or -1 if memory is short. */
int gen_open(struct gen *g, const struct model *m, const struct port_config *c);
void gen_close(struct gen *g);

/* True if RSS chooses that queue for a flow. */
bool gen_has_flows(struct gen *g, struct model *m, uint16_t queue);

/* The flow of the next packet for a queue; -1: RSS chooses that queue for none. */
int gen_next_flow(struct gen *g, struct model *m, uint16_t queue);

/* The length of the next packet in bytes, without CRC. */
uint32_t gen_next_length(struct gen *g);

/*
 * Write a packet of a flow: len bytes at to. With config->verify it has a mark with the flow's next
 * sequence number.
 */
void gen_write(struct gen *g, uint8_t *to, uint32_t len, unsigned flow);

/*
 * Read the mark of a packet of len bytes, with or without a VLAN tag. Returns false if it has none.
 * *intact: the checksum is right.
 */
bool gen_mark_read(const uint8_t *pkt, uint32_t len, struct gen_mark *mark, bool *intact);

/* Bursts: the times at which packets of a source are due (burst.c). */

struct bursts {
	const struct port_config *config;
	uint64_t random;      /* state of the random numbers */
	uint64_t packet, gap; /* time of a packet, mean gap after a burst; units of 2^-12 ns */
	uint64_t begin_ns;    /* time 0 of due */
	uint64_t due;         /* when the next packet is due; units of 2^-12 ns */
	uint32_t left;        /* packets of this burst that were not taken yet */
	bool runs;            /* false: time begins anew with the next call */
	uint64_t sent;        /* complete bursts */
	uint64_t late_ns;     /* sum of the delays by which due packets were moved */
};

/* Begin with a burst. c: has bursts; port: its random numbers differ from other ports'. */
void bursts_open(struct bursts *b, const struct port_config *c, unsigned port);

/* Let time stand still until the next bursts_take(). */
void bursts_rest(struct bursts *b);

/*
 * Take the packets that are due at now_ns, at most max, and write when each was due. If the first
 * one is late by more than 10 us, all are moved by that: the thread did not run, and would send what
 * no line can. Returns their number.
 */
uint16_t bursts_take(struct bursts *b, uint64_t now_ns, uint16_t max, uint64_t *due_ns);

/* Latency of packets of bursts: a stamp in each, and a histogram (latency.c). */

enum { LATENCY_CELLS = 32 * 64 }; /* up to 2^37 ns */

struct latency {
	uint64_t cell[LATENCY_CELLS];
};

/* Write into a packet of len bytes which port sent it and when; nothing if it is too short. */
void latency_stamp(uint8_t *pkt, uint32_t len, unsigned port, uint64_t due_ns);

/* Read such a stamp. Returns false if there is none. */
bool latency_stamp_read(const uint8_t *pkt, uint32_t len, unsigned *port, uint64_t *due_ns);

/* Count one packet. */
void latency_add(struct latency *l, uint64_t ns);

/* Write the latency of packets counted since base was copied from l. */
void latency_report(const struct latency *l, const struct latency *base,
	struct model_nic_report *r);

/* struct traffic, for the files that implement it: traffic.c (polls), source.c (packets made here), arrive.c (packets to the driver), sink.c (packets from the driver). */

enum {
	TRAFFIC_TAG = 4,           /* bytes of a VLAN tag: room before a gathered packet */
	TRAFFIC_WRITTEN_BITS = 16, /* 2^16 places for written buffers, for 128 MiB of memory */
	/* maximum bytes of a packet of several frames, before segmentation */
	TRAFFIC_GATHERED = 1 << 18,
};

/*
 * A buffer that still contains a generated packet. There is one place for every 2 KiB of memory, so
 * that adjacent buffers of a pool have adjacent places. The place and who determine the address.
 */
struct written {
	uint32_t who; /* other bits of the buffer's address; 0: none */
	uint16_t len, flow;
};

/* Packets due at config->rate_pps. */
struct rate {
	uint64_t last_ns;
	uint64_t credit; /* packets due, in units of 10^-9 packets */
};

/* Written by the thread that moves frames, except for paused and the requests in faults. */
struct traffic {
	struct model *m;
	const struct port_config *config;
	struct gen gen;
	struct verify *verify; /* for this port's packets; NULL: not verified */
	struct pcap_reader *reader;
	struct pcap_writer *writer;
	struct live *rx_live,
		*tx_live; /* NULL: no interface; the same one for both ways is opened once */
	struct impair
		*impair; /* of the wire to this port; NULL: packets arrive as they were sent */
	struct faults faults;
	unsigned planned; /* bits: faults of config->fault that were requested */
	struct rate rate;
	struct bursts bursts;    /* if config has bursts, in place of rate */
	struct written *written; /* 2^TRAFFIC_WRITTEN_BITS of them */
	bool keep;               /* the generator writes a buffer once */
	bool stamps;             /* packets have a stamp for their latency */
	bool filtered;           /* the driver's filters by MAC address and VLAN apply */
	atomic_bool paused;
	uint64_t left; /* packets that the source may still make */
	uint64_t made; /* packets generated so far, every N-th of which has an error */
	/* Enabled rings; a poll begins at rx[rx_first], which moves by one each time. */
	struct ring *rx[MODEL_QUEUES_MAX], *tx[MODEL_QUEUES_MAX];
	struct ring *rx_of[MODEL_DATA_QUEUES]; /* by data queue; NULL: disabled */
	unsigned rx_count, tx_count, rx_first;
	unsigned waited[MODEL_QUEUES_MAX];
	struct model_nic_report count;                 /* counts in total */
	struct model_nic_report base;                  /* counts at the last reset of the report */
	struct latency latency, latency_base;          /* in total, and at the last reset */
	uint8_t damaged[PCAP_PACKET_MAX];              /* the copy that is damaged by impair.c */
	uint8_t space[TRAFFIC_TAG + TRAFFIC_GATHERED]; /* for traffic_gathered() */
};

/* Buffer for assembling a packet of several frames; TRAFFIC_TAG bytes before it are free too. */
static inline uint8_t *
traffic_gathered(struct traffic *t)
{
	return t->space + TRAFFIC_TAG;
}

/* Delivery of packets from any source to the driver. */

/* Result for a packet that has arrived. */
enum arrival {
	ARRIVAL_GIVEN,
	ARRIVAL_WAITS, /* its queue is disabled or has too few descriptors; not counted */
	ARRIVAL_LONG,  /* it is longer than the driver accepts; counted */
};

/* Give a packet of len bytes to the driver of a card that is on, in the queue chosen by filters and RSS. */
enum arrival arrive(struct traffic *t, const uint8_t *pkt, uint32_t len);

/* Give a packet from a wire to the driver; count it as missed if there is no room. */
void arrive_by_wire(struct traffic *t, const uint8_t *pkt, uint32_t len);

/*
 * Distribute a packet to the n buffers at f; flags are set in all of them, FRAME_EOP in the last
 * one. Returns the number of frames used; 0: too few buffers, nothing is written.
 */
uint16_t arrive_spread(struct frame *f, uint16_t n, const uint8_t *pkt, uint32_t len,
	unsigned flags);

/* Give frames to the driver; updates the ownership map and counters, applies descriptor errors. */
void arrive_give(struct traffic *t, struct ring *r, struct frame *f, uint16_t n);

/* What the wire does to packets on their way to a port. */

/* Open. Returns NULL if memory is short. Close; NULL is fine. */
struct impair *impair_open(const struct port_config *c);
void impair_close(struct impair *i);

/* Let a packet cross the wire to this port at now_ns. Counts: wire_lost, wire_duplicated, ... */
void impair_cross(struct traffic *t, const uint8_t *pkt, uint32_t len, uint64_t now_ns);

/* Deliver packets that arrive by now_ns. Returns how many. */
unsigned impair_poll(struct traffic *t, uint64_t now_ns);

/* True if packets are on the wire. */
bool impair_busy(const struct impair *i);

/* Packets that a port makes itself. */

/*
 * Give packets of this port's generator or file to the driver, no faster than its rate. now_ns:
 * time of any monotonic clock, used only with a rate. Returns frames given.
 */
unsigned source_poll(struct traffic *t, uint64_t now_ns);

/* Mark the source as inactive, so that no packets become due meanwhile. */
void source_rest(struct traffic *t);

/* Give the packets of faults to the driver. Returns frames given. */
unsigned source_faults(struct traffic *t);

/* Verification of packets generated by verifying ports: each has to come back once, in order and unchanged. */

/* Sequence numbers seen of one port's flows. */

/* Begin with no packets seen. Returns NULL if memory is short. */
struct verify *verify_open(uint32_t flows);
void verify_close(struct verify *v);

/* Count an intact packet of v's port that came back, in *r as ok, duplicated or reordered. */
void verify_seen(struct verify *v, const struct gen_mark *mark, struct model_nic_report *r);

/* Number of packets of v's port that were seen at least once. */
uint64_t verify_unique(const struct verify *v);
