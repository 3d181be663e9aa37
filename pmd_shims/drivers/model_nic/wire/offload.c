/* Checksums, tags and segmentation. Sources: RFC 1071, RFC 793, IEEE 802.1Q; XL710 datasheet 8.4.4
 * for the fields that are left to the NIC. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/drivers/model_nic/wire/traffic_priv.h"

#include <string.h>

enum {
	ETHERTYPE = 12,
	TYPE_IPV4 = 0x0800,
	TYPE_IPV6 = 0x86dd,
	TYPE_TAG = 0x8100,
	TYPE_TAG_OUTER = 0x88a8,
	PROTOCOL_TCP = 6,
	PROTOCOL_UDP = 17,
	IPV4_BYTES = 20,
	IPV6_BYTES = 40,
	TCP_BYTES = 20,
	UDP_BYTES = 8,
	/* Offsets of fields in headers. */
	IPV4_LENGTH = 2,
	IPV4_ID = 4,
	IPV4_FRAGMENT = 6,
	IPV4_PROTOCOL = 9,
	IPV4_SUM = 10,
	IPV4_ADDRESSES = 12,
	IPV6_LENGTH = 4,
	IPV6_PROTOCOL = 6,
	IPV6_ADDRESSES = 8,
	TCP_SEQUENCE = 4,
	TCP_FLAGS = 13,
	TCP_SUM = 16,
	UDP_LENGTH = 4,
	UDP_SUM = 6,
	SEGMENT_MAX = 16384, /* maximum bytes of a segment made by TSO */
};

static unsigned
get16(const uint8_t *p)
{
	return (unsigned)p[0] << 8 | p[1];
}

static void
put16(uint8_t *p, unsigned value)
{
	p[0] = (uint8_t)(value >> 8);
	p[1] = (uint8_t)value;
}

static uint64_t
sum_add(uint64_t sum, const uint8_t *p, uint32_t n)
{
	for (; n > 1; n -= 2, p += 2)
		sum += get16(p);
	return n != 0 ? sum + ((unsigned)p[0] << 8) : sum;
}

/* Fold a sum to 16 bits, not inverted. */
static unsigned
folded(uint64_t sum)
{
	while (sum >> 16 != 0)
		sum = (sum & 0xffff) + (sum >> 16);
	return (unsigned)sum;
}

static void
ipv4_sum_write(uint8_t *l3, uint32_t l3_len)
{
	put16(l3 + IPV4_SUM, 0);
	put16(l3 + IPV4_SUM, ~folded(sum_add(0, l3, l3_len)) & 0xffff);
}

/* Position of a frame's headers in its packet. */
struct place {
	uint8_t *l3, *l4;
	bool ipv4, ipv6, tcp, udp;
};

/* Bytes of L4 header and payload, from the IP header, since a short frame may have padding. */
static uint32_t
l4_bytes(const struct place *p, uint32_t l3_len, uint32_t there)
{
	uint32_t said = p->ipv4 ? get16(p->l3 + IPV4_LENGTH) - l3_len
				: get16(p->l3 + IPV6_LENGTH) + IPV6_BYTES - l3_len;

	return said <= there ? said : there;
}

/* Compute the L4 checksum, starting from the pseudo header's sum in the field. */
static void
l4_sum_write(const struct place *p, uint32_t bytes, unsigned add)
{
	uint8_t *field = p->l4 + (p->tcp ? TCP_SUM : UDP_SUM);
	unsigned sum = ~folded(sum_add(add, p->l4, bytes)) & 0xffff;

	put16(field, p->udp && sum == 0 ? 0xffff : sum);
}

static void
tagged_out(uint8_t *pkt, uint32_t len, const struct frame *f, offload_out *out, void *to)
{
	if ((f->flags & FRAME_VLAN) != 0) {
		memmove(pkt - OFFLOAD_TAG, pkt, ETHERTYPE);
		put16(pkt + ETHERTYPE - OFFLOAD_TAG, TYPE_TAG);
		put16(pkt + ETHERTYPE + 2 - OFFLOAD_TAG, f->vlan);
		pkt -= OFFLOAD_TAG;
		len += OFFLOAD_TAG;
	}
	out(to, pkt, len);
}

/* Find the EtherType after all tags; NULL: it is beyond end. */
static const uint8_t *
ethertype_find(const uint8_t *pkt, const uint8_t *end)
{
	const uint8_t *at = pkt + ETHERTYPE;

	while (at + 2 <= end && (get16(at) == TYPE_TAG || get16(at) == TYPE_TAG_OUTER))
		at += OFFLOAD_TAG;
	return at + 2 <= end ? at : NULL;
}

/*
 * Update a tunnel's outer headers, in the first l2_len bytes: the IPv4 checksum, and with TSO the
 * lengths and id for segment i of len bytes.
 */
static void
outer_update(uint8_t *pkt, uint32_t len, const struct frame *f, unsigned i)
{
	const uint8_t *end = pkt + f->l2_len, *type = ethertype_find(pkt, end);
	uint8_t *l3 = type != NULL ? pkt + (type - pkt) + 2 : NULL, *l4;
	uint32_t there = l3 != NULL ? (uint32_t)(end - l3) : 0;
	bool ipv4 = there > IPV4_BYTES && get16(type) == TYPE_IPV4;
	bool ipv6 = there > IPV6_BYTES && get16(type) == TYPE_IPV6;

	if (!ipv4 && !ipv6)
		return;
	l4 = l3 + (ipv4 ? (l3[0] & 15u) * 4 : IPV6_BYTES);
	if (f->mss != 0) {
		if (ipv4) {
			put16(l3 + IPV4_LENGTH, (unsigned)(pkt + len - l3));
			put16(l3 + IPV4_ID, get16(l3 + IPV4_ID) + i);
		} else {
			put16(l3 + IPV6_LENGTH, (unsigned)(pkt + len - l3) - IPV6_BYTES);
		}
		if (l3[ipv4 ? IPV4_PROTOCOL : IPV6_PROTOCOL] == PROTOCOL_UDP &&
			l4 + UDP_BYTES <= end)
			put16(l4 + UDP_LENGTH, (unsigned)(pkt + len - l4));
	}
	if (ipv4 && l4 <= end && ((f->flags & FRAME_CSUM_OUTER) != 0 || f->mss != 0))
		ipv4_sum_write(l3, (uint32_t)(l4 - l3));
}

/* Update the headers of segment i, which begins at this offset of the payload. */
static void
segment_header(const struct frame *f, const struct place *p, unsigned i, uint32_t offset,
	uint32_t part, bool last)
{
	enum { FIN = 0x01, PSH = 0x08, CWR = 0x80 };
	uint8_t *sequence = p->l4 + TCP_SEQUENCE;
	uint32_t number = (get16(sequence) << 16 | get16(sequence + 2)) + offset;

	if (p->ipv4) {
		put16(p->l3 + IPV4_LENGTH, f->l3_len + f->l4_len + part);
		put16(p->l3 + IPV4_ID, get16(p->l3 + IPV4_ID) + i);
		ipv4_sum_write(p->l3, f->l3_len);
	} else {
		put16(p->l3 + IPV6_LENGTH, f->l3_len - IPV6_BYTES + f->l4_len + part);
	}
	put16(sequence, number >> 16);
	put16(sequence + 2, number);
	if (!last)
		p->l4[TCP_FLAGS] &= (uint8_t) ~(FIN | PSH);
	if (i > 0)
		p->l4[TCP_FLAGS] &= (uint8_t)~CWR;
}

static struct place
place_of(uint8_t *pkt, const struct frame *f)
{
	return (struct place){ .l3 = pkt + f->l2_len,
		.l4 = pkt + f->l2_len + f->l3_len,
		.ipv4 = (f->flags & FRAME_IPV4) != 0,
		.ipv6 = (f->flags & FRAME_IPV6) != 0,
		.tcp = (f->flags & FRAME_TCP) != 0,
		.udp = (f->flags & FRAME_UDP) != 0 };
}

static void
segments_send(const uint8_t *pkt, uint32_t len, const struct frame *f, offload_out *out, void *to)
{
	uint8_t buffer[OFFLOAD_TAG + SEGMENT_MAX], *segment = buffer + OFFLOAD_TAG;
	uint32_t headers = (uint32_t)f->l2_len + f->l3_len + f->l4_len, at = headers, part;
	const struct place p = place_of(segment, f);

	for (unsigned i = 0; at < len; i++, at += part) {
		part = len - at < f->mss ? len - at : f->mss;
		memcpy(segment, pkt, headers);
		memcpy(segment + headers, pkt + at, part);
		segment_header(f, &p, i, at - headers, part, at + part == len);
		l4_sum_write(&p, f->l4_len + part, f->l4_len + part);
		outer_update(segment, headers + part, f, i);
		tagged_out(segment, headers + part, f, out, to);
	}
}

/* True if the packet has all headers that the frame's flags require, in their minimum lengths. */
static bool
headers_fit(const struct frame *f, uint32_t len)
{
	uint32_t l3_least = (f->flags & FRAME_IPV4) != 0 ? IPV4_BYTES
		: (f->flags & FRAME_IPV6) != 0           ? IPV6_BYTES
							 : 0;
	uint32_t l4_least = (f->flags & FRAME_TCP) != 0 ? TCP_BYTES
		: (f->flags & FRAME_UDP) != 0           ? UDP_BYTES
							: 0;

	if ((f->flags & (FRAME_CSUM_L4 | FRAME_CSUM_L3)) == 0 && f->mss == 0)
		return len >= ETHERTYPE + 2;
	return f->l2_len >= ETHERTYPE + 2 && l3_least != 0 && f->l3_len >= l3_least &&
		((f->flags & FRAME_CSUM_L4) == 0 || l4_least != 0) &&
		(uint32_t)f->l2_len + f->l3_len + l4_least <= len;
}

/* The frame, with the IP version of its packet if the driver has not said one. */
static struct frame
version_find(const uint8_t *pkt, uint32_t len, const struct frame *f)
{
	struct frame known = *f;

	if ((f->flags & (FRAME_IPV4 | FRAME_IPV6)) == 0 && f->l3_len != 0 && f->l2_len < len)
		known.flags |= pkt[f->l2_len] >> 4 == 4 ? FRAME_IPV4 : FRAME_IPV6;
	return known;
}

void
offload_send(uint8_t *pkt, uint32_t len, const struct frame *asked, offload_out *out, void *to)
{
	const struct frame known = version_find(pkt, len, asked), *f = &known;
	const struct place p = place_of(pkt, f);
	uint32_t headers = (uint32_t)f->l2_len + f->l3_len + f->l4_len;

	if (!headers_fit(f, len)) {
		out(to, pkt, len);
		return;
	}
	if (f->mss != 0 && p.tcp && f->l4_len >= TCP_BYTES && len > headers &&
		headers + f->mss <= SEGMENT_MAX) {
		segments_send(pkt, len, f, out, to);
		return;
	}
	if ((f->flags & FRAME_CSUM_L3) != 0)
		ipv4_sum_write(p.l3, f->l3_len);
	if ((f->flags & FRAME_CSUM_L4) != 0)
		l4_sum_write(&p, l4_bytes(&p, f->l3_len, (uint32_t)(pkt + len - p.l4)), 0);
	if ((f->flags & FRAME_CSUM_OUTER) != 0)
		outer_update(pkt, len, f, 0);
	tagged_out(pkt, len, f, out, to);
}

const uint8_t *
offload_pad(uint8_t room[OFFLOAD_FRAME_MIN], const uint8_t *pkt, uint32_t *len, uint32_t min)
{
	if (*len >= min)
		return pkt;
	memcpy(room, pkt, *len);
	memset(room + *len, 0, min - *len);
	*len = min;
	return room;
}

/*
 * True if the checksum of bytes of L4 at l4 and of the pseudo header with these addresses is right.
 */
static bool
l4_sum_good(const uint8_t *l4, uint32_t bytes, unsigned protocol, const uint8_t *addresses,
	uint32_t address_bytes)
{
	uint64_t sum = sum_add((uint64_t)protocol + bytes, addresses, address_bytes);

	return folded(sum_add(sum, l4, bytes)) == 0xffff;
}

static unsigned
l4_inspect(const uint8_t *l4, uint32_t bytes, unsigned protocol, const uint8_t *addresses,
	uint32_t address_bytes, bool check)
{
	bool tcp = protocol == PROTOCOL_TCP, udp = protocol == PROTOCOL_UDP;
	unsigned flags = tcp ? FRAME_TCP : FRAME_UDP;

	if ((!tcp && !udp) || bytes < (tcp ? TCP_BYTES : UDP_BYTES))
		return 0;
	/* A UDP checksum of 0 means that the sender made none. */
	if (check && !(udp && get16(l4 + UDP_SUM) == 0) &&
		!l4_sum_good(l4, bytes, protocol, addresses, address_bytes))
		flags |= FRAME_BAD_L4;
	return flags;
}

static unsigned
ipv4_inspect(const uint8_t *l3, uint32_t there, bool check)
{
	enum { FRAGMENT = 0x3fff };
	uint32_t header = there >= IPV4_BYTES ? (l3[0] & 15u) * 4 : 0, total;
	unsigned flags = FRAME_IPV4;

	if (header < IPV4_BYTES || header > there || l3[0] >> 4 != 4)
		return 0;
	if (check && folded(sum_add(0, l3, header)) != 0xffff)
		flags |= FRAME_BAD_L3;
	total = get16(l3 + IPV4_LENGTH);
	if ((get16(l3 + IPV4_FRAGMENT) & FRAGMENT) != 0 || total < header || total > there)
		return flags;
	return flags |
		l4_inspect(l3 + header, total - header, l3[IPV4_PROTOCOL], l3 + IPV4_ADDRESSES, 8,
			check);
}

static unsigned
ipv6_inspect(const uint8_t *l3, uint32_t there, bool check)
{
	uint32_t payload = there >= IPV6_BYTES ? get16(l3 + IPV6_LENGTH) : 0;

	if (there < IPV6_BYTES || l3[0] >> 4 != 6)
		return 0;
	if (payload > there - IPV6_BYTES)
		return FRAME_IPV6;
	return FRAME_IPV6 |
		l4_inspect(l3 + IPV6_BYTES, payload, l3[IPV6_PROTOCOL], l3 + IPV6_ADDRESSES, 32,
			check);
}

unsigned
offload_inspect(const uint8_t *pkt, uint32_t len, bool check)
{
	const uint8_t *type = ethertype_find(pkt, pkt + len), *l3;

	if (type == NULL)
		return 0;
	l3 = type + 2;
	if (get16(type) == TYPE_IPV4)
		return ipv4_inspect(l3, (uint32_t)(pkt + len - l3), check);
	if (get16(type) == TYPE_IPV6)
		return ipv6_inspect(l3, (uint32_t)(pkt + len - l3), check);
	return 0;
}

uint16_t
offload_udp4_sum(const uint8_t *pkt, uint32_t len)
{
	const uint8_t *l3 = pkt + ETHERTYPE + 2, *l4 = l3 + IPV4_BYTES;
	uint32_t bytes = len - (uint32_t)(l4 - pkt);
	uint64_t sum = sum_add((uint64_t)PROTOCOL_UDP + bytes, l3 + IPV4_ADDRESSES, 8);
	unsigned field = get16(l4 + UDP_SUM), value;

	/* Exclude the present value of the field. */
	sum = sum_add(sum, l4, bytes) + (field ^ 0xffff);
	value = ~folded(sum) & 0xffff;
	return (uint16_t)(value == 0 ? 0xffff : value);
}
