/* What librte_vhost believes of a vhost-user frontend and should not: messages that would have it read
 * or write outside the guest's memory are refused before it sees them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Messages that say more than their number here; SET_* and GET_* are the frontend's. */
enum vhost_message_request {
	VHOST_MESSAGE_SET_FEATURES = 2,
	VHOST_MESSAGE_SET_MEM_TABLE = 5,
	VHOST_MESSAGE_SET_LOG_BASE = 6,
	VHOST_MESSAGE_SET_VRING_NUM = 8,
	VHOST_MESSAGE_SET_VRING_ADDR = 9,
	VHOST_MESSAGE_SET_VRING_BASE = 10,
	VHOST_MESSAGE_GET_VRING_BASE = 11,
	VHOST_MESSAGE_SET_VRING_KICK = 12,
	VHOST_MESSAGE_SET_VRING_ENABLE = 18,
	VHOST_MESSAGE_GET_INFLIGHT_FD = 31,
	VHOST_MESSAGE_SET_INFLIGHT_FD = 32,
};

enum { VHOST_MESSAGE_RINGS = 256 }; /* as many as the protocol has */

/* What the last frontend of a port has said. Thread: the library's, all of this file. */
struct vhost_message_said {
	int vid; /* whose device; another one may start no ring any more */
	/*
	 * The length of a ring was told since it was stopped and since features changed: only then the
	 * library has arrays of the right kind and length for it.
	 */
	bool sized[VHOST_MESSAGE_RINGS];
};

/* A new frontend: nothing is known of its rings. */
void vhost_message_begin(struct vhost_message_said *said, int vid);

/*
 * Why the library must not see a message, or NULL: it may. context: what a pre_msg_handle callback
 * got; the descriptors of a refused message are closed.
 */
const char *vhost_message_refused(struct vhost_message_said *said, int vid, void *context);

/* Whether a message may change ring n or the memory that it is in. context: as above. */
bool vhost_message_changes(const void *context, unsigned int n);
