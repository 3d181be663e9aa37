/* Where a program's control socket is. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <sys/un.h>

struct err;

/*
 * Fill the address of "unix:PATH" or of a name: letters, digits, ".", "_" and "-". Errors: EINVAL, ENAMETOOLONG.
 */
int control_address(const char *text, struct sockaddr_un *to, struct err *e);

/*
 * The folder of named sockets: zcfwd in $XDG_RUNTIME_DIR, else /run/zcfwd for root, else
 * /tmp/zcfwd-UID. For root a folder of a login, /run/user/UID, counts as none.
 */
void control_folder(char *to, size_t bytes);

/*
 * Check that a folder of named sockets belongs to this user or to root, and that no other user can
 * write to it. Errors: ENOTDIR; EPERM.
 */
int control_address_folder(const char *folder, struct err *e);

/*
 * Make the folder of a socket's path, for this user alone. named: it is that of control_folder(), and is
 * checked. Returns a descriptor that has it locked: who listens there is decided by one program at a
 * time. Errors: those of mkdir(2), open(2), flock(2); control_address_folder()'s.
 */
int control_folder_open(const char *path, bool named, struct err *e);

/*
 * Connect to a program; text NULL: the only one in control_folder(). Returns the socket. Errors:
 * ENOENT there is none; ENOTUNIQ several; ECONNREFUSED its program is gone.
 */
int control_connect(const char *text, struct err *e);
