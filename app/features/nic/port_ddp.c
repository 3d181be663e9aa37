/* Load, list and show DDP profiles of net_i40e, after a check of the packages, which net_i40e trusts. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/nic/port_ddp.h"

#include "app.h"
#include "args.h"
#include "base/base.h"
#include "base/err.h"
#include "base/out.h"
#include "cmdline/grammar/grammar.h"
#include "features/device/port_file.h"
#include "port/port.h"
#include "port/port_driver.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Check the lengths and offsets in DDP packages of the 700 series, which net_i40e trusts. */

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

/*
 * Check all offsets and counts that net_i40e follows. The driver does not check them, so another
 * file or a truncated package would crash the program. data[0..n) must be followed by
 * PORT_FILE_SPARE zero bytes, as from port_file_read(). EINVAL with the bad part and its offset.
 * Thread: any.
 */
static int
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

#define PROFILES_MAX 16

/* Pass a package to the driver; add: then save the backup that the driver creates. */
static int
ddp_package(struct ports *ps, uint16_t id, const char *path, const char *backup, bool add,
	struct err *e)
{
	static const struct port_driver_op op = { "net_i40e" };
	__typeof__(&rte_pmd_i40e_process_ddp_package) process;
	uint8_t *data;
	size_t n;
	int ret;

	ret = port_check_all_stopped(ps, e);
	if (ret != 0)
		return ret;
	process = PORT_DRIVER_FIND(ps, id, &op, rte_pmd_i40e_process_ddp_package, e);
	if (process == NULL)
		return -e->code;
	data = port_file_read(path, &n, e);
	if (data == NULL)
		return -e->code;
	if (port_ddp_check(path, data, n, e) != 0) {
		free(data);
		return -e->code;
	}
	ret = process(id, data, (uint32_t)n,
		add ? RTE_PMD_I40E_PKG_OP_WR_ADD : RTE_PMD_I40E_PKG_OP_WR_DEL);
	if (add && ret == -EEXIST)
		ret = err_set(e, EEXIST, "Profile has already existed.");
	else if (!add && ret == -EACCES)
		ret = err_set(e, EACCES, "Profile does not exist.");
	else if (ret < 0)
		ret = err_set(e, -ret, "Failed to %s profile. (%s)", add ? "load" : "delete",
			strerror(-ret));
	else
		ret = backup != NULL ? port_file_write(backup, data, n, e) : 0;
	free(data);
	return ret;
}

int
port_ddp_add(struct app *app, const struct args *a, struct err *e)
{
	const char *files = arg_str(a, "files", ""), *comma = strchr(files, ',');
	char path[LINE_BYTES];

	snprintf(path, sizeof(path), "%.*s",
		comma != NULL ? (int)(comma - files) : (int)strlen(files), files);
	return ddp_package(&app->ports, arg_port(a), path, comma != NULL ? comma + 1 : NULL, true,
		e);
}

int
port_ddp_del(struct app *app, const struct args *a, struct err *e)
{
	return ddp_package(&app->ports, arg_port(a), arg_str(a, "file", ""), NULL, false, e);
}

/* Show a version, "1.2.3.4". */
static void
version_show(struct out *o, const char *label, const struct rte_pmd_i40e_ddp_version *v)
{
	char text[32];

	snprintf(text, sizeof(text), "%u.%u.%u.%u", v->major, v->minor, v->update, v->draft);
	out_text(o, "%s", label);
	out_str(o, "version", "%s\n", text);
}

/* Show the name of a profile, which may have no terminating NUL. */
static void
name_show(struct out *o, const char *label, const uint8_t *name)
{
	char text[RTE_PMD_I40E_DDP_NAME_SIZE + 1] = "";

	memcpy(text, name, RTE_PMD_I40E_DDP_NAME_SIZE);
	out_text(o, "%s", label);
	out_str(o, "name", "%s\n\n", text);
}

int
port_ddp_list(struct ports *ps, uint16_t id, struct err *e)
{
	static const struct port_driver_op op = { "net_i40e", .always = "Failed to get ddp list" };
	union {
		struct rte_pmd_i40e_profile_list list;
		uint8_t bytes[sizeof(uint32_t) +
			PROFILES_MAX * sizeof(struct rte_pmd_i40e_profile_info)];
	} all = { .bytes = { 0 } };
	struct out *o = ps->out;
	int ret = PORT_DRIVER_CALL(ps, id, &op, NULL, e, rte_pmd_i40e_get_ddp_list, all.bytes,
		sizeof(all.bytes));

	if (ret != 0)
		return ret;
	out_text(o, "Profile number is: %u\n\n", all.list.p_count);
	out_nest(o, "profiles", OUT_ARRAY);
	for (uint32_t i = 0; i < RTE_MIN(all.list.p_count, (uint32_t)PROFILES_MAX); i++) {
		const struct rte_pmd_i40e_profile_info *p = &all.list.p_info[i];

		out_nest(o, NULL, OUT_OBJECT);
		out_text(o, "Profile %u:\n", i);
		out_u64(o, "track_id", "Track id:     0x%" PRIx64 "\n", p->track_id);
		version_show(o, "Version:      ", &p->version);
		name_show(o, "Profile name: ", p->name);
		out_unnest(o);
	}
	out_unnest(o);
	return 0;
}

/* A package and the driver function that reads it. */
struct ddp_package {
	__typeof__(&rte_pmd_i40e_get_ddp_info) get;
	uint8_t *data;
	uint32_t n;
};

/* Read *n elements; how_many and what: queries for their number and data. NULL: none. The caller
 * frees them. */
static void *
elements_read(const struct ddp_package *p, enum rte_pmd_i40e_package_info how_many,
	enum rte_pmd_i40e_package_info what, size_t bytes, uint32_t *n)
{
	void *all;

	if (p->get(p->data, p->n, (uint8_t *)n, sizeof(*n), how_many) != 0 || *n == 0)
		return NULL;
	all = calloc(*n + 1u, bytes);
	if (all != NULL && p->get(p->data, p->n, all, (uint32_t)(*n * bytes), what) != 0) {
		free(all);
		return NULL;
	}
	return all;
}

static void
head_show(struct out *o, const struct ddp_package *p, const char *key,
	enum rte_pmd_i40e_package_info what, const char *const *labels)
{
	struct rte_pmd_i40e_profile_info info;

	if (p->get(p->data, p->n, (uint8_t *)&info, sizeof(info), what) != 0)
		return;
	out_nest(o, key, OUT_OBJECT);
	out_text(o, "%s", labels[0]);
	out_u64(o, "track_id", "0x%" PRIx64 "\n", info.track_id);
	version_show(o, labels[1], &info.version);
	name_show(o, labels[2], info.name);
	out_unnest(o);
}

static void
notes_show(struct out *o, const struct ddp_package *p)
{
	uint32_t n;
	char *notes = elements_read(p, RTE_PMD_I40E_PKG_INFO_GLOBAL_NOTES_SIZE,
		RTE_PMD_I40E_PKG_INFO_GLOBAL_NOTES, 1, &n);

	if (notes != NULL)
		out_str(o, "notes", "Package Notes:\n%s\n\n", notes);
	free(notes);
}

static void
devices_show(struct out *o, const struct ddp_package *p)
{
	uint32_t n;
	struct rte_pmd_i40e_ddp_device_id *d = elements_read(p, RTE_PMD_I40E_PKG_INFO_DEVID_NUM,
		RTE_PMD_I40E_PKG_INFO_DEVID_LIST, sizeof(*d), &n);
	char text[32];

	if (d == NULL)
		return;
	out_text(o, "List of supported devices:\n");
	out_nest(o, "devices", OUT_ARRAY);
	for (uint32_t i = 0; i < n; i++) {
		snprintf(text, sizeof(text), "%04X:%04X %04X:%04X", d[i].vendor_dev_id >> 16,
			d[i].vendor_dev_id & 0xffff, d[i].sub_vendor_dev_id >> 16,
			d[i].sub_vendor_dev_id & 0xffff);
		out_str(o, "", "  %s\n", text);
	}
	out_unnest(o);
	out_text(o, "\n");
	free(d);
}

struct protocols {
	struct rte_pmd_i40e_proto_info *all;
	uint32_t n;
};

static const char *
protocol_name(const struct protocols *of, uint8_t number)
{
	for (uint32_t i = 0; number != RTE_PMD_I40E_PROTO_UNUSED && i < of->n; i++)
		if (of->all[i].proto_id == number)
			return of->all[i].name;
	return NULL;
}

/* Show packet types, each with its protocols. */
static void
types_show(struct out *o, const struct ddp_package *p, const struct protocols *of, const char *key,
	const char *title, enum rte_pmd_i40e_package_info how_many,
	enum rte_pmd_i40e_package_info what)
{
	uint32_t n;
	struct rte_pmd_i40e_ptype_info *t = elements_read(p, how_many, what, sizeof(*t), &n);

	if (t == NULL)
		return;
	out_text(o, "%s:\n", title);
	out_nest(o, key, OUT_ARRAY);
	for (uint32_t i = 0; i < n; i++) {
		out_nest(o, NULL, OUT_OBJECT);
		out_u64(o, "type", "  %2" PRIu64 ":", t[i].ptype_id);
		out_nest(o, "protocols", OUT_ARRAY);
		for (unsigned int j = 0; j < RTE_PMD_I40E_PROTO_NUM; j++) {
			const char *name = protocol_name(of, t[i].protocols[j]);

			if (name != NULL)
				out_str(o, "", " %s", name);
		}
		out_unnest(o);
		out_text(o, "\n");
		out_unnest(o);
	}
	out_unnest(o);
	out_text(o, "\n");
	free(t);
}

static void
protocols_show(struct out *o, const struct ddp_package *p)
{
	struct protocols of;

	of.all = elements_read(p, RTE_PMD_I40E_PKG_INFO_PROTOCOL_NUM,
		RTE_PMD_I40E_PKG_INFO_PROTOCOL_LIST, sizeof(*of.all), &of.n);
	if (of.all == NULL)
		return;
	out_text(o, "List of used protocols:\n");
	out_nest(o, "protocols", OUT_ARRAY);
	for (uint32_t i = 0; i < of.n; i++) {
		out_nest(o, NULL, OUT_OBJECT);
		out_u64(o, "number", "  %2" PRIu64 ":", of.all[i].proto_id);
		out_str(o, "name", " %s\n", of.all[i].name);
		out_unnest(o);
	}
	out_unnest(o);
	out_text(o, "\n");
	types_show(o, p, &of, "pctypes", "List of defined packet classification types",
		RTE_PMD_I40E_PKG_INFO_PCTYPE_NUM, RTE_PMD_I40E_PKG_INFO_PCTYPE_LIST);
	types_show(o, p, &of, "ptypes", "List of defined packet types",
		RTE_PMD_I40E_PKG_INFO_PTYPE_NUM, RTE_PMD_I40E_PKG_INFO_PTYPE_LIST);
	free(of.all);
}

int
port_ddp_info(struct app *app, const struct args *a, struct err *e)
{
	static const char *const global[] = { "Global Track id:       ", "Global Version:        ",
		"Global Package name:   " };
	static const char *const profile[] = { "i40e Profile Track id: ", "i40e Profile Version:  ",
		"i40e Profile name:     " };
	struct ddp_package p = { .get = PORT_DRIVER_SYMBOL(rte_pmd_i40e_get_ddp_info) };
	const char *path = arg_str(a, "file", "");
	struct out *o = app->out;
	size_t n;

	if (p.get == NULL)
		return err_set(e, ENOTSUP, "Function not supported in PMD: net_i40e is not loaded");
	p.data = port_file_read(path, &n, e);
	if (p.data == NULL)
		return -e->code;
	if (port_ddp_check(path, p.data, n, e) != 0) {
		free(p.data);
		return -e->code;
	}
	p.n = (uint32_t)n;
	head_show(o, &p, "global", RTE_PMD_I40E_PKG_INFO_GLOBAL_HEADER, global);
	head_show(o, &p, "profile", RTE_PMD_I40E_PKG_INFO_HEADER, profile);
	notes_show(o, &p);
	devices_show(o, &p);
	protocols_show(o, &p);
	free(p.data);
	return 0;
}
