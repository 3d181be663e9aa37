/* Pace: rates and gaps as text, and random gaps. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/common/pace.h"

#include "base/base.h"
#include "base/err.h"
#include "base/setting.h"
#include "base/text.h"
#include "stream/stream.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

int
pace_rate_parse(const char *text, struct pace_rate *rate, struct err *e)
{
	static const struct {
		const char *word;
		enum pace_unit unit;
		double factor;
	} units[] = {
		{ "", PACE_PACKETS, 1 },
		{ "pps", PACE_PACKETS, 1 },
		{ "kpps", PACE_PACKETS, 1e3 },
		{ "Mpps", PACE_PACKETS, 1e6 },
		{ "bps", PACE_BITS, 1 },
		{ "kbps", PACE_BITS, 1e3 },
		{ "Mbps", PACE_BITS, 1e6 },
		{ "Gbps", PACE_BITS, 1e9 },
		{ "G", PACE_BITS, 1e9 }, /* no port sends so many packets */
		{ "%", PACE_PERCENT, 1 },
	};
	const char *unit;
	double number;

	*rate = (struct pace_rate){ PACE_MAX, 0 };
	if (strcmp(text, "max") == 0)
		return 0;
	if (text_amount(text, &number, &unit))
		for (size_t i = 0; i < ARRAY_SIZE(units); i++)
			if (strcasecmp(unit, units[i].word) == 0)
				*rate = (struct pace_rate){ units[i].unit,
					number * units[i].factor };
	if (rate->unit == PACE_MAX)
		return err_set(e, EINVAL,
			"rate \"%s\": expected max, or a number with pps, kpps, Mpps, bps, kbps, Mbps, Gbps or %%",
			text);
	if (rate->value <= 0 || (rate->unit == PACE_PERCENT && rate->value > 100) ||
		(rate->unit == PACE_PACKETS &&
			(rate->value < PACE_PPS_MIN || rate->value > PACE_PPS_MAX)) ||
		(rate->unit == PACE_BITS && rate->value > PACE_BPS_MAX))
		return err_set(e, ERANGE, "rate \"%s\": expected %s", text,
			rate->unit == PACE_PERCENT           ? "more than 0, up to 100 %"
				: rate->unit == PACE_PACKETS ? "0.001 pps to 1000 Mpps"
							     : "more than 0, up to 100000 Gbps");
	return 0;
}

#define PAUSE_MAX_S 1e6

/* Read "N" or "N:TIME" behind "burst:". */
static bool
bursts_parse(const char *text, struct pace_shape *shape)
{
	const char *unit;
	double number, pause;

	if (!text_amount(text, &number, &unit) || (*unit != '\0' && *unit != ':') || number < 1 ||
		number > UINT16_MAX || number != floor(number))
		return false;
	shape->burst = (uint32_t)number;
	if (*unit == '\0') {
		shape->gaps = PACE_BURSTS;
		return true;
	}
	if (!text_amount(unit + 1, &number, &unit) || *unit == '\0')
		return false;
	pause = text_seconds(number, unit);
	shape->gaps = PACE_PAUSES;
	shape->pause = pause;
	return (pause > 0 || number == 0) && pause <= PAUSE_MAX_S;
}

int
pace_gaps_parse(const char *text, struct pace_shape *shape, struct err *e)
{
	static const char word[] = "burst:";

	*shape = (struct pace_shape){ .gaps = PACE_EVEN, .burst = 1 };
	if (strcmp(text, "even") == 0)
		return 0;
	if (strcmp(text, "poisson") == 0) {
		shape->gaps = PACE_POISSON;
		return 0;
	}
	if (strncmp(text, word, sizeof(word) - 1) == 0 &&
		bursts_parse(text + sizeof(word) - 1, shape))
		return 0;
	return err_set(e, EINVAL,
		"gaps \"%s\": expected even, poisson, burst:N or burst:N:TIME, N 1..%u packets, TIME such as 20us between bursts",
		text, UINT16_MAX);
}

unsigned int
pace_senders(const struct stream *s, unsigned int *before)
{
	unsigned int n = 0;

	*before = 0;
	for (unsigned int i = 0; i < s->n_siblings; i++) {
		if (i == s->index)
			*before = n;
		n += s->siblings[i]->tx_port == s->tx_port;
	}
	return n;
}

static const struct setting setting_rows[] = {
	{ .name = "generate-late",
		.unit = "us",
		.max = 1000000,
		.value = 1000,
		.help = "generate, measure, replay: time after which a due packet is counted as unsent, not sent; replay of recorded times: never, unless set" },
};
const struct setting_table pace_settings = SETTING_TABLE("Engines", setting_rows);

uint64_t
pace_late(const struct stream *s)
{
	return (uint64_t)((double)setting_u64(s->settings, "generate-late") * s->tsc_hz / 1e6);
}

double
pace_pps(const struct pace_rate *rate, double bytes, double line_bps)
{
	const double bits = 8 * (bytes + L1_BYTES);

	switch (rate->unit) {
	case PACE_PACKETS: return rate->value;
	case PACE_BITS: return rate->value / bits;
	case PACE_PERCENT: return line_bps > 0 ? rate->value / 100 * line_bps / bits : -1;
	case PACE_MAX: break;
	}
	return 0;
}

/*
 * Fill in exponentially distributed numbers with mean 1, in units of 2^-24: -ln(1 - i / PACE_TABLE)
 * for i < PACE_TABLE, for linear interpolation. In the last interval the distribution begins again,
 * ln(PACE_TABLE) later, since it has no memory. All are divided by their mean, which interpolation
 * makes 0.01 % too high.
 */
static void
exponential(uint32_t table[PACE_TABLE])
{
	double sum = 0, mean;

	for (int i = 0; i + 1 < PACE_TABLE; i++)
		sum += (-log1p(-(double)i / PACE_TABLE) - log1p(-(i + 1.0) / PACE_TABLE)) / 2;
	/* mean = (sum + ln(PACE_TABLE) + mean) / PACE_TABLE */
	mean = (sum + log(PACE_TABLE)) / (PACE_TABLE - 1);
	for (int i = 0; i < PACE_TABLE; i++)
		table[i] = (uint32_t)lround(-log1p(-(double)i / PACE_TABLE) / mean * (1 << 24));
}

/* The generator splitmix64. */
static uint64_t
random_next(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

static void
random_next_due(struct pace *p)
{
	const uint32_t *table = p->table;
	unsigned __int128 step;
	uint64_t factor = 0, part;
	uint32_t i, within;

	for (;;) {
		const uint64_t random = random_next(&p->random);

		i = (uint32_t)(random >> 54);
		within = (uint32_t)random;
		if (i + 1 < PACE_TABLE)
			break;
		factor += table[PACE_TABLE - 1];
	}
	factor += table[i] + ((uint64_t)(table[i + 1] - table[i]) * within >> 32);
	/* The mean gap times factor, which has 24 bits of fraction; the gap's fraction has 32. */
	step = (unsigned __int128)p->step * factor;
	part = ((uint64_t)p->step_part * factor >> 24) + ((uint64_t)(step & 0xffffff) << 8) +
		p->due_part;
	p->due += (uint64_t)(step >> 24) + (part >> 32);
	p->due_part = (uint32_t)part;
}

void
pace_uneven_next(struct pace *p)
{
	uint64_t part;

	if (p->gaps == PACE_POISSON) {
		random_next_due(p);
		return;
	}
	part = (uint64_t)p->due_part + p->step_part;
	p->due += p->step + (part >> 32);
	p->due_part = (uint32_t)part;
	if (--p->left == 0) {
		p->left = p->burst;
		p->due += p->pause;
	}
}

void
pace_open(struct pace *p, double pps, const struct pace_shape *shape, uint64_t begin, double tsc_hz,
	uint64_t seed)
{
	/* A stream with a small share of the port's rate and large bursts could wait for ever. */
	const double most = 0x1p62;
	double ticks = pps > 0 ? tsc_hz / pps : 0;

	if (shape->gaps == PACE_BURSTS)
		ticks *= shape->burst;
	ticks = fmin(ticks, most);
	*p = (struct pace){
		.paced = pps > 0,
		.gaps = shape->gaps,
		.burst = shape->burst,
		.left = shape->burst,
		.step = (uint64_t)ticks,
		.step_part = (uint32_t)((ticks - floor(ticks)) * 4294967296.0),
		.due = begin,
		.random = seed,
		.pause = (uint64_t)(shape->pause * tsc_hz),
	};
	if (shape->gaps == PACE_POISSON)
		exponential(p->table);
}
