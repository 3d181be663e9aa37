/* Reads and writes pcap files by libpcap. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/drivers/model_nic/wire/traffic_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <pcap/pcap.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

struct packet {
	size_t at; /* index in pcap_reader.bytes */
	uint32_t len;
};

struct pcap_reader {
	uint8_t *bytes;
	size_t used, room;
	struct packet *packet;
	size_t packets, packets_room;
	size_t next;
	uint32_t loops, done; /* loops 0: forever */
};

struct pcap_writer {
	char path[256];
	pcap_t *pcap;
	pcap_dumper_t *dumper;
	bool failed;
};

/* Make room for n more elements of size bytes in the array *p. */
static bool
grow(void **p, size_t used, size_t *room, size_t n, size_t size)
{
	size_t wanted = *room != 0 ? *room : 1024;
	void *more;

	if (used + n <= *room)
		return true;
	while (wanted < used + n)
		wanted *= 2;
	more = realloc(*p, wanted * size);
	if (more == NULL)
		return false;
	*p = more;
	*room = wanted;
	return true;
}

static bool
packet_add(struct pcap_reader *r, const uint8_t *data, uint32_t len)
{
	if (!grow((void **)&r->bytes, r->used, &r->room, len, 1) ||
		!grow((void **)&r->packet, r->packets, &r->packets_room, 1, sizeof(*r->packet)))
		return false;
	memcpy(r->bytes + r->used, data, len);
	r->packet[r->packets++] = (struct packet){ r->used, len };
	r->used += len;
	return true;
}

/*
 * Read the packets of a file, as far as it can be read; a line on stderr says what is left out. Returns
 * false with the reason in why if there is none.
 */
static bool
packets_read(struct pcap_reader *r, pcap_t *file, const char *path, char *why, size_t size)
{
	struct pcap_pkthdr *header;
	const u_char *data;
	size_t left_out = 0;
	int ret;

	if (pcap_datalink(file) != DLT_EN10MB) {
		snprintf(why, size, "link type %d: expected Ethernet", pcap_datalink(file));
		return false;
	}
	while ((ret = pcap_next_ex(file, &header, &data)) == 1) {
		if (header->caplen < PCAP_PACKET_MIN || header->caplen > PCAP_PACKET_MAX) {
			snprintf(why, size, "packet %zu: %u bytes: expected %d..%d",
				r->packets + ++left_out, header->caplen, PCAP_PACKET_MIN,
				PCAP_PACKET_MAX);
			continue;
		}
		if (!packet_add(r, data, header->caplen)) {
			snprintf(why, size, "no memory");
			return false;
		}
	}
	if (r->packets == 0) {
		if (ret == PCAP_ERROR)
			snprintf(why, size, "packet %zu: %s", left_out + 1, pcap_geterr(file));
		else if (left_out == 0)
			snprintf(why, size, "no packets");
		return false;
	}
	if (left_out > 0)
		fprintf(stderr,
			"model_nic: rx=pcap:%s: %zu packets left out: %d..%d bytes expected\n",
			path, left_out, PCAP_PACKET_MIN, PCAP_PACKET_MAX);
	if (ret == PCAP_ERROR)
		fprintf(stderr,
			"model_nic: rx=pcap:%s: only its first %zu packets can be read: %s\n", path,
			r->packets + left_out, pcap_geterr(file));
	return true;
}

/*
 * Open a file without waiting for the other end of a pipe. Only a regular file is read, because
 * others may have no end. NULL: with the reason in why.
 */
static FILE *
file_open(const char *path, bool write, char *why, size_t size)
{
	const int how = write ? O_WRONLY | O_CREAT | O_TRUNC : O_RDONLY,
		  fd = open(path, how | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0666);
	FILE *file = NULL;
	struct stat st;

	if (fd >= 0 && !write && fstat(fd, &st) == 0 && !S_ISREG(st.st_mode))
		snprintf(why, size, "expected a regular file");
	else if (fd < 0 || fcntl(fd, F_SETFL, how) != 0 ||
		(file = fdopen(fd, write ? "wb" : "rb")) == NULL)
		snprintf(why, size, "%s", strerror(errno));
	if (file == NULL && fd >= 0)
		close(fd);
	return file;
}

struct pcap_reader *
pcap_reader_open(const char *path, uint32_t loops, char *why, size_t size)
{
	struct pcap_reader *r = calloc(1, sizeof(*r));
	char error[PCAP_ERRBUF_SIZE];
	bool good = false;
	pcap_t *pcap;
	FILE *file;

	snprintf(why, size, "no memory");
	if (r == NULL)
		return NULL;
	r->loops = loops;
	file = file_open(path, false, why, size);
	if (file != NULL && (pcap = pcap_fopen_offline(file, error)) == NULL) {
		snprintf(why, size, "%s", error);
		fclose(file);
	} else if (file != NULL) {
		good = packets_read(r, pcap, path, why, size);
		pcap_close(pcap);
	}
	if (good)
		return r;
	pcap_reader_close(r);
	return NULL;
}

void
pcap_reader_close(struct pcap_reader *r)
{
	if (r == NULL)
		return;
	free(r->bytes);
	free(r->packet);
	free(r);
}

const uint8_t *
pcap_reader_peek(const struct pcap_reader *r, uint32_t *len)
{
	if (r->next == r->packets)
		return NULL;
	*len = r->packet[r->next].len;
	return r->bytes + r->packet[r->next].at;
}

void
pcap_reader_next(struct pcap_reader *r)
{
	if (++r->next == r->packets && (r->loops == 0 || ++r->done < r->loops))
		r->next = 0;
}

struct pcap_writer *
pcap_writer_open(const char *path, char *why, size_t size)
{
	struct pcap_writer *w = calloc(1, sizeof(*w));
	FILE *file = NULL;

	if (w != NULL)
		w->pcap = pcap_open_dead_with_tstamp_precision(DLT_EN10MB, PCAP_PACKET_MAX * 4,
			PCAP_TSTAMP_PRECISION_NANO);
	snprintf(why, size, "no memory");
	if (w != NULL && w->pcap != NULL) {
		snprintf(w->path, sizeof(w->path), "%s", path);
		file = file_open(path, true, why, size);
		if (file != NULL && (w->dumper = pcap_dump_fopen(w->pcap, file)) == NULL)
			snprintf(why, size, "%s", pcap_geterr(w->pcap));
	}
	if (w != NULL && w->dumper != NULL)
		return w;
	pcap_writer_close(w);
	return NULL;
}

bool
pcap_writer_flush(struct pcap_writer *w)
{
	if (!w->failed &&
		(pcap_dump_flush(w->dumper) != 0 || ferror(pcap_dump_file(w->dumper)) != 0)) {
		w->failed = true;
		fprintf(stderr, "model_nic: tx=pcap:%s: %s\n", w->path, strerror(errno));
	}
	return !w->failed;
}

void
pcap_writer_put(struct pcap_writer *w, const uint8_t *pkt, uint32_t len)
{
	struct pcap_pkthdr header = { .caplen = len, .len = len };
	struct timespec now;

	if (w->failed)
		return;
	clock_gettime(CLOCK_REALTIME, &now);
	header.ts.tv_sec = now.tv_sec;
	/* Nanoseconds, according to the file's precision. */
	header.ts.tv_usec = now.tv_nsec;
	pcap_dump((u_char *)w->dumper, &header, pkt);
	if (ferror(pcap_dump_file(w->dumper)))
		pcap_writer_flush(w);
}

void
pcap_writer_close(struct pcap_writer *w)
{
	if (w == NULL)
		return;
	if (w->dumper != NULL) {
		pcap_writer_flush(w);
		pcap_dump_close(w->dumper);
	}
	if (w->pcap != NULL)
		pcap_close(w->pcap);
	free(w);
}
