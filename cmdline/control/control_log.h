/* Copies the program's log for clients, which show it beside the line that they edit. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stddef.h>

struct control_log;
struct err;

/*
 * Begin to copy what rte_log() prints, which goes on to its stream. NULL with e filled: no memory, no
 * descriptor. Thread: control, for all of this file; any thread may log, and none ever waits.
 */
struct control_log *control_log_open(struct err *e);

/* End it. NULL does nothing. */
void control_log_close(struct control_log *log);

/* Readable when something was logged. */
int control_log_fd(const struct control_log *log);

/*
 * Read what was logged into text[bytes]. Returns the bytes read, 0: none. What did not fit into the
 * buffer of the copy is lost, and a line there says so.
 */
size_t control_log_read(struct control_log *log, char *text, size_t bytes);
