/* The bytes of a capture file, as it is or unpacked by gzip. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct interrupt;
struct replay_stream;

/* What is said where another file follows. */
#define REPLAY_STREAM_JOINED "a pcap file follows: join files with mergecap"

/* True for the first word of a pcap file, in either byte order. */
bool replay_stream_is_pcap(uint32_t word);

/*
 * Return a stream of file's bytes from its first one, which becomes the stream's, also after a failure:
 * NULL and errno. bytes: of the file; what a writer appends later is not read. interrupt: of
 * interrupt_open(); NULL: none. Thread: control, for all of this file.
 */
struct replay_stream *replay_stream_open(FILE *file, uint64_t bytes,
	const struct interrupt *interrupt);

/* Read n bytes. Returns fewer at the end, which has several reasons: see below. */
size_t replay_stream_read(struct replay_stream *s, void *to, size_t n);

/* Read the first n bytes without taking them, n up to 64; fewer, as for replay_stream_read(). */
size_t replay_stream_peek(struct replay_stream *s, void *to, size_t n);

/* Why the stream ended before the file did, or what is wrong with its bytes; NULL: nothing. */
const char *replay_stream_why(const struct replay_stream *s);

/* True if all bytes were read, and a checksum says that some are wrong. */
bool replay_stream_doubtful(const struct replay_stream *s);

/* True if the stream ended because a signal is pending. */
bool replay_stream_stopped(const struct replay_stream *s);

/* Return stdio's stream of what was not read; closing it leaves s open. NULL and errno. */
FILE *replay_stream_stdio(struct replay_stream *s);

/* Close a stream and its file. NULL is accepted. */
void replay_stream_close(struct replay_stream *s);
