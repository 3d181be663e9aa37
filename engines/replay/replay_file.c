/* Reads capture files by their format, with time stamps in nanoseconds. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/replay/replay_file.h"

#include "base/base.h"
#include "base/err.h"
#include "base/plain_file.h"
#include "engines/replay/replay_ng.h"
#include "engines/replay/replay_stream.h"

#include <errno.h>
#include <inttypes.h>
#include <pcap/pcap.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* The first bytes of files that are not read, and what makes them readable. */
static const struct {
	uint8_t n, magic[6];
	const char *what, *remedy;
} others[] = {
	{ 3, "BZh", "compressed by bzip2", "unpack it with \"bunzip2 -k FILE\"" },
	{ 6,
		"\xfd"
		"7zXZ",
		"compressed by xz", "unpack it with \"unxz -k FILE\"" },
	{ 4, "\x28\xb5\x2f\xfd", "compressed by zstd", "unpack it with \"unzstd FILE\"" },
	{ 4, "\x04\x22\x4d\x18", "compressed by lz4", "unpack it with \"unlz4 FILE\"" },
	{ 4, "PK\x03\x04", "a zip archive", "unpack it with \"unzip FILE\"" },
	{ 2, "\x1f\x8b", "compressed by gzip twice", "unpack it once with \"gunzip -k FILE\"" },
	{ 5, "snoop", "in the format snoop", "convert it with \"editcap -F pcap FILE NEW\"" },
};

static const uint8_t section[] = { 0x0a, 0x0d, 0x0d, 0x0a };

/* Nanoseconds since 1970. The seconds of pcap have no sign, although libpcap's have. */
static uint64_t
time_of(const struct timeval *ts)
{
	const int64_t seconds = ts->tv_sec < 0 && ts->tv_sec >= INT32_MIN
		? (int64_t)(uint32_t)ts->tv_sec
		: ts->tv_sec;

	/* The fraction is in nanoseconds, as asked of libpcap. */
	if (seconds < 0 || seconds > REPLAY_SECONDS_MAX || ts->tv_usec < 0)
		return REPLAY_NO_TIME;
	return (uint64_t)seconds * 1000000000 + (uint64_t)ts->tv_usec;
}

/* True for the header of a pcap file that was read as that of a packet: another file follows. */
static bool
is_file_header(const struct pcap_pkthdr *h)
{
	return h->caplen == 0 && h->len == 0 && replay_stream_is_pcap((uint32_t)h->ts.tv_sec);
}

static int
pcap_read_all(pcap_t *pcap,
	int (*each)(void *context, const struct replay_record *r, struct err *e), void *context,
	struct replay_rest *rest, struct err *e)
{
	struct replay_record r = { 0 };
	struct pcap_pkthdr *header;
	const int type = pcap_datalink(pcap);
	const char *name = pcap_datalink_val_to_name(type);
	int ret;

	if (type != DLT_EN10MB)
		return err_set(e, EINVAL, "link type %s (%d): expected Ethernet (EN10MB)",
			name != NULL ? name : "unknown", type);
	while ((ret = pcap_next_ex(pcap, &header, &r.bytes)) == 1) {
		if (is_file_header(header)) {
			snprintf(rest->why, sizeof(rest->why), REPLAY_STREAM_JOINED);
			return 0;
		}
		r.number = ++rest->after;
		r.ns = time_of(&header->ts);
		r.captured = header->caplen;
		r.length = header->len;
		ret = each(context, &r, e);
		if (ret != 0)
			return ret;
	}
	if (ret == PCAP_ERROR)
		snprintf(rest->why, sizeof(rest->why), "%.150s", pcap_geterr(pcap));
	return 0;
}

/* Read pcap. */
static int
pcap_read(struct replay_stream *s,
	int (*each)(void *context, const struct replay_record *r, struct err *e), void *context,
	struct replay_rest *rest, struct err *e)
{
	char why[PCAP_ERRBUF_SIZE] = "";
	FILE *file = replay_stream_stdio(s);
	pcap_t *pcap;
	int ret;

	if (file == NULL)
		return err_set(e, errno, "%s", strerror(errno));
	pcap = pcap_fopen_offline_with_tstamp_precision(file, PCAP_TSTAMP_PRECISION_NANO, why);
	if (pcap == NULL) {
		fclose(file);
		return err_set(e, EINVAL, "not a pcap or pcapng file: %s",
			replay_stream_why(s) != NULL ? replay_stream_why(s) : why);
	}
	ret = pcap_read_all(pcap, each, context, rest, e);
	pcap_close(pcap);
	return ret;
}

/* Refuse what is no capture file, or one that has to be converted. */
static int
format_check(struct replay_stream *s, uint8_t magic[8], size_t *n, struct err *e)
{
	const char *why;

	*n = replay_stream_peek(s, magic, 8);
	why = replay_stream_why(s);
	if (*n == 0 && !replay_stream_stopped(s))
		return err_set(e, EINVAL, "%s", why != NULL ? why : "the file is empty");
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (*n >= others[i].n && memcmp(magic, others[i].magic, others[i].n) == 0)
			return err_set(e, EINVAL, "the file is %s: %s first", others[i].what,
				others[i].remedy);
	return 0;
}

/* Say why the reading ended, if it did before the file's end. What unpacking says is the cause. */
static int
rest_explain(const struct replay_stream *s, struct replay_rest *rest, struct err *e)
{
	const char *why = replay_stream_why(s);

	if (why != NULL) {
		rest->doubtful = rest->why[0] == '\0' && replay_stream_doubtful(s);
		snprintf(rest->why, sizeof(rest->why), "%s", why);
	}
	if (rest->after == 0 && rest->why[0] != '\0')
		return err_set(e, EINVAL, "before the first packet: %s", rest->why);
	return 0;
}

static int
stream_read_all(struct replay_stream *s,
	int (*each)(void *context, const struct replay_record *r, struct err *e), void *context,
	struct replay_rest *rest, struct err *e)
{
	uint8_t magic[8];
	size_t n;
	int ret = format_check(s, magic, &n, e);

	if (ret != 0)
		return ret;
	if (n >= sizeof(section) && memcmp(magic, section, sizeof(section)) == 0)
		ret = replay_ng_read(s, each, context, rest, e);
	else
		ret = pcap_read(s, each, context, rest, e);
	if (replay_stream_stopped(s))
		return err_set(e, EINTR, "a signal is pending");
	return ret != 0 ? ret : rest_explain(s, rest, e);
}

/*
 * Open the file, the second time only if it is still that of the first. Between the two it may be replaced,
 * or removed.
 */
static FILE *
file_open(const char *path, struct replay_rest *rest, struct err *e)
{
	FILE *file = plain_file_read(path, e);
	const struct replay_rest before = *rest;
	struct stat st;

	if (file == NULL) {
		if (before.bytes > 0 && e->code == ENOENT)
			err_set(e, EBUSY, "%s: the file was removed while it was read", path);
		return NULL;
	}
	*rest = (struct replay_rest){ .bytes = before.bytes,
		.device = before.device,
		.inode = before.inode };
	if (fstat(fileno(file), &st) != 0) {
		err_set(e, errno, "%s: %s", path, strerror(errno));
	} else if (before.bytes == 0) {
		rest->bytes = (uint64_t)st.st_size;
		rest->device = st.st_dev;
		rest->inode = st.st_ino;
		return file;
	} else if (st.st_dev == before.device && st.st_ino == before.inode) {
		return file;
	} else {
		err_set(e, EBUSY, "%s: the file was replaced by another one while it was read",
			path);
	}
	fclose(file);
	return NULL;
}

int
replay_file_read(const char *path, const struct interrupt *interrupt,
	int (*each)(void *context, const struct replay_record *r, struct err *e), void *context,
	struct replay_rest *rest, struct err *e)
{
	FILE *file = file_open(path, rest, e);
	struct replay_stream *stream;
	int ret;

	if (file == NULL)
		return -e->code;
	stream = replay_stream_open(file, rest->bytes, interrupt);
	if (stream == NULL)
		return err_set(e, errno, "%s: %s", path, strerror(errno));
	ret = stream_read_all(stream, each, context, rest, e);
	replay_stream_close(stream);
	if (ret == -EINTR)
		return err_set(e, EINTR, "stopped by a signal while reading %s", path);
	return ret == 0 ? 0 : err_context(e, "%s", path);
}
