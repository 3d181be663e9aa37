/* GRO and GSO of ports for the engine csum: set port N gro, set port N gso. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct err;
struct ports;

/* GRO and GSO of the csum engine; not while forwarding. */
int port_csum_gro(struct ports *ps, uint16_t id, bool on, struct err *e);
int port_csum_gso(struct ports *ps, uint16_t id, bool on, struct err *e);
int port_csum_gro_flush(struct ports *ps, uint64_t cycles, struct err *e);
int port_csum_gso_size(struct ports *ps, uint64_t bytes, struct err *e);
int port_csum_gro_show(struct ports *ps, uint16_t id, struct err *e);
int port_csum_gso_show(struct ports *ps, uint16_t id, struct err *e);
