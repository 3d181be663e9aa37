/* Load, list and show DDP profiles of net_i40e. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/vendor/port_ddp.h"

#include "base/base.h"
#include "base/err.h"
#include "base/out.h"
#include "features/device/port_file.h"
#include "features/vendor/port_ddp_check.h"
#include "features/vendor/port_pmds.h"
#include "port/port.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define OWN(function) PORT_DRIVER_OWN("net_i40e", rte_pmd_i40e_##function)
#define FORM(function, type) \
	static_assert(sizeof((type)NULL == &rte_pmd_i40e_##function), "unexpected signature")

typedef int (*process)(uint16_t, uint8_t *, uint32_t, enum rte_pmd_i40e_package_op);
typedef int (*list_get)(uint16_t, uint8_t *, uint32_t);
typedef int (*info_get)(uint8_t *, uint32_t, uint8_t *, uint32_t, enum rte_pmd_i40e_package_info);

FORM(process_ddp_package, process);
FORM(get_ddp_list, list_get);
FORM(get_ddp_info, info_get);

#define PROFILES_MAX 16

/* Pass a package to the driver; add: then save the backup that the driver creates. */
static int
package(struct ports *ps, uint16_t id, const char *path, const char *backup, bool add,
	struct err *e)
{
	static const struct port_driver_op op = { { OWN(process_ddp_package) } };
	port_driver_call call;
	uint8_t *data;
	size_t n;
	int ret;

	if (!port_all_stopped(ps))
		return err_set(e, EBUSY, "Please stop all ports first");
	call = port_driver_find(ps, id, &op, NULL, e);
	data = call != NULL ? port_file_read(path, &n, e) : NULL;
	if (data == NULL)
		return -e->code;
	if (port_ddp_check(path, data, n, e) != 0) {
		free(data);
		return -e->code;
	}
	ret = ((process)call)(id, data, (uint32_t)n,
		add ? RTE_PMD_I40E_PKG_OP_WR_ADD : RTE_PMD_I40E_PKG_OP_WR_DEL);
	if (add && ret == -EEXIST)
		err_set(e, EEXIST, "Profile has already existed.");
	else if (!add && ret == -EACCES)
		err_set(e, EACCES, "Profile does not exist.");
	else if (ret < 0)
		err_set(e, -ret, "Failed to %s profile. (%s)", add ? "load" : "delete",
			strerror(-ret));
	else if (backup != NULL)
		port_file_write(backup, data, n, e);
	free(data);
	return -e->code;
}

int
port_ddp_add(struct ports *ps, uint16_t id, const char *path, const char *backup, struct err *e)
{
	return package(ps, id, path, backup, true, e);
}

int
port_ddp_del(struct ports *ps, uint16_t id, const char *path, struct err *e)
{
	return package(ps, id, path, NULL, false, e);
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
	static const struct port_driver_op op = { { OWN(get_ddp_list) }, NULL,
		.always = "Failed to get ddp list" };
	union {
		struct rte_pmd_i40e_profile_list list;
		uint8_t bytes[sizeof(uint32_t) +
			PROFILES_MAX * sizeof(struct rte_pmd_i40e_profile_info)];
	} all = { .bytes = { 0 } };
	static const uint64_t none[3];
	struct out *o = ps->out;
	port_driver_call call = port_driver_find(ps, id, &op, NULL, e);

	if (call == NULL ||
		port_driver_result(ps, id, &op, none,
			((list_get)call)(id, all.bytes, sizeof(all.bytes)), e) != 0)
		return -e->code;
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
struct package {
	info_get get;
	uint8_t *data;
	uint32_t n;
};

/* Read *n elements; how_many and what: queries for their number and data. NULL: none. The caller
 * frees them. */
static void *
elements_read(const struct package *p, enum rte_pmd_i40e_package_info how_many,
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
head_show(struct out *o, const struct package *p, const char *key,
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
notes_show(struct out *o, const struct package *p)
{
	uint32_t n;
	char *notes = elements_read(p, RTE_PMD_I40E_PKG_INFO_GLOBAL_NOTES_SIZE,
		RTE_PMD_I40E_PKG_INFO_GLOBAL_NOTES, 1, &n);

	if (notes != NULL)
		out_str(o, "notes", "Package Notes:\n%s\n\n", notes);
	free(notes);
}

static void
devices_show(struct out *o, const struct package *p)
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
types_show(struct out *o, const struct package *p, const struct protocols *of, const char *key,
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
protocols_show(struct out *o, const struct package *p)
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
port_ddp_info(struct ports *ps, const char *path, struct err *e)
{
	static const char *const global[] = { "Global Track id:       ", "Global Version:        ",
		"Global Package name:   " };
	static const char *const profile[] = { "i40e Profile Track id: ", "i40e Profile Version:  ",
		"i40e Profile name:     " };
	struct package p = { .get = (info_get)port_driver_symbol("rte_pmd_i40e_get_ddp_info") };
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
	head_show(ps->out, &p, "global", RTE_PMD_I40E_PKG_INFO_GLOBAL_HEADER, global);
	head_show(ps->out, &p, "profile", RTE_PMD_I40E_PKG_INFO_HEADER, profile);
	notes_show(ps->out, &p);
	devices_show(ps->out, &p);
	protocols_show(ps->out, &p);
	free(p.data);
	return 0;
}
