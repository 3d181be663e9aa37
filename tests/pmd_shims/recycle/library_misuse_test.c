/* Misuse of libzcfwd-recycle.so: each public function, called with what it must refuse in each mode
 * of a handle. A refused call leaves the handle as it was and costs no packet. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "fixtures/library_fixture.h"
#include "fixtures/unit.h"

#include <rte_ethdev.h>
#include <rte_malloc.h>

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define DIM(array) (sizeof(array) / sizeof((array)[0]))

/*
 * The library's memory comes from libc in place of DPDK's heap: AddressSanitizer watches only libc's.
 * Blocks in use; NULL: a free place.
 */
static void *blocks[512];

static void *
block_new(const char *type, size_t size, unsigned int align)
{
	void *block = NULL;
	unsigned int i = 0;

	if (type == NULL || strncmp(type, "recycle", strlen("recycle")) != 0)
		return NULL;
	while (i < DIM(blocks) && blocks[i] != NULL)
		i++;
	assert_true(i < DIM(blocks));
	assert_int_equal(posix_memalign(&block, align != 0 ? align : RTE_CACHE_LINE_SIZE, size), 0);
	blocks[i] = block;
	return memset(block, 0, size);
}

/* In place of EAL's functions. */
#define ALLOCATES(name, parameters, arguments) \
	void *name parameters \
	{ \
		void *(*real)parameters; \
		void *symbol = dlsym(RTLD_NEXT, #name), *block = block_new(type, size, align); \
\
		memcpy(&real, &symbol, sizeof(real)); \
		return block != NULL ? block : real arguments; \
	}

ALLOCATES(rte_malloc, (const char *type, size_t size, unsigned int align), (type, size, align))
ALLOCATES(rte_zmalloc, (const char *type, size_t size, unsigned int align), (type, size, align))
ALLOCATES(rte_zmalloc_socket, (const char *type, size_t size, unsigned int align, int socket),
	(type, size, align, socket))

void
rte_free(void *block)
{
	void (*real)(void *);
	void *symbol = dlsym(RTLD_NEXT, "rte_free");

	for (unsigned int i = 0; block != NULL && i < DIM(blocks); i++)
		if (blocks[i] == block) {
			blocks[i] = NULL;
			free(block);
			return;
		}
	memcpy(&real, &symbol, sizeof(real));
	real(block);
}

/* What a handle has been bound to before it is misused. */
enum state { UNBOUND, RING, CACHE, BLOCKS, OFF, WINDOW, COUNTED, REFUSED, FULL, RESTARTED, STATES };
static const char *const state_names[] = { "unbound", "ring", "cache", "blocks", "off", "window",
	"counted", "refused", "full", "restarted" };

static uint64_t sent[ZCFWD_RECYCLE_BOUND]; /* packets that nobody counts */

/* The misused handle; its packets go to NEXT, and it never gets another queue than these. */
#define HANDLE (library.of[0][0])
#define NEXT LIBRARY_TX(1, 0)
#define OTHER LIBRARY_TX(2, 0)
#define OWN LIBRARY_TX(0, 0) /* the numbers of the handle's receive queue */
#define NOWHERE ((struct zcfwd_recycle_queue){ 99, 0 })

/* A state's transmit queues go to tx. Returns how many. */
static unsigned int
queues_of(enum state state, struct zcfwd_recycle_queue tx[ZCFWD_RECYCLE_FEEDING])
{
	unsigned int n = 0;

	switch (state) {
	case UNBOUND: return 0;
	case BLOCKS: tx[0] = OWN; return 1;
	case REFUSED: tx[0] = NOWHERE; return 1;
	case FULL:
		tx[n++] = NEXT;
		while (n < ZCFWD_RECYCLE_FEEDING)
			tx[n] = (struct zcfwd_recycle_queue){ 99, (uint16_t)n++ };
		return n;
	default: tx[0] = NEXT; return 1;
	}
}

/* Bind a handle; its lcore runs it once, so that a window is open. */
static void
enter(struct zcfwd_recycle *r, enum state state)
{
	static const struct zcfwd_recycle_options of[STATES] = {
		[CACHE] = { .mode = ZCFWD_RECYCLE_MODE_CACHE },
		[BLOCKS] = { .mode = ZCFWD_RECYCLE_MODE_BLOCKS },
		[OFF] = { .mode = ZCFWD_RECYCLE_MODE_OFF },
		[WINDOW] = { .window = 256 },
		[COUNTED] = { .sent = sent },
	};
	struct zcfwd_recycle_queue tx[ZCFWD_RECYCLE_FEEDING];
	const unsigned int n = queues_of(state, tx);

	assert_true(zcfwd_recycle_bind(r, tx, n, &of[state], NULL) >= 0);
	assert_int_equal(zcfwd_recycle_pairs(r, NULL, 0, 0), n);
	assert_true(zcfwd_recycle_run(r) >= 0);
	if (state == RESTARTED) {
		assert_int_equal(rte_eth_dev_stop(library_port(1)), 0);
		library_port_start(1);
	}
}

/* The pairs of a handle, as zcfwd_recycle_pairs() describes them. */
struct described {
	unsigned int n;
	struct zcfwd_recycle_pair pair[ZCFWD_RECYCLE_BOUND];
};

static struct described
describe(const struct zcfwd_recycle *r)
{
	struct described d = { 0 };

	d.n = zcfwd_recycle_pairs(r, d.pair, sizeof(d.pair[0]), DIM(d.pair));
	return d;
}

/* A handle has the very pairs that it had: even their texts are where they were. */
static void
assert_unchanged(const struct zcfwd_recycle *r, const struct described *was)
{
	const struct described now = describe(r);

	assert_int_equal(now.n, was->n);
	for (unsigned int i = 0; i < now.n; i++) {
		const struct zcfwd_recycle_pair *a = &now.pair[i], *b = &was->pair[i];

		assert_int_equal(a->tx.port, b->tx.port);
		assert_int_equal(a->tx.queue, b->tx.queue);
		assert_int_equal(a->bound, b->bound);
		assert_int_equal(a->feeds, b->feeds);
		assert_int_equal(a->reason, b->reason);
		assert_ptr_equal(a->text, b->text);
		assert_ptr_equal(a->rx_function, b->rx_function);
	}
}

static void
assert_refused(const struct zcfwd_recycle_error *e, enum zcfwd_recycle_reason reason,
	const char *says)
{
	if (strstr(e->text, says) == NULL)
		fail_msg("\"%s\" says nothing of \"%s\"", e->text, says);
	assert_int_equal(e->reason, reason);
	assert_true(e->code > 0);
	assert_null(strpbrk(e->text, "\n"));
}

/* Arguments of zcfwd_recycle_bind() that are refused in each state. */
struct bad_bind {
	const struct zcfwd_recycle_queue *tx;
	unsigned int n;
	struct zcfwd_recycle_options options;
	const char *says;
};

static void
bind_refused(enum state state, const struct bad_bind *bad)
{
	struct zcfwd_recycle_error e = { 0 };
	struct described was;

	enter(HANDLE, state);
	was = describe(HANDLE);
	if (zcfwd_recycle_bind(HANDLE, bad->tx, bad->n, &bad->options, &e) != -EINVAL)
		fail_msg("%s: bound: expected %s", state_names[state], bad->says);
	assert_refused(&e, ZCFWD_RECYCLE_ARGUMENT, bad->says);
	assert_unchanged(HANDLE, &was);
	assert_int_equal(zcfwd_recycle_bind(HANDLE, bad->tx, bad->n, &bad->options, NULL), -EINVAL);
	assert_unchanged(HANDLE, &was);
	if (state == WINDOW)
		assert_int_equal(library_stat(HANDLE, "window"), 256);
	library_poll(4);
}

/* Options with one byte that is not as bool has it. */
static struct zcfwd_recycle_options
with_flag(unsigned char flag)
{
	struct zcfwd_recycle_options o = { 0 };

	memset(&o.tables_only, flag, sizeof(flag));
	return o;
}

TEST(bind_arguments)
{
	const struct zcfwd_recycle_queue next[] = { NEXT },
					 many[ZCFWD_RECYCLE_BOUND + 1] = { NEXT },
					 twice[] = { NEXT, NEXT }, apart[] = { NEXT, OTHER, NEXT },
					 nowhere[] = { OTHER, NOWHERE, NOWHERE };
	const struct bad_bind bad[] = {
		{ many, 9, { 0 },
			"9 transmit queues to feed one receive queue: expected at most 8" },
		{ many, 33, { .sent = sent }, "33 transmit queues" },
		{ many, UINT_MAX, { 0 }, "4294967295 transmit queues" },
		{ NULL, 1, { 0 }, "1 transmit queues, but tx is NULL" },
		{ NULL, 2, { .sent = sent }, "2 transmit queues, but tx is NULL" },
		{ next, 1, { .mode = (enum zcfwd_recycle_mode)(ZCFWD_RECYCLE_MODE_OFF + 1) },
			"mode 4: expected at most 3" },
		{ next, 1, { .mode = (enum zcfwd_recycle_mode)UINT_MAX }, "mode 4294967295" },
		{ next, 1, { .window = 2 }, "window of 2 descriptors: expected 64 to 32768" },
		{ next, 1, { .window = 63 }, "63 descriptors" },
		{ next, 1, { .window = 32769 }, "32769 descriptors" },
		{ next, 1, { .window = 65535, .mode = ZCFWD_RECYCLE_MODE_OFF },
			"65535 descriptors" },
		{ next, 1, { .sent = sent, .first = 1 },
			"queue 1 to begin with: expected less than 1" },
		{ next, 1, { .sent = sent, .first = UINT_MAX }, "queue 4294967295" },
		{ next, 1, { .reserved = { 1 } },
			"reserved[0] is 0x1: expected 0, since version 1.0" },
		{ next, 1, { .reserved = { 0, 0, 0, UINT64_MAX } },
			"reserved[3] is 0xffffffffffffffff: expected 0" },
		{ next, 1, { .reserved = { 0, 1 }, .mode = ZCFWD_RECYCLE_MODE_OFF },
			"reserved[1]" },
		{ NULL, 0, { .reserved = { 0, 0, 1 }, .mode = ZCFWD_RECYCLE_MODE_BLOCKS },
			"reserved[2]" },
		{ next, 1, with_flag(2), "tables_only 2: expected 0 or 1" },
		{ NULL, 0, with_flag(255), "tables_only 255" },
		{ twice, 2, { 0 }, "transmit queue 0 is given twice" },
		{ apart, 3, { .sent = sent }, "transmit queue 0 is given twice" },
		{ nowhere, 3, { .mode = ZCFWD_RECYCLE_MODE_OFF },
			"port 99: transmit queue 0 is given twice" },
	};

	for (enum state s = UNBOUND; s < STATES; s++)
		for (size_t i = 0; i < DIM(bad); i++)
			bind_refused(s, &bad[i]);
	/* Their handle still works. */
	library_bind(NULL);
	library_poll(200);
	assert_int_equal(library_reason(HANDLE), ZCFWD_RECYCLE_FINE);
	assert_true(library_stat(HANDLE, "moved") > 0);
}

/* A window that the bound queues cannot have, and one that the mode does not use. */
TEST(bind_windows)
{
	static const struct zcfwd_recycle_options least = { .window = 64, .burst = 512 },
						  unused = { .window = 64,
							  .burst = 512,
							  .mode = ZCFWD_RECYCLE_MODE_CACHE };
	const struct zcfwd_recycle_queue next = NEXT;
	struct zcfwd_recycle_error e = { 0 };
	struct described was;

	enter(HANDLE, RING);
	was = describe(HANDLE);
	assert_int_equal(zcfwd_recycle_bind(HANDLE, &next, 1, &least, &e), -EINVAL);
	assert_refused(&e, ZCFWD_RECYCLE_ARGUMENT, "bursts of 512");
	assert_unchanged(HANDLE, &was);
	assert_int_equal(zcfwd_recycle_bind(HANDLE, &next, 1, &unused, &e), 1);
	library_poll(100);
}

/* Queues that do not exist or have no known driver: the pair is refused, and the old ones are gone. */
TEST(bind_queues)
{
	const struct {
		struct zcfwd_recycle_queue tx;
		int code;
		enum zcfwd_recycle_reason reason;
		const char *says;
	} cases[] = {
		{ NOWHERE, EINVAL, ZCFWD_RECYCLE_NO_QUEUE, "port 99" },
		{ { UINT16_MAX, 0 }, EINVAL, ZCFWD_RECYCLE_NO_QUEUE, "port 65535" },
		{ LIBRARY_TX(1, LIBRARY_QUEUES), EINVAL, ZCFWD_RECYCLE_NO_QUEUE, "queue 2" },
		{ LIBRARY_TX(1, 999), EINVAL, ZCFWD_RECYCLE_NO_QUEUE, "queue 999" },
		{ LIBRARY_TX(1, UINT16_MAX), EINVAL, ZCFWD_RECYCLE_NO_QUEUE, "queue 65535" },
		{ { library_null_port(), 0 }, ENOTSUP, ZCFWD_RECYCLE_DRIVER, "driver net_null" },
	};

	for (size_t i = 0; i < DIM(cases); i++) {
		struct zcfwd_recycle_error e = { 0 };

		enter(HANDLE, RING);
		assert_int_equal(zcfwd_recycle_bind(HANDLE, &cases[i].tx, 1, NULL, &e), 0);
		assert_refused(&e, cases[i].reason, cases[i].says);
		assert_int_equal(e.code, cases[i].code);
		assert_int_equal(library_reason(HANDLE), cases[i].reason);
		assert_int_equal(zcfwd_recycle_add(HANDLE, cases[i].tx, &e), -cases[i].code);
		assert_refused(&e, cases[i].reason, cases[i].says);
		assert_int_equal(zcfwd_recycle_remove(HANDLE, cases[i].tx, &e), 0);
		assert_int_equal(zcfwd_recycle_add(HANDLE, cases[i].tx, NULL), -cases[i].code);
		library_poll(20);
	}
}

/* Changes of one queue, of which from and to are handles that a case has bound. */
typedef int change(struct zcfwd_recycle *r, struct zcfwd_recycle *to, struct zcfwd_recycle_queue tx,
	struct zcfwd_recycle_error *e);

static int
add(struct zcfwd_recycle *r, struct zcfwd_recycle *to, struct zcfwd_recycle_queue tx,
	struct zcfwd_recycle_error *e)
{
	return zcfwd_recycle_add(r, tx, e);
}

static int
remove_one(struct zcfwd_recycle *r, struct zcfwd_recycle *to, struct zcfwd_recycle_queue tx,
	struct zcfwd_recycle_error *e)
{
	return zcfwd_recycle_remove(r, tx, e);
}

static int
move_to_itself(struct zcfwd_recycle *r, struct zcfwd_recycle *to, struct zcfwd_recycle_queue tx,
	struct zcfwd_recycle_error *e)
{
	return zcfwd_recycle_move(r, r, tx, e);
}

#define ADD add, "add"
#define REMOVE remove_one, "remove"
#define MOVE zcfwd_recycle_move, "move"
#define MOVE_TO_ITSELF move_to_itself, "move to itself"
#define ALL_BLOCKS "in mode ZCFWD_RECYCLE_MODE_BLOCKS"
#define ALL_COUNTED "use zcfwd_recycle_bind()"

/* A flat table: each change in each state. says: NULL: it succeeds. */
TEST(changes_of_one)
{
	const struct {
		enum state from, to; /* to: of the handle that a queue is moved to */
		change *call;
		const char *name;
		struct zcfwd_recycle_queue tx;
		enum zcfwd_recycle_reason reason;
		const char *says;
	} cases[] = {
		{ UNBOUND, UNBOUND, ADD, NEXT, 0, NULL },
		{ UNBOUND, UNBOUND, REMOVE, NEXT, ZCFWD_RECYCLE_ARGUMENT, "is not bound" },
		{ UNBOUND, UNBOUND, MOVE, NEXT, ZCFWD_RECYCLE_ARGUMENT, "is not bound" },
		{ RING, UNBOUND, ADD, NEXT, ZCFWD_RECYCLE_ARGUMENT, "is bound already" },
		{ RING, UNBOUND, ADD, OTHER, 0, NULL },
		{ RING, UNBOUND, ADD, OWN, 0, NULL },
		{ RING, UNBOUND, REMOVE, NEXT, 0, NULL },
		{ RING, UNBOUND, REMOVE, OTHER, ZCFWD_RECYCLE_ARGUMENT, "is not bound" },
		{ RING, UNBOUND, MOVE, NEXT, 0, NULL },
		{ RING, UNBOUND, MOVE, OTHER, ZCFWD_RECYCLE_ARGUMENT, "is not bound" },
		{ RING, UNBOUND, MOVE_TO_ITSELF, NEXT, ZCFWD_RECYCLE_ARGUMENT, "is bound already" },
		{ RING, RING, MOVE, NEXT, ZCFWD_RECYCLE_ARGUMENT, "is bound already" },
		{ RING, BLOCKS, MOVE, NEXT, ZCFWD_RECYCLE_ARGUMENT, ALL_BLOCKS },
		{ RING, COUNTED, MOVE, NEXT, ZCFWD_RECYCLE_ARGUMENT, ALL_COUNTED },
		{ RING, OFF, MOVE, NEXT, ZCFWD_RECYCLE_OFF, "recycling is off" },
		{ CACHE, UNBOUND, ADD, NEXT, ZCFWD_RECYCLE_ARGUMENT, "is bound already" },
		{ CACHE, UNBOUND, ADD, OTHER, 0, NULL },
		{ CACHE, RING, MOVE, OTHER, ZCFWD_RECYCLE_ARGUMENT, "is not bound" },
		{ BLOCKS, UNBOUND, ADD, NEXT, ZCFWD_RECYCLE_ARGUMENT, ALL_BLOCKS },
		{ BLOCKS, UNBOUND, ADD, OWN, ZCFWD_RECYCLE_ARGUMENT, ALL_BLOCKS },
		{ BLOCKS, UNBOUND, ADD, NOWHERE, ZCFWD_RECYCLE_ARGUMENT, ALL_BLOCKS },
		{ BLOCKS, UNBOUND, REMOVE, NEXT, ZCFWD_RECYCLE_ARGUMENT, ALL_BLOCKS },
		{ BLOCKS, UNBOUND, REMOVE, OWN, ZCFWD_RECYCLE_ARGUMENT, ALL_BLOCKS },
		{ BLOCKS, UNBOUND, MOVE, OWN, ZCFWD_RECYCLE_ARGUMENT, ALL_BLOCKS },
		{ BLOCKS, BLOCKS, MOVE, OWN, ZCFWD_RECYCLE_ARGUMENT, ALL_BLOCKS },
		{ BLOCKS, UNBOUND, MOVE_TO_ITSELF, OWN, ZCFWD_RECYCLE_ARGUMENT, ALL_BLOCKS },
		{ OFF, UNBOUND, ADD, NEXT, ZCFWD_RECYCLE_OFF, "recycling is off" },
		{ OFF, UNBOUND, ADD, OTHER, ZCFWD_RECYCLE_OFF, "recycling is off" },
		{ OFF, UNBOUND, REMOVE, NEXT, 0, NULL },
		{ WINDOW, UNBOUND, ADD, NEXT, ZCFWD_RECYCLE_ARGUMENT, "is bound already" },
		{ WINDOW, UNBOUND, ADD, OTHER, 0, NULL },
		{ WINDOW, WINDOW, MOVE, NEXT, ZCFWD_RECYCLE_ARGUMENT, "is bound already" },
		{ WINDOW, UNBOUND, REMOVE, NEXT, 0, NULL },
		{ COUNTED, UNBOUND, ADD, OTHER, ZCFWD_RECYCLE_ARGUMENT, ALL_COUNTED },
		{ COUNTED, UNBOUND, ADD, NEXT, ZCFWD_RECYCLE_ARGUMENT, ALL_COUNTED },
		{ COUNTED, UNBOUND, REMOVE, NEXT, ZCFWD_RECYCLE_ARGUMENT, ALL_COUNTED },
		{ COUNTED, UNBOUND, MOVE, NEXT, ZCFWD_RECYCLE_ARGUMENT, ALL_COUNTED },
		{ REFUSED, UNBOUND, ADD, NOWHERE, ZCFWD_RECYCLE_NO_QUEUE, "port 99" },
		{ REFUSED, UNBOUND, REMOVE, NOWHERE, 0, NULL },
		{ REFUSED, UNBOUND, MOVE, NOWHERE, ZCFWD_RECYCLE_NO_QUEUE, "port 99" },
		{ FULL, UNBOUND, ADD, OTHER, ZCFWD_RECYCLE_ARGUMENT, "9 transmit queues" },
		{ FULL, UNBOUND, ADD, NEXT, ZCFWD_RECYCLE_ARGUMENT, "is bound already" },
		{ CACHE, FULL, MOVE, NEXT, ZCFWD_RECYCLE_ARGUMENT, "is bound already" },
		{ BLOCKS, FULL, MOVE, OTHER, ZCFWD_RECYCLE_ARGUMENT, ALL_BLOCKS },
		{ REFUSED, FULL, MOVE, NOWHERE, ZCFWD_RECYCLE_ARGUMENT, "9 transmit queues" },
		{ RESTARTED, UNBOUND, ADD, NEXT, 0, NULL },
		{ RESTARTED, UNBOUND, REMOVE, NEXT, 0, NULL },
		{ RESTARTED, UNBOUND, MOVE, NEXT, 0, NULL },
		{ RESTARTED, UNBOUND, MOVE_TO_ITSELF, NEXT, 0, NULL },
	};
	struct zcfwd_recycle *const to = library.of[2][0];

	for (size_t i = 0; i < DIM(cases); i++) {
		struct zcfwd_recycle_error e = { 0 };
		struct described was, to_was;
		int ret;

		enter(to, cases[i].to);
		enter(HANDLE, cases[i].from);
		was = describe(HANDLE);
		to_was = describe(to);
		ret = cases[i].call(HANDLE, to, cases[i].tx, &e);
		if ((ret == 0) != (cases[i].says == NULL))
			fail_msg("%s, %s: %s port %u queue %u: returned %d",
				state_names[cases[i].from], state_names[cases[i].to], cases[i].name,
				cases[i].tx.port, cases[i].tx.queue, ret);
		assert_int_equal(ret, -e.code);
		if (ret != 0)
			assert_refused(&e, cases[i].reason, cases[i].says);
		if (cases[i].reason == ZCFWD_RECYCLE_ARGUMENT) {
			assert_unchanged(HANDLE, &was);
			assert_unchanged(to, &to_was);
			assert_int_equal(cases[i].call(HANDLE, to, cases[i].tx, NULL), -EINVAL);
			assert_unchanged(HANDLE, &was);
			assert_unchanged(to, &to_was);
		}
		library_poll(4);
		assert_int_equal(zcfwd_recycle_bind(HANDLE, NULL, 0, NULL, NULL), 0);
		assert_int_equal(zcfwd_recycle_bind(to, NULL, 0, NULL, NULL), 0);
	}
}

/* NULL in place of a handle. */
TEST(no_handle)
{
	const struct zcfwd_recycle_queue next = NEXT;
	struct zcfwd_recycle_error e[5] = { 0 };
	struct described was;

	enter(HANDLE, RING);
	was = describe(HANDLE);
	assert_int_equal(zcfwd_recycle_bind(NULL, &next, 1, NULL, &e[0]), -EINVAL);
	assert_int_equal(zcfwd_recycle_add(NULL, next, &e[1]), -EINVAL);
	assert_int_equal(zcfwd_recycle_remove(NULL, next, &e[2]), -EINVAL);
	assert_int_equal(zcfwd_recycle_move(NULL, HANDLE, next, &e[3]), -EINVAL);
	assert_int_equal(zcfwd_recycle_move(HANDLE, NULL, next, &e[4]), -EINVAL);
	for (size_t i = 0; i < DIM(e); i++)
		assert_refused(&e[i], ZCFWD_RECYCLE_ARGUMENT, "the handle is NULL");
	assert_unchanged(HANDLE, &was);
	assert_int_equal(zcfwd_recycle_bind(NULL, NULL, 0,
				 &(struct zcfwd_recycle_options){
					 .mode = ZCFWD_RECYCLE_MODE_BLOCKS },
				 NULL),
		-EINVAL);
	assert_int_equal(zcfwd_recycle_run(NULL), 0);
	zcfwd_recycle_pause(NULL, true);
	zcfwd_recycle_stop(NULL);
	zcfwd_recycle_destroy(NULL);
	assert_int_equal(zcfwd_recycle_stats(NULL, &(uint64_t){ 0 }, 1), 0);
	assert_int_equal(zcfwd_recycle_pair_stats(NULL, 0, &(uint64_t){ 0 }, 1), 0);
	assert_int_equal(zcfwd_recycle_pairs(NULL, &(struct zcfwd_recycle_pair){ 0 },
				 sizeof(struct zcfwd_recycle_pair), 1),
		0);
	assert_int_equal(zcfwd_recycle_changes(NULL, &(struct zcfwd_recycle_change){ 0 },
				 sizeof(struct zcfwd_recycle_change), 1),
		0);
}

/* Ports and queues that do not exist, files that are none. */
TEST(no_queue_no_file)
{
	const uint16_t ports[] = { RTE_MAX_ETHPORTS - 1, RTE_MAX_ETHPORTS, UINT16_MAX },
		       queues[] = { LIBRARY_QUEUES, RTE_MAX_QUEUES_PER_PORT, UINT16_MAX };
	struct zcfwd_recycle_error e;

	for (size_t i = 0; i < DIM(ports); i++) {
		assert_null(zcfwd_recycle_create(ports[i], 0, &e));
		assert_refused(&e, ZCFWD_RECYCLE_NO_QUEUE, "no such port");
		assert_null(zcfwd_recycle_create(ports[i], 0, NULL));
		assert_int_equal(zcfwd_recycle_supports(ports[i], &e), -EINVAL);
		assert_refused(&e, ZCFWD_RECYCLE_NO_QUEUE, "no such port");
		assert_int_equal(zcfwd_recycle_supports(ports[i], NULL), -EINVAL);
	}
	for (size_t i = 0; i < DIM(queues); i++) {
		assert_null(zcfwd_recycle_create(library_port(0), queues[i], &e));
		assert_refused(&e, ZCFWD_RECYCLE_NO_QUEUE, "no receive queue");
		assert_null(zcfwd_recycle_create(library_port(0), queues[i], NULL));
	}
	assert_int_equal(zcfwd_recycle_supports(library_null_port(), &e), -ENOTSUP);
	assert_refused(&e, ZCFWD_RECYCLE_DRIVER, "net_null");
	assert_int_equal(zcfwd_recycle_supports(library_port(0), NULL), 0);
	assert_int_equal(zcfwd_recycle_layouts("/nonexistent", &e), -ENOENT);
	assert_refused(&e, ZCFWD_RECYCLE_FILE, "/nonexistent");
	assert_int_equal(zcfwd_recycle_layouts("/nonexistent", NULL), -ENOENT);
	assert_true(zcfwd_recycle_layouts("/", &e) < 0);
	assert_refused(&e, ZCFWD_RECYCLE_FILE, "/");
	assert_int_equal(zcfwd_recycle_layouts(NULL, &e), -EINVAL);
	assert_refused(&e, ZCFWD_RECYCLE_ARGUMENT, "the path of the layouts is NULL");
	/* None of them was used: a bound queue's layout is still the table's. */
	enter(HANDLE, RING);
	assert_string_equal(describe(HANDLE).pair[0].rx_layout, "table");
}

/*
 * What is read from a handle in each state goes into arrays of the length that was given, and no
 * further.
 */
TEST(reads)
{
	unsigned int rows = 0;

	while (zcfwd_recycle_row(rows) != NULL)
		rows++;
	for (enum state s = UNBOUND; s < STATES; s++) {
		struct zcfwd_recycle *const r = HANDLE;
		struct zcfwd_recycle_queue tx[ZCFWD_RECYCLE_FEEDING];
		const unsigned int n = queues_of(s, tx);
		uint64_t *values = calloc(rows, sizeof(values[0])), counters = 0;

		enter(r, s);
		assert_int_equal(zcfwd_recycle_stats(r, NULL, 0), 0);
		assert_int_equal(zcfwd_recycle_stats(r, values, rows), rows);
		assert_int_equal(zcfwd_recycle_stats(r, values, UINT_MAX), rows);
		assert_int_equal(zcfwd_recycle_stats(r, &counters, 1), 1);
		assert_int_equal(zcfwd_recycle_pairs(r, NULL, 0, 0), n);
		for (unsigned int i = 0; i < n; i++) {
			assert_int_equal(zcfwd_recycle_pair_stats(r, i, NULL, 0), 0);
			assert_true(zcfwd_recycle_pair_stats(r, i, values, UINT_MAX) < rows);
		}
		assert_int_equal(zcfwd_recycle_pair_stats(r, n, values, rows), 0);
		assert_int_equal(zcfwd_recycle_pair_stats(r, UINT_MAX, values, rows), 0);
		assert_int_equal(zcfwd_recycle_changes(r, NULL, 0, 0), 0);
		assert_int_equal(zcfwd_recycle_changes(r, NULL, 0, UINT_MAX), 0);
		free(values);
	}
}

/*
 * Programs that were compiled with a shorter or a longer struct get what they know of it, zeros for
 * what the library does not know, and no byte beyond.
 */
TEST(other_versions)
{
	enum { SHORT = sizeof(struct zcfwd_recycle_queue) };
	const struct zcfwd_recycle_queue two[] = { NEXT, OTHER };
	struct {
		struct zcfwd_recycle_pair known;
		uint64_t later[3];
	} newer[3];
	/* A block of libc's, whose end AddressSanitizer watches. */
	struct zcfwd_recycle_queue *older = malloc(2 * SHORT);
	struct described d;

	assert_non_null(older);
	assert_int_equal(zcfwd_recycle_bind(HANDLE, two, 2, NULL, NULL), 2);
	d = describe(HANDLE);
	memset(newer, 0xff, sizeof(newer));
	assert_int_equal(zcfwd_recycle_pairs(HANDLE, &newer[0].known, sizeof(newer[0]), 2), 2);
	assert_int_equal(zcfwd_recycle_pairs(HANDLE, (void *)older, SHORT, 2), 2);
	for (unsigned int i = 0; i < 2; i++) {
		assert_memory_equal(&newer[i].known.tx, &two[i], SHORT);
		assert_ptr_equal(newer[i].known.text, d.pair[i].text);
		assert_ptr_equal(newer[i].known.tx_layout, d.pair[i].tx_layout);
		for (unsigned int k = 0; k < DIM(newer[i].later); k++)
			assert_int_equal(newer[i].later[k], 0);
		assert_memory_equal(&older[i], &two[i], SHORT);
	}
	for (unsigned int k = 0; k < DIM(newer[2].later); k++)
		assert_true(newer[2].later[k] == UINT64_MAX);
	free(older);
	assert_int_equal(zcfwd_recycle_pairs(HANDLE, &newer[2].known, 0, 1), 2);
	assert_true(newer[2].known.tx.port == UINT16_MAX);
	assert_int_equal(zcfwd_recycle_version(), ZCFWD_RECYCLE_VERSION);
	assert_true(ZCFWD_RECYCLE_VERSION >= ZCFWD_RECYCLE_VERSION_NUMBER(1, 0) &&
		ZCFWD_RECYCLE_VERSION < ZCFWD_RECYCLE_VERSION_NUMBER(2, 0));
}

/* A handle that was never bound or run, and one that is stopped twice. */
TEST(before_and_after)
{
	struct zcfwd_recycle *const r = HANDLE;
	uint64_t values[64];
	unsigned int n = 0;

	while (zcfwd_recycle_row(n) != NULL)
		n++;
	zcfwd_recycle_pause(r, true);
	zcfwd_recycle_stop(r);
	assert_int_equal(zcfwd_recycle_run(r), 0);
	zcfwd_recycle_stop(r);
	zcfwd_recycle_stop(r);
	assert_int_equal(zcfwd_recycle_pairs(r, NULL, 0, 0), 0);
	assert_int_equal(zcfwd_recycle_stats(r, values, 64), n);
	for (unsigned int i = 0; i < n; i++)
		assert_true(values[i] == 0 || values[i] == ZCFWD_RECYCLE_NONE);
	for (enum state s = UNBOUND; s < STATES; s++) {
		enter(HANDLE, s);
		zcfwd_recycle_stop(HANDLE);
		zcfwd_recycle_stop(HANDLE);
		zcfwd_recycle_destroy(HANDLE);
		HANDLE = zcfwd_recycle_create(library_port(0), 0, NULL);
		assert_non_null(HANDLE);
	}
}

TESTS(.setup = library_setup, .teardown = library_teardown, .before = library_begin,
	.after = library_finish);
