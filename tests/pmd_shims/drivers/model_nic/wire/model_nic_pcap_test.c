/* pcap files: loops without an end, looks, a full disk. What there is in files good and bad,
 * model_nic_traffic_test reads and writes. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "fixtures/unit.h"
#include "pmd_shims/drivers/model_nic/wire/traffic_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static uint8_t packet[300];
static char why[128];

static void
assert_next(struct pcap_reader *r, uint32_t len)
{
	uint32_t got = 0;
	const uint8_t *pkt = pcap_reader_peek(r, &got);

	assert_non_null(pkt);
	assert_int_equal(got, len);
	assert_memory_equal(pkt, packet, len);
	assert_ptr_equal(pcap_reader_peek(r, &got), pkt); /* a look takes nothing */
	pcap_reader_next(r);
}

/* More packets than one block of memory holds; 0 loops: no end. */
TEST(read_again_and_again)
{
	enum { PACKETS = 5000 };
	char path[] = "/tmp/zcfwd-pcap-XXXXXX";
	struct pcap_writer *w;
	uint32_t len, magic;
	FILE *file;

	close(mkstemp(path));
	w = pcap_writer_open(path, why, sizeof(why));
	assert_non_null(w);
	for (unsigned i = 0; i < sizeof(packet); i++)
		packet[i] = (uint8_t)i;
	for (unsigned i = 0; i < PACKETS; i++)
		pcap_writer_put(w, packet, 14 + i % 286);
	assert_true(pcap_writer_flush(w)); /* now it is complete, though not closed */
	file = fopen(path, "rb");
	assert_int_equal(fread(&magic, sizeof(magic), 1, file), 1);
	fclose(file);
	assert_int_equal(magic, 0xa1b23c4d); /* times are nanoseconds */
	for (unsigned loops = 0; loops < 3; loops += 2) {
		struct pcap_reader *r = pcap_reader_open(path, loops, why, sizeof(why));

		assert_non_null(r);
		for (unsigned i = 0; i < (loops == 0 ? 5u : loops) * PACKETS; i++)
			assert_next(r, 14 + i % PACKETS % 286);
		assert_true((pcap_reader_peek(r, &len) == NULL) == (loops != 0));
		pcap_reader_close(r);
	}
	pcap_writer_close(w);
	unlink(path);
}

TEST(a_full_disk)
{
	struct pcap_writer *w = pcap_writer_open("/dev/full", why, sizeof(why));

	if (w == NULL)
		return;
	for (unsigned i = 0; i < 1000; i++)
		pcap_writer_put(w, packet, 100);
	assert_false(pcap_writer_flush(w));
	pcap_writer_close(w);
}
