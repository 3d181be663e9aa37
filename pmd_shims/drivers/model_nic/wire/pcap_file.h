/* pcap files: a reader with all packets in memory, and a writer. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PCAP_PACKET_MIN = 14, PCAP_PACKET_MAX = 16384 };

struct pcap_reader;
struct pcap_writer;

/*
 * Read all packets of a file of Ethernet frames, with times in micro- or nanoseconds. loops: how
 * often to return them, 0: forever. Returns NULL with the reason in why (of size bytes), for
 * example a packet that is shorter than PCAP_PACKET_MIN or longer than PCAP_PACKET_MAX bytes.
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
