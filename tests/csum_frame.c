/* Make frames from words; nothing here comes from the program, so that the two can disagree. */
#include "csum_frame.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum kind { ETHER, TAG, IP4, IP6, EXTENSION, UDP, TCP, SCTP, TUNNEL, GRE, OTHER };

enum {
	BLIND = 1 << 0,   /* what follows cannot be read */
	NO_SUM = 1 << 1,  /* UDP without a checksum */
	SHORT = 1 << 2,   /* UDP 4 bytes shorter than IP says */
	GRE_SUM = 1 << 3, /* GRE with a checksum */
	BROKEN = 1 << 4,  /* neither it nor what follows can be read */
	LONG = 1 << 5,    /* UDP 1 byte longer than IP says */
};

struct frame_word {
	const char *name;
	enum kind kind;
	unsigned int bytes, flags;
	uint16_t ethertype, proto, port; /* how the layer before announces it */
	uint8_t head[16];
};

static const struct frame_word words[] = {
	{ "eth", ETHER, 14, 0, 0x6558, 0, 0, { 2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2 } },
	{ "vlan", TAG, 4, 0, 0x8100, 0, 0, { 0x01, 0x23 } },
	{ "qinq", TAG, 4, 0, 0x88a8, 0, 0, { 0x04, 0x56 } },
	{ "arp", OTHER, 28, 0, 0x0806, 0, 0, { 0, 1, 8, 0, 6, 4 } },
	{ "ip4", IP4, 20, 0, 0x0800, 4, 0, { 0x45, 0, 0, 0, 0x12, 0x34, 0, 0, 64 } },
	{ "ip4o", IP4, 44, 0, 0x0800, 4, 0, { 0x4b, 0, 0, 0, 0x12, 0x34, 0x40, 0, 64 } },
	{ "ip4mf", IP4, 20, BLIND, 0x0800, 4, 0, { 0x45, 0, 0, 0, 0x12, 0x34, 0x20, 0, 64 } },
	{ "ip4off", IP4, 20, BLIND, 0x0800, 4, 0, { 0x45, 0, 0, 0, 0x12, 0x34, 0, 0x10, 64 } },
	{ "ip4s", IP4, 20, BROKEN, 0x0800, 4, 0, { 0x44, 0, 0, 0, 0x12, 0x34, 0, 0, 64 } },
	{ "ip4v", IP4, 20, BROKEN, 0x0800, 4, 0, { 0x65, 0, 0, 0, 0x12, 0x34, 0, 0, 64 } },
	{ "ip6v", IP6, 40, BROKEN, 0x86dd, 41, 0, { 0x40, 0, 0, 0, 0, 0, 0, 64 } },
	{ "ip6", IP6, 40, 0, 0x86dd, 41, 0, { 0x60, 0, 0, 0, 0, 0, 0, 64 } },
	{ "hop", EXTENSION, 8, 0, 0, 0, 0, { 0, 0, 1, 4 } },
	{ "dst", EXTENSION, 16, 0, 0, 60, 0, { 0, 1, 1, 12 } },
	{ "rt0", EXTENSION, 24, 0, 0, 43, 0, { 0, 2, 2, 0 } },
	{ "rt1", EXTENSION, 24, BLIND, 0, 43, 0, { 0, 2, 2, 1 } },
	{ "frag", EXTENSION, 8, BLIND, 0, 44, 0, { 0, 0, 0, 1, 0x12, 0x34 } },
	{ "frag0", EXTENSION, 8, 0, 0, 44, 0, { 0, 0, 0, 0, 0x12, 0x34 } },
	{ "udp", UDP, 8, 0, 0, 17, 0, { 0x12, 0x34, 0, 9, 0, 0, 0xba, 0xd1 } },
	{ "udp0", UDP, 8, NO_SUM, 0, 17, 0, { 0x12, 0x34, 0, 9 } },
	{ "udps", UDP, 8, SHORT, 0, 17, 0, { 0x12, 0x34, 0, 9, 0, 0, 0xba, 0xd1 } },
	{ "udpl", UDP, 8, BROKEN | LONG, 0, 17, 0, { 0x12, 0x34, 0, 9, 0, 0, 0xba, 0xd1 } },
	{ "tcps", TCP, 20, BROKEN, 0, 6, 0,
		{ 0x12, 0x34, 0, 80, 0, 1, 0, 0, 0, 2, 0, 0, 0x40, 0x10, 0x20, 0 } },
	{ "tcpl", TCP, 20, BROKEN, 0, 6, 0,
		{ 0x12, 0x34, 0, 80, 0, 1, 0, 0, 0, 2, 0, 0, 0x60, 0x10, 0x20, 0 } },
	{ "tcp", TCP, 20, 0, 0, 6, 0,
		{ 0x12, 0x34, 0, 80, 0, 1, 0, 0, 0, 2, 0, 0, 0x50, 0x10, 0x20, 0 } },
	{ "tcpo", TCP, 32, 0, 0, 6, 0,
		{ 0x12, 0x34, 0, 80, 0, 1, 0, 0, 0, 2, 0, 0, 0x80, 0x10, 0x20, 0 } },
	{ "tcpfin", TCP, 20, 0, 0, 6, 0,
		{ 0x12, 0x34, 0, 80, 0, 1, 0, 0, 0, 2, 0, 0, 0x50, 0x19, 0x20, 0 } },
	{ "sctp", SCTP, 12, 0, 0, 132, 0, { 0x12, 0x34, 0, 9, 0, 0, 0, 1, 0xba, 0xd1, 1, 2 } },
	{ "icmp", OTHER, 8, 0, 0, 1, 0, { 8, 0, 0xba, 0xd1 } },
	{ "vxlan", TUNNEL, 8, 0, 0, 0, 4789, { 8, 0, 0, 0, 0, 0, 1 } },
	{ "gpe", TUNNEL, 8, 0, 0, 0, 4790, { 12, 0, 0, 0, 0, 0, 1 } },
	{ "geneve", TUNNEL, 8, 0, 0, 0, 6081, { 0, 0, 0, 0, 0, 0, 1 } },
	{ "geneveo", TUNNEL, 20, 0, 0, 0, 6081, { 3, 0, 0, 0, 0, 0, 1 } },
	{ "genevel", TUNNEL, 260, 0, 0, 0, 6081, { 63, 0, 0, 0, 0, 0, 1 } },
	{ "gtp", TUNNEL, 8, 0, 0, 0, 2152, { 0x30, 0xff, 0, 0, 0, 0, 0, 1 } },
	{ "gtps", TUNNEL, 12, 0, 0, 0, 2152, { 0x32, 0xff, 0, 0, 0, 0, 0, 1, 0, 1 } },
	{ "gtpx", TUNNEL, 16, 0, 0, 0, 2152,
		{ 0x34, 0xff, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0x85, 1, 0, 9, 0 } },
	{ "echo", OTHER, 8, 0, 0, 0, 2152, { 0x30, 1, 0, 0, 0, 0, 0, 1 } },
	{ "gre", GRE, 4, 0, 0, 47, 0, { 0 } },
	{ "nvgre", GRE, 8, 0, 0, 47, 0, { 0x20, 0, 0, 0, 0, 0, 1 } },
	{ "greks", GRE, 12, 0, 0, 47, 0, { 0x30, 0, 0, 0, 0, 0, 1 } },
	{ "grec", GRE, 8, GRE_SUM, 0, 47, 0, { 0x80, 0, 0, 0, 0xba, 0xd1 } },
	{ "grecks", GRE, 16, GRE_SUM, 0, 47, 0, { 0xb0, 0, 0, 0, 0xba, 0xd1 } },
};

uint16_t
frame_get16(const uint8_t *p)
{
	return (uint16_t)(p[0] << 8 | p[1]);
}

void
frame_put16(uint8_t *p, unsigned int value)
{
	p[0] = (uint8_t)(value >> 8);
	p[1] = (uint8_t)value;
}

uint32_t
frame_sum(const uint8_t *bytes, unsigned int n, uint32_t sum)
{
	for (unsigned int i = 0; i < n; i++)
		sum += i % 2 == 0 ? (uint32_t)bytes[i] << 8 : bytes[i];
	return sum;
}

uint16_t
frame_fold(uint32_t sum)
{
	while (sum > 0xffff)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)sum;
}

uint32_t
frame_pseudo(const uint8_t *ip, uint8_t proto, unsigned int n)
{
	return ip[0] >> 4 == 4 ? frame_sum(ip + 12, 8, proto + n)
			       : frame_sum(ip + 8, 32, proto + n);
}

uint32_t
frame_crc32c(const uint8_t *bytes, unsigned int n)
{
	uint32_t crc = UINT32_MAX;

	for (unsigned int i = 0; i < 8 * n; i++)
		crc = (crc >> 1) ^ (((crc ^ bytes[i / 8] >> i % 8) & 1) != 0 ? 0x82f63b78 : 0);
	return ~crc;
}

unsigned int
frame_off(const struct frame *f, const char *word, unsigned int nth)
{
	for (unsigned int i = 0; i < f->n_layers; i++) {
		if (strcmp(f->layers[i].word->name, word) == 0 && nth-- == 0)
			return f->layers[i].off;
	}
	assert(0);
	return 0;
}

static void
append(struct frame *f, const char *name)
{
	const struct frame_word *word = NULL;
	unsigned int payload = (unsigned int)atoi(name);

	if (strncmp(name, "pad", 3) == 0 || payload > 0) {
		if (payload == 0)
			payload = (unsigned int)atoi(name + 3);
		else
			f->end += payload;
		for (unsigned int i = 0; i < payload; i++)
			f->wrong[f->n + i] = (uint8_t)((f->n + i) * 7 + 1);
		f->n += payload;
		return;
	}
	for (unsigned int i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strcmp(words[i].name, name) == 0)
			word = &words[i];
	}
	assert(word != NULL && f->n_layers < FRAME_LAYERS);
	f->layers[f->n_layers++] = (struct frame_layer){ word, f->n };
	for (unsigned int i = 0; i < word->bytes; i++)
		f->wrong[f->n + i] = i < sizeof(word->head) ? word->head[i] : 1;
	f->n += word->bytes;
	f->end = f->n;
	if ((word->flags & (BLIND | BROKEN)) != 0 && f->blind == 0)
		f->blind = (word->flags & BROKEN) != 0 ? f->n - word->bytes : f->n;
}

/* Say in a layer what the next one is, and how long it is itself. */
static void
announce(struct frame *f, const struct frame_layer *layer, const struct frame_word *next)
{
	uint8_t *p = f->wrong + layer->off;
	unsigned int n = f->end - layer->off;

	switch (layer->word->kind) {
	case ETHER: frame_put16(p + 12, next != NULL ? next->ethertype : 0); break;
	case TAG:
	case GRE: frame_put16(p + 2, next != NULL ? next->ethertype : 0); break;
	case IP4:
		frame_put16(p + 2, n);
		p[9] = next != NULL ? (uint8_t)next->proto : 253;
		frame_put16(p + 10, 0xbad1);
		memcpy(p + 12, (uint8_t[]){ 10, 1, 2, 3, 10, 4, 5, 6 }, 8);
		break;
	case IP6:
		frame_put16(p + 4, n - 40);
		p[6] = next != NULL ? (uint8_t)next->proto : 59;
		for (unsigned int i = 8; i < 40; i++)
			p[i] = (uint8_t)(0xf0 + i);
		break;
	case EXTENSION: p[0] = next != NULL ? (uint8_t)next->proto : 59; break;
	case UDP:
		n -= (layer->word->flags & SHORT) != 0 ? 4 : 0;
		frame_put16(p + 4, n + ((layer->word->flags & LONG) != 0));
		if (next != NULL)
			frame_put16(p + 2, next->port);
		break;
	case TCP: frame_put16(p + 16, 0xbad1); break;
	case TUNNEL:
		if (layer->word->port == 4790)
			p[3] = next->kind == ETHER ? 3 : next->kind == IP6 ? 2 : 1;
		else if (layer->word->port == 6081)
			frame_put16(p + 2, next->ethertype);
		else if (layer->word->port == 2152)
			frame_put16(p + 2, n - 8);
		break;
	default: break;
	}
}

/* Where what is in the tunnel begins: behind its header, or at the second of two IP headers. */
static unsigned int
tunnel_off(const struct frame *f)
{
	bool ip = false;

	for (unsigned int i = 0; i < f->n_layers; i++) {
		enum kind kind = f->layers[i].word->kind;

		if (kind == TUNNEL || kind == GRE)
			return f->layers[i].off + f->layers[i].word->bytes;
		if (ip && (kind == IP4 || kind == IP6))
			return f->layers[i].off;
		ip = ip || kind == IP4 || kind == IP6;
	}
	return f->end;
}

static void
sum_right(uint8_t *field, uint32_t sum, bool never_zero)
{
	uint16_t value = (uint16_t)~frame_fold(sum - frame_get16(field));

	frame_put16(field, value == 0 && never_zero ? 0xffff : value);
}

/* Make the checksum of one layer right, given its IP header; what is inside is right already. */
static void
make_right(struct frame *f, const struct frame_layer *layer, const uint8_t *ip)
{
	uint8_t *p = f->right + layer->off;
	unsigned int n = f->end - layer->off;
	uint32_t crc;

	switch (layer->word->kind) {
	case IP4: sum_right(p + 10, frame_sum(p, layer->word->bytes, 0), false); break;
	case UDP:
		n = frame_get16(p + 4);
		if ((layer->word->flags & NO_SUM) == 0)
			sum_right(p + 6, frame_sum(p, n, frame_pseudo(ip, 17, n)), true);
		break;
	case TCP: sum_right(p + 16, frame_sum(p, n, frame_pseudo(ip, 6, n)), false); break;
	case SCTP:
		memset(p + 8, 0, 4);
		crc = frame_crc32c(p, n);
		for (unsigned int i = 0; i < 4; i++)
			p[8 + i] = (uint8_t)(crc >> 8 * i);
		break;
	case GRE:
		if ((layer->word->flags & GRE_SUM) != 0)
			sum_right(p + 4, frame_sum(p, n, 0), false);
		break;
	default: break;
	}
}

void
frame_correct(struct frame *f, bool tunnels)
{
	const uint8_t *ip;

	memcpy(f->right, f->wrong, f->n);
	f->stop = f->blind != 0 ? f->blind : f->end;
	if (!tunnels && tunnel_off(f) < f->stop)
		f->stop = tunnel_off(f);
	for (unsigned int i = f->n_layers; i-- > 0;) {
		unsigned int owner = i;

		while (owner > 0 && f->layers[owner].word->kind != IP4 &&
			f->layers[owner].word->kind != IP6)
			owner--;
		ip = f->right + f->layers[owner].off;
		/* Without a look into tunnels, the checksum of GRE is left alone as well. */
		if (f->layers[i].off < f->stop && (tunnels || f->layers[i].word->kind != GRE))
			make_right(f, &f->layers[i], ip);
	}
}

void
frame_build(struct frame *f, const char *line, bool tunnels)
{
	char copy[256], *save = NULL;

	assert(strlen(line) < sizeof(copy));
	strcpy(copy, line);
	f->n = f->end = f->blind = f->n_layers = 0;
	for (char *word = strtok_r(copy, " ", &save); word != NULL;
		word = strtok_r(NULL, " ", &save))
		append(f, word);
	for (unsigned int i = 0; i < f->n_layers; i++)
		announce(f, &f->layers[i], i + 1 < f->n_layers ? f->layers[i + 1].word : NULL);
	frame_correct(f, tunnels);
}
