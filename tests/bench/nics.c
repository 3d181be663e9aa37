/* Finding the plugin's functions by name, and comparing its counts with the streams'. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/nics.h"

#include "base/base.h"
#include "base/err.h"
#include "stream/stream.h"

#include <rte_cycles.h>

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS_MAX = 1000, MOMENT_MS = 5 };

static int
find_plugin(struct dl_phdr_info *info, size_t size, void *found)
{
	void *object = info->dlpi_name[0] != '\0' ? dlopen(info->dlpi_name, RTLD_NOW | RTLD_NOLOAD)
						  : NULL;

	if (object == NULL)
		return 0;
	if (dlsym(object, "model_nic_step") == NULL) {
		dlclose(object);
		return 0;
	}
	*(void **)found = object;
	return 1;
}

/* A function's address into to; all are of one size. */
static bool
look_up(void *plugin, const char *name, void *to)
{
	void *symbol = dlsym(plugin, name);

	memcpy(to, &symbol, sizeof(symbol));
	return symbol != NULL;
}

int
nics_find(struct nics *nics, bool stepped, struct err *e)
{
	const char *mode = getenv("MODEL_NIC_MODE");
	void *plugin = NULL;

	dl_iterate_phdr(find_plugin, &plugin);
	if (plugin == NULL || !look_up(plugin, "model_nic_ports", &nics->count) ||
		!look_up(plugin, "model_nic_step", &nics->step) ||
		!look_up(plugin, "model_nic_report", &nics->report) ||
		!look_up(plugin, "model_nic_report_reset", &nics->report_reset) ||
		!look_up(plugin, "model_nic_pause", &nics->pause) || nics->count() == 0)
		return err_set(e, ENODEV,
			"no modelled NICs: expected -d model_nic.so among the EAL options and MODEL_NIC in the environment");
	nics->stepped = mode != NULL && strcmp(mode, "step") == 0;
	if (nics->stepped != stepped)
		return err_set(e, ENODEV, "MODEL_NIC_MODE=%s: expected %s",
			nics->stepped ? "step" : "thread", stepped ? "step" : "thread");
	return 0;
}

void
nics_settle(const struct nics *nics)
{
	if (!nics->stepped)
		rte_delay_ms(MOMENT_MS);
	for (unsigned int i = 0; nics->stepped && i < STEPS_MAX && nics->step() > 0; i++)
		;
}

void
nics_pause(const struct nics *nics, bool paused)
{
	for (unsigned int i = 0; i < nics->count(); i++)
		nics->pause(i, paused);
}

void
nics_reset(const struct nics *nics)
{
	for (unsigned int i = 0; i < nics->count(); i++)
		nics->report_reset(i);
}

void
nics_account_add(struct nics_account *a, const struct stream *s)
{
	a->rx += counter_read(&s->count.rx);
	a->made += counter_read(&s->count.made);
	a->tx += counter_read(&s->count.tx);
	a->tx_dropped += counter_read(&s->count.tx_dropped);
	a->absorbed += counter_read(&s->count.absorbed);
}

/* What no packet may be, and how many are. */
static int
check_marks(const struct model_nic_report *r, struct err *e)
{
	const struct {
		const char *what;
		uint64_t n;
	} bad[] = { { "corrupted", r->corrupted }, { "duplicated", r->duplicated },
		{ "reordered", r->reordered }, { "foreign", r->foreign },
		{ "armed_twice", r->armed_twice }, { "armed_in_tx", r->armed_in_tx },
		{ "sent_while_armed", r->sent_while_armed } };

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		if (bad[i].n != 0)
			return err_set(e, EIO, "verification: %s %" PRIu64 ", expected none",
				bad[i].what, bad[i].n);
	return 0;
}

/* Port counts added up, field by field. */
static void
report_add(struct model_nic_report *sum, const struct model_nic_report *r)
{
	uint64_t *to = (uint64_t *)sum;
	const uint64_t *from = (const uint64_t *)r;

	for (size_t i = 0; i < sizeof(*sum) / sizeof(*to); i++)
		to[i] += from[i];
}

int
nics_account_check(const struct nics *nics, struct nics_account *a, struct err *e)
{
	struct model_nic_report sum = { 0 }, one;

	for (unsigned int i = 0; i < nics->count(); i++)
		if (nics->report(i, &one))
			report_add(&sum, &one);
	if (sum.rx_packets != a->rx || sum.tx_packets != a->tx)
		return err_set(e, EIO,
			"packets do not add up: given %" PRIu64 ", received %" PRIu64
			"; sent %" PRIu64 ", taken %" PRIu64,
			sum.rx_packets, a->rx, a->tx, sum.tx_packets);
	if (a->rx + a->made != a->tx + a->tx_dropped + a->absorbed)
		return err_set(e, EIO,
			"packets do not add up: received %" PRIu64 " and made %" PRIu64
			", sent %" PRIu64 ", dropped %" PRIu64 ", absorbed %" PRIu64,
			a->rx, a->made, a->tx, a->tx_dropped, a->absorbed);
	a->verified = sum.ok;
	if (sum.generated == 0)
		return 0;
	if (sum.generated != sum.ok + a->tx_dropped + a->absorbed)
		return err_set(e, EIO,
			"verification: %" PRIu64 " packets generated, %" PRIu64
			" came back whole, %" PRIu64 " dropped or absorbed",
			sum.generated, sum.ok, a->tx_dropped + a->absorbed);
	return check_marks(&sum, e);
}
