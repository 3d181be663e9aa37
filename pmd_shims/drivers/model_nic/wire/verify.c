/* Checks sequence numbers of verified packets: for each flow the next one is known, and in a window
 * which earlier ones were seen. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/drivers/model_nic/report.h"
#include "pmd_shims/drivers/model_nic/wire/traffic_priv.h"

#include <stdlib.h>

enum { WINDOW = 1 << 14 }; /* remembered numbers per flow; a power of two */

struct seen {
	uint32_t next; /* the highest number seen, plus 1 */
	uint64_t bit[WINDOW / 64];
};

struct verify {
	uint32_t flows;
	uint64_t unique;
	struct seen flow[];
};

struct verify *
verify_open(uint32_t flows)
{
	struct verify *v = calloc(1, sizeof(*v) + flows * sizeof(v->flow[0]));

	if (v != NULL)
		v->flows = flows;
	return v;
}

void
verify_close(struct verify *v)
{
	free(v);
}

static bool
bit_get(const struct seen *s, uint32_t sequence)
{
	return (s->bit[sequence % WINDOW / 64] >> sequence % 64 & 1) != 0;
}

static void
bit_put(struct seen *s, uint32_t sequence, bool on)
{
	uint64_t bit = UINT64_C(1) << sequence % 64, *word = &s->bit[sequence % WINDOW / 64];

	*word = on ? *word | bit : *word & ~bit;
}

void
verify_seen(struct verify *v, const struct gen_mark *mark, struct model_nic_report *r)
{
	struct seen *s;

	if (mark->flow >= v->flows) {
		r->foreign++;
		return;
	}
	s = &v->flow[mark->flow];
	if (mark->sequence >= s->next) {
		/* Skipped packets may still arrive: clear their bits in the window. */
		uint32_t skipped = mark->sequence - s->next;

		for (uint32_t i = 0; i < (skipped < WINDOW ? skipped : WINDOW); i++)
			bit_put(s, mark->sequence - 1 - i, false);
		s->next = mark->sequence + 1;
		r->ok++;
	} else if (s->next - mark->sequence > WINDOW || bit_get(s, mark->sequence)) {
		/* Packets older than the window are counted here too, although it is unknown. */
		r->duplicated++;
		return;
	} else {
		r->reordered++;
	}
	bit_put(s, mark->sequence, true);
	v->unique++;
}

uint64_t
verify_unique(const struct verify *v)
{
	return v->unique;
}
