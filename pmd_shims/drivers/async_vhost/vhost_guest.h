/* The guest of a net_async_vhost port: it comes, changes its rings, and goes when it likes. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

struct vhost_port;

/*
 * Open the port's socket: from now on a guest may come. 0, or -errno with why, of size bytes,
 * filled.
 */
int vhost_guest_listen(struct vhost_port *p, char *why, unsigned int size);

/* Close it; a guest that is there is gone afterwards. */
void vhost_guest_hang_up(struct vhost_port *p);

/* Let polls have the guest's virtqueues, or take them away. The caller has p->life. */
void vhost_guest_serve(struct vhost_port *p);
void vhost_guest_leave(struct vhost_port *p);
