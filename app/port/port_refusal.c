/* Errors that a driver returns in a struct, printed like testpmd does. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "port/port_refusal.h"

#include "base/err.h"

#include <errno.h>
#include <stdio.h>

int
port_refusal(const struct port_refusal *said, const char *const *names, size_t n, int code,
	struct err *e)
{
	const char *what = said->type < n ? names[said->type] : NULL;
	char cause[32] = "";

	if (said->cause != NULL)
		snprintf(cause, sizeof(cause), "cause: %p, ", said->cause);
	return err_set(e, code < 0 ? -code : EIO, "%s: %s%s (error %u)",
		what != NULL ? what : "unknown type", cause,
		said->message != NULL ? said->message : "(no stated reason)", said->type);
}
