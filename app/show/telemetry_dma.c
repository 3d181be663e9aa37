/* Telemetry of DMA devices: their properties and the counters of each vchan. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "app.h"
#include "features/dma/dma_devices.h"
#include "show/telemetry_priv.h"
#include "show/telemetry_reply.h"

#include <rte_dmadev.h>

#include <errno.h>
#include <pthread.h>
#include <stdio.h>

int
telemetry_dma_all(struct app *app, const char *params, struct telemetry_reply *reply)
{
	struct telemetry_reply list, one;
	struct telemetry_sink to;
	uint64_t first;
	int16_t id;
	char name[12];

	if (telemetry_number(&params, 0, &first) != 0 || first > INT16_MAX)
		return -EINVAL;
	/* The users of a DMA device are found in the ports' devargs. */
	pthread_mutex_lock(&app->ports.reading);
	telemetry_reply_u64(reply, "n_dma", rte_dma_count_avail());
	telemetry_reply_rest(reply, &list);
	for (id = rte_dma_next_dev((int16_t)first); id >= 0;
		id = rte_dma_next_dev((int16_t)(id + 1))) {
		telemetry_reply_nest(&one);
		telemetry_sink_begin(&to, &one);
		dma_devices_put(&to.sink, id);
		snprintf(name, sizeof(name), "%d", id);
		if (!telemetry_reply_put(&list, name, &one))
			break;
	}
	pthread_mutex_unlock(&app->ports.reading);
	telemetry_reply_put(reply, "dma", &list);
	if (id >= 0)
		telemetry_reply_u64(reply, "next", (uint64_t)id);
	return 0;
}
