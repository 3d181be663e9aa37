/* Packets of several descriptors and of contexts: one is read after the other, by the family's
 * reader. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "model_nic/ring.h"

/* One packet of whatever form. */
struct mixed_packet {
	uint16_t frames, descs;
	uint32_t bytes;
	bool silent; /* takes descriptors, but is not for the wire */
};

/*
 * Read the packet that starts at descriptor at; n descriptors are there. context: the family's, for
 * what contexts before it said; may be NULL. Frames go to f, the first max of them. false: its end
 * is not there.
 */
typedef bool mixed_read(const struct ring *r, uint16_t at, uint16_t n, void *context,
	struct frame *f, uint16_t max, struct mixed_packet *p);

/*
 * As many whole packets from head on as give max frames at most; *descs: the descriptors that they
 * took. Returns frames.
 */
static inline uint16_t
mixed_take(struct model *m, struct ring *r, mixed_read *read, void *context, struct frame *f,
	uint16_t max, uint16_t *descs)
{
	uint16_t there = handed(r, r->size), frames = 0;
	struct mixed_packet p;

	*descs = 0;
	while (frames < max &&
		read(r, advanced(r, r->head, *descs), (uint16_t)(there - *descs), context,
			f + frames, (uint16_t)(max - frames), &p)) {
		if (!p.silent && p.frames > max - frames) {
			if (frames > 0 || p.frames <= MODEL_BURST)
				break;
			model_log(m, 1,
				"Tx queue %u: a packet of %u descriptors dropped: at most %u",
				r->index, p.frames, MODEL_BURST);
			p.silent = true;
		}
		*descs = (uint16_t)(*descs + p.descs);
		frames = (uint16_t)(frames + (p.silent ? 0 : p.frames));
	}
	return frames;
}
