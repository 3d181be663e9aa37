/* Write polls to the burst file: fetched in bulk and written with one write(2) per chunk, so that
 * the logs have room again before the disk is done. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/record_bursts.h"

#include "base/err.h"
#include "base/plain_file.h"
#include "stream/stream_log.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK_POLLS 8192u
#define PAD 16u

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the burst file is written as memory is");

/* Describes the format; readers need no other documentation. */
static const char description[] =
	"{\"format\": \"zcfwd-bursts\", \"byte_order\": \"little\", \"chunk\": {\"bytes\": 32, \"fields\": ["
	"[\"magic\", 0, \"char[4]\", \"chnk\"], [\"kind\", 4, \"u16\", \"1 header line, 2 begin line, 3 polls\"], "
	"[\"stream\", 6, \"u16\", \"of kind 3\"], [\"run\", 8, \"u32\", \"from 1\"], "
	"[\"bytes\", 12, \"u32\", \"of the payload that follows\"], "
	"[\"lost\", 16, \"u64\", \"polls not kept since the stream's last chunk\"], [\"zero\", 24, \"u64\", \"\"]]}, "
	"\"poll\": {\"bytes\": 16, \"fields\": ["
	"[\"tsc\", 0, \"u64\", \"when the poll began, TSC cycles; the header line has tsc_hz and a tsc with its wall clock\"], "
	"[\"cycles\", 8, \"u32\", \"TSC cycles that it took\"], [\"rx\", 12, \"u16\", \"packets received\"], "
	"[\"tx\", 14, \"u16\", \"packets sent\"]]}}\n";

static size_t
padded(size_t n)
{
	return (n + PAD - 1) / PAD * PAD;
}

static struct record_bursts_chunk
chunk_of(enum record_bursts_kind kind, unsigned int run, size_t bytes)
{
	return (struct record_bursts_chunk){ .magic = { 'c', 'h', 'n', 'k' },
		.kind = (uint16_t)kind,
		.run = run,
		.bytes = (uint32_t)bytes };
}

/* Fill to[0..32 + padded) with a chunk that contains a line. */
static void
chunk_line(char *to, enum record_bursts_kind kind, unsigned int run, const struct record_line *line)
{
	struct record_bursts_chunk chunk = chunk_of(kind, run, padded(line->bytes));

	memcpy(to, &chunk, sizeof(chunk));
	memset(to + sizeof(chunk), ' ', chunk.bytes);
	memcpy(to + sizeof(chunk), line->text, line->bytes);
}

/* Write the start of the file: its description and the recording's header line. */
static int
head(struct record_bursts *b, const struct record_line *header, struct err *e)
{
	struct record_bursts_head h = { .version = RECORD_BURSTS_VERSION };
	size_t n;
	char *text;
	int ret;

	memcpy(h.magic, RECORD_BURSTS_MAGIC, sizeof(h.magic));
	h.bytes = (uint32_t)padded(sizeof(h) + strlen(description));
	n = h.bytes + sizeof(struct record_bursts_chunk) + padded(header->bytes);
	text = malloc(n);
	if (text == NULL)
		return err_set(e, ENOMEM, "%s: no memory for its head", b->file.path);
	memset(text, ' ', h.bytes);
	memcpy(text, &h, sizeof(h));
	memcpy(text + sizeof(h), description, strlen(description));
	chunk_line(text + h.bytes, RECORD_BURSTS_HEADER, 0, header);
	ret = record_file_head(&b->file, RECORD_FILE_HEADER, text, n, e);
	free(text);
	return ret;
}

int
record_bursts_check(const char *path, bool overwrite, struct err *e)
{
	char name[PATH_MAX];

	snprintf(name, sizeof(name), "%s%s", path, RECORD_BURSTS_SUFFIX);
	return plain_file_check(name, overwrite, e);
}

int
record_bursts_open(struct record_bursts *b, const char *path, bool overwrite, uint64_t limit,
	unsigned int older, const struct record_line *header, struct err *e)
{
	char name[PATH_MAX];
	int ret;

	memset(b, 0, sizeof(*b));
	snprintf(name, sizeof(name), "%s%s", path, RECORD_BURSTS_SUFFIX);
	ret = record_file_open(&b->file, name, overwrite, limit, older, e);
	if (ret != 0)
		return ret;
	b->open = true;
	b->room = malloc(
		sizeof(struct record_bursts_chunk) + CHUNK_POLLS * sizeof(struct stream_log_poll));
	if (b->room == NULL)
		ret = err_set(e, ENOMEM, "%s: no memory for chunks", name);
	if (ret == 0)
		ret = head(b, header, e);
	if (ret != 0)
		record_bursts_close(b);
	return ret;
}

void
record_bursts_close(struct record_bursts *b)
{
	if (b->open)
		record_file_close(&b->file);
	b->open = false;
	free(b->kept);
	free(b->room);
	b->kept = NULL;
	b->room = NULL;
}

int
record_bursts_begin(struct record_bursts *b, const struct record_line *begin, unsigned int run,
	unsigned int n, struct err *e)
{
	size_t bytes = sizeof(struct record_bursts_chunk) + padded(begin->bytes);
	char *text = malloc(bytes);
	int ret;

	free(b->kept);
	b->kept = calloc(n, sizeof(*b->kept));
	if (text == NULL || b->kept == NULL) {
		free(text);
		return err_set(e, ENOMEM, "%s: no memory for %u streams", b->file.path, n);
	}
	chunk_line(text, RECORD_BURSTS_BEGIN, run, begin);
	ret = record_file_head(&b->file, RECORD_FILE_RUN, text, bytes, e);
	free(text);
	return ret;
}

int
record_bursts_drain(struct record_bursts *b, unsigned int run, unsigned int stream,
	struct stream_log *log, struct err *e)
{
	struct record_bursts_chunk *chunk = b->room;
	struct stream_log_poll *polls = (struct stream_log_poll *)(chunk + 1);
	struct record_kept *kept = &b->kept[stream];
	unsigned int n, all = 0;
	int ret = 0;

	/* Limited to the size of the log: the worker may be faster than this loop. */
	do {
		uint64_t lost = counter_read(&log->lost);

		n = stream_log_fetch(log, polls, CHUNK_POLLS);
		if (n == 0 && lost == kept->lost)
			break;
		*chunk = chunk_of(RECORD_BURSTS_POLLS, run, n * sizeof(*polls));
		chunk->stream = (uint16_t)stream;
		chunk->lost = lost - kept->lost;
		ret = record_file_write(&b->file, chunk, sizeof(*chunk) + chunk->bytes, e);
		kept->kept += n;
		kept->lost = lost;
		all += n;
	} while (ret == 0 && n == CHUNK_POLLS && all < STREAM_LOG_POLLS);
	return ret;
}
