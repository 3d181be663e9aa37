/* Parses settings that describe packets to create: segment lengths, addresses, pairs of numbers.
 * Thread: control. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct err;

#define PKT_SEGS_MAX 255 /* segments per packet, as in testpmd */

/* The choices of the setting txsplit, in the setting's order. */
enum pkt_split { PKT_SPLIT_OFF, PKT_SPLIT_ON, PKT_SPLIT_RAND };

/*
 * Parse segment lengths like "64" or "64,128": 1..PKT_SEGS_MAX lengths of at least 1 byte,
 * 42..65535 bytes in total. lengths: room for PKT_SEGS_MAX, or NULL to check only. Returns how
 * many, or -EINVAL, -ERANGE with e set.
 */
int pkt_text_lengths(const char *text, uint16_t *lengths, struct err *e);

/*
 * Parse decimal numbers 0..max like "9,10", or one for both like "9". Returns how many there are,
 * or 0 if the text is neither.
 */
int pkt_text_pair(const char *text, uint64_t max, uint64_t pair[2]);

/*
 * Parse two IPv4 addresses like "198.18.0.1,198.18.0.2", to host order. Returns false for other
 * text.
 */
bool pkt_text_addresses(const char *text, uint32_t addresses[2]);
