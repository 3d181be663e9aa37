/* External memory: every type is created, registered and deleted; failures are one line and leave
 * nothing behind. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "memory/extmem.h"

#include "base/base.h"
#include "base/err.h"
#include "base/interrupt.h"
#include "fixtures/eal.h"
#include "fixtures/unit.h"
#include "memory/extmem_buffers.h"
#include "memory/extmem_device.h"
#include "memory/extmem_pin.h"

#include <rte_mbuf.h>
#include <rte_memory.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PAGE 4096u

static struct extmems all;
static char path[64];

static int
open_all(void **state)
{
	FILE *f;

	assert_int_equal(eal_open("64", "0", "--vdev=net_null0"), 0);
	strcpy(path, "/tmp/extmem_test_XXXXXX");
	f = fdopen(mkstemp(path), "w");
	assert_non_null(f);
	for (unsigned int i = 0; i < 10000; i++)
		fputc((int)(i % 251), f);
	fclose(f);
	return 0;
}

static int
close_all(void **state)
{
	unlink(path);
	return eal_close(state);
}

static struct err
create(const struct extmem_ask *ask, struct extmem **m)
{
	struct err e;
	int ret;

	err_clear(&e);
	*m = NULL;
	ret = extmem_create(&all, ask, m, &e);
	assert_int_equal(ret, -e.code);
	return e;
}

/* A region that there is nothing against. */
static struct extmem *
region(const char *name, enum extmem_type type, uint64_t bytes)
{
	const struct extmem_ask ask = { name, type, .path = path, .bytes = bytes,
		.socket = SOCKET_ID_ANY };
	struct extmem *m;
	const struct err e = create(&ask, &m);

	assert_string_equal(e.text, "");
	return m;
}

static unsigned int
files_open(void)
{
	unsigned int n = 0;

	for (int fd = 0; fd < 256; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

/*
 * Every type that this machine has: as large as asked for, empty, writable unless a file, known to
 * EAL, and gone afterwards.
 */
TEST(types)
{
	const struct extmem_ask asks[] = {
		{ "a-heap", EXTMEM_HEAP, .bytes = 1 << 20, .socket = SOCKET_ID_ANY },
		{ "a_memfd", EXTMEM_MEMFD, .bytes = 3 * PAGE },
		{ "anon", EXTMEM_ANON, .bytes = 16 * PAGE, .page = PAGE },
		{ "file", EXTMEM_FILE, .path = path },
		{ "part", EXTMEM_FILE, .path = path, .bytes = 5001 },
	};
	const unsigned int before = files_open();

	for (size_t i = 0; i < ARRAY_SIZE(asks); i++) {
		const bool file = asks[i].type == EXTMEM_FILE;
		const uint64_t bytes = asks[i].bytes != 0 ? asks[i].bytes : 10000;
		struct extmem *m;
		struct err e = create(&asks[i], &m);

		assert_string_equal(e.text, "");
		assert_int_equal(m->bytes, bytes);
		assert_int_equal(m->writable, !file);
		for (uint64_t at = 0; at < bytes; at++)
			assert_int_equal(m->addr[at], file ? at % 251 : 0);
		if (m->writable)
			memset(m->addr, 0xa5, bytes);
		assert_int_equal(m->registered, asks[i].type != EXTMEM_HEAP);
		assert_non_null(rte_mem_virt2memseg_list(m->addr));
		assert_int_equal(extmem_iova(m, m->addr + 1, 1), (uintptr_t)m->addr + 1);
		e = create(&asks[i], &m);
		assert_int_equal(e.code, EEXIST);
		err_clear(&e);
		assert_int_equal(extmem_delete(&all, asks[i].name, &e), 0);
		assert_int_equal(extmem_delete(&all, asks[i].name, &e), -ENOENT);
	}
	assert_null(all.first);
	assert_int_equal(files_open(), before);
}

TEST(refused)
{
	const struct {
		struct extmem_ask ask;
		int code;
		const char *words;
	} cases[] = {
		{ { "", EXTMEM_ANON, .bytes = PAGE }, EINVAL, "name \"\": expected 1..23" },
		{ { "a b", EXTMEM_ANON, .bytes = PAGE }, EINVAL, "expected 1..23 letters" },
		{ { "a.1", EXTMEM_ANON, .bytes = PAGE }, EINVAL, "name \"a.1\": expected 1..23" },
		{ { "a_name_of_24_characters_", EXTMEM_ANON, .bytes = PAGE }, EINVAL,
			"expected 1..23" },
		{ { "x", EXTMEM_ANON, .bytes = 0 }, ERANGE, "size 0: expected at least 4096" },
		{ { "x", EXTMEM_ANON, .bytes = 5000 }, EINVAL,
			"size 5000: expected a multiple of the page size, 4096 bytes" },
		{ { "x", EXTMEM_HEAP, .bytes = 64 }, EINVAL, "expected a multiple" },
		{ { "x", EXTMEM_HUGEPAGE, .bytes = PAGE }, EINVAL, "page size, 2097152 bytes" },
		{ { "x", EXTMEM_ANON, .bytes = PAGE, .page = 8192 }, EINVAL,
			"page 8192: expected 4096, 2M or 1G" },
		{ { "x", EXTMEM_HUGEPAGE, .bytes = PAGE, .page = PAGE }, EINVAL,
			"page 4096: expected 2M or 1G" },
		{ { "x", EXTMEM_HEAP, .bytes = PAGE, .page = PAGE }, EINVAL,
			"type heap uses EAL's pages" },
		{ { "x", EXTMEM_HEAP, .bytes = UINT64_C(1) << 40, .socket = SOCKET_ID_ANY }, ENOMEM,
			"DPDK's memory" },
		{ { "x", EXTMEM_HUGEPAGE, .bytes = UINT64_C(1) << 45 }, ENOMEM,
			"too few free huge pages?" },
		{ { "x", EXTMEM_ANON, .bytes = UINT64_C(1) << 60 }, ENOMEM,
			"Cannot allocate memory" },
		{ { "x", EXTMEM_ANON, .bytes = UINT64_C(1) << 63 }, ERANGE,
			"larger than the address space" },
		{ { "x", EXTMEM_FILE, .path = "/tmp/there/is/none" }, ENOENT,
			"/tmp/there/is/none: No such file" },
		{ { "x", EXTMEM_FILE, .path = "/tmp" }, EINVAL, "/tmp: expected a regular file" },
		{ { "x", EXTMEM_FILE, .path = "/dev/null" }, EINVAL, "expected a regular file" },
		{ { "x", EXTMEM_FILE, .path = path, .bytes = 10001 }, ERANGE,
			"has 10000 bytes: expected at least 10001" },
		{ { "x", EXTMEM_GPU, .bytes = PAGE, .gpu = 60000 }, 0, "" },
	};
	const unsigned int before = files_open();

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct extmem *m;
		struct err e = create(&cases[i].ask, &m);

		assert_null(m);
		assert_null(all.first);
		/* Without a GPU ENOTSUP, with one there are no 60000 of them. */
		if (cases[i].code == 0)
			assert_true(e.code == ENOTSUP || e.code == ENODEV || e.code == EIO);
		else if (e.code != cases[i].code)
			fail_msg("case %zu: code %d: %s", i, e.code, e.text);
		if (strstr(e.text, cases[i].words) == NULL)
			fail_msg("case %zu: %s", i, e.text);
	}
	assert_int_equal(files_open(), before);
}

/*
 * A region of the program's own has a name that nobody else can give; who knows it may find and
 * delete it.
 */
TEST(own)
{
	const struct extmem_ask ask = { "app.1", EXTMEM_ANON, .bytes = PAGE, .own = true };
	struct extmem *m, *other;
	struct err e = create(&ask, &m);

	assert_string_equal(e.text, "");
	assert_ptr_equal(extmem_find(&all, "app.1", &e), m);
	assert_int_equal(extmem_attach(&all, "app.1", &other, &e), -EINVAL);
	assert_int_equal(extmem_delete(&all, "app.1", &e), 0);
}

/*
 * A region is freed by extmem_release() if nothing points into it; else by extmem_create(), once the
 * last buffer has returned. Its number is free after that.
 */
TEST(released)
{
	const struct extmem_ask ask = { "run", EXTMEM_ANON, .bytes = PAGE, .own = true,
		.numbered = true };
	struct extmem_buffer *buffer;
	struct extmem_buffers *part;
	struct extmem *m, *other;
	struct err e = create(&ask, &m);

	assert_string_equal(e.text, "");
	assert_string_equal(m->name, "run.1");
	part = extmem_buffers_open(m, 0, 1, 1024, false, 1, 1, &e);
	assert_non_null(part);
	assert_int_equal(extmem_buffers_take(part, &buffer, 1), 1);
	e = create(&ask, &other);
	assert_string_equal(other->name, "run.2");
	/* Used by a run, then only by a packet, then by nothing. */
	extmem_release(&all, m);
	assert_non_null(extmem_find(&all, "run.1", &e));
	extmem_buffers_close(part);
	extmem_release(&all, other);
	assert_null(extmem_find(&all, "run.2", NULL));
	e = create(&ask, &other);
	assert_string_equal(other->name, "run.2");
	assert_ptr_equal(extmem_find(&all, "run.1", &e), m);
	extmem_buffers_drop(buffer);
	assert_ptr_equal(extmem_find(&all, "run.1", &e), m);
	e = create(&ask, &m);
	assert_string_equal(e.text, "");
	assert_string_equal(m->name, "run.1");
	assert_false(m->released);
	extmem_release(&all, m);
	extmem_release(&all, other);
	assert_null(all.first);
}

/* A signal that is pending ends the reading of a file. Nothing is created. */
TEST(interrupted)
{
	const struct extmem_ask ask = { "file", EXTMEM_FILE, .path = path };
	const unsigned int before = files_open();
	struct extmem *m;
	struct interrupt signal = { .requests = -1 };
	int ends[2];
	struct err e;

	assert_int_equal(pipe(ends), 0);
	signal.signals = ends[0];
	all.interrupt = &signal;
	assert_int_equal(write(ends[1], "", 1), 1);
	e = create(&ask, &m);
	all.interrupt = NULL;
	close(ends[0]);
	close(ends[1]);
	assert_int_equal(e.code, EINTR);
	assert_non_null(strstr(e.text, "stopped by a signal while reading /"));
	assert_null(m);
	assert_null(all.first);
	assert_int_equal(files_open(), before);
}

/* What was read of a file cannot be written by anyone, the file's end cannot come nearer. */
TEST(sealed)
{
	struct extmem *m = region("file", EXTMEM_FILE, 0);
	struct stat before, after;
	struct err e;

	assert_int_equal(pwrite(m->fd, "x", 1, 0), -1);
	assert_int_equal(ftruncate(m->fd, 0), -1);
	assert_int_equal(fstat(m->fd, &before), 0);
	assert_int_equal(truncate(path, 1), 0);
	assert_int_equal(m->addr[9999], 9999 % 251);
	assert_int_equal(fstat(m->fd, &after), 0);
	assert_int_equal(before.st_size, after.st_size);
	assert_int_equal(extmem_delete(&all, "file", &e), 0);
}

static void
from(struct extmem_buffers *b, struct extmem_buffer **buffer, unsigned int n)
{
	assert_int_equal(extmem_buffers_take(b, buffer, (uint16_t)n), n);
}

/* Parts and buffers lie beside each other, inside the region; each comes back once. */
static void
buffers_lie(bool tail)
{
	const unsigned int size = 1536 + (tail ? EXTMEM_BUFFERS_TAIL : 0);
	static uint8_t owner[64 * PAGE];
	struct extmem_buffers *part[3];
	struct extmem *m = region("app", EXTMEM_ANON, 64 * PAGE);
	struct err e;

	memset(owner, 0, sizeof(owner));
	for (unsigned int i = 0; i < 3; i++) {
		part[i] = extmem_buffers_open(m, i, 3, 1536, tail, 1, 1000, &e);
		assert_non_null(part[i]);
		assert_int_equal(part[i]->n, 64 * PAGE / 3 / 64 * 64 / size);
		assert_true(extmem_buffers_alike(m, 3, 1536, tail));
		assert_false(extmem_buffers_alike(m, 3, 1536, !tail));
	}
	for (unsigned int i = 0; i < 3; i++) {
		struct extmem_buffer *buffer[64];

		from(part[i], buffer, part[i]->n);
		assert_int_equal(extmem_buffers_take(part[i], buffer + part[i]->n, 1), 0);
		assert_int_equal(extmem_buffers_out_of(part[i]), part[i]->n);
		for (unsigned int k = 0; k < part[i]->n; k++)
			for (unsigned int at = 0; at < size; at++)
				assert_int_equal(owner[buffer[k]->addr - m->addr + at]++, 0);
		for (unsigned int k = 0; tail && k < part[i]->n; k++)
			assert_ptr_equal(buffer[k], buffer[k]->addr + size - sizeof(*buffer[k]));
		for (unsigned int k = 0; k < part[i]->n; k++)
			extmem_buffers_drop(buffer[k]);
		assert_int_equal(extmem_buffers_out_of(part[i]), 0);
	}
	assert_true(extmem_buffers_used(m));
	assert_int_equal(extmem_delete(&all, "app", &e), -EBUSY);
	for (unsigned int i = 0; i < 3; i++)
		extmem_buffers_close(part[i]);
	err_clear(&e);
	/* Buffers that fill the region to its last byte. */
	part[0] = extmem_buffers_open(m, 0, 1, PAGE, false, 1, 1000, &e);
	assert_non_null(part[0]);
	assert_int_equal(part[0]->n, 64);
	extmem_buffers_close(part[0]);
	/* Less than asked for. */
	assert_null(extmem_buffers_open(m, 0, 1, 1536, false, 1000, 2000, &e));
	assert_int_equal(e.code, ENOSPC);
	assert_int_equal(extmem_delete(&all, "app", &e), 0);
}

TEST(buffers)
{
	buffers_lie(false);
	buffers_lie(true);
}

/* A driver that calls back too often does no harm, and is found out. */
TEST(given_twice)
{
	struct extmem *m = region("app", EXTMEM_ANON, 64 * PAGE);
	struct extmem_buffers_total t;
	struct extmem_buffer *buffer;
	struct extmem_buffers *b;
	struct err e;

	b = extmem_buffers_open(m, 0, 1, 1536, false, 1, 100, &e);
	from(b, &buffer, 1);
	buffer->shinfo.free_cb(buffer->addr, buffer);
	buffer->shinfo.free_cb(buffer->addr, buffer);
	t = extmem_buffers_total(b);
	assert_int_equal(t.taken, 1);
	assert_int_equal(t.given, 1);
	assert_int_equal(t.given_twice, 1);
	assert_int_equal(extmem_buffers_out(m), 0);
	extmem_buffers_close(b);
	assert_int_equal(extmem_delete(&all, "app", &e), 0);
}

/*
 * A pool of packets in the region: its buffers lie there, and the region stays while one is out or
 * ports receive into it.
 */
TEST(pinned)
{
	struct extmem *m = region("app", EXTMEM_MEMFD, 256 * PAGE);
	struct rte_mempool *pool;
	struct rte_mbuf *mbuf;
	struct err e;

	assert_null(extmem_pin(m, 2176, 1000, 2000, 0, &e));
	assert_int_equal(e.code, ENOSPC);
	err_clear(&e);
	pool = extmem_pin(m, 2150, 10, 400, 0, &e);
	assert_non_null(pool);
	/* And two: buffer 400 would end in a page where no other begins, and so would 401. */
	assert_int_equal(pool->size, 402);
	assert_int_equal(rte_pktmbuf_data_room_size(pool), 2176);
	assert_ptr_equal(extmem_pin(m, 2176, 10, 400, 0, &e), pool);
	mbuf = rte_pktmbuf_alloc(pool);
	assert_true(RTE_MBUF_HAS_PINNED_EXTBUF(mbuf));
	assert_true((uintptr_t)mbuf->buf_addr >= (uintptr_t)m->addr &&
		(uintptr_t)mbuf->buf_addr <= (uintptr_t)m->addr + m->bytes - 2176);
	assert_int_equal(extmem_out(m), 1);
	assert_null(extmem_pin(m, 4096, 10, 100, 0, &e));
	assert_int_equal(e.code, EBUSY);
	assert_null(extmem_buffers_open(m, 0, 1, 1536, false, 1, 100, &e));
	assert_int_equal(e.code, EBUSY);
	rte_pktmbuf_free(mbuf);
	m->received_into = true;
	assert_int_equal(extmem_delete(&all, "app", &e), -EBUSY);
	m->received_into = false;
	err_clear(&e);
	assert_non_null(extmem_pin(m, 4096, 10, 100, 0, &e));
	assert_int_equal(extmem_delete(&all, "app", &e), 0);
}

/* Memories with names that differ in the last character are used at once, in both ways. */
TEST(alike)
{
	static const char *const names[] = { "a_name_of_23_characters", "a_name_of_23_characterz" };
	struct extmem_buffers *b[2];
	struct extmem *m[2];
	struct err e;

	for (size_t i = 0; i < 2; i++) {
		m[i] = region(names[i], EXTMEM_ANON, 64 * PAGE);
		b[i] = extmem_buffers_open(m[i], 0, 1, 1536, false, 1, 100, &e);
		assert_non_null(b[i]);
	}
	for (size_t i = 0; i < 2; i++)
		extmem_buffers_close(b[i]);
	for (size_t i = 0; i < 2; i++)
		assert_non_null(extmem_pin(m[i], 2048, 10, 100, 0, &e));
	for (size_t i = 0; i < 2; i++)
		assert_int_equal(extmem_delete(&all, names[i], &e), 0);
}

/* virtio_user falls silent beside registered memory: it is not started, and says why. */
TEST(silenced)
{
	struct err e;

	region("heap", EXTMEM_HEAP, PAGE);
	assert_int_equal(extmem_driver_check(&all, "net_virtio_user0,path=x", &e), 0);
	region("anon", EXTMEM_ANON, PAGE);
	assert_int_equal(extmem_driver_check(&all, "net_null7", &e), 0);
	assert_int_equal(extmem_driver_check(&all, "net_virtio_user0,path=x", &e), -EBUSY);
	assert_non_null(strstr(e.text, "memory anon is registered"));
	assert_int_equal(extmem_delete(&all, "anon", &e), 0);
	assert_int_equal(extmem_delete(&all, "heap", &e), 0);
}

TESTS(.setup = open_all, .teardown = close_all);
