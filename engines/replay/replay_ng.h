/* Reads pcapng files. libpcap refuses those whose interfaces differ in link type or snapshot length, and
 * sections of two byte orders. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engines/replay/replay_record.h"

struct err;
struct replay_stream;

/*
 * Call each() for every packet of an Ethernet interface, until it fails, or the rest cannot be read:
 * see rest->why. Packets of other interfaces are counted in rest->foreign. Errors: those of each();
 * ENOMEM.
 */
int replay_ng_read(struct replay_stream *s,
	int (*each)(void *context, const struct replay_record *r, struct err *e), void *context,
	struct replay_rest *rest, struct err *e);
