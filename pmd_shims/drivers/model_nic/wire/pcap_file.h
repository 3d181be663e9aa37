/* pcap files: packets of one in memory, and one that grows. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PCAP_PACKET_MIN = 14, PCAP_PACKET_MAX = 16384 };

struct pcap_reader;
struct pcap_writer;

/*
 * All packets of a file of Ethernet frames, with micro- or nanoseconds, loops times over (0: for
 * ever). NULL: why says what is wrong with the file, which a packet shorter than PCAP_PACKET_MIN or
 * longer than PCAP_PACKET_MAX is too.
 */
struct pcap_reader *pcap_reader_open(const char *path, uint32_t loops, char *why, size_t size);
void pcap_reader_close(struct pcap_reader *r);

/*
 * The packet whose turn it is, *len bytes, good until the reader is closed; NULL: there are no
 * more.
 */
const uint8_t *pcap_reader_peek(const struct pcap_reader *r, uint32_t *len);

/* It is done with. */
void pcap_reader_next(struct pcap_reader *r);

/* A new file, with nanoseconds. NULL: why says what is wrong. */
struct pcap_writer *pcap_writer_open(const char *path, char *why, size_t size);

/*
 * What was written before is in the file. false: it could not be written; said once on stderr,
 * nothing more is written.
 */
bool pcap_writer_flush(struct pcap_writer *w);

/* A packet, with the time of now. */
void pcap_writer_put(struct pcap_writer *w, const uint8_t *pkt, uint32_t len);

/* Flush, close. */
void pcap_writer_close(struct pcap_writer *w);
