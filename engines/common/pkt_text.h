/* Parse the settings that describe packets to make: segment lengths, addresses, pairs of numbers.
 * Thread: control. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct err;

#define PKT_SEGS_MAX 255 /* segments of one packet, as in testpmd */

/* The choices of the setting txsplit, in their order. */
enum pkt_split { PKT_SPLIT_OFF, PKT_SPLIT_ON, PKT_SPLIT_RAND };

/*
 * Segment lengths like "64" or "64,128": 1..PKT_SEGS_MAX of them, each 1 byte or more, 42..65535
 * bytes together. lengths: room for PKT_SEGS_MAX, or NULL to check only. Returns how many, or
 * -EINVAL, -ERANGE with e filled.
 */
int pkt_text_lengths(const char *text, uint16_t *lengths, struct err *e);

/*
 * Decimal numbers of 0..max like "9,10", or one for both like "9". Returns how many there are, 0
 * when it is neither.
 */
int pkt_text_pair(const char *text, uint64_t max, uint64_t pair[2]);

/*
 * Two IPv4 addresses like "198.18.0.1,198.18.0.2", in host order. Returns whether that is what the
 * text is.
 */
bool pkt_text_addresses(const char *text, uint32_t addresses[2]);
