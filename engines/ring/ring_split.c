/* Divides a pipeline's lcores: a single one does I/O and work; of several, the first half does I/O,
 * at most one lcore per stream. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/ring/ring_split.h"

#include "base/err.h"
#include "base/numbers.h"
#include "base/setting.h"
#include "stream/plan.h"

#include <rte_common.h>
#include <rte_lcore.h>

#include <errno.h>
#include <stdbool.h>

int
ring_split_check(const char *text, struct err *e)
{
	uint16_t list[RTE_MAX_LCORE];
	unsigned int n;

	return text[0] == '\0' ? 0 : numbers_parse("lcores", text, list, RTE_MAX_LCORE, &n, e);
}

static bool
listed(const unsigned int *list, unsigned int n, unsigned int lcore)
{
	for (unsigned int i = 0; i < n; i++)
		if (list[i] == lcore)
			return true;
	return false;
}

/* Parse the lcores in a setting; each must be enabled and must not be the main lcore. */
static int
named(const struct settings *settings, const char *name, unsigned int *lcores, unsigned int *n,
	struct err *e)
{
	uint16_t list[RTE_MAX_LCORE];
	unsigned int i, n_list;
	int ret =
		numbers_parse(name, setting_text(settings, name), list, RTE_MAX_LCORE, &n_list, e);

	for (i = 0, *n = 0; i < n_list && ret == 0; i++) {
		if (list[i] >= RTE_MAX_LCORE || !rte_lcore_is_enabled(list[i]))
			ret = err_set(e, ENODEV,
				"%s: lcore %u is not enabled; add it to EAL's -l, or use \"set pipeline lcores auto\"",
				name, list[i]);
		else if (list[i] == rte_get_main_lcore())
			ret = err_set(e, EINVAL,
				"%s: lcore %u is the main lcore, which never forwards", name,
				list[i]);
		else if (listed(lcores, *n, list[i]))
			ret = err_set(e, EINVAL, "%s: lcore %u is listed twice", name, list[i]);
		else
			lcores[(*n)++] = list[i];
	}
	return ret;
}

static void
halves(struct plan_choice *c)
{
	unsigned int n = c->use_lcores, streams = RTE_MAX(c->n_rxq, c->n_txq) * c->use_ports,
		     half = RTE_MAX(n / 2, 1u), io = RTE_MIN(half, streams);

	for (unsigned int i = n > 1 ? io : 0; i < n; i++)
		c->helpers[c->n_helpers++] = c->lcores[i];
	c->use_lcores = RTE_MAX(io, 1u);
}

/* With workers in other processes all lcores of this process do I/O. */
static int
remote(const struct settings *settings, struct plan_choice *c, struct err *e)
{
	int ret = 0;

	if (setting_text(settings, "pipeline-io")[0] != '\0') {
		ret = named(settings, "pipeline-io", c->lcores, &c->use_lcores, e);
		c->n_lcores = c->use_lcores;
	}
	return ret;
}

static int
shared_check(const struct settings *settings, const struct plan_choice *c, struct err *e)
{
	if (setting_u64(settings, "pipeline-sync") == 0)
		return 0;
	for (unsigned int i = 0; i < c->n_helpers; i++)
		if (listed(c->lcores, c->use_lcores, c->helpers[i]))
			return err_set(e, EINVAL,
				"pipeline-sync hts: lcore %u cannot do I/O and work, because it would wait for itself; use separate lcores for workers",
				c->helpers[i]);
	return 0;
}

int
ring_split(const struct settings *settings, struct plan_choice *c, struct err *e)
{
	bool io = setting_text(settings, "pipeline-io")[0] != '\0',
	     workers = setting_text(settings, "pipeline-workers")[0] != '\0';
	int ret = 0;

	c->n_helpers = 0;
	if (setting_u64(settings, "pipeline-processes") > 0)
		return remote(settings, c, e);
	if (io != workers)
		return err_set(e, EINVAL, "%s is set, but %s is not; set both or neither",
			io ? "pipeline-io" : "pipeline-workers",
			io ? "pipeline-workers" : "pipeline-io");
	if (io) {
		ret = named(settings, "pipeline-io", c->lcores, &c->use_lcores, e);
		c->n_lcores = c->use_lcores;
		if (ret == 0)
			ret = named(settings, "pipeline-workers", c->helpers, &c->n_helpers, e);
	} else if (c->use_lcores > 0) {
		halves(c);
	}
	return ret != 0 ? ret : shared_check(settings, c, e);
}
