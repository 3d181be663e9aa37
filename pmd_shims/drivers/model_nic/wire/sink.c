/* Handles packets sent by the driver: applies offloads, then passes them to another port, writes
 * them to a file, or verifies them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/drivers/model_nic/wire/sink.h"

#include "pmd_shims/drivers/model_nic/owner.h"
#include "pmd_shims/drivers/model_nic/wire/arrive.h"
#include "pmd_shims/drivers/model_nic/wire/offload.h"
#include "pmd_shims/drivers/model_nic/wire/pcap_file.h"
#include "pmd_shims/drivers/model_nic/wire/traffic_parts.h"
#include "pmd_shims/drivers/model_nic/wire/verify.h"

#include <string.h>

/* Verify a packet that came back, and count the result. */
static void
check(struct traffic *t, const uint8_t *pkt, uint32_t len)
{
	struct gen_mark mark;
	struct model *from;
	bool intact;

	if (!gen_mark_read(pkt, len, &mark, &intact)) {
		t->count.foreign++;
		return;
	}
	from = model_port(mark.port);
	if (!intact)
		t->count.corrupted++;
	else if (from == NULL || from->traffic == NULL || from->traffic->verify == NULL)
		t->count.foreign++;
	else
		verify_seen(from->traffic->verify, &mark, &t->count);
}

struct way {
	struct traffic *from, *to;
};

static void
leave(void *way, const uint8_t *pkt, uint32_t len)
{
	const struct way *w = way;

	if (w->from->writer != NULL)
		pcap_writer_put(w->from->writer, pkt, len);
	if (w->to != NULL)
		arrive_by_wire(w->to, pkt, len);
	else if (w->from->config->verify)
		check(w->from, pkt, len);
}

/* Send a packet of n frames. */
static void
packet_leave(struct way *w, const struct frame *f, uint16_t n)
{
	struct traffic *t = w->from;
	uint8_t *whole = traffic_gathered(t);
	uint32_t len = 0;

	if (n == 1 && !offload_wanted(f)) {
		leave(w, f->data, f->len);
		return;
	}
	for (uint16_t i = 0; i < n; i++) {
		if (len + f[i].len > TRAFFIC_GATHERED) {
			model_log(t->m, 1, "a packet of more than %u bytes dropped",
				TRAFFIC_GATHERED);
			return;
		}
		memcpy(whole + len, f[i].data, f[i].len);
		len += f[i].len;
	}
	offload_send(whole, len, f, leave, w);
}

void
sink(struct traffic *t, const struct frame *f, uint16_t n, struct traffic *to)
{
	struct way w = { t, to };
	uint64_t bytes = 0, packets = 0;
	uint16_t first = 0;

	for (uint16_t i = 0; i < n; i++) {
		bytes += f[i].len;
		packets += f[i].flags & FRAME_EOP;
	}
	t->count.tx_packets += packets;
	t->count.tx_bytes += bytes;
	if (t->config->verify) {
		owner_scan(t->m, &t->count); /* some may have been posted since the poll began */
		for (uint16_t i = 0; i < n; i++)
			owner_sent(f[i].data);
	}
	if (to == NULL && t->writer == NULL && !t->config->verify)
		return;
	for (uint16_t i = 0; i < n; i++) {
		if ((f[i].flags & FRAME_EOP) == 0)
			continue;
		packet_leave(&w, f + first, (uint16_t)(i + 1 - first));
		first = (uint16_t)(i + 1);
	}
}
