/* A pcap file with nanosecond time stamps that ends with a whole packet even when the disk is full;
 * private to capture. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pcap/pcap.h>
#include <stdbool.h>
#include <stdint.h>

struct capture_copy;
struct err;

struct capture_file {
	pcap_t *shape; /* link type, snaplen and precision, for libpcap */
	pcap_dumper_t *dumper;
	int fd;                        /* of the same file, for its length and its lock */
	uint64_t bytes;                /* handed to libpcap */
	uint64_t safe;                 /* of them, flushed */
	uint64_t copies;               /* handed to libpcap */
	uint64_t written;              /* of them, flushed */
	int error;                     /* errno of the first failure; 0: none */
	uint64_t wall_ns, tsc, tsc_hz; /* one moment on both clocks */
};

/*
 * Make the file; overwrite: or empty it. Errors: what opening it said; EEXIST it has content; EBUSY another capture or a recording
 * writes it; ENODEV it is no plain file. Thread: control.
 */
int capture_file_open(struct capture_file *f, const char *path, bool overwrite, uint32_t snaplen,
	struct err *e);

/* Add a copy. After a failure nothing is added. Thread: writer, and so the rest of this file. */
void capture_file_add(struct capture_file *f, const struct capture_copy *copy);

/* See to it that what was added is in the file. Returns 0, or the errno of the first failure. */
int capture_file_flush(struct capture_file *f);

/*
 * Flush and close. After a failure the file is cut behind the last packet that is whole. Returns as
 * capture_file_flush().
 */
int capture_file_close(struct capture_file *f);
