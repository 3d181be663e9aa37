/* Parses --model or the environment variables MODEL_NIC* into a struct model_config. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/drivers/model_nic/config.h"

#include <ctype.h>
#include <errno.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct model_config config_current;

enum {
	TEXT_MAX = 4096,
	FRAME_MIN = 60,
	FRAME_MAX = 9724,
	RATE_MAX = 1000000000,
	BURST_PACKETS_MAX = 65536,
	GBPS_MAX = 400,
	LINE_GBPS = 10, /* default */
	/* Bytes of a packet on the line that its length does not have: CRC, preamble, gap. */
	LINE_EXTRA = 4 + 8 + 12,
};

/* Where to write an error message, how it begins, and the known devices. */
struct why {
	char *text;
	size_t size;
	const char *from;
	const struct model_family *const *families;
};

static int __attribute__((format(printf, 2, 3))) fail(const struct why *w, const char *format, ...)
{
	size_t used = (size_t)snprintf(w->text, w->size, "%s", w->from);
	va_list arguments;

	va_start(arguments, format);
	if (used < w->size)
		vsnprintf(w->text + used, w->size - used, format, arguments);
	va_end(arguments);
	return -1;
}

static bool
number(const char *text, uint64_t min, uint64_t max, uint64_t *value)
{
	char *end;

	if (!isdigit((unsigned char)text[0]))
		return false;
	errno = 0;
	*value = strtoull(text, &end, 10);
	return errno == 0 && *end == '\0' && *value >= min && *value <= max;
}

static bool
path(const char *text, char *out, size_t size)
{
	return *text != '\0' && (size_t)snprintf(out, size, "%s", text) < size;
}

/* Parse @IFACE, an interface of the kernel. Its name has no colon, unlike FILE:LOOPS. */
static bool
live(const char *text, char name[MODEL_LIVE_NAME])
{
	return strpbrk(text, ":/") == NULL && path(text + 1, name, MODEL_LIVE_NAME);
}

/* Parse @IFACE or FILE[:LOOPS]; FILE may contain colons, LOOPS consists of digits. */
static bool
rx_pcap(const char *text, struct port_config *p)
{
	char *colon;
	uint64_t loops;

	if (*text == '@') {
		p->source = SOURCE_LIVE;
		return live(text, p->rx_live);
	}
	if (!path(text, p->rx_pcap, sizeof(p->rx_pcap)))
		return false;
	p->source = SOURCE_PCAP;
	p->pcap_loops = 1;
	colon = strrchr(p->rx_pcap, ':');
	if (colon != NULL && colon != p->rx_pcap && number(colon + 1, 0, UINT32_MAX, &loops)) {
		*colon = '\0';
		p->pcap_loops = (uint32_t)loops;
	}
	return true;
}

static bool
key_rx(const char *text, struct port_config *p)
{
	static const struct {
		const char *word;
		enum source_kind source;
	} words[] = { { "gen", SOURCE_GEN }, { "copy", SOURCE_COPY }, { "loop", SOURCE_LOOP },
		{ "none", SOURCE_NONE } };
	uint64_t peer;

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strcmp(text, words[i].word) == 0) {
			p->source = words[i].source;
			return true;
		}
	}
	if (strncmp(text, "wire:", 5) == 0 && number(text + 5, 0, MODEL_PORTS_MAX - 1, &peer)) {
		p->source = SOURCE_WIRE;
		p->peer = (unsigned)peer;
		return true;
	}
	return strncmp(text, "pcap:", 5) == 0 && rx_pcap(text + 5, p);
}

static bool
key_tx(const char *text, struct port_config *p)
{
	if (strncmp(text, "pcap:@", 6) == 0)
		return live(text + 5, p->tx_live);
	if (strncmp(text, "pcap:", 5) == 0)
		return path(text + 5, p->tx_pcap, sizeof(p->tx_pcap));
	return strcmp(text, "sink") == 0;
}

/* Parse N or MIN-MAX, between least and most. */
static bool
range(const char *text, uint64_t least, uint64_t most, uint64_t *min, uint64_t *max)
{
	char low[32];
	const char *dash = strchr(text, '-');

	if (dash == NULL)
		dash = text + strlen(text);
	if ((size_t)snprintf(low, sizeof(low), "%.*s", (int)(dash - text), text) >= sizeof(low) ||
		!number(low, least, most, min))
		return false;
	*max = *min;
	return *dash == '\0' || number(dash + 1, *min, most, max);
}

static bool
key_size(const char *text, struct port_config *p)
{
	static const struct size_share imix[] = { { 60, 7 }, { 590, 4 }, { 1514, 1 } };
	uint64_t min, max;

	memset(p->mix, 0, sizeof(p->mix));
	if (strcmp(text, "imix") == 0) {
		memcpy(p->mix, imix, sizeof(imix));
		p->size_min = 60;
		p->size_max = 1514;
		return true;
	}
	if (!range(text, FRAME_MIN, FRAME_MAX, &min, &max))
		return false;
	p->size_min = (uint16_t)min;
	p->size_max = (uint16_t)max;
	return true;
}

static bool
key_burst(const char *text, struct port_config *p)
{
	uint64_t min, max;

	if (!range(text, 1, BURST_PACKETS_MAX, &min, &max))
		return false;
	p->burst_min = (uint32_t)min;
	p->burst_max = (uint32_t)max;
	return true;
}

static bool
key_gap(const char *text, struct port_config *p)
{
	p->gap_random = strcmp(text, "random") == 0;
	return p->gap_random || strcmp(text, "steady") == 0;
}

/* Mean bytes per generated packet. */
static uint64_t
size_mean(const struct port_config *p)
{
	uint64_t bytes = 0, weights = 0;

	for (unsigned i = 0; i < 8 && p->mix[i].weight != 0; i++) {
		bytes += (uint64_t)p->mix[i].bytes * p->mix[i].weight;
		weights += p->mix[i].weight;
	}
	return weights != 0 ? bytes / weights : (p->size_min + (uint64_t)p->size_max) / 2;
}

/* Packets per second, or bits per second with G at the end: bursts_finish() converts these. */
static bool
key_line(const char *text, struct port_config *p)
{
	size_t length = strlen(text);
	char digits[8];

	p->line_gbps = p->line_pps = 0;
	if (length == 0 || text[length - 1] != 'G')
		return number(text, 1, RATE_MAX, &p->line_pps);
	return (size_t)snprintf(digits, sizeof(digits), "%.*s", (int)length - 1, text) <
		sizeof(digits) &&
		number(digits, 1, GBPS_MAX, &p->line_gbps);
}

static bool
key_guest(const char *text, struct port_config *p)
{
	return path(text, p->guest, sizeof(p->guest));
}

static bool
key_mac(const char *text, struct port_config *p)
{
	unsigned b[6];
	int used = 0;

	if (sscanf(text, "%2x:%2x:%2x:%2x:%2x:%2x%n", &b[0], &b[1], &b[2], &b[3], &b[4], &b[5],
		    &used) != 6 ||
		text[used] != '\0')
		return false;
	for (unsigned i = 0; i < 6; i++)
		p->mac[i] = (uint8_t)b[i];
	/* Drivers refuse multicast addresses and zero. */
	return (b[0] & 1) == 0 && (b[0] | b[1] | b[2] | b[3] | b[4] | b[5]) != 0;
}

static bool
key_fault(const char *text, struct port_config *p)
{
	const char *at = strrchr(text, '@');
	struct fault_plan *f = &p->fault[p->faults];

	if (at == NULL || at == text || p->faults == sizeof(p->fault) / sizeof(p->fault[0]) ||
		(size_t)(at - text) >= sizeof(f->words) ||
		!number(at + 1, 0, UINT64_MAX, &f->after_packets))
		return false;
	memcpy(f->words, text, (size_t)(at - text));
	p->faults++;
	return true;
}

/* A key; one with a number sets an integer field of that many bytes. */
struct key {
	const char *name;
	bool (*parse)(const char *text, struct port_config *p); /* NULL: a number */
	size_t offset, bytes;
	uint64_t min, max;
	const char *expected;
};

#define NUMBER(word, field, low, high, text) \
	{ \
		word, NULL, offsetof(struct port_config, field), \
			sizeof(((struct port_config *)0)->field), low, high, text \
	}

static const struct key keys[] = {
	{ "rx", key_rx, 0, 0, 0, 0,
		"gen, copy, loop, wire:PORT, pcap:FILE[:LOOPS], pcap:@INTERFACE or none" },
	{ "tx", key_tx, 0, 0, 0, 0, "sink, pcap:FILE or pcap:@INTERFACE" },
	{ "size", key_size, 0, 0, 0, 0, "60..9724, a range MIN-MAX in it, or imix" },
	NUMBER("flows", flows, 1, 1 << 16, "1..65536"),
	NUMBER("count", count, 0, UINT64_MAX, "a number of packets, 0: unlimited"),
	NUMBER("rate", rate_pps, 0, RATE_MAX, "0..1000000000 packets per second, 0: unlimited"),
	{ "burst", key_burst, 0, 0, 0, 0, "1..65536 packets, or a range MIN-MAX in it" },
	{ "gap", key_gap, 0, 0, 0, 0, "steady or random" },
	{ "line", key_line, 0, 0, 0, 0,
		"1..1000000000 packets per second, or 1G..400G bits per second" },
	NUMBER("seed", seed, 0, UINT32_MAX, "0..4294967295"),
	NUMBER("queues", queues, 1, MODEL_DATA_QUEUES, "1..64"),
	NUMBER("vlan", vlan, 1, 4094, "1..4094"),
	NUMBER("badl3", bad_l3, 1, UINT32_MAX, "1..4294967295"),
	NUMBER("badl4", bad_l4, 1, UINT32_MAX, "1..4294967295"),
	NUMBER("error", error, 1, UINT32_MAX, "1..4294967295"),
	NUMBER("loss", loss, 1, UINT32_MAX, "1..4294967295"),
	NUMBER("duplicate", duplicate, 1, UINT32_MAX, "1..4294967295"),
	NUMBER("reorder", reorder, 5, UINT32_MAX, "5..4294967295"),
	NUMBER("corrupt", corrupt, 1, UINT32_MAX, "1..4294967295"),
	NUMBER("delay", delay_ns, 1, RATE_MAX, "1..1000000000 nanoseconds"),
	NUMBER("jitter", jitter_ns, 1, RATE_MAX, "1..1000000000 nanoseconds"),
	{ "fault", key_fault, 0, 0, 0, 0, "WORDS@PACKETS, at most 8 times" },
	{ "guest", key_guest, 0, 0, 0, 0, "the path of a socket" },
	{ "mac", key_mac, 0, 0, 0, 0, "a unicast MAC address XX:XX:XX:XX:XX:XX" },
};

enum { KEYS = sizeof(keys) / sizeof(keys[0]) };

static bool
number_set(const struct key *k, const char *text, struct port_config *p)
{
	char *field = (char *)p + k->offset;
	uint64_t value;

	if (!number(text, k->min, k->max, &value))
		return false;
	/* On a little-endian machine the first bytes are the narrower integer. */
	memcpy(field, &value, k->bytes);
	return true;
}

static int
word_parse(char *word, struct port_config *p, uint32_t *given, const struct why *w)
{
	char *value = strchr(word, '=');
	size_t length = value != NULL ? (size_t)(value - word) : strlen(word), i;
	const struct key *k;

	if (strcmp(word, "verify") == 0) {
		p->verify = true;
		return 0;
	}
	if (strcmp(word, "filter") == 0) {
		p->filter = true;
		return 0;
	}
	for (i = 0; i < KEYS; i++)
		if (strlen(keys[i].name) == length && strncmp(word, keys[i].name, length) == 0)
			break;
	if (i == KEYS)
		return fail(w,
			"\"%.100s\": unknown word: expected rx=, tx=, size=, flows=, count=, "
			"rate=, burst=, gap=, line=, seed=, queues=, verify, filter, vlan=, badl3=, "
			"badl4=, error=, loss=, duplicate=, reorder=, corrupt=, delay=, jitter=, "
			"fault= or mac=",
			word);
	k = &keys[i];
	if (value == NULL)
		return fail(w, "\"%.100s\": expected %s=%s", word, k->name, k->expected);
	if ((*given & 1u << i) != 0 && k->parse != key_fault)
		return fail(w, "\"%.100s\": %s is given twice", word, k->name);
	*given |= 1u << i;
	if (!(k->parse != NULL ? k->parse(value + 1, p) : number_set(k, value + 1, p)))
		return fail(w, "\"%.100s\": expected %s", word, k->expected);
	return 0;
}

static const struct model_family *
family_find(const struct model_family *const *families, const char *name)
{
	for (; *families != NULL; families++)
		if (strcmp((*families)->name, name) == 0)
			return *families;
	return NULL;
}

/* Defaults of a port; its MAC address is locally administered and ends in the port's number. */
static void
port_default(struct port_config *p, unsigned port)
{
	const uint8_t mac[6] = { 0x02, 'M', 'N', 0, 0, (uint8_t)port };

	*p = (struct port_config){ .source = SOURCE_GEN,
		.size_min = 60,
		.size_max = 60,
		.flows = 1 };
	memcpy(p->mac, mac, sizeof(p->mac));
}

/* Write the names of all devices to to, as "a, b or c". Returns to. */
static const char *
names(const struct model_family *const *families, char *to, size_t size)
{
	size_t used = 0;

	*to = '\0';
	for (size_t i = 0; families[i] != NULL && used < size; i++)
		used += (size_t)snprintf(to + used, size - used, "%s%s",
			i == 0                            ? ""
				: families[i + 1] == NULL ? " or "
							  : ", ",
			families[i]->name);
	return to;
}

/* Check and complete the words about bursts, once all words of a device are known. */
static int
bursts_finish(struct port_config *p, unsigned port, const struct why *w)
{
	if (p->burst_max == 0)
		return !p->gap_random && p->line_gbps == 0 && p->line_pps == 0 &&
				(p->seed == 0 || p->jitter_ns != 0 || p->corrupt != 0)
			? 0
			: fail(w, "port %u: gap=random and line= need burst=; seed= needs burst=, jitter= or corrupt=",
				  port);
	if (p->line_pps == 0)
		p->line_pps = (p->line_gbps != 0 ? p->line_gbps : LINE_GBPS) * RATE_MAX /
			((size_mean(p) + LINE_EXTRA) * 8);
	if (p->source != SOURCE_GEN && p->source != SOURCE_COPY)
		return fail(w, "\"burst=%u\": expected rx=gen or rx=copy", p->burst_max);
	if (p->rate_pps == 0 || p->rate_pps >= p->line_pps)
		return fail(w,
			"\"rate=%llu\": with burst= expected a mean rate below %llu packets per "
			"second, the line's rate",
			(unsigned long long)p->rate_pps, (unsigned long long)p->line_pps);
	return 0;
}

unsigned
config_functions(const struct model_config *c, unsigned port, unsigned before)
{
	unsigned n = 0;

	for (unsigned i = 0; i < c->ports && i < before; i++)
		n += c->port[i].family->function_of != NULL && c->port[i].pf == port;
	return n;
}

/* Parse the words of a virtual function: pf=PORT, a card that is a port already. */
static int
function_parse(char *words, struct model_config *c, const struct why *w)
{
	struct port_config *p = &c->port[c->ports];
	const char *of = p->family->function_of;
	uint64_t pf;

	if (words == NULL || strncmp(words, "pf=", 3) != 0 ||
		!number(words + 3, 0, MODEL_PORTS_MAX - 1, &pf) || pf >= c->ports ||
		strcmp(c->port[pf].family->name, of) != 0)
		return fail(w, "\"%.100s\": expected pf=PORT, the port of an %s before it",
			words != NULL ? words : p->family->name, of);
	if (config_functions(c, (unsigned)pf, c->ports) == MODEL_FUNCTIONS_MAX)
		return fail(w, "\"%.100s\": expected at most %u of one card", words,
			MODEL_FUNCTIONS_MAX);
	p->pf = (unsigned)pf;
	return 0;
}

/* Parse a word about a card outside of this process. */
static int
card_word_parse(char *word, struct port_config *p, const struct why *w)
{
	const bool virtio = strcmp(p->family->name, "virtio-pci") == 0;
	uint64_t peer;

	if (virtio && strcmp(word, "packed") == 0) {
		p->packed = true;
	} else if (virtio && strcmp(word, "mrg_rxbuf=off") == 0) {
		p->unmerged = true;
	} else if (strcmp(word, "rx=none") == 0) {
		p->source = SOURCE_NONE;
	} else if (strncmp(word, "rx=wire:", 8) == 0 &&
		number(word + 8, 0, MODEL_PORTS_MAX - 1, &peer)) {
		p->source = SOURCE_WIRE;
		p->peer = (unsigned)peer;
	} else if (strncmp(word, "rx=socket:", 10) == 0 &&
		path(word + 10, p->socket, sizeof(p->socket))) {
		p->source = SOURCE_SOCKET;
	} else if (strncmp(word, "mac=", 4) != 0 || !key_mac(word + 4, p)) {
		return fail(w,
			"\"%.100s\": a card of QEMU takes rx=none, rx=wire:PORT, rx=socket:PATH%s and mac=XX:XX:XX:XX:XX:XX",
			word, virtio ? ", packed, mrg_rxbuf=off" : "");
	}
	return 0;
}

/* Parse one DEVICE[,KEY[=VALUE]]... for the next port. */
static int
device_parse(char *text, struct model_config *c, const struct why *w)
{
	struct port_config *p = &c->port[c->ports];
	uint32_t given = 0;
	char *rest = text, *word = strsep(&rest, ","), list[100];

	port_default(p, c->ports);
	p->family = family_find(w->families, word);
	if (p->family == NULL)
		return fail(w, "\"%.100s\": unknown device: expected %s", word,
			names(w->families, list, sizeof(list)));
	if (family_is_outside(p->family))
		p->source = SOURCE_NONE;
	if (p->family->function_of != NULL) {
		if (function_parse(rest, c, w) != 0)
			return -1;
		rest = NULL;
	}
	while ((word = strsep(&rest, ",")) != NULL)
		if ((family_is_outside(p->family) ? card_word_parse(word, p, w)
						  : word_parse(word, p, &given, w)) != 0)
			return -1;
	if (bursts_finish(p, c->ports, w) != 0)
		return -1;
	if (config_impairs(p) && p->source != SOURCE_WIRE && p->source != SOURCE_LOOP)
		return fail(w,
			"port %u: loss=, duplicate=, reorder=, corrupt=, delay= and jitter= need rx=wire:PORT or rx=loop",
			c->ports);
	if (p->filter && (p->source != SOURCE_PCAP || p->family->accepts == NULL))
		return fail(w, "\"filter\": expected xl710 with rx=pcap:FILE, this is port %u",
			c->ports);
	if (p->source == SOURCE_LIVE && p->rate_pps != 0)
		return fail(w,
			"\"rate=%llu\": unexpected with rx=pcap:@%s: an interface has a rate of its own",
			(unsigned long long)p->rate_pps, p->rx_live);
	if (p->queues > p->family->queues_max)
		return fail(w, "\"queues=%u\": expected 1..%u for %s", p->queues,
			p->family->queues_max, p->family->name);
	if (p->queues == 0)
		p->queues = p->family->queues_max;
	c->ports++;
	return 0;
}

/* The N of a trailing *N, which is cut off; 1 without it, 0 if it is invalid. */
static unsigned
repeats(char *text)
{
	char *star = strrchr(text, '*');
	uint64_t n = 1;

	if (star == NULL)
		return 1;
	if (!number(star + 1, 1, MODEL_PORTS_MAX, &n))
		return 0;
	*star = '\0';
	return (unsigned)n;
}

static int
devices_parse(const char *devices, struct model_config *c, const struct why *w)
{
	char text[TEXT_MAX], one[TEXT_MAX], *rest = text, *device;

	if (strlen(devices) >= sizeof(text))
		return fail(w, "longer than %u characters", TEXT_MAX - 1);
	strcpy(text, devices);
	while ((device = strsep(&rest, ";")) != NULL) {
		unsigned n = repeats(device);

		if (n == 0)
			return fail(w, "\"%.100s\": expected *N at the end, N in 1..%u", device,
				MODEL_PORTS_MAX);
		for (; n > 0; n--) {
			if (c->ports == MODEL_PORTS_MAX)
				return fail(w, "\"%.100s\": more than %u devices", device,
					MODEL_PORTS_MAX);
			strcpy(one, device);
			if (device_parse(one, c, w) != 0)
				return -1;
		}
	}
	return 0;
}

/* Check that at most one port receives the packets that a port transmits. */
static int
wires_check(const struct model_config *c, const struct why *w)
{
	unsigned taken[MODEL_PORTS_MAX] = { 0 };

	for (unsigned i = 0; i < c->ports; i++) {
		const struct port_config *p = &c->port[i];
		unsigned peer = p->source == SOURCE_LOOP ? i : p->peer;

		if (p->source != SOURCE_WIRE && p->source != SOURCE_LOOP)
			continue;
		if (peer >= c->ports)
			return fail(w, "\"rx=wire:%u\": no such port: expected 0..%u", peer,
				c->ports - 1);
		if (p->source == SOURCE_WIRE && peer == i)
			return fail(w, "\"rx=wire:%u\": this is port %u itself: use rx=loop", peer,
				i);
		if (family_is_outside(p->family) != family_is_outside(c->port[peer].family) ||
			(family_is_outside(p->family) &&
				(c->port[peer].source != SOURCE_WIRE || c->port[peer].peer != i)))
			return fail(w,
				"\"rx=wire:%u\": the wire of a card of QEMU has rx=wire:%u at another one",
				peer, i);
		if (taken[peer] != 0)
			return fail(w, "port %u: port %u already receives what port %u sends", i,
				taken[peer] - 1, peer);
		taken[peer] = i + 1;
	}
	return 0;
}

struct config_words
config_words(const struct model_family *const *families, const char *devices, const char *from)
{
	return (struct config_words){ .families = families,
		.devices = devices,
		.from = from,
		.mode = getenv("MODEL_NIC_MODE"),
		.cpu = getenv("MODEL_NIC_CPU"),
		.log = getenv("MODEL_NIC_LOG"),
		.report = getenv("MODEL_NIC_REPORT") };
}

static int
variables_parse(const struct config_words *words, struct model_config *c, const struct why *w)
{
	uint64_t value;

	c->cpu = -1;
	if (words->mode != NULL && strcmp(words->mode, "step") != 0 &&
		strcmp(words->mode, "thread") != 0)
		return fail(w, "MODEL_NIC_MODE: \"%.100s\": expected thread or step", words->mode);
	c->step = words->mode != NULL && strcmp(words->mode, "step") == 0;
	if (words->cpu != NULL) {
		if (!number(words->cpu, 0, CPU_SETSIZE - 1, &value))
			return fail(w, "MODEL_NIC_CPU: \"%.100s\": expected a CPU number",
				words->cpu);
		c->cpu = (int)value;
	}
	if (words->log != NULL) {
		if (!number(words->log, 0, 3, &value))
			return fail(w, "MODEL_NIC_LOG: \"%.100s\": expected 0..3", words->log);
		c->log = (int)value;
	}
	if (words->report != NULL && !path(words->report, c->report, sizeof(c->report)))
		return fail(w,
			"MODEL_NIC_REPORT: \"%.100s\": expected a file name of less than %zu characters",
			words->report, sizeof(c->report));
	return 0;
}

int
config_parse(const struct config_words *words, struct model_config *c, char *why, size_t size)
{
	const struct why w = { why, size, words->from, words->families };
	const struct why of_variables = { why, size, "", NULL };

	memset(c, 0, sizeof(*c));
	if (variables_parse(words, c, &of_variables) != 0)
		return -1;
	if (words->devices == NULL || *words->devices == '\0')
		return 0;
	if (devices_parse(words->devices, c, &w) != 0)
		return -1;
	return wires_check(c, &w);
}
