/* See model_nic_bed.h. */
#include "model_nic_bed.h"

#include "model_nic/traffic.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RING_BYTES = 8192 * 32, PAGE = 4096 };

struct model bed;
unsigned bed_interrupts, bed_enabled, bed_disabled;
bool bed_watched;
char bed_log[256];
struct model_nic_report bed_report;
uint8_t *bed_rx_desc, *bed_tx_desc;

void
model_ring_enable(struct model *m, struct ring *r)
{
	r->head = r->seen = 0;
	atomic_store(&r->enabled, true);
	bed_enabled++;
}

void
model_ring_disable(struct model *m, struct ring *r)
{
	if (atomic_exchange(&r->enabled, false))
		bed_disabled++;
}

void
model_rings_disable(struct model *m)
{
	for (unsigned i = 0; i < MODEL_QUEUES_MAX; i++) {
		model_ring_disable(m, &m->rx[i]);
		model_ring_disable(m, &m->tx[i]);
	}
}

void
model_watch(struct model *m, bool on)
{
	bed_watched = on;
}

void
model_interrupt(struct model *m)
{
	bed_interrupts++;
}

void
model_log(const struct model *m, int level, const char *format, ...)
{
	va_list arguments;

	if (level > 1)
		return;
	va_start(arguments, format);
	vsnprintf(bed_log, sizeof(bed_log), format, arguments);
	va_end(arguments);
}

void
traffic_report(struct traffic *t, struct model_nic_report *r)
{
	*r = bed_report;
}

uint32_t
bed_read(uint32_t offset)
{
	uint32_t value;

	bed.family->before_read(&bed, offset);
	value = model_reg(&bed, offset);
	if (bed.family->after_read != NULL)
		bed.family->after_read(&bed, offset);
	return value;
}

void
bed_write(uint32_t offset, uint32_t value)
{
	uint32_t old = model_reg(&bed, offset);

	model_reg_set(&bed, offset, value);
	bed.family->written(&bed, offset, old, value);
}

void *
bed_zeroed(size_t bytes)
{
	void *p = aligned_alloc(PAGE, bytes);

	if (p == NULL)
		abort();
	return memset(p, 0, bytes);
}

void
bed_power_on(const struct model_family *family)
{
	memset(&bed, 0, sizeof(bed));
	bed.family = family;
	bed.bar = bed_zeroed(family->bar_len);
	bed.state = bed_zeroed((family->state_size + PAGE - 1) / PAGE * PAGE);
	bed_rx_desc = bed_zeroed(RING_BYTES);
	bed_tx_desc = bed_zeroed(RING_BYTES);
	memcpy(bed.mac, (const uint8_t[]){ 2, 0x4d, 0x4e, 1, 2, 3 }, sizeof(bed.mac));
	atomic_store(&bed.link_up, true);
	bed_interrupts = bed_enabled = bed_disabled = 0;
	bed_watched = false;
	bed_log[0] = '\0';
	memset(&bed_report, 0, sizeof(bed_report));
	bed.family->reset(&bed);
}

void
bed_power_off(void)
{
	void *all[] = { bed.bar, bed.state, bed_rx_desc, bed_tx_desc };

	for (unsigned i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		free(all[i]);
}

uint64_t *
bed_quads(const struct ring *r, unsigned i)
{
	return (uint64_t *)(void *)(r->desc + (size_t)i * r->desc_size);
}

uint64_t
bed_buffer_of(unsigned i)
{
	enum { BUFFERS = 0x10000000 };

	return BUFFERS + (uint64_t)i * BED_ROOM;
}

void
bed_tail(const struct ring *r, unsigned at)
{
	*r->tail = at;
}

const uint8_t bed_known_key[52] = { 0x6d, 0x5a, 0x56, 0xda, 0x25, 0x5b, 0x0e, 0xc2, 0x41, 0x67,
	0x25, 0x3d, 0x43, 0xa3, 0x8f, 0xb0, 0xd0, 0xca, 0x2b, 0xcb, 0xae, 0x7b, 0x30, 0xb4, 0x77,
	0xcb, 0x2d, 0xa3, 0x80, 0x30, 0xf2, 0x0c, 0x6a, 0x42, 0xb7, 0x3b, 0xbe, 0xac, 0x01, 0xfa };

uint32_t
bed_packet(uint8_t *p, bool vlan, bool ipv6, uint8_t protocol)
{
	static const uint8_t ipv4_pair[] = { 66, 9, 149, 187, 161, 142, 100, 80 };
	static const uint8_t ipv6_pair[] = { 0x3f, 0xfe, 0x25, 0x01, 0x02, 0x00, 0x1f, 0xff, 0, 0,
		0, 0, 0, 0, 0, 7, 0x3f, 0xfe, 0x25, 0x01, 0x02, 0x00, 0x00, 0x03, 0, 0, 0, 0, 0, 0,
		0, 1 };
	static const uint8_t ports[] = { 2794 >> 8, 2794 & 255, 1766 >> 8, 1766 & 255 };
	uint8_t *at = p + 12;

	memset(p, 0, 128);
	if (vlan) {
		at[0] = 0x81;
		at[3] = 7;
		at += 4;
	}
	at[0] = ipv6 ? 0x86 : 0x08;
	at[1] = ipv6 ? 0xdd : 0x00;
	at += 2;
	at[0] = ipv6 ? 0x60 : 0x45;
	at[ipv6 ? 6 : 9] = protocol;
	if (ipv6)
		memcpy(at + 8, ipv6_pair, sizeof(ipv6_pair));
	else
		memcpy(at + 12, ipv4_pair, sizeof(ipv4_pair));
	at += ipv6 ? 40 : 20;
	memcpy(at, ports, sizeof(ports));
	return (uint32_t)(at + 8 - p);
}
