/* The addresses of ports: what is taken is what `save config` writes, and a bad one is named. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/measure/hosts.h"

#include "base/err.h"
#include "base/out.h"
#include "fixtures/cases.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What `save config` writes of the last address. */
static void
saved(const struct hosts *h, char *to, size_t size)
{
	const struct hosts last = { .n = 1, .address = { h->address[h->n - 1] } };
	char *text = NULL;
	size_t n = 0;
	FILE *file = open_memstream(&text, &n);
	struct out *out = out_open(file, file);

	assert_int_equal(hosts_save(&last, out), 1);
	out_close(out);
	fclose(file);
	snprintf(to, size, "%.*s", (int)strcspn(text, "\n"), text);
	free(text);
}

static int
address_read_back(const char *input, char *to, size_t size, struct err *e)
{
	struct hosts h = { 0 };
	struct err unused;

	assert_int_equal(hosts_add(&h, 0, "10.9.9.9", NULL, &unused), 0);
	assert_int_equal(hosts_add(&h, 1, "10.1.1.1", NULL, &unused), 0);
	assert_int_equal(hosts_add(&h, 1, "fe80::1", NULL, &unused), 0);
	if (hosts_add(&h, 0, input, NULL, e) != 0) {
		assert_int_equal(h.n, 3);
		return -e->code;
	}
	saved(&h, to, size);
	return 0;
}

/* "ADDRESS MAC". */
static int
mac_read_back(const char *input, char *to, size_t size, struct err *e)
{
	struct hosts h = { 0 };
	struct rte_ether_addr mac;
	char address[64];

	assert_int_equal(sscanf(input, "%63s", address), 1);
	assert_int_equal(rte_ether_unformat_addr(strchr(input, ' ') + 1, &mac), 0);
	if (hosts_add(&h, 0, address, &mac, e) != 0)
		return -e->code;
	saved(&h, to, size);
	return 0;
}

CASES("engines/measure/hosts", { "mac", mac_read_back, false },
	{ "address", address_read_back, false });

/* A port has its addresses and no other's; the table is full; nothing changes while a run uses it. */
TEST(table)
{
	static const uint8_t ip4[] = { 10, 0, 1, 5 };
	static struct hosts h;
	char text[32];
	struct err e;

	assert_false(hosts_any(&h, 3));
	for (unsigned int i = 0; i < HOSTS_MAX; i++) {
		snprintf(text, sizeof(text), "10.0.%u.%u", 1 + i / 128, 1 + i % 128);
		assert_int_equal(hosts_add(&h, i % 2 == 0 ? 3 : 4, text, NULL, &e), 0);
	}
	assert_int_equal(hosts_add(&h, 5, "10.5.5.5", NULL, &e), -ENOSPC);
	assert_non_null(strstr(e.text, "host 10.5.5.5: ports have 256 addresses already"));
	assert_non_null(hosts_find(&h, 3, false, ip4));
	assert_null(hosts_find(&h, 4, false, ip4));
	assert_null(hosts_find(&h, 3, true, h.address[0].bytes));
	h.in_use = true;
	assert_int_equal(hosts_clear(&h, 3, &e), -EBUSY);
	assert_non_null(strstr(e.text, "port 3 host none: Please stop forwarding first"));
	assert_int_equal(hosts_add(&h, 5, "10.5.5.5", NULL, &e), -EBUSY);
	assert_non_null(strstr(e.text, "port 5 host 10.5.5.5: Please stop forwarding first"));
	h.in_use = false;
	assert_int_equal(hosts_clear(&h, 3, &e), 0);
	assert_false(hosts_any(&h, 3));
	assert_true(hosts_any(&h, 4));
	assert_int_equal(h.n, HOSTS_MAX / 2);
	assert_int_equal(hosts_add(&h, 4, "10.0.1.5", NULL, &e), 0);
	assert_non_null(hosts_find(&h, 4, false, ip4));
}
