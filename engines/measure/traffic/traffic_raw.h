/* Headers as typed: fields that change from flow to flow, lengths and checksums in them. */
/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The problem: programs ask for any header with any field that changes, for lengths of any layer and
 * for checksums that are right or wrong. Each such header cannot have words of its own.
 *
 * The idea: the words give bytes, and where in them something changes. A field's place is its first bit
 * and its width. A checksum is an affine function of the packet's length, modulo 65535, even if it
 * includes other lengths and checksums: so two lengths show its slope, and senders complete it for any
 * length by one product.
 */
#pragma once

#include "engines/measure/traffic/traffic_form.h"

struct err;
struct words;

/*
 * Read the values of the words vary, lengths and sums into t. EINVAL: one line that names the bad word.
 * Thread: control, for all of this file.
 */
int traffic_vary_read(struct words *r, struct traffic *t, struct err *e);
int traffic_lengths_read(struct words *r, struct traffic *t, struct err *e);
int traffic_sums_read(struct words *r, struct traffic *t, struct err *e);

/* Complete what these words say, and check that it is within the header. EINVAL, ERANGE. */
int traffic_raw_finish(struct traffic *t, struct err *e);

/* As traffic_head(), traffic_patches(), of headers as typed. */
void traffic_raw_head(const struct traffic *t, uint32_t flow, uint8_t *head);
unsigned int traffic_raw_patches(const struct traffic *t, struct traffic_patch *patches);
