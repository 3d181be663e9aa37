/* Words about packets to make: what they are read as, and what is said of those that mean
 * nothing. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/err.h"
#include "base/setting.h"
#include "engines/common/pkt.h"
#include "engines/engine.h"
#include "fixtures/cases.h"
#include "fixtures/unit.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

extern const struct engine engine_txonly;

static int
lengths_read(const char *text, char *to, size_t size, struct err *e)
{
	uint16_t lengths[PKT_SEGS_MAX];
	const int segments = pkt_text_lengths(text, lengths, e);
	size_t n = 0;

	assert_int_equal(pkt_text_lengths(text, NULL, e), segments);
	for (int i = 0; i < segments; i++)
		n += (size_t)snprintf(to + n, size - n, "%s%u", i > 0 ? "," : "", lengths[i]);
	return segments;
}

static int
pair_read(const char *text, char *to, size_t size, struct err *e)
{
	uint64_t pair[2] = { 0 };
	const int n = pkt_text_pair(text, 100, pair);

	snprintf(to, size, "%" PRIu64 ",%" PRIu64, pair[0], pair[1]);
	return n != 0 ? n : err_set(e, EINVAL, "refused");
}

static int
addresses_read(const char *text, char *to, size_t size, struct err *e)
{
	uint32_t a[2];

	if (!pkt_text_addresses(text, a))
		return err_set(e, EINVAL, "refused");
	snprintf(to, size, "%08x,%08x", a[0], a[1]);
	return 0;
}

/* "NAME VALUE" of txonly's settings, which errors name. */
static int
setting_read(const char *text, char *to, size_t size, struct err *e)
{
	struct settings *settings = settings_new();
	char name[32];

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(text, " "), text);
	assert_int_equal(settings_add(settings, &engine_txonly.settings, e), 0);
	if (setting_parse(settings, name, strchr(text, ' ') + 1, e) != 0)
		assert_non_null(strstr(e->text, name));
	settings_free(settings);
	return -e->code;
}

CASES("engines/common/pkt_text", { "lengths", lengths_read, true }, { "pair", pair_read, true },
	{ "addresses", addresses_read }, { "setting", setting_read })

TEST(most_segments)
{
	char many[4 * 256 + 1] = "42";
	struct err e;
	int i;

	for (i = 1; i < PKT_SEGS_MAX; i++)
		strcat(many, ",1");
	assert_int_equal(pkt_text_lengths(many, NULL, &e), PKT_SEGS_MAX);
	assert_int_equal(pkt_text_lengths(strcat(many, ",1"), NULL, &e), -ERANGE);
}
