/* Reads capture files by libpcap, with time stamps in nanoseconds. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/replay/replay_file.h"

#include "base/err.h"
#include "base/interrupt.h"
#include "base/plain_file.h"

#include <errno.h>
#include <inttypes.h>
#include <pcap/pcap.h>
#include <stdio.h>

/* Bytes of packets after which the reader looks for a signal. */
#define LOOK_BYTES (256 * 1024)
#define SECONDS_MAX (INT64_MAX / 1000000000 - 1)

static int
packets_read(pcap_t *pcap, const int *interrupt_fd,
	int (*each)(void *context, const struct replay_record *r, struct err *e), void *context,
	struct err *e)
{
	uint64_t read = 0;
	struct replay_record r = { 0 };
	struct pcap_pkthdr *header;
	const int type = pcap_datalink(pcap);
	const char *name = pcap_datalink_val_to_name(type);
	int ret;

	if (type != DLT_EN10MB)
		return err_set(e, EINVAL, "link type %s (%d): expected Ethernet (EN10MB)",
			name != NULL ? name : "unknown", type);
	while ((ret = pcap_next_ex(pcap, &header, &r.bytes)) == 1) {
		r.number++;
		if (header->ts.tv_sec < 0 || header->ts.tv_sec > SECONDS_MAX ||
			header->ts.tv_usec < 0)
			return err_set(e, ERANGE, "packet %" PRIu64 ": invalid time stamp",
				r.number);
		/* Nanoseconds, as asked of libpcap. */
		r.ns = (uint64_t)header->ts.tv_sec * 1000000000 + (uint64_t)header->ts.tv_usec;
		r.captured = header->caplen;
		r.length = header->len;
		ret = each(context, &r, e);
		if (ret != 0)
			return ret;
		read += sizeof(*header) + r.captured;
		if (read < LOOK_BYTES)
			continue;
		read = 0;
		if (interrupt_fd != NULL && interrupt_pending(*interrupt_fd))
			return err_set(e, EINTR, "a signal is pending");
	}
	if (ret == PCAP_ERROR)
		return err_set(e, EINVAL, "after packet %" PRIu64 ": %s", r.number,
			pcap_geterr(pcap));
	return 0;
}

int
replay_file_read(const char *path, const int *interrupt_fd,
	int (*each)(void *context, const struct replay_record *r, struct err *e), void *context,
	struct err *e)
{
	char why[PCAP_ERRBUF_SIZE] = "";
	FILE *file = plain_file_read(path, e);
	pcap_t *pcap;
	int ret;

	if (file == NULL)
		return -e->code;
	pcap = pcap_fopen_offline_with_tstamp_precision(file, PCAP_TSTAMP_PRECISION_NANO, why);
	if (pcap == NULL) {
		fclose(file);
		return err_set(e, EINVAL, "%s: not a pcap or pcapng file: %s", path, why);
	}
	ret = packets_read(pcap, interrupt_fd, each, context, e);
	pcap_close(pcap);
	if (ret == -EINTR)
		return err_set(e, EINTR, "stopped by a signal while reading %s", path);
	return ret == 0 ? 0 : err_context(e, "%s", path);
}
