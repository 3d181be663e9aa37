/* Unsafe vhost-user messages: those that would make librte_vhost read or write outside the guest's
 * memory are refused before the library sees them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Messages that are checked; all are sent by the frontend. Source: the vhost-user protocol. */
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

enum { VHOST_MESSAGE_RINGS = 256 }; /* maximum of the protocol */

/* State of a port's last frontend. Thread: the library's, for all functions of this file. */
struct vhost_message_said {
	int vid; /* the frontend's device; other devices may no longer start rings */
	/*
	 * The length of a ring was set since it was stopped and since features changed: only then
	 * the library has arrays of the right kind and length for it.
	 */
	bool sized[VHOST_MESSAGE_RINGS];
};

/* Begin with a new frontend, about whose rings nothing is known. */
void vhost_message_begin(struct vhost_message_said *said, int vid);

/*
 * Why a message has to be refused, or NULL if the library may handle it. context: the argument of a
 * pre_msg_handle callback. Closes the file descriptors of a refused message.
 */
const char *vhost_message_refused(struct vhost_message_said *said, int vid, void *context);

/*
 * True if a message may change ring n or the memory that contains it. context: the argument of a
 * pre_msg_handle callback.
 */
bool vhost_message_changes(const void *context, unsigned int n);
