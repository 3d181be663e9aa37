/* Another process of a forwarder: takes memory in by its name, and reads or writes it. Not a test
 * by itself. */
/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * extmem_secondary EAL-OPTIONS -- NAME sum|fill BYTE: prints "NAME BYTES WRITABLE SUM", or the
 * failure, and ends with 1.
 */
#include "base/base.h"
#include "base/err.h"
#include "memory/extmem.h"

#include <rte_eal.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One that changes with each byte and its place. */
static uint64_t
sum_of(const uint8_t *at, uint64_t n)
{
	uint64_t sum = n;

	for (uint64_t i = 0; i < n; i++)
		sum = (sum ^ at[i]) * UINT64_C(0x100000001b3);
	return sum;
}

int
main(int argc, char **argv)
{
	struct extmems all = { .first = NULL };
	int at = rte_eal_init(argc, argv), status = EXIT_FAILURE;
	struct extmem *m = NULL;
	struct err e;

	if (at < 0 || argc - at < 3)
		return EXIT_FAILURE;
	err_clear(&e);
	if (extmem_attach(&all, argv[at + 1], &m, &e) == 0) {
		if (strcmp(argv[at + 2], "fill") == 0 && argc - at > 3)
			memset(m->addr, atoi(argv[at + 3]), m->bytes);
		printf("%s %llu %d %016llx\n", m->name, (unsigned long long)m->bytes, m->writable,
			(unsigned long long)sum_of(m->addr, m->bytes));
		/* A second time: the name is taken. */
		if (extmem_attach(&all, argv[at + 1], NULL, &e) == 0)
			printf("taken in twice\n");
		err_clear(&e);
		if (extmem_delete(&all, argv[at + 1], &e) == 0)
			status = EXIT_SUCCESS;
	}
	if (e.code != 0)
		printf("%s\n", e.text);
	rte_eal_cleanup();
	return status;
}
