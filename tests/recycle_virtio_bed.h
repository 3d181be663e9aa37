/* Two net_virtio ports over modelled devices that move when told to, with or without recycling between them. */
#pragma once

#include "recycle.h"
#include "recycle_deeds.h"
#include "stepped.h"

#include <stdbool.h>
#include <stdint.h>

struct err;

enum { PORTS = 2, BURST = 32, TURNS = 3000, WAIT_US = 100, WAITS = 100000, RX_THRESH = 64 };

#define SPLIT "mrg_rxbuf=0,in_order=0,vectorized=1"
#define PACKED "mrg_rxbuf=0,packed_vq=1,vectorized=1"
#define SPLIT_IN_ORDER "mrg_rxbuf=0"
#define PACKED_IN_ORDER "mrg_rxbuf=0,packed_vq=1"

/* Device arguments of both ports; the second one's receive function may leave nothing to arm. */
struct paths {
	const char *name, *devargs[PORTS];
	bool both, wide; /* both directions are paired; needs AVX-512 */
};

enum { ALL_PATHS = 7 };

extern const struct paths all_paths[ALL_PATHS];

extern struct bed {
	const struct paths *paths;
	struct recycle *pair[PORTS]; /* by receiving port; NULL: forward without */
	uint16_t port[PORTS];
	unsigned int mbufs;
	uint64_t sent;
	bool wide;
	char folder[32]; /* of the devices' sockets */
	struct stepped model;
} bed;

int group_setup(void **state);
int group_teardown(void **state);

/* Whether this machine and width of vectors have them. */
bool runs(const struct paths *p);

/* New ports and pools, devices at work. ring: descriptors of all queues. */
void ports_open(const struct paths *paths, uint16_t ring);

/* Port i receives, the other one sends; NULL with e filled. */
struct recycle *pair_bind(unsigned int i, enum recycle_mode mode, struct err *e);

/* All pairs that the paths allow; the others are refused for the right reason. */
void pairs_bind(enum recycle_mode mode);

/* So many turns of an application that does something to each packet. */
void turns(unsigned int n, deed *done);

/* Ports closed, every mbuf back, every buffer freed once, and the model content. */
void finish(void);

/* By all pairs that are bound now. */
uint64_t moved(void);
