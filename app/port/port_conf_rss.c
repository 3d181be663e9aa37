/* Which header fields spread packets over the Rx queues: chosen for all ports, at once. */
#include "port/port_conf_rss.h"

#include "base/err.h"
#include "base/out.h"
#include "port/port.h"
#include "port/port_conf.h"
#include "port/port_rss.h"
#include "port/port_setup.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Number 1..63 as a type's bit. */
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

/* The types that a word asks for. own: what each port can. */
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
		return err_set(e, EINVAL, "Unknown parameter");
	return 0;
}

int
port_conf_rss(struct ports *ps, const char *name, struct err *e)
{
	uint16_t ids[RTE_MAX_ETHPORTS];
	unsigned int i, n = port_ids(ps, ids);
	uint64_t types;
	bool own;
	int ret = word_parse(ps, name, &types, &own, e);

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
		update_ret = rte_eth_dev_rss_hash_update(p->id, &conf);
		if (update_ret < 0)
			ret = port_fail(ps, e, -update_ret,
				"Configuration of RSS hash at ethernet port %u failed with error (%d): %s.",
				p->id, -update_ret, strerror(-update_ret));
	}
	if (ret != 0 || own)
		return ret;
	ps->rss_given = true;
	ps->rss_hf = types;
	out_say(ps->out, "rss_hf %#" PRIx64 "\n", types);
	return 0;
}
