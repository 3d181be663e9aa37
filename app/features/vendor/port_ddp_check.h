/* Whether a file is a profile package that net_i40e can read without leaving it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct err;

/*
 * net_i40e follows every offset and count of a package and checks none of them: a file that is something
 * else, or a part of a package, ends the program. Check all that it follows. PORT_FILE_SPARE zero
 * bytes stand behind data[0..n), as port_file_read() leaves them. EINVAL: what does not fit, and
 * where. Thread: any.
 */
int port_ddp_check(const char *path, const uint8_t *data, size_t n, struct err *e);
