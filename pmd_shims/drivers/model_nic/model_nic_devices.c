/* Makes the devices that the program has named before EAL's initialisation, else those of
 * MODEL_NIC. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/drivers/model_nic/model_nic_devices.h"

#include "pmd_shims/drivers/model_nic/config.h"
#include "pmd_shims/drivers/model_nic/families.h"
#include "pmd_shims/drivers/model_nic/model_life.h"
#include "pmd_shims/drivers/model_nic/mover.h"

#include <stdio.h>
#include <stdlib.h>

static int
make(const char *devices, const char *from, char *why, size_t size)
{
	const struct config_words words = config_words(model_families, devices, from);
	struct model_config *c = &config_current;

	if (config_parse(&words, c, why, size) != 0)
		return -1;
	if (c->cpu >= 0 && !mover_cpu_usable(c->cpu)) {
		snprintf(why, size,
			"MODEL_NIC_CPU: \"%d\": expected a CPU that this process may use", c->cpu);
		return -1;
	}
	return models_create(why, size);
}

int
model_nic_devices(const char *devices, char *why, size_t size)
{
	return make(devices, "", why, size);
}

int
model_nic_devices_default(char *why, size_t size)
{
	return config_current.ports > 0 ? 0 : make(getenv("MODEL_NIC"), "MODEL_NIC: ", why, size);
}
