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
#include <string.h>

/* Bytes of packets after which the reader looks for a signal. */
#define LOOK_BYTES (256 * 1024)
#define SECONDS_MAX (INT64_MAX / 1000000000 - 1)

/* Nanoseconds since 1970. The seconds of pcap have no sign, although libpcap's have. */
static uint64_t
time_of(const struct timeval *ts)
{
	const int64_t seconds = ts->tv_sec < 0 && ts->tv_sec >= INT32_MIN
		? (int64_t)(uint32_t)ts->tv_sec
		: ts->tv_sec;

	/* The fraction is in nanoseconds, as asked of libpcap. */
	if (seconds < 0 || seconds > SECONDS_MAX || ts->tv_usec < 0)
		return REPLAY_NO_TIME;
	return (uint64_t)seconds * 1000000000 + (uint64_t)ts->tv_usec;
}

static int
packets_read(pcap_t *pcap, const int *interrupt_fd,
	int (*each)(void *context, const struct replay_record *r, struct err *e), void *context,
	struct replay_rest *rest, struct err *e)
{
	uint64_t n = 0, read = 0;
	struct replay_record r = { 0 };
	struct pcap_pkthdr *header;
	const int type = pcap_datalink(pcap);
	const char *name = pcap_datalink_val_to_name(type);
	int ret;

	if (type != DLT_EN10MB)
		return err_set(e, EINVAL, "link type %s (%d): expected Ethernet (EN10MB)",
			name != NULL ? name : "unknown", type);
	while ((ret = pcap_next_ex(pcap, &header, &r.bytes)) == 1) {
		r.number = ++n;
		r.ns = time_of(&header->ts);
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
	if (ret == PCAP_ERROR && r.number == 0)
		return err_set(e, EINVAL, "before the first packet: %s", pcap_geterr(pcap));
	rest->after = n;
	snprintf(rest->why, sizeof(rest->why), "%.150s",
		ret == PCAP_ERROR ? pcap_geterr(pcap) : "");
	return 0;
}

int
replay_file_read(const char *path, const int *interrupt_fd,
	int (*each)(void *context, const struct replay_record *r, struct err *e), void *context,
	struct replay_rest *rest, struct err *e)
{
	char why[PCAP_ERRBUF_SIZE] = "";
	struct replay_foreign *foreign = &rest->foreign;
	FILE *file = plain_file_read(path, e);
	pcap_t *pcap;
	int ret;

	*rest = (struct replay_rest){ .after = 0 };
	if (file == NULL)
		return -e->code;
	file = replay_stream(file, foreign);
	if (file == NULL)
		return err_set(e, errno, "%s: %s", path, strerror(errno));
	pcap = pcap_fopen_offline_with_tstamp_precision(file, PCAP_TSTAMP_PRECISION_NANO, why);
	if (pcap == NULL) {
		fclose(file);
		return err_set(e, EINVAL, "%s: not a pcap or pcapng file: %s", path, why);
	}
	ret = packets_read(pcap, interrupt_fd, each, context, rest, e);
	pcap_close(pcap);
	if (ret == -EINTR)
		return err_set(e, EINTR, "stopped by a signal while reading %s", path);
	return ret == 0 ? 0 : err_context(e, "%s", path);
}
