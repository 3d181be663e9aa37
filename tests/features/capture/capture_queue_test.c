/* capture_tap.h between two threads: copies arrive whole and in order, and a full queue is
 * reported. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/capture/capture_tap.h"
#include "fixtures/unit.h"
#include "fixtures/wait.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define BYTES 4096
#define COPIES 200000
#define HEADER sizeof(struct capture_copy)

static int
setup(void **state)
{
	struct capture_queue *q = aligned_alloc(CACHE_PAIR, sizeof(*q));

	assert_non_null(q);
	memset(q, 0, sizeof(*q));
	q->size = BYTES;
	q->bytes = aligned_alloc(CACHE_PAIR, BYTES);
	assert_non_null(q->bytes);
	memset(q->bytes, 0xa5, BYTES);
	*state = q;
	return 0;
}

static int
teardown(void **state)
{
	struct capture_queue *q = *state;

	free(q->bytes);
	free(q);
	return 0;
}

/* A size for copy i, that walks over all residues. */
static uint32_t
kept_of(unsigned int i)
{
	return i * 2654435761u % 700;
}

static bool
put(struct capture_queue *q, unsigned int i)
{
	struct capture_copy *copy = capture_queue_room(q, kept_of(i));

	if (copy == NULL)
		return false;
	copy->tsc = i;
	copy->len = ~i;
	memset(copy + 1, (int)(i & 0xff), kept_of(i));
	capture_queue_put(q, copy);
	return true;
}

/* Take copy i and compare; false when there is none yet. */
static bool
take(struct capture_queue *q, unsigned int i)
{
	const struct capture_copy *copy = capture_queue_first(q);
	const uint8_t *bytes = (const uint8_t *)(copy + 1);

	if (copy == NULL)
		return false;
	if (copy->tsc != i || copy->len != ~i || copy->kept != kept_of(i))
		fail_msg("copy %u is not whole", i);
	for (uint32_t k = 0; k < copy->kept; k++)
		if (bytes[k] != (i & 0xff))
			fail_msg("copy %u, byte %u: %u", i, k, bytes[k]);
	capture_queue_taken(q, capture_queue_need(copy->kept));
	return true;
}

TEST(full_then_empty)
{
	struct capture_queue *q = *state;
	unsigned int next = 0, n;

	assert_null(capture_queue_first(q));
	for (unsigned int round = 0; round < 50; round++) {
		size_t room = BYTES;

		for (n = 0; put(q, next + n); n++)
			room -= capture_queue_need(kept_of(next + n));
		/*
		 * What is refused would not have fitted, but for what the end of the ring may cost.
		 */
		assert_true(room < 2 * capture_queue_need(700));
		for (unsigned int i = next; i < next + n; i++)
			assert_true(take(q, i));
		assert_null(capture_queue_first(q));
		next += n;
	}
}

TEST(sizes)
{
	assert_int_equal(capture_queue_need(0), HEADER);
	assert_int_equal(capture_queue_need(1), 2 * HEADER);
	assert_int_equal(capture_queue_need(16), 2 * HEADER);
	assert_int_equal(capture_queue_need(17), 3 * HEADER);
	assert_true(2 * capture_queue_need(CAPTURE_BYTES_MAX) <= CAPTURE_QUEUE_MIN);
}

static void *
producer(void *arg)
{
	for (unsigned int i = 0; i < COPIES; i++)
		WAIT_UNTIL(put(arg, i));
	return NULL;
}

TEST(two_threads)
{
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, producer, *state), 0);
	for (unsigned int i = 0; i < COPIES; i++)
		WAIT_UNTIL(take(*state, i));
	pthread_join(thread, NULL);
	assert_null(capture_queue_first(*state));
}

TESTS(.before = setup, .after = teardown);
