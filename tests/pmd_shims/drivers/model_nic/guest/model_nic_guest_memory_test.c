/* A guest's memory at its own addresses: what is mapped where, what is refused, what stays after the
 * guest took it back. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "fixtures/unit.h"
#include "pmd_shims/drivers/model_nic/guest/memory.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 4096, LOW = 64 << 10, BYTES = 64 * PAGE };

static struct guest_memory memory;
static int file;
static uint64_t free_address; /* where nothing of this process is */

static int
set_up(void **state)
{
	void *p = mmap(NULL, 3 * BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	memset(&memory, 0, sizeof(memory));
	file = memfd_create("guest", MFD_CLOEXEC);
	if (p == MAP_FAILED || file < 0 || ftruncate(file, 2 * BYTES) != 0)
		return -1;
	free_address = (uintptr_t)p;
	return munmap(p, 3 * BYTES);
}

static int
tear_down(void **state)
{
	guest_memory_close(&memory);
	return close(file);
}

static volatile uint8_t *
at(uint64_t address)
{
	return (volatile uint8_t *)(uintptr_t)address;
}

static uint8_t
in_file(off_t offset)
{
	uint8_t byte = 0;

	assert_int_equal(pread(file, &byte, 1, offset), 1);
	return byte;
}

static bool
mapped(uint64_t address)
{
	unsigned char there;

	return mincore((void *)(uintptr_t)address, PAGE, &there) == 0;
}

/* Both sides see what the other one writes, at the offset of the message. */
TEST(it_lies_at_the_guests_address)
{
	assert_int_equal(guest_memory_map(&memory, file, PAGE, free_address, BYTES), 0);
	*at(free_address) = 7;
	assert_int_equal(in_file(PAGE), 7);
	assert_int_equal(pwrite(file, "x", 1, PAGE + BYTES - 1), 1);
	assert_int_equal(*at(free_address + BYTES - 1), 'x');
	assert_false(mapped(free_address + BYTES));
	guest_memory_close(&memory);
	assert_false(mapped(free_address));
	assert_int_equal(memory.n, 0);
}

/* Of the first 64 KiB nothing is mapped, and the rest keeps its offset. */
TEST(the_lowest_stay_out)
{
	assert_int_equal(guest_memory_map(&memory, file, 0, 0, LOW), 0);
	assert_int_equal(memory.n, 0);
	assert_int_equal(guest_memory_map(&memory, file, PAGE, PAGE, LOW), 0);
	assert_int_equal(memory.n, 1);
	assert_true(mapped(LOW) && !mapped(LOW + PAGE));
	*at(LOW) = 5;
	assert_int_equal(in_file(LOW), 5);
}

/* A late write goes nowhere, and crashes nothing; then the guest may have the place again. */
TEST(taken_back)
{
	assert_int_equal(guest_memory_map(&memory, file, 0, free_address, BYTES), 0);
	assert_int_equal(guest_memory_map(&memory, file, BYTES, free_address + BYTES, BYTES), 0);
	assert_int_equal(guest_memory_unmap(&memory, free_address + PAGE, BYTES), -ENOENT);
	assert_int_equal(guest_memory_unmap(&memory, free_address, BYTES), 0);
	*at(free_address) = 3;
	*at(free_address + BYTES - 1) = 3;
	assert_int_equal(in_file(0), 0);
	assert_int_equal(in_file(BYTES - 1), 0);
	assert_int_equal(guest_memory_map(&memory, file, 0, free_address + 2 * BYTES, PAGE), 0);
	assert_true(mapped(free_address)); /* until the guest has something there */
	*at(free_address + BYTES) = 4;     /* its neighbour is the guest's still */
	assert_int_equal(in_file(BYTES), 4);
	assert_int_equal(guest_memory_map(&memory, file, 0, free_address + PAGE, PAGE), 0);
	*at(free_address + PAGE) = 6;
	assert_int_equal(in_file(0), 6);
	assert_int_equal(memory.n, 3);
	assert_int_equal(guest_memory_unmap(&memory, free_address + PAGE, PAGE), 0);
	assert_int_equal(guest_memory_map(&memory, file, 0, free_address + PAGE, PAGE), 0);
	assert_int_equal(guest_memory_map(&memory, file, 0, free_address + PAGE, PAGE), -EEXIST);
}

TEST(many_pieces)
{
	for (unsigned i = 0; i < GUEST_PIECES; i++)
		assert_int_equal(guest_memory_map(&memory, file, 0, free_address + i * PAGE, PAGE),
			0);
	assert_int_equal(guest_memory_map(&memory, file, 0, free_address + GUEST_PIECES * PAGE,
				 PAGE),
		-ENOSPC);
	assert_false(mapped(free_address + GUEST_PIECES * PAGE));
	/* All of a range at once. */
	assert_int_equal(guest_memory_unmap(&memory, free_address, GUEST_PIECES * PAGE), 0);
	assert_int_equal(guest_memory_map(&memory, file, 0, free_address, GUEST_PIECES * PAGE), 0);
	assert_int_equal(memory.n, 1);
}

TESTS(.before = set_up, .after = tear_down);
