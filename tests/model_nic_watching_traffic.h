/* Traffic that watches what model.c promises it, in place of traffic.c. */
#pragma once

#include "traffic.h"

enum { WATCHING_PORTS = 2 };

struct traffic {
	atomic_uint turns;
	atomic_bool freed;   /* the ring's memory is the driver's again */
	atomic_uint touched; /* turns that found an enabled ring freed */
	unsigned enabled, disabled;
	int link_in_turn; /* -1: leave it; else model_link() it once, in a turn */
	bool closed;
};

/* By port; new whenever one is opened. */
extern struct traffic watching[WATCHING_PORTS];

/* The port whose traffic does not open, -1: none. */
extern int watching_missing;
