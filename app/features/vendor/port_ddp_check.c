/* Check the lengths and offsets in DDP packages of the 700 series, which net_i40e trusts. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/vendor/port_ddp_check.h"

#include "base/err.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#define SEGMENTS_MAX 64 /* real packages have about four */
#define SECTIONS_MAX 4096

/* A package: version, number of segments, their offsets from the start of the package. */
#define PACKAGE_OFFSETS 8
/* A segment: type, version, size, name. */
#define SEGMENT_SIZE 8
#define SEGMENT_BYTES 44
#define SEGMENT_METADATA 0x1
#define SEGMENT_NOTES 0x2
#define SEGMENT_PROFILE 0x11
#define METADATA_BYTES 84 /* then version, track number, name */
/* A profile: version, name, number of devices, 8 bytes for each; then a count and that many words
 * to skip. */
#define PROFILE_DEVICES 80
#define DEVICE_BYTES 8
/* A section: table size, data end, type, offset, size. */
#define SECTION_TYPE 4
#define SECTION_SIZE 12
#define SECTION_BYTES 16
#define SECTION_MMIO 0x800
#define SECTION_ROLLBACK_MMIO 0x1800
#define SECTION_AQ 0x801
#define SECTION_ROLLBACK_AQ 0x1801
#define SECTION_PROTOCOLS 0x80000002
#define SECTION_PTYPES 0x80000004
#define AQ_LENGTH 20 /* offset of the 16-bit length of the data after the command */
#define AQ_BYTES 22
/* A record of a section with a table: two types, length in records, data. */
#define RECORD_LENGTH 2
#define RECORD_BYTES 16

struct package {
	const char *path;
	const uint8_t *data;
	uint64_t n;
};

/* Read a number at a checked offset, which may be unaligned. */
static uint32_t
u32_at(const struct package *p, uint64_t at)
{
	uint32_t value;

	memcpy(&value, p->data + at, sizeof(value));
	return value;
}

static uint16_t
u16_at(const struct package *p, uint64_t at)
{
	uint16_t value;

	memcpy(&value, p->data + at, sizeof(value));
	return value;
}

static int
inside(const struct package *p, const char *what, uint64_t at, uint64_t bytes, struct err *e)
{
	if (at <= p->n && bytes <= p->n - at)
		return 0;
	return err_set(e, EINVAL,
		"%s: not a DDP package: the %s (offset %" PRIu64 ", %" PRIu64
		" bytes) is not inside the file's %" PRIu64 " bytes",
		p->path, what, at, bytes, p->n);
}

/* Check records with their own lengths, which the driver follows from one to the next. */
static int
records_check(const struct package *p, uint64_t at, uint32_t bytes, struct err *e)
{
	const uint32_t n = bytes / RECORD_BYTES;
	uint16_t length;

	for (uint32_t i = 0; i < n; i += length) {
		length = u16_at(p, at + (uint64_t)i * RECORD_BYTES + RECORD_LENGTH);
		if (length == 0 || length > n - i)
			return err_set(e, EINVAL,
				"%s: not a DDP package: record %u of a table (offset %" PRIu64
				") has %u of %u records",
				p->path, i, at, length, n - i);
	}
	return 0;
}

static int
section_check(const struct package *p, uint64_t at, struct err *e)
{
	const uint64_t data = at + SECTION_BYTES;
	uint32_t type, size;
	int ret = inside(p, "section", at, SECTION_BYTES, e);

	if (ret != 0)
		return ret;
	type = u32_at(p, at + SECTION_TYPE);
	size = u32_at(p, at + SECTION_SIZE);
	ret = inside(p, "section", data, size, e);
	if (ret == 0 && (type == SECTION_AQ || type == SECTION_ROLLBACK_AQ))
		ret = inside(p, "admin command", data, AQ_BYTES, e);
	if (ret == 0 && (type == SECTION_AQ || type == SECTION_ROLLBACK_AQ))
		ret = inside(p, "admin command", data + AQ_BYTES, u16_at(p, data + AQ_LENGTH), e);
	if (ret == 0 && (type == SECTION_MMIO || type == SECTION_ROLLBACK_MMIO) &&
		size > UINT16_MAX - SECTION_BYTES)
		ret = err_set(e, EINVAL,
			"%s: not a DDP package: a section of registers (offset %" PRIu64
			") has %u bytes: expected %u at most",
			p->path, at, size, UINT16_MAX - SECTION_BYTES);
	if (ret == 0 && type >= SECTION_PROTOCOLS && type <= SECTION_PTYPES)
		ret = records_check(p, data, size, e);
	return ret;
}

static int
profile_check(const struct package *p, uint64_t at, struct err *e)
{
	uint64_t table = at + PROFILE_DEVICES + sizeof(uint32_t);
	uint32_t n;
	int ret = inside(p, "profile", at, table - at, e);

	if (ret == 0) {
		table += (uint64_t)u32_at(p, at + PROFILE_DEVICES) * DEVICE_BYTES;
		ret = inside(p, "table of devices", table, sizeof(uint32_t), e);
	}
	if (ret == 0) {
		table += ((uint64_t)u32_at(p, table) + 1) * sizeof(uint32_t);
		ret = inside(p, "table of sections", table, sizeof(uint32_t), e);
	}
	if (ret != 0)
		return ret;
	n = u32_at(p, table);
	if (n > SECTIONS_MAX)
		return err_set(e, EINVAL, "%s: not a DDP package: %u sections: expected %d at most",
			p->path, n, SECTIONS_MAX);
	table += sizeof(uint32_t);
	ret = inside(p, "table of sections", table, (uint64_t)n * sizeof(uint32_t), e);
	for (uint32_t i = 0; i < n && ret == 0; i++)
		ret = section_check(p, at + u32_at(p, table + i * sizeof(uint32_t)), e);
	return ret;
}

/* Check a segment; set *profile if it is a profile. */
static int
segment_check(const struct package *p, uint64_t at, bool *profile, struct err *e)
{
	int ret = inside(p, "segment", at, SEGMENT_BYTES, e);

	if (ret != 0)
		return ret;
	switch (u32_at(p, at)) {
	case SEGMENT_METADATA: return inside(p, "metadata", at, METADATA_BYTES, e);
	case SEGMENT_NOTES:
		/* The driver copies this number of bytes after the header. */
		return inside(p, "notes", at + SEGMENT_BYTES, u32_at(p, at + SEGMENT_SIZE), e);
	case SEGMENT_PROFILE: *profile = true; return profile_check(p, at, e);
	default: return 0;
	}
}

int
port_ddp_check(const char *path, const uint8_t *data, size_t n, struct err *e)
{
	const struct package p = { path, data, n };
	int ret = inside(&p, "header", 0, PACKAGE_OFFSETS, e);
	bool profile = false;
	uint32_t segments;

	if (ret != 0)
		return ret;
	segments = u32_at(&p, sizeof(uint32_t));
	if (segments < 2 || segments > SEGMENTS_MAX)
		return err_set(e, EINVAL, "%s: not a DDP package: %u segments: expected 2..%d",
			path, segments, SEGMENTS_MAX);
	ret = inside(&p, "table of segments", PACKAGE_OFFSETS,
		(uint64_t)segments * sizeof(uint32_t), e);
	for (uint32_t i = 0; i < segments && ret == 0; i++)
		ret = segment_check(&p, u32_at(&p, PACKAGE_OFFSETS + i * sizeof(uint32_t)),
			&profile, e);
	if (ret == 0 && !profile)
		ret = err_set(e, EINVAL, "%s: DDP package without a profile for the 700 series",
			path);
	return ret;
}
