/* Check that net_i40e can read a DDP package without accessing memory outside it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct err;

/*
 * Check all offsets and counts that net_i40e follows. The driver does not check them, so another
 * file or a truncated package would crash the program. data[0..n) must be followed by
 * PORT_FILE_SPARE zero bytes, as from port_file_read(). EINVAL with the bad part and its offset.
 * Thread: any.
 */
int port_ddp_check(const char *path, const uint8_t *data, size_t n, struct err *e);
