/* GENEVE options for flow rules of mlx5. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/vendor/port_geneve.h"

#include "base/base.h"
#include "base/err.h"
#include "base/out.h"
#include "features/vendor/port_driver.h"
#include "port/port.h"
#include "port/port_feature.h"

#include <rte_byteorder.h>
#include <rte_config.h>
#include <rte_errno.h>
#include <rte_version.h>
#ifdef RTE_NET_MLX5
#include <rte_pmd_mlx5.h>
#endif

#include <errno.h>
#include <stddef.h>
#include <string.h>

#define OWN(function) PORT_DRIVER_OWN("mlx5_", rte_pmd_mlx5_##function)

/* Same layout as struct rte_pmd_mlx5_geneve_tlv, which exists since 24.03. */
struct tlv {
	rte_be16_t option_class;
	uint8_t type, length, class_mode, offset, n;
	rte_be32_t *mask;
};

typedef void *(*parser_create)(uint16_t, const struct tlv *, uint8_t);
typedef int (*parser_destroy)(void *);

#if defined(RTE_NET_MLX5) && RTE_VERSION >= RTE_VERSION_NUM(24, 3, 0, 0)
#define SAME_PLACE(ours, theirs) \
	static_assert(offsetof(struct tlv, ours) == \
			offsetof(struct rte_pmd_mlx5_geneve_tlv, theirs), \
		"different from the driver's struct")
SAME_PLACE(length, option_len);
SAME_PLACE(class_mode, match_on_class_mode);
SAME_PLACE(offset, offset);
SAME_PLACE(n, sample_len);
SAME_PLACE(mask, match_data_mask);
static_assert(sizeof((parser_destroy)NULL == &rte_pmd_mlx5_destroy_geneve_tlv_parser),
	"unexpected signature");
#endif

static const struct port_driver_op create = { { OWN(create_geneve_tlv_parser) }, NULL };
static const struct port_driver_op destroy = { { OWN(destroy_geneve_tlv_parser) }, NULL };

/* The port's parser; *NULL: none. */
static void **
parser_of(const struct port *p)
{
	return port_feature_state(p, &port_feature_geneve);
}

static const char *const class_modes[] = {
	[PORT_GENEVE_IGNORED] = "ignored",
	[PORT_GENEVE_FIXED] = "fixed",
	[PORT_GENEVE_MATCHABLE] = "matchable",
};

int
port_geneve_add(struct port_geneve *list, const struct port_geneve_option *option, struct err *e)
{
	if (list->n == PORT_GENEVE_OPTIONS)
		return err_set(e, ENOSPC, "GENEVE TLV option list is full");
	if (option->length < option->offset + option->n)
		return err_set(e, ERANGE,
			"GENEVE TLV option length (%u) cannot be less than offset (%u) + sample_len (%u)",
			option->length, option->offset, option->n);
	if (option->length > PORT_GENEVE_WORDS)
		return err_set(e, ERANGE, "GENEVE TLV option length (%u) must be less than %d",
			option->length, PORT_GENEVE_WORDS);
	list->option[list->n++] = *option;
	return 0;
}

static void
option_show(struct out *o, const struct port_geneve_option *option, unsigned int i)
{
	const char *mode = class_modes[option->class_mode];

	out_nest(o, NULL, OUT_OBJECT);
	out_u64(o, "id", "%" PRIu64, i);
	out_u64(o, "type", "\t%" PRIu64, option->type);
	out_u64(o, "class", "\t%" PRIu64, option->class_id);
	out_str(o, "class_mode", "\t%s", mode);
	out_text(o, "%s", option->class_mode == PORT_GENEVE_MATCHABLE ? "" : "\t");
	out_u64(o, "length", "\t%" PRIu64, option->length);
	out_u64(o, "offset", "\t%" PRIu64, option->offset);
	out_text(o, "\t%u\t\t", option->n);
	out_nest(o, "masks", OUT_ARRAY);
	for (unsigned int j = 0; j < option->n; j++)
		out_u64(o, NULL, "0x%" PRIx64 " ", option->mask[j]);
	out_unnest(o);
	out_text(o, "\n");
	out_unnest(o);
}

void
port_geneve_show(const struct port_geneve *list, struct out *o)
{
	out_text(o, "ID\tType\tClass\tClass_mode\tLen\tOffset\tSample_len\tData\n");
	out_nest(o, "options", OUT_ARRAY);
	for (unsigned int i = 0; i < list->n; i++)
		option_show(o, &list->option[i], i);
	out_unnest(o);
}

void
port_geneve_flush(struct port_geneve *list, unsigned int n)
{
	list->n -= n < list->n ? n : list->n;
}

/* Convert the list to the driver's structs; masks[] has space for all masks. */
static void
tlvs_fill(const struct port_geneve *list, struct tlv *tlvs, rte_be32_t masks[][PORT_GENEVE_WORDS])
{
	for (unsigned int i = 0; i < list->n; i++) {
		const struct port_geneve_option *option = &list->option[i];

		for (unsigned int j = 0; j < option->n; j++)
			masks[i][j] = rte_cpu_to_be_32(option->mask[j]);
		tlvs[i] = (struct tlv){
			.option_class = rte_cpu_to_be_16(option->class_id),
			.type = option->type,
			.length = option->length,
			.class_mode = (uint8_t)option->class_mode,
			.offset = option->offset,
			.n = option->n,
			.mask = option->n > 0 ? masks[i] : NULL,
		};
	}
}

int
port_geneve_apply(struct ports *ps, const struct port_geneve *list, uint16_t id, struct err *e)
{
	rte_be32_t masks[PORT_GENEVE_OPTIONS][PORT_GENEVE_WORDS];
	struct tlv tlvs[PORT_GENEVE_OPTIONS];
	struct port *p = port_find(ps, id, e);
	port_driver_call call;
	void *parser;

	if (p == NULL)
		return -e->code;
	if (list->n == 0)
		return err_set(e, ENOENT, "The option list is empty, please set options");
	call = port_driver_find(ps, id, &create, NULL, e);
	if (call == NULL)
		return -e->code;
	tlvs_fill(list, tlvs, masks);
	parser = ((parser_create)call)(id, tlvs, (uint8_t)list->n);
	if (parser == NULL)
		return err_set(e, rte_errno != 0 ? rte_errno : EPROTO,
			"Fail to create GENEVE TLV parser, nb_option=%u: %s: port %u (%s)", list->n,
			strerror(rte_errno), id, p->info.driver_name);
	*parser_of(p) = parser;
	return 0;
}

static int
parser_end(struct port *p, port_driver_call call)
{
	const int ret = call != NULL ? ((parser_destroy)call)(*parser_of(p)) : -ENOSYS;

	if (ret == 0)
		*parser_of(p) = NULL;
	return ret;
}

int
port_geneve_destroy(struct ports *ps, uint16_t id, struct err *e)
{
	struct port *p = port_find(ps, id, e);
	port_driver_call call;
	int ret;

	if (p == NULL)
		return -e->code;
	call = port_driver_find(ps, id, &destroy, NULL, e);
	if (call == NULL)
		return -e->code;
	ret = *parser_of(p) != NULL ? parser_end(p, call) : 0;
	return ret >= 0 ? 0
			: err_set(e, -ret, "Fail to destroy GENEVE TLV parser: %s: port %u (%s)",
				  strerror(-ret), id, p->info.driver_name);
}

static void
closed(struct ports *ps, struct port *p)
{
	if (*parser_of(p) != NULL)
		parser_end(p, port_driver_symbol(destroy.function[0].name));
	*parser_of(p) = NULL;
}

const struct port_feature port_feature_geneve = {
	.name = "geneve",
	.state_size = sizeof(void *),
	.at = { [PORT_CLOSED] = closed },
};
