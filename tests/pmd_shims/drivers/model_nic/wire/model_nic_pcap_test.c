/* pcap files: what is read of good and bad ones, what is written. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "fixtures/unit.h"
#include "pmd_shims/drivers/model_nic/wire/traffic_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MICRO = 0xa1b2c3d4, NANO = 0xa1b23c4d, ETHERNET = 1, RAW_IP = 101 };

static char path[] = "/tmp/zcfwd-pcap-XXXXXX";

static int
set_up(void **state)
{
	strcpy(path + sizeof(path) - 7, "XXXXXX");
	close(mkstemp(path));
	return 0;
}

static int
tear_down(void **state)
{
	return remove(path);
}

static void
put32(FILE *f, uint32_t value, bool swap)
{
	value = swap ? __builtin_bswap32(value) : value;
	assert_int_equal(fwrite(&value, 4, 1, f), 1);
}

/* A file of packets of these lengths, ended by 0; byte k of packet i is i + k. */
static void
make(uint32_t magic, uint32_t type, bool swap, const uint32_t *lengths)
{
	FILE *f = fopen(path, "wb");
	const uint32_t head[] = { magic, 0, 0, 0, 65535, type };

	assert_non_null(f);
	for (unsigned i = 0; i < 6; i++)
		put32(f, i == 1 ? (swap ? 0x00020004 : 0x00040002) : head[i], swap);
	for (unsigned i = 0; lengths[i] != 0; i++) {
		put32(f, i, swap);
		put32(f, 999999, swap);
		put32(f, lengths[i], swap);
		put32(f, lengths[i], swap);
		for (uint32_t k = 0; k < lengths[i]; k++)
			putc((int)(i + k) & 0xff, f);
	}
	fclose(f);
}

static void
assert_next(struct pcap_reader *r, unsigned i, uint32_t len)
{
	uint32_t got = 0;
	const uint8_t *pkt = pcap_reader_peek(r, &got);

	assert_non_null(pkt);
	assert_int_equal(got, len);
	for (uint32_t k = 0; k < len; k++)
		if (pkt[k] != ((i + k) & 0xff))
			fail_msg("packet %u, byte %u", i, k);
	assert_ptr_equal(pcap_reader_peek(r, &got), pkt); /* a look takes nothing */
	pcap_reader_next(r);
}

static void
every_kind_is_read(void **state)
{
	static const uint32_t lengths[] = { 14, 60, 1514, 16384, 61, 0 };
	char why[128];
	uint32_t len;

	for (unsigned kind = 0; kind < 4; kind++) {
		struct pcap_reader *r;

		make(kind % 2 != 0 ? NANO : MICRO, ETHERNET, kind / 2 != 0, lengths);
		r = pcap_reader_open(path, 1, why, sizeof(why));
		assert_non_null(r);
		for (unsigned i = 0; lengths[i] != 0; i++)
			assert_next(r, i, lengths[i]);
		assert_null(pcap_reader_peek(r, &len));
		pcap_reader_close(r);
	}
}

static void
loops(void **state)
{
	static const uint32_t lengths[] = { 60, 70, 0 };
	char why[128];
	struct pcap_reader *r;
	uint32_t len;

	make(MICRO, ETHERNET, false, lengths);
	r = pcap_reader_open(path, 3, why, sizeof(why));
	for (unsigned i = 0; i < 6; i++)
		assert_next(r, i % 2, lengths[i % 2]);
	assert_null(pcap_reader_peek(r, &len));
	pcap_reader_close(r);
	r = pcap_reader_open(path, 0, why, sizeof(why));
	for (unsigned i = 0; i < 1000; i++)
		assert_next(r, i % 2, lengths[i % 2]);
	pcap_reader_close(r);
}

/* More than one block of memory. */
static void
many_packets(void **state)
{
	static uint32_t lengths[5001];
	char why[128];
	struct pcap_reader *r;

	for (unsigned i = 0; i < 5000; i++)
		lengths[i] = 14 + i % 300;
	make(NANO, ETHERNET, false, lengths);
	r = pcap_reader_open(path, 1, why, sizeof(why));
	assert_non_null(r);
	for (unsigned i = 0; i < 5000; i++)
		assert_next(r, i, lengths[i]);
	pcap_reader_close(r);
}

static void
assert_refused(const char *word)
{
	char why[128] = "";

	assert_null(pcap_reader_open(path, 1, why, sizeof(why)));
	if (strstr(why, word) == NULL || strchr(why, '\n') != NULL)
		fail_msg("\"%s\": expected \"%s\"", why, word);
}

static void
bad_files_are_refused(void **state)
{
	static const uint32_t none[] = { 0 }, two[] = { 60, 60, 0 }, longer[] = { 16385, 0 };

	assert_refused("truncated");
	make(0x12345678, ETHERNET, false, two);
	assert_refused("unknown file format");
	make(MICRO, RAW_IP, false, two);
	assert_refused("link type 12: expected Ethernet");
	make(MICRO, ETHERNET, false, none);
	assert_refused("no packets");
	make(MICRO, ETHERNET, false, longer);
	assert_refused("packet 1: 16385 bytes");
	make(MICRO, ETHERNET, false, two);
	assert_int_equal(truncate(path, 24 + 75), 0);
	assert_refused("packet 1: truncated");
	remove(path);
	assert_refused("No such file");
	set_up(NULL);
}

/* Packets that are too short, too long or cut are left out. */
static void
damaged_files_are_read(void **state)
{
	static const uint32_t lengths[] = { 60, 13, 61, 16385, 62, 63, 0 }, left[] = { 60, 61, 62 },
			      place[] = { 0, 2, 4 };
	char why[128];
	struct pcap_reader *r;
	uint32_t len;

	make(MICRO, ETHERNET, false, lengths);
	assert_int_equal(truncate(path, 24 + 6 * 16 + 60 + 13 + 61 + 16385 + 62 + 62), 0);
	r = pcap_reader_open(path, 1, why, sizeof(why));
	assert_non_null(r);
	for (unsigned i = 0; i < sizeof(left) / sizeof(left[0]); i++)
		assert_next(r, place[i], left[i]);
	assert_null(pcap_reader_peek(r, &len));
	pcap_reader_close(r);
}

static uint32_t
word(const uint8_t *p)
{
	uint32_t value;

	memcpy(&value, p, 4);
	return value;
}

static void
what_is_written_is_there(void **state)
{
	uint8_t pkt[100], file[1000];
	char why[128];
	struct pcap_writer *w = pcap_writer_open(path, why, sizeof(why));
	const uint8_t *at = file + 24;
	size_t n;
	FILE *f;

	assert_non_null(w);
	for (unsigned i = 0; i < sizeof(pkt); i++)
		pkt[i] = (uint8_t)i;
	pcap_writer_put(w, pkt, 60);
	pcap_writer_put(w, pkt + 1, 99);
	assert_true(
		pcap_writer_flush(w)); /* from here on the file is complete, though not closed */
	f = fopen(path, "rb");
	n = fread(file, 1, sizeof(file), f);
	fclose(f);
	assert_int_equal(n, 24 + 16 + 60 + 16 + 99);
	assert_int_equal(word(file), NANO);
	assert_int_equal(word(file + 20), ETHERNET);
	for (unsigned i = 0; i < 2; i++) {
		uint32_t len = i == 0 ? 60 : 99;

		assert_true(word(at) > 1700000000 && word(at + 4) < 1000000000);
		assert_int_equal(word(at + 8), len);
		assert_int_equal(word(at + 12), len);
		assert_memory_equal(at + 16, pkt + i, len);
		at += 16 + len;
	}
	pcap_writer_close(w);
}

static void
bad_places_are_refused(void **state)
{
	char why[128];
	struct pcap_writer *w;

	assert_null(pcap_writer_open("/nowhere/file", why, sizeof(why)));
	assert_string_equal(why, "No such file or directory");
	w = pcap_writer_open("/dev/full", why, sizeof(why));
	if (w == NULL)
		return;
	for (unsigned i = 0; i < 1000; i++)
		pcap_writer_put(w, (const uint8_t *)why, 100);
	assert_false(pcap_writer_flush(w));
	pcap_writer_close(w);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(every_kind_is_read, set_up, tear_down),
		cmocka_unit_test_setup_teardown(loops, set_up, tear_down),
		cmocka_unit_test_setup_teardown(many_packets, set_up, tear_down),
		cmocka_unit_test_setup_teardown(bad_files_are_refused, set_up, tear_down),
		cmocka_unit_test_setup_teardown(damaged_files_are_read, set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_is_written_is_there, set_up, tear_down),
		cmocka_unit_test(bad_places_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
