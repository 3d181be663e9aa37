/* What tests of extbuf need beside the rig: memories, streams as a run makes them, files. */
#pragma once

#include "err.h"
#include "extmem.h"

#include <stddef.h>

struct stream;

/* Places of the engine's counters. */
enum { COPIED, ATTACHED, NO_MBUF, NO_BUFFER, TOO_LONG, VERIFIED, CORRUPT };

/* The memories of the test under way. */
extern struct extmems extbuf_bed_memories;

/* Before all tests; before each: settings at their defaults; after each: no memory is left, and none of it was out. */
int extbuf_bed_open(void **state);
int extbuf_bed_defaults(void **state);
int extbuf_bed_gone(void **state);

/* A stream with all that a run gives it. */
struct stream *extbuf_bed_stream(uint16_t mtu);

/* As rig_end(). */
void extbuf_bed_end(struct stream *s);

/* What init() says; the stream is gone afterwards. */
struct err extbuf_bed_refusal(struct stream *s);

/* Make memory. */
void extbuf_bed_memory(const char *name, enum extmem_type type, uint64_t bytes, const char *path);

/* Everything that was handed out came back, each time once. */
void extbuf_bed_all_back(void);

/* A file of so many bytes, byte i is i * 31 + i / 251; path: 64 bytes. The caller removes it. */
void extbuf_bed_file(char *path, size_t bytes);
