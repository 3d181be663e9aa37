/* Show and set receive side scaling (RSS): hash types by name, hash key, redirection table. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/offload/port_rss.h"

#include "base/base.h"
#include "base/err.h"
#include "base/out.h"
#include "base/text.h"
#include "cmdline/grammar/grammar.h"
#include "compat.h"
#include "port/port.h"
#include "port/port_setup.h"

#include <rte_ethdev.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEY_BYTES_MAX 64
#define RETA_MASKS_MAX (RTE_ETH_RSS_RETA_SIZE_512 / RTE_ETH_RETA_GROUP_SIZE)

static void
key_show(struct out *o, const uint8_t *key, unsigned int bytes)
{
	char hex[2 * KEY_BYTES_MAX + 1];
	unsigned int i;

	for (i = 0; i < bytes; i++)
		snprintf(hex + 2 * i, 3, "%02X", key[i]);
	out_str(o, "rss_key", "RSS key:\n%s\n", hex);
}

static int
info_read(const struct ports *ps, uint16_t id, struct rte_eth_dev_info *info, struct err *e)
{
	int ret;

	if (port_find(ps, id, e) == NULL)
		return -ENODEV;
	ret = rte_eth_dev_info_get(id, info);
	return ret == 0 ? 0
			: err_set(e, -ret, "port %u: cannot read device information: %s", id,
				  strerror(-ret));
}

/* Read the driver's RSS configuration; the key only if conf has a buffer for it. */
static int
conf_read(const struct ports *ps, uint16_t id, struct rte_eth_rss_conf *conf, struct err *e)
{
	struct rte_eth_dev_info info;
	int ret = info_read(ps, id, &info, e);

	if (ret != 0)
		return ret;
	if (info.hash_key_size == 0 || info.hash_key_size > KEY_BYTES_MAX)
		return err_set(e, ENOTSUP, "dev_info did not provide a valid hash key size");
	conf->rss_key_len = info.hash_key_size;
	ret = rte_eth_dev_rss_hash_conf_get(id, conf);
	if (ret == -ENOTSUP)
		return err_set(e, ENOTSUP, "operation not supported by device");
	return ret == 0 ? 0 : err_set(e, abs(ret), "operation failed - diag=%d", ret);
}

int
port_rss_hash_show(struct ports *ps, const struct args *a, struct err *e)
{
	const uint16_t id = arg_u64(a, "port", 0);
	const bool key = arg_given(a, "key");
	uint8_t bytes[KEY_BYTES_MAX] = { 0 };
	struct rte_eth_rss_conf conf = { .rss_key = key ? bytes : NULL };
	int ret = conf_read(ps, id, &conf, e);

	if (ret != 0)
		return ret;
	out_u64(ps->out, "port", NULL, id);
	if (conf.rss_hf == 0) {
		out_text(ps->out, "RSS disabled\n");
		out_nest(ps->out, "rss_types", OUT_ARRAY);
		out_unnest(ps->out);
		return 0;
	}
	out_text(ps->out, "RSS functions:\n");
	port_rss_groups_show(ps->out, "rss_types", conf.rss_hf);
	if (key)
		key_show(ps->out, bytes, conf.rss_key_len);
	return 0;
}

int
port_rss_algorithm_show(struct ports *ps, uint16_t id, struct err *e)
{
	struct rte_eth_rss_conf conf = { 0 };
	int ret = conf_read(ps, id, &conf, e);

	if (ret != 0)
		return ret;
	if (compat_rss_algorithm(&conf) == NULL)
		return err_set(e, ENOSYS, "the hash function of RSS: needs DPDK 23.11, this is %s",
			rte_version());
	out_u64(ps->out, "port", NULL, id);
	if (conf.rss_hf == 0)
		out_text(ps->out, "RSS disabled\n");
	else
		out_str(ps->out, "rss_algorithm", "RSS algorithm:\n  %s\n",
			compat_rss_algorithm(&conf));
	return 0;
}

int
port_rss_algorithm_set(struct ports *ps, const struct args *a, struct err *e)
{
	const uint16_t id = arg_u64(a, "port", 0);
	const char *name = arg_str(a, "algorithm", "");
	uint8_t bytes[KEY_BYTES_MAX] = { 0 };
	struct rte_eth_rss_conf conf = { .rss_key = bytes };
	int ret = conf_read(ps, id, &conf, e);

	if (ret != 0)
		return ret;
	ret = compat_rss_algorithm_set(&conf, name);
	if (ret == -ENOSYS)
		return err_set(e, ENOSYS,
			"choosing the hash function of RSS: needs DPDK 24.03, this is %s",
			rte_version());
	if (ret != 0)
		return err_set(e, EINVAL, "port %u configured invalid RSS hash algorithm: %s", id,
			name);
	ret = rte_eth_dev_rss_hash_update(id, &conf);
	return ret == 0 ? 0
			: err_set(e, abs(ret), "failed to set port %u RSS hash algorithm: %s", id,
				  strerror(abs(ret)));
}

/* Parse "(0xff,0x3)" into the masks of n groups. */
static int
masks_parse(const char *text, struct rte_eth_rss_reta_entry64 *groups, unsigned int n,
	struct err *e)
{
	const char *at = text;
	unsigned int i;
	char *end;

	if (*at++ != '(')
		return err_set(e, EINVAL, "Invalid string: %s for reta masks", text);
	for (i = 0; i < n; i++) {
		errno = 0;
		groups[i].mask = strtoull(at, &end, 0);
		if (end == at || errno != 0 || strchr("+-", *at) != NULL)
			return err_set(e, EINVAL, "Invalid string: %s for reta masks", text);
		if (*end != (i + 1 < n ? ',' : ')'))
			return err_set(e, EINVAL,
				"The bits of masks do not match the number of reta entries: %u", n);
		at = end + 1;
	}
	if (*at != '\0')
		return err_set(e, EINVAL, "Invalid string: %s for reta masks", text);
	return 0;
}

static void
reta_show(struct out *o, const struct rte_eth_rss_reta_entry64 *groups, uint16_t size)
{
	unsigned int i;

	out_nest(o, "reta", OUT_ARRAY);
	for (i = 0; i < size; i++) {
		const struct rte_eth_rss_reta_entry64 *group = &groups[i / RTE_ETH_RETA_GROUP_SIZE];

		if ((group->mask & RTE_BIT64(i % RTE_ETH_RETA_GROUP_SIZE)) == 0)
			continue;
		out_nest(o, NULL, OUT_OBJECT);
		out_u64(o, "hash_index", "RSS RETA configuration: hash index=%" PRIu64, i);
		out_u64(o, "queue", ", queue=%" PRIu64 "\n",
			group->reta[i % RTE_ETH_RETA_GROUP_SIZE]);
		out_unnest(o);
	}
	out_unnest(o);
}

int
port_rss_reta_show(struct ports *ps, const struct args *a, struct err *e)
{
	const uint16_t id = arg_u64(a, "port", 0), size = arg_u64(a, "size", 0);
	struct rte_eth_rss_reta_entry64 groups[RETA_MASKS_MAX] = { 0 };
	struct rte_eth_dev_info info;
	uint16_t max;
	int ret;

	ret = info_read(ps, id, &info, e);
	if (ret != 0)
		return ret;
	max = RTE_MIN(info.reta_size, RTE_ETH_RSS_RETA_SIZE_512);
	if (size == 0 || size > max)
		return err_set(e, ERANGE, "Invalid redirection table size: %u (1-%u)", size, max);
	ret = masks_parse(arg_str(a, "masks", ""), groups,
		(size + RTE_ETH_RETA_GROUP_SIZE - 1) / RTE_ETH_RETA_GROUP_SIZE, e);
	if (ret != 0)
		return ret;
	ret = rte_eth_dev_rss_reta_query(id, groups, size);
	if (ret != 0)
		return err_set(e, abs(ret), "Failed to get RSS RETA info, return code = %d", ret);
	out_u64(ps->out, "port", NULL, id);
	reta_show(ps->out, groups, size);
	return 0;
}

/* Parse a number 1..63 as the bit of a type. */
static int
number_parse(const char *word, uint64_t *types, struct err *e)
{
	char *end;
	unsigned long n = strtoul(word, &end, 10);

	if (*end != '\0' || n == 0 || n > 63)
		return err_set(e, ERANGE, "flowtype_id should be greater than 0 and less than 64.");
	*types = UINT64_C(1) << n;
	return 0;
}

/* Parse the types of a word. *own: use each port's capabilities instead. */
static int
word_parse(const struct ports *ps, const char *word, uint64_t *types, bool *own, struct err *e)
{
	const uint64_t without_level = port_setup_rss(ps) & ~RTE_ETH_RSS_LEVEL_MASK;

	*own = strcmp(word, "default") == 0;
	*types = 0;
	if (*own)
		return 0;
	if (strcmp(word, "level-default") == 0)
		*types = without_level | RTE_ETH_RSS_LEVEL_PMD_DEFAULT;
	else if (strcmp(word, "level-outer") == 0)
		*types = without_level | RTE_ETH_RSS_LEVEL_OUTERMOST;
	else if (strcmp(word, "level-inner") == 0)
		*types = without_level | RTE_ETH_RSS_LEVEL_INNERMOST;
	else if (word[0] >= '0' && word[0] <= '9')
		return number_parse(word, types, e);
	else if (!port_rss_find(word, types))
		return err_set(e, EINVAL,
			"Unknown parameter\nunknown RSS type \"%.64s\": expected all, none, ip, tcp, udp, sctp, ether, ipv4-tcp, ...",
			word);
	return 0;
}

/* Add to an error why RSS is off and how to enable it. */
static int
one_queue_say(struct err *e)
{
	const struct err before = *e;

	return err_set(e, before.code,
		"%s\nThe ports have one receive queue, so RSS is off: stop the ports and use \"port config all rxq N\" first.",
		before.text);
}

int
port_rss_conf(struct ports *ps, const struct args *a, struct err *e)
{
	uint16_t ids[RTE_MAX_ETHPORTS];
	unsigned int i, n = port_ids(ps, ids);
	uint64_t types;
	bool own;
	int ret = word_parse(ps, arg_str(a, "types", ""), &types, &own, e);

	if (ret != 0)
		return ret;
	for (i = 0; i < n; i++) {
		const struct port *p = port_at(ps, ids[i]);
		const uint64_t can = p->info.flow_type_rss_offloads;
		struct rte_eth_rss_conf conf = { .rss_hf = own ? can : types & can };
		int update_ret;

		if (!own && conf.rss_hf != types)
			out_say(ps->out,
				"Port %u modified RSS hash function based on hardware support,requested:%#" PRIx64
				" configured:%#" PRIx64 "\n",
				p->id, types, conf.rss_hf);
		/* The next configure uses ps->rss_hf, so an unconfigured device needs no update
		 * now. */
		if (!p->configured && !own)
			continue;
		update_ret = rte_eth_dev_rss_hash_update(p->id, &conf);
		if (update_ret < 0)
			ret = port_fail(ps, e, -update_ret,
				"Configuration of RSS hash at ethernet port %u failed with error (%d): %s.",
				p->id, -update_ret, strerror(-update_ret));
	}
	if (ret != 0 && setting_u64(ps->settings, "rxq") <= 1)
		return one_queue_say(e);
	if (ret != 0 || own)
		return ret;
	ps->rss_given = true;
	ps->rss_hf = types;
	out_say(ps->out, "rss_hf %#" PRIx64 "\n", types);
	return 0;
}

#define RETA_BAD "Invalid RSS Redirection Table config entered: "

/* Put a queue into the group of its hash index, after a check against the limits in info. */
static int
reta_entry_add(uint16_t hash, uint16_t queue, const struct rte_eth_dev_info *info,
	struct rte_eth_rss_reta_entry64 *groups, struct err *e)
{
	struct rte_eth_rss_reta_entry64 *group = &groups[hash / RTE_ETH_RETA_GROUP_SIZE];

	if (hash >= info->reta_size)
		return err_set(e, ERANGE, RETA_BAD "hash index %u: expected 0..%u", hash,
			info->reta_size - 1u);
	if (queue >= info->nb_rx_queues)
		return err_set(e, ERANGE, RETA_BAD "queue %u: the port has %u queues", queue,
			info->nb_rx_queues);
	group->mask |= RTE_BIT64(hash % RTE_ETH_RETA_GROUP_SIZE);
	group->reta[hash % RTE_ETH_RETA_GROUP_SIZE] = queue;
	return 0;
}

int
port_rss_reta_set(struct ports *ps, const struct args *a, struct err *e)
{
	const uint16_t id = arg_u64(a, "port", 0);
	struct rte_eth_rss_reta_entry64 groups[RETA_MASKS_MAX] = { 0 };
	struct rte_eth_dev_info info;
	const struct arg *entries = arg_find(a, "entries");
	int ret;

	ret = info_read(ps, id, &info, e);
	if (ret != 0)
		return ret;
	if (info.reta_size == 0)
		return err_set(e, ENOTSUP, "Redirection table size is 0 which is invalid for RSS");
	out_say(ps->out, "The reta size of port %u is %u\n", id, info.reta_size);
	if (info.reta_size > RTE_ETH_RSS_RETA_SIZE_512)
		return err_set(e, ENOTSUP,
			"Currently do not support more than %u entries of redirection table",
			RTE_ETH_RSS_RETA_SIZE_512);
	for (unsigned int i = 0; i < entries->list_n; i += 2) {
		ret = reta_entry_add(entries->list[i], entries->list[i + 1], &info, groups, e);
		if (ret != 0)
			return ret;
	}
	ret = rte_eth_dev_rss_reta_update(id, groups, info.reta_size);
	return ret == 0
		? 0
		: err_set(e, abs(ret), "Bad redirection table parameter, return code = %d", ret);
}

/* Parse a key of exactly bytes bytes, two digits each. */
static int
key_parse(const char *hex, uint8_t *key, unsigned int bytes, struct err *e)
{
	const size_t digits = text_hex(hex, key, bytes);

	if (hex[digits] != '\0')
		return err_set(e, EINVAL,
			"invalid key: character %c at position %zu is not a valid hexa digit",
			hex[digits], digits);
	if (digits != 2 * bytes)
		return err_set(e, EINVAL,
			"key length: %zu invalid - key must be a string of %u hexa-decimal numbers",
			digits, 2 * bytes);
	return 0;
}

int
port_rss_key_set(struct ports *ps, const struct args *a, struct err *e)
{
	const uint16_t id = arg_u64(a, "port", 0);
	const char *type = arg_str(a, "type", "");
	struct rte_eth_rss_conf conf = { 0 };
	struct rte_eth_dev_info info;
	uint8_t key[KEY_BYTES_MAX];
	int ret;

	ret = info_read(ps, id, &info, e);
	if (ret != 0)
		return ret;
	if (!port_rss_find(type, &conf.rss_hf) || conf.rss_hf == 0)
		return err_set(e, EINVAL, "Unknown RSS type %s: expected ipv4, ipv4-udp, ...",
			type);
	if (info.hash_key_size == 0 || info.hash_key_size > KEY_BYTES_MAX)
		return err_set(e, ENOTSUP, "dev_info did not provide a valid hash key size");
	ret = key_parse(arg_str(a, "key", ""), key, info.hash_key_size, e);
	if (ret != 0)
		return ret;
	ret = rte_eth_dev_rss_hash_conf_get(id, &conf);
	if (ret == 0) {
		conf.rss_key = key;
		conf.rss_key_len = info.hash_key_size;
		ret = rte_eth_dev_rss_hash_update(id, &conf);
	}
	if (ret == -ENOTSUP)
		return err_set(e, ENOTSUP, "operation not supported by device");
	return ret == 0 ? 0 : err_set(e, abs(ret), "operation failed - diag=%d", ret);
}
