/* An error of libzcfwd-recycle as one of the program. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/err.h"

#include <zcfwd/recycle.h>

/* Store it in *e; returns -errno, as err_set(). */
static inline int
recycle_err(struct err *e, const struct zcfwd_recycle_error *reason)
{
	return err_set(e, reason->code, "%s", reason->text);
}
