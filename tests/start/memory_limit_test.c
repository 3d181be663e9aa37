/* Limits of control groups: of both versions, of a group and of those above it, or of nobody. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "start/memory_limit.h"

#include "fixtures/made_files.h"
#include "fixtures/unit.h"

#include <unistd.h>

static uint64_t
limit(const char *self)
{
	return memory_limit(made_file("self", self), made_folder);
}

TEST(limits)
{
	assert_int_equal(memory_limit("/nowhere", made_folder), UINT64_MAX);
	assert_int_equal(limit("0::/a/b\n"), UINT64_MAX);
	made_file("memory.max", "max\n");
	made_file("a/b/memory.max", "5000\n");
	assert_int_equal(limit("0::/a/b\n"), 5000);
	made_file("a/memory.max", "4000\n");
	assert_int_equal(limit("0::/a/b\n"), 4000);
	assert_int_equal(limit("0::/other\n"), UINT64_MAX);
	/* In a container the path may be one that it does not see. */
	made_file("memory.max", "3000\n");
	assert_int_equal(limit("0::/other/group\n"), 3000);
	made_file("memory/x/memory.limit_in_bytes", "2000\n");
	assert_int_equal(limit("12:cpu,cpuacct:/x\n7:memory:/x\nnonsense\n"), 2000);
	assert_int_equal(limit("7:memory:/x\n0::/\n"), 2000);
	assert_int_equal(limit(""), UINT64_MAX);
}

TEST(mapped)
{
	static const char smaps[] = "1000-3000 r--p 00000000 00:00 0\n"
				    "Size:                  8 kB\n"
				    "KernelPageSize:        4 kB\n"
				    "10000-20000 ---p 00000000 00:00 0\n"
				    "KernelPageSize:        4 kB\n"
				    "200000-400000 rw-s 00000000 00:00 0 /anon_hugepage (deleted)\n"
				    "KernelPageSize:     2048 kB\n"
				    "500000-501000 rw-p 00000000 00:00 0 [heap]\n"
				    "KernelPageSize:        4 kB\n"
				    "VmFlags: rd wr mr\n";

	if (sysconf(_SC_PAGESIZE) == 4096)
		assert_int_equal(memory_mapped(made_file("smaps", smaps)), 0x3000);
	assert_int_equal(memory_mapped("/nowhere"), 0);
	assert_true(memory_mapped("/proc/self/smaps") > 100000);
}

TESTS(.setup = made_begin, .teardown = made_end);
