/* Links: waiting for them, as testpmd does after start and stop; switching them. */
#include "port/port_link.h"

#include "base/err.h"
#include "base/out.h"
#include "port/port.h"
#include "port/port_conf.h"

#include <rte_cycles.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOOKS 90 /* 9 s */
#define PAUSE_MS 100

/* True when every link is up. */
static bool
all_up(const uint16_t *ids, unsigned int n)
{
	struct rte_eth_link link;
	unsigned int i;

	for (i = 0; i < n; i++) {
		memset(&link, 0, sizeof(link));
		if (rte_eth_link_get_nowait(ids[i], &link) < 0 ||
			link.link_status == RTE_ETH_LINK_DOWN)
			return false;
	}
	return true;
}

static void
links_show(struct ports *ps, const uint16_t *ids, unsigned int n)
{
	char text[RTE_ETH_LINK_MAX_STR_LEN];
	struct rte_eth_link link;
	unsigned int i;
	int ret;

	for (i = 0; i < n; i++) {
		memset(&link, 0, sizeof(link));
		ret = rte_eth_link_get_nowait(ids[i], &link);
		if (ret < 0) {
			out_warn(ps->out, "Port %u link get failed: %s\n", ids[i], strerror(-ret));
			continue;
		}
		rte_eth_link_to_str(text, sizeof(text), &link);
		out_say(ps->out, "Port %u %s\n", ids[i], text);
	}
}

void
port_link_wait(struct ports *ps)
{
	uint16_t ids[RTE_MAX_ETHPORTS];
	unsigned int look, n = port_ids(ps, ids);
	bool up;

	if (!setting_on(ps->settings, "link-check"))
		return;
	out_say(ps->out, "Checking link statuses...\n");
	fflush(out_file(ps->out));
	for (look = 0; look < LOOKS; look++) {
		up = all_up(ids, n);
		if (!up)
			rte_delay_us_sleep(PAUSE_MS * 1000);
		/* With link interrupts the news comes by itself. */
		if (!setting_on(ps->settings, "no-lsc-interrupt"))
			return;
		if (up)
			break;
	}
	links_show(ps, ids, n);
}

int
port_link_set(struct ports *ps, uint16_t id, bool up, struct err *e)
{
	const struct port *p = port_at(ps, id);
	int ret;

	ret = p == NULL ? -ENODEV
		: up    ? rte_eth_dev_set_link_up(id)
			: rte_eth_dev_set_link_down(id);
	if (ret >= 0)
		return 0;
	return err_set(e, abs(ret), "\nSet link %s fail.\nport %u: %s", up ? "up" : "down", id,
		strerror(abs(ret)));
}
