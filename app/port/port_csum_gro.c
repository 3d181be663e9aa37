/* GRO and GSO of the csum engine: which ports, how often flushed, how long the frames; in testpmd's
 * words. */
#include "port/port_csum_gro.h"

#include "base/err.h"
#include "base/hist.h"
#include "base/out.h"
#include "port/port.h"
#include "port/port_conf.h"

#include <rte_gro.h>

#include <errno.h>
#include <inttypes.h>

#define FLUSH_MAX 4 /* as the setting gro-flush */

int
port_csum_gro(struct ports *ps, uint16_t id, bool on, struct err *e)
{
	struct port *p = port_at(ps, id);

	if (p == NULL)
		return err_set(e, ENODEV, "invalid port id %u", id);
	if (ps->forwarding)
		return err_set(e, EBUSY, "Before enable/disable GRO, please stop forwarding first");
	if (on && p->csum.gro)
		return err_set(e, EALREADY, "Port %u has enabled GRO. Please disable GRO first",
			id);
	if (!on && !p->csum.gro)
		return err_set(e, EALREADY, "Port %u has disabled GRO", id);
	p->csum.gro = on;
	return 0;
}

int
port_csum_gso(struct ports *ps, uint16_t id, bool on, struct err *e)
{
	struct port *p = port_at(ps, id);

	if (p == NULL)
		return err_set(e, ENODEV, "invalid port id %u", id);
	if (ps->forwarding)
		return err_set(e, EBUSY, "before %s GSO, please stop forwarding first",
			on ? "enabling" : "disabling");
	p->csum.gso = on;
	return 0;
}

int
port_csum_gro_flush(struct ports *ps, uint64_t cycles, struct err *e)
{
	if (ps->forwarding)
		return err_set(e, EBUSY,
			"Before change flush interval for GRO, please stop forwarding first.");
	if (cycles < 1 || cycles > FLUSH_MAX)
		return err_set(e, ERANGE, "The flushing cycle be in the range of 1 to %u.",
			FLUSH_MAX);
	return setting_set(ps->settings, "gro-flush", cycles, e);
}

int
port_csum_gso_size(struct ports *ps, uint64_t bytes, struct err *e)
{
	const struct setting *size = setting_find(ps->settings, "gso-segsz");

	if (ps->forwarding)
		return err_set(e, EBUSY, "Before setting GSO segsz, please first stop forwarding");
	if (bytes < size->min)
		return err_set(e, ERANGE,
			"gso_size should be larger than %" PRIu64 ". Please input a legal value",
			size->min);
	return setting_set(ps->settings, "gso-segsz", bytes, e);
}

int
port_csum_gro_show(struct ports *ps, uint16_t id, struct err *e)
{
	const struct port *p = port_at(ps, id);
	uint64_t cycles = setting_u64(ps->settings, "gro-flush");
	struct out *o = ps->out;

	if (p == NULL)
		return err_set(e, ENODEV, "Invalid port id %u.", id);
	out_u64(o, "port", NULL, id);
	out_bool(o, "gro", NULL, p->csum.gro, "on", "off");
	if (!p->csum.gro) {
		out_text(o, "Port %u doesn't enable GRO.\n", id);
		return 0;
	}
	out_text(o, "GRO type: TCP/IPv4\n");
	/* Without tables that outlive a turn, the library takes so many packets at a time. */
	out_u64(o, "packets_max", "Max number of packets to perform GRO: %" PRIu64 "\n",
		cycles == 1 ? RTE_GRO_MAX_BURST_ITEM_NUM : BURST_MAX * FLUSH_MAX);
	out_u64(o, "flush_cycles", "Flushing cycles: %" PRIu64 "\n", cycles);
	return 0;
}

int
port_csum_gso_show(struct ports *ps, uint16_t id, struct err *e)
{
	const struct port *p = port_at(ps, id);

	if (p == NULL)
		return err_set(e, ENODEV, "invalid port id %u", id);
	out_u64(ps->out, "port", NULL, id);
	out_bool(ps->out, "gso", NULL, p->csum.gso, "on", "off");
	if (!p->csum.gso) {
		out_text(ps->out, "GSO is not enabled on Port %u\n", id);
		return 0;
	}
	out_u64(ps->out, "segment_bytes", "Max GSO'd packet size: %" PRIu64 "B\n",
		setting_u64(ps->settings, "gso-segsz"));
	out_text(ps->out,
		"Supported GSO types: TCP/IPv4, UDP/IPv4, VxLAN with inner TCP/IPv4 packet, GRE with inner "
		"TCP/IPv4 packet\n");
	return 0;
}
