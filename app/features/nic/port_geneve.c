/* GENEVE options for flow rules of mlx5. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/nic/port_geneve.h"

#include "base/base.h"
#include "base/err.h"
#include "base/out.h"
#include "cmdline/grammar/grammar.h"
#include "compat.h"
#include "port/port.h"
#include "port/port_driver.h"
#include "port/port_feature.h"

#include <rte_byteorder.h>
#include <rte_errno.h>

#include <errno.h>
#include <stddef.h>
#include <string.h>

static const struct port_driver_op op = { "mlx5_" };

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

int
port_geneve_show(struct ports *ps, const struct args *a, struct err *e)
{
	const struct port_geneve *list = port_feature_shared(ps, &port_feature_geneve);
	struct out *o = ps->out;

	out_text(o, "ID\tType\tClass\tClass_mode\tLen\tOffset\tSample_len\tData\n");
	out_nest(o, "options", OUT_ARRAY);
	for (unsigned int i = 0; i < list->n; i++)
		option_show(o, &list->option[i], i);
	out_unnest(o);
	return 0;
}

int
port_geneve_flush(struct ports *ps, const struct args *a, struct err *e)
{
	struct port_geneve *list = port_feature_shared(ps, &port_feature_geneve);
	const unsigned int n = (unsigned int)arg_u64(a, "n", 0);

	list->n -= n < list->n ? n : list->n;
	return 0;
}

/* Convert the list to the driver's structs; masks[] has space for all masks. */
static void
tlvs_fill(const struct port_geneve *list, struct rte_pmd_mlx5_geneve_tlv *tlvs,
	rte_be32_t masks[][PORT_GENEVE_WORDS])
{
	for (unsigned int i = 0; i < list->n; i++) {
		const struct port_geneve_option *option = &list->option[i];

		for (unsigned int j = 0; j < option->n; j++)
			masks[i][j] = rte_cpu_to_be_32(option->mask[j]);
		tlvs[i] = (struct rte_pmd_mlx5_geneve_tlv){
			.option_class = rte_cpu_to_be_16(option->class_id),
			.option_type = option->type,
			.option_len = option->length,
			.match_on_class_mode = (uint8_t)option->class_mode,
			.offset = option->offset,
			.sample_len = option->n,
			.match_data_mask = option->n > 0 ? masks[i] : NULL,
		};
	}
}

int
port_geneve_apply(struct ports *ps, uint16_t id, struct err *e)
{
	const struct port_geneve *list = port_feature_shared(ps, &port_feature_geneve);
	rte_be32_t masks[PORT_GENEVE_OPTIONS][PORT_GENEVE_WORDS];
	struct rte_pmd_mlx5_geneve_tlv tlvs[PORT_GENEVE_OPTIONS];
	struct port *p = port_find(ps, id, e);
	__typeof__(&rte_pmd_mlx5_create_geneve_tlv_parser) create;
	void *parser;

	if (p == NULL)
		return -e->code;
	if (list->n == 0)
		return err_set(e, ENOENT, "The option list is empty, please set options");
	create = PORT_DRIVER_FIND(ps, id, &op, rte_pmd_mlx5_create_geneve_tlv_parser, e);
	if (create == NULL)
		return -e->code;
	tlvs_fill(list, tlvs, masks);
	parser = create(id, tlvs, (uint8_t)list->n);
	if (parser == NULL)
		return err_set(e, rte_errno != 0 ? rte_errno : EPROTO,
			"Fail to create GENEVE TLV parser, nb_option=%u: %s: port %u (%s)", list->n,
			strerror(rte_errno), id, p->info.driver_name);
	*parser_of(p) = parser;
	return 0;
}

int
port_geneve_destroy(struct ports *ps, uint16_t id, struct err *e)
{
	struct port *p = port_find(ps, id, e);
	__typeof__(&rte_pmd_mlx5_destroy_geneve_tlv_parser) destroy;
	int ret = 0;

	if (p == NULL)
		return -e->code;
	destroy = PORT_DRIVER_FIND(ps, id, &op, rte_pmd_mlx5_destroy_geneve_tlv_parser, e);
	if (destroy == NULL)
		return -e->code;
	if (*parser_of(p) != NULL)
		ret = destroy(*parser_of(p));
	if (ret < 0)
		return err_set(e, -ret, "Fail to destroy GENEVE TLV parser: %s: port %u (%s)",
			strerror(-ret), id, p->info.driver_name);
	if (ret == 0)
		*parser_of(p) = NULL;
	return 0;
}

static void
closed(struct ports *ps, struct port *p)
{
	__typeof__(&rte_pmd_mlx5_destroy_geneve_tlv_parser) destroy;

	if (*parser_of(p) == NULL)
		return;
	destroy = PORT_DRIVER_SYMBOL(rte_pmd_mlx5_destroy_geneve_tlv_parser);
	if (destroy != NULL)
		destroy(*parser_of(p));
	*parser_of(p) = NULL;
}

const struct port_feature port_feature_geneve = {
	.name = "geneve",
	.state_size = sizeof(void *),
	.shared_size = sizeof(struct port_geneve),
	.at = { [PORT_CLOSED] = closed },
};
