/* What --vdev says of mock ports: words for the model, and a few of their own. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "model_nic/mock/mlx5_nic.h"
#include "model_nic/mock/mock.h"
#include "pmd_shims/drivers/model_nic/families.h"
#include "pmd_shims/drivers/model_nic/model_life.h"

#include <rte_cpuflags.h>
#include <rte_dev.h>
#include <rte_devargs.h>

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

enum { WORDS_MAX = 1024, TEXT_MAX = 4096, PARTS_MAX = 64 };

/* Devices in the order in which they were named first; never taken out. */
static struct device {
	char name[RTE_DEV_NAME_MAX_LEN], words[WORDS_MAX];
} devices[MODEL_PORTS_MAX];

static unsigned devices_n;

enum {
	MLX5 = 1 << 0,
	I40E = 1 << 1,
	IXGBE = 1 << 2,
	IAVF = 1 << 3,
	WIDE = I40E | IAVF, /* with vectors of several widths; I40E is ice too */
	INTEL = WIDE | IXGBE,
	ALL = MLX5 | INTEL
};

enum { IN_LINE_MIN = 18, IN_LINE_MAX = 960 };

struct word {
	const char *text;
	uint8_t value, drivers;
};

static const struct word drivers[] = { { "mlx5", 0, MLX5 }, { "i40e", 0, I40E }, { "ice", 0, I40E },
	{ "iavf", 0, IAVF }, { "ixgbe", 0, IXGBE }, { "ixgbe_vf", 0, IXGBE }, { 0 } };

static const struct word rx_paths[] = { { "vector", PATH_BEST, ALL }, { "sse", PATH_SSE, WIDE },
	{ "avx2", PATH_AVX2, WIDE }, { "avx512", PATH_AVX512, WIDE }, { "bulk", PATH_PLAIN, INTEL },
	{ "scalar", PATH_FULL, ALL }, { 0 } };

static const struct word tx_paths[] = { { "vector", PATH_BEST, INTEL }, { "sse", PATH_SSE, WIDE },
	{ "avx2", PATH_AVX2, WIDE }, { "avx512", PATH_AVX512, WIDE },
	{ "simple", PATH_PLAIN, I40E | IXGBE }, { "full", PATH_FULL, INTEL },
	{ "multi", PATH_BEST, MLX5 }, { "single", PATH_PLAIN, MLX5 },
	{ "legacy", PATH_LEGACY, MLX5 }, { 0 } };

static const struct word zips[] = { { "hash", MLX5_ZIP_HASH, MLX5 }, { "l34", MLX5_ZIP_L34, MLX5 },
	{ 0 } };

static const struct word clocks[] = { { "read", MLX5_CLOCK_READ, MLX5 },
	{ "timesync", MLX5_CLOCK_TIMESYNC, MLX5 }, { "none", MLX5_CLOCK_NONE, MLX5 },
	{ "stopped", MLX5_CLOCK_STOPPED, MLX5 }, { "jump", MLX5_CLOCK_JUMP, MLX5 }, { 0 } };

enum own { OWN_RX_PATH, OWN_TX_PATH, OWN_ZIP, OWN_CLOCK, OWN_IN_LINE, OWN_HOST_NS, OWNS };

/*
 * Keys that are ours and not MODEL_NIC's, with the words that they take; NULL: a number of mlx5,
 * from min to max.
 */
static const struct own_key {
	const char *name;
	const struct word *words;
	unsigned long min, max;
	const char *unit;
} own_keys[OWNS] = { [OWN_RX_PATH] = { "rx_path", rx_paths },
	[OWN_TX_PATH] = { "tx_path", tx_paths },
	[OWN_ZIP] = { "zip", zips },
	[OWN_CLOCK] = { "clock", clocks },
	[OWN_IN_LINE] = { "inline", NULL, IN_LINE_MIN, IN_LINE_MAX, "bytes" },
	[OWN_HOST_NS] = { "host_ns", NULL, 0, 1000000, "ns" } };

/* The word of some of the drivers (a mask); NULL: there is none. */
static const struct word *
word_find(const struct word *words, const char *text, unsigned mask)
{
	for (; words->text != NULL; words++)
		if ((words->drivers & mask) != 0 && strcmp(words->text, text) == 0)
			return words;
	return NULL;
}

/* The value of a key of ours. false: not a good one for the driver. */
static bool
own_set(enum own key, const char *text, unsigned driver, struct mock_options *o)
{
	const struct own_key *own = &own_keys[key];
	const struct word *word = NULL;
	unsigned long number = 0;
	char *end;

	if (own->words != NULL) {
		word = word_find(own->words, text, driver);
		if (word == NULL)
			return false;
	} else {
		number = strtoul(text, &end, 10);
		if (driver != MLX5 || !isdigit((unsigned char)*text) || *end != '\0' ||
			number < own->min || number > own->max)
			return false;
	}
	switch (key) {
	case OWN_RX_PATH: o->rx_path = word->value; break;
	case OWN_TX_PATH: o->tx_path = word->value; break;
	case OWN_ZIP: o->zip = word->value; break;
	case OWN_CLOCK: o->clock = word->value; break;
	case OWN_IN_LINE: o->in_line = (uint16_t)number; break;
	default: o->host_ns = (uint32_t)number;
	}
	return true;
}

/* What the CPU has to have for a path, lest the driver takes a lesser one without a word. */
#ifdef RTE_ARCH_X86_64
static const struct {
	enum rte_cpu_flag_t flag;
	const char *name;
	uint8_t paths; /* bits by enum mock_path */
} cpu_flags[] = { { RTE_CPUFLAG_AVX2, "AVX2", 1 << PATH_AVX2 },
	{ RTE_CPUFLAG_AVX512F, "AVX512F", 1 << PATH_AVX2 | 1 << PATH_AVX512 },
	{ RTE_CPUFLAG_AVX512BW, "AVX512BW", 1 << PATH_AVX512 } };
#endif

/* What this CPU lacks for a path; NULL: nothing. */
static const char *
cpu_lacks(enum mock_path path)
{
#ifdef RTE_ARCH_X86_64
	for (size_t i = 0; i < RTE_DIM(cpu_flags); i++)
		if ((cpu_flags[i].paths & 1 << path) != 0 &&
			rte_cpu_get_flag_enabled(cpu_flags[i].flag) != 1)
			return cpu_flags[i].name;
	return NULL;
#else
	return path == PATH_AVX2 || path == PATH_AVX512 ? "AVX" : NULL;
#endif
}

/* What a key of ours takes with a driver, "a, b". */
static void
own_want(enum own key, unsigned driver, char *to, size_t size)
{
	const struct own_key *own = &own_keys[key];
	const struct word *word = own->words;
	size_t used = 0;

	*to = '\0';
	if (word == NULL && driver == MLX5)
		snprintf(to, size, "%lu..%lu %s", own->min, own->max, own->unit);
	for (; word != NULL && word->text != NULL && used < size; word++)
		if ((word->drivers & driver) != 0)
			used += (size_t)snprintf(to + used, size - used, "%s%s",
				used > 0 ? ", " : "", word->text);
	if (*to == '\0')
		snprintf(to, size, "mlx5 for it");
}

static int
own_find(const char *word, size_t length)
{
	for (int i = 0; i < OWNS; i++)
		if (strlen(own_keys[i].name) == length &&
			strncmp(word, own_keys[i].name, length) == 0)
			return i;
	return -1;
}

/* The words of a device: its driver, our keys, the rest. They point into copy. */
struct parts {
	char copy[WORDS_MAX];
	char *driver, *own[OWNS], *others[PARTS_MAX];
	size_t n;
};

/* Returns why not, NULL: fine. */
static const char *
split(const char *words, struct parts *p)
{
	char *rest = p->copy, *word;

	memset(p, 0, sizeof(*p));
	snprintf(p->copy, sizeof(p->copy), "%s", words);
	while ((word = strsep(&rest, ",")) != NULL) {
		char *value = strchr(word, '=');
		int own = value != NULL ? own_find(word, (size_t)(value - word)) : -1;

		if (own >= 0 && p->own[own] == NULL)
			p->own[own] = value + 1;
		else if (strncmp(word, "driver=", 7) == 0 && p->driver == NULL)
			p->driver = value + 1;
		else if (*word != '\0' && p->n < PARTS_MAX)
			p->others[p->n++] = word;
	}
	if (strpbrk(words, ";*") != NULL)
		return "one device, without ; and *";
	if (p->driver == NULL || word_find(drivers, p->driver, ALL) == NULL)
		return "driver=mlx5, i40e, ice, iavf, ixgbe or ixgbe_vf";
	return NULL;
}

/* Read a device's words: our keys into *o, the rest as MODEL_NIC would have it to text. */
static int
words_read(const char *words, char *text, size_t size, struct mock_options *o, char *why,
	size_t why_size)
{
	struct parts p;
	const char *want = split(words, &p);
	unsigned driver;
	char list[100];
	size_t used;

	*o = (struct mock_options){ 0 };
	if (want != NULL) {
		snprintf(why, why_size, "\"%.100s\": expected %s", words, want);
		return -1;
	}
	driver = word_find(drivers, p.driver, ALL)->drivers;
	for (int i = 0; i < OWNS; i++) {
		if (p.own[i] == NULL || own_set((enum own)i, p.own[i], driver, o))
			continue;
		own_want((enum own)i, driver, list, sizeof(list));
		snprintf(why, why_size, "\"%s=%.100s\": driver=%s: expected %s", own_keys[i].name,
			p.own[i], p.driver, list);
		return -1;
	}
	for (int i = OWN_RX_PATH; i <= OWN_TX_PATH; i++) {
		want = cpu_lacks(i == OWN_RX_PATH ? o->rx_path : o->tx_path);
		if (want == NULL)
			continue;
		snprintf(why, why_size,
			"\"%s=%s\": driver=%s: this CPU has no %s, which the driver wants for it",
			own_keys[i].name, p.own[i], p.driver, want);
		return -1;
	}
	used = (size_t)snprintf(text, size, "%s", p.driver);
	for (size_t i = 0; i < p.n && used < size; i++)
		used += (size_t)snprintf(text + used, size - used, ",%s", p.others[i]);
	if (used < size)
		return 0;
	snprintf(why, why_size, "\"%.100s...\": too long", words);
	return -1;
}

static int
device_find(const char *name)
{
	for (unsigned i = 0; i < devices_n; i++)
		if (strcmp(devices[i].name, name) == 0)
			return (int)i;
	return -1;
}

static int
device_note(const char *name, const char *words)
{
	int i = device_find(name);

	if (i < 0) {
		if (devices_n == MODEL_PORTS_MAX)
			return -1;
		i = (int)devices_n++;
	}
	snprintf(devices[i].name, sizeof(devices[i].name), "%s", name);
	snprintf(devices[i].words, sizeof(devices[i].words), "%s", words != NULL ? words : "");
	return i;
}

/*
 * Every mock port of the command line: a port may name another one that is not there yet as its
 * peer.
 */
static void
devices_note_all(void)
{
	const struct rte_devargs *a;

	RTE_EAL_DEVARGS_FOREACH("vdev", a)
	{
		if (strncmp(a->name, "net_mock", strlen("net_mock")) == 0)
			device_note(a->name, a->args);
	}
}

/* All devices' words as one configuration, and the options of device i. */
static int
parse_all(unsigned i, struct model_config *c, struct mock_options *options, char *why, size_t size)
{
	char text[TEXT_MAX] = "";
	struct config_words words;
	size_t used = 0;

	for (unsigned k = 0; k < devices_n; k++) {
		struct mock_options o;

		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s", k > 0 ? ";" : "");
		if (words_read(devices[k].words, text + used, sizeof(text) - used, &o, why, size) !=
			0)
			return -1;
		used += strlen(text + used);
		if (k == i)
			*options = o;
	}
	words = config_words(model_families, text, "");
	return config_parse(&words, c, why, size);
}

/* The first device makes the models of all that were noted; a later one its own. */
static int
models_make(unsigned i, bool first, const struct model_config *c, char *why, size_t size)
{
	if (first) {
		config_current = *c;
		return models_create(why, size);
	}
	model_forget(i);
	config_current.port[i] = c->port[i];
	config_current.ports = c->ports;
	return model_create(i, why, size);
}

int
mock_config_add(const char *name, const char *words, struct mock_options *options, char *why,
	size_t size)
{
	static bool noted, begun, refused;
	static unsigned to_probe; /* of the command line: they stand or fall together */
	struct device before;
	struct model_config c;
	unsigned n;
	int i;

	if (!noted) {
		devices_note_all();
		to_probe = devices_n;
		noted = true;
	}
	*why = '\0';
	if (to_probe > 0 && to_probe-- > 0 && refused)
		return -1; /* said of the first */
	n = devices_n;
	i = device_find(name);
	before = devices[i >= 0 ? i : 0];
	i = device_note(name, words);
	if (i < 0) {
		snprintf(why, size, "more than %u ports", MODEL_PORTS_MAX);
		return -1;
	}
	if (parse_all((unsigned)i, &c, options, why, size) == 0 &&
		models_make((unsigned)i, !begun, &c, why, size) == 0) {
		begun = true;
		return i;
	}
	/* What was refused does not stand in a later one's way. */
	if ((unsigned)i < n)
		devices[i] = before;
	devices_n = begun ? n : 0;
	refused = !begun;
	return -1;
}
