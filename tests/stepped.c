/* What a test asks of a plugin of modelled NICs that it steps by itself. */
#include "stepped.h"

#include "model_nic/model_nic.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static void
symbol(void *plugin, const char *name, void *to)
{
	void *found = dlsym(plugin, name);

	assert_non_null(found);
	memcpy(to, &found, sizeof(found));
}

void
stepped_open(struct stepped *s)
{
	void *plugin = dlopen(getenv("MODEL_NIC_PLUGIN"), RTLD_NOW | RTLD_NOLOAD);

	assert_non_null(plugin);
	symbol(plugin, "model_nic_report", &s->report);
	symbol(plugin, "model_nic_report_reset", &s->reset);
	symbol(plugin, "model_nic_step", &s->step);
}

void
stepped_reports(const struct stepped *s, unsigned ports, struct model_nic_report *sum)
{
	struct model_nic_report one;

	memset(sum, 0, sizeof(*sum));
	for (unsigned p = 0; p < ports; p++) {
		assert_true(s->report(p, &one));
		for (size_t i = 0; i < sizeof(*sum) / sizeof(uint64_t); i++)
			((uint64_t *)sum)[i] += ((uint64_t *)&one)[i];
	}
}
