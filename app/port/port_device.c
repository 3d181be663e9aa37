/* What users call a device: a bus address, a name, or keys and values. */
#include "port/port_device.h"

#include "base/base.h"

#include <rte_bus.h>
#include <rte_devargs.h>

#include <string.h>

/* True when the first key is bus or class and has no value; empty keys before it do not count. */
static bool
no_value(const char *identifier)
{
	static const char *const keys[] = { "bus", "class" };
	const char *key = identifier + strspn(identifier, ",");
	const size_t n = strcspn(key, "=,/");

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (key[n] != '=' && n == strlen(keys[i]) && strncmp(key, keys[i], n) == 0)
			return true;
	return false;
}

bool
port_device_parse(struct rte_devargs *d, const char *identifier)
{
	memset(d, 0, sizeof(*d));
	if (no_value(identifier) || rte_devargs_parsef(d, "%s", identifier) != 0)
		return false;
	if (d->bus != NULL && d->name[0] != '\0')
		return true;
	rte_devargs_reset(d);
	return false;
}
