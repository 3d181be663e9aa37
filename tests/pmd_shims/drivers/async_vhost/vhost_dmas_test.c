/* The device argument dmas without memory for it: refused with a reason. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/base.h"
#include "fixtures/unit.h"
#include "pmd_shims/drivers/async_vhost/vhost_priv.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static bool memory = true; /* there is some: cmocka needs it */

/* Stands before libc's. */
char *(strdup)(const char *text)
{
	const size_t bytes = strlen(text) + 1;
	char *copy = memory ? malloc(bytes) : NULL;

	if (copy == NULL)
		errno = ENOMEM;
	return copy != NULL ? memcpy(copy, text, bytes) : NULL;
}

static int
memory_gone(void **state)
{
	memory = false;
	return 0;
}

static int
memory_back(void **state)
{
	memory = true;
	return 0;
}

TESTS(.before = memory_gone, .after = memory_back);

TEST(no_memory_has_a_reason)
{
	struct vhost_dmas dmas;
	char why[64];

	memset(why, '?', sizeof(why));
	assert_int_equal(vhost_dmas_parse(&dmas, "[txq0@dma]", 1, why, sizeof(why)), -ENOMEM);
	assert_non_null(memchr(why, '\0', sizeof(why)));
	assert_string_equal(why, "dmas=[txq0@dma]: no memory");
}
