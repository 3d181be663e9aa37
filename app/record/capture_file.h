/* A pcap file with nanosecond timestamps that ends with a complete packet even if the disk is full;
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
	int fd;                        /* of the same file, for length and lock */
	uint64_t bytes;                /* passed to libpcap */
	uint64_t safe;                 /* bytes flushed */
	uint64_t copies;               /* packets passed to libpcap */
	uint64_t written;              /* packets flushed */
	int error;                     /* errno of the first failure; 0: none */
	uint64_t wall_ns, tsc, tsc_hz; /* wall clock and TSC at the same moment */
};

/*
 * Create the file; overwrite: truncate a file that is not empty. Errors: EEXIST the file is not
 * empty; EBUSY another capture or a recording writes it; ENODEV not a regular file; errors of
 * open(2). Thread: control.
 */
int capture_file_open(struct capture_file *f, const char *path, bool overwrite, uint32_t snaplen,
	struct err *e);

/* Add a packet; does nothing after a failure. Thread: writer, the rest of this file. */
void capture_file_add(struct capture_file *f, const struct capture_copy *copy);

/* Flush the added packets to the file. Returns 0, or the errno of the first failure. */
int capture_file_flush(struct capture_file *f);

/*
 * Flush and close. After a failure the file is truncated after the last complete packet. Returns as
 * capture_file_flush().
 */
int capture_file_close(struct capture_file *f);
