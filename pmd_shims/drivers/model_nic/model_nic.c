/* The functions that a program can call through dlsym(). */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/drivers/model_nic/model_nic.h"

#include "pmd_shims/drivers/model_nic/config.h"
#include "pmd_shims/drivers/model_nic/model_life.h"
#include "pmd_shims/drivers/model_nic/wire/traffic.h"

#include <string.h>

unsigned
model_nic_ports(void)
{
	return config_current.ports;
}

bool
model_nic_report(unsigned port, struct model_nic_report *r)
{
	struct model *m = model_port(port);

	memset(r, 0, sizeof(*r));
	if (m == NULL || m->traffic == NULL)
		return false;
	traffic_report(m->traffic, r);
	r->link_changes = atomic_load(&m->link_changes);
	r->resets = atomic_load(&m->resets);
	return true;
}

void
model_nic_report_reset(unsigned port)
{
	struct model *m = model_port(port);

	if (m == NULL || m->traffic == NULL)
		return;
	traffic_report_reset(m->traffic);
	atomic_store(&m->link_changes, 0);
	atomic_store(&m->resets, 0);
}

unsigned
model_nic_step(void)
{
	if (!config_current.step)
		return 0;
	for (unsigned i = 0; i < config_current.ports; i++) {
		struct model *m = model_port(i);

		if (m != NULL && m->family->wait_told != NULL)
			m->family->wait_told(m);
	}
	return models_poll();
}

void
model_nic_pause(unsigned port, bool paused)
{
	struct model *m = model_port(port);

	if (m != NULL && m->traffic != NULL)
		traffic_pause(m->traffic, paused);
}

bool
model_nic_fault(unsigned port, const char *words, const char **why)
{
	struct model *m = model_port(port);

	*why = "no such port";
	return m != NULL && m->traffic != NULL && traffic_fault(m->traffic, words, why);
}

bool
model_nic_link(unsigned port, bool up)
{
	struct model *m = model_port(port);

	if (m == NULL || m->bar == NULL)
		return false;
	model_link(m, up);
	return true;
}
