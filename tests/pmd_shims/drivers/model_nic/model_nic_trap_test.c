/* Every form of access that a compiler makes of a register read or write, done by the fault handler
 * as the processor would. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "fixtures/unit.h"
#include "pmd_shims/drivers/model_nic/trap.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { BAR = 4 * 4096, LOG = 64, THREADS = 4, ROUNDS = 5000 };

/*
 * What the family was told, in order. Volatile: changes under loads and stores, as far as the
 * compiler can tell.
 */
static volatile struct call {
	char what; /* 'b' before a read, 'a' after one, 'w' written */
	uint32_t offset, old, value;
} calls[LOG];
static volatile unsigned n_calls;
static volatile uint64_t unguarded; /* counts as only one thread at a time can */

static void
note(char what, uint32_t offset, uint32_t old, uint32_t value)
{
	const struct call call = { what, offset, old, value };

	if (n_calls < LOG) {
		calls[n_calls] = call;
		n_calls = n_calls + 1;
	}
}

/* Register 0x40 counts its reads, 0x44 clears when read. */
static void
before_read(struct model *m, uint32_t offset)
{
	note('b', offset, 0, 0);
	unguarded = unguarded + 1;
	if (offset == 0x40)
		model_reg_set(m, offset, model_reg(m, offset) + 1);
}

static void
after_read(struct model *m, uint32_t offset)
{
	note('a', offset, 0, 0);
	if (offset == 0x44)
		model_reg_set(m, offset, 0);
}

static void
written(struct model *m, uint32_t offset, uint32_t old, uint32_t value)
{
	note('w', offset, old, value);
	unguarded = unguarded + 1;
}

static const struct model_family family = { .name = "test",
	.bar_len = BAR,
	.before_read = before_read,
	.after_read = after_read,
	.written = written };

static struct model model = { .port = 3, .family = &family };
static uint64_t stepped_before;

static uint64_t
steps(void)
{
	uint64_t accesses, stepped;

	trap_counts(&model, &accesses, &stepped);
	return stepped - stepped_before;
}

static void
forget(void)
{
	uint64_t accesses;

	n_calls = 0;
	trap_counts(&model, &accesses, &stepped_before);
}

/* In the test itself: cmocka takes SIGSEGV for itself between set-up and test. */
static volatile uint32_t *
open_bar(void)
{
	assert_int_equal(trap_open(&model), 0);
	forget();
	return (volatile uint32_t *)(void *)model.bar_driver;
}

static int
close_bar(void **state)
{
	trap_close(&model);
	return 0;
}

/*
 * p + 0x10 holds the register; i is 4, for forms with an index. Loads leave the whole destination
 * register in the result.
 */
#define ACCESS(name, instruction) \
	static uint64_t name(volatile void *p, uint64_t v) \
	{ \
		uint64_t i = 4; \
\
		__asm__ volatile("mov %0, %%r13\n\tmov %1, %%r12\n\tmov %2, %%rcx\n\tmov %1, " \
				 "%%rbx\n\tmov %0, %%rdx\n\t" instruction "\n\tmov %%rdx, %0\n\t" \
				 : "+&r"(v) \
				 : "r"(p), "r"(i) \
				 : "rbx", "rcx", "rdx", "r12", "r13", "memory", "cc", "xmm0", \
				 "xmm9"); \
		return v; \
	}

/* rbx and r12 are p, rcx is 4, rdx and r13 are v. */
ACCESS(load_disp8, "movl 0x10(%%rbx), %%edx")
ACCESS(load_disp32, "movl.d32 0x10(%%rbx), %%edx")
ACCESS(load_base, "add $0x10, %%rbx; movl (%%rbx), %%edx")
ACCESS(load_index, "movl 0xc(%%rbx,%%rcx), %%edx")
ACCESS(load_scaled, "movl (%%rbx,%%rcx,4), %%edx")
ACCESS(load_no_base, "shr $2, %%rbx; movl 0x10(,%%rbx,4), %%edx")
ACCESS(load_r12, "movl 0x10(%%r12), %%r13d; mov %%r13, %%rdx")
ACCESS(load_64, "movq 0x10(%%rbx), %%rdx")
ACCESS(load_64_r12, "movq 0x10(%%r12), %%r13; mov %%r13, %%rdx")
ACCESS(load_16, "movw 0x10(%%rbx), %%dx")
ACCESS(load_16_high, "movw 0x12(%%rbx), %%dx")
ACCESS(load_8, "movb 0x11(%%rbx), %%dl")
ACCESS(load_8_r13, "movb 0x13(%%r12), %%r13b; mov %%r13, %%rdx")
ACCESS(load_zx8, "movzbl 0x12(%%rbx), %%edx")
ACCESS(load_zx16, "movzwl 0x10(%%rbx), %%edx")
ACCESS(load_zx16_64, "movzwq 0x12(%%rbx), %%rdx")
ACCESS(load_xmm,
	"movq %%rdx, %%xmm0; movlhps %%xmm0, %%xmm0; movd 0x10(%%rbx), %%xmm0; movq %%xmm0, %%rdx")
ACCESS(load_xmm_above,
	"movq %%rdx, %%xmm9; movlhps %%xmm9, %%xmm9; movd 0x10(%%rbx), %%xmm9; movhlps %%xmm9, %%xmm9; movq %%xmm9, %%rdx")

/* Those that are stepped. */
ACCESS(load_8_high, "movb 0x11(%%rbx), %%dh")
ACCESS(load_sx8, "movsbl 0x13(%%rbx), %%edx")
ACCESS(load_sx32, "movslq 0x10(%%rbx), %%rdx")
ACCESS(load_quad, "movq 0x10(%%rbx), %%xmm0; movq %%xmm0, %%rdx")
ACCESS(load_or, "xor %%edx, %%edx; orl 0x10(%%rbx), %%edx")
ACCESS(load_test, "testl $0x80, 0x10(%%rbx); setnz %%dl; movzbl %%dl, %%edx")

typedef uint64_t (*access_function)(volatile void *p, uint64_t v);

TEST(loads)
{
	static const struct {
		const char *name;
		access_function load;
		uint64_t want;
		bool stepped;
	} rows[] = {
		{ "disp8", load_disp8, 0xddccbbaa, false },
		{ "disp32", load_disp32, 0xddccbbaa, false },
		{ "base", load_base, 0xddccbbaa, false },
		{ "index", load_index, 0xddccbbaa, false },
		{ "scaled", load_scaled, 0xddccbbaa, false },
		{ "no base", load_no_base, 0xddccbbaa, false },
		{ "r12", load_r12, 0xddccbbaa, false },
		{ "64", load_64, 0x44332211ddccbbaa, false },
		{ "64 r12", load_64_r12, 0x44332211ddccbbaa, false },
		{ "16", load_16, 0x0123456789abbbaa, false },
		{ "16 high", load_16_high, 0x0123456789abddcc, false },
		{ "8", load_8, 0x0123456789abcdbb, false },
		{ "8 r13", load_8_r13, 0x0123456789abcddd, false },
		{ "zx8", load_zx8, 0xcc, false },
		{ "zx16", load_zx16, 0xbbaa, false },
		{ "zx16 64", load_zx16_64, 0xddcc, false },
		{ "xmm", load_xmm, 0xddccbbaa, false },
		{ "xmm above", load_xmm_above, 0, false },
		{ "8 high", load_8_high, 0x0123456789abbbef, true },
		{ "sx8", load_sx8, 0xffffffdd, true },
		{ "sx32", load_sx32, 0xffffffffddccbbaa, true },
		{ "quad", load_quad, 0x44332211ddccbbaa, true },
		{ "or", load_or, 0xddccbbaa, true },
		{ "test", load_test, 1, true },
	};

	open_bar();
	model_reg_set(&model, 0x10, 0xddccbbaa);
	model_reg_set(&model, 0x14, 0x44332211);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint64_t got;

		forget();
		got = rows[i].load(model.bar_driver, 0x0123456789abcdef);
		if (got != rows[i].want)
			fail_msg("%s: %llx, expected %llx", rows[i].name, (unsigned long long)got,
				(unsigned long long)rows[i].want);
		if (n_calls < 2 || calls[0].what != 'b' || calls[0].offset != 0x10 ||
			calls[1].what != 'a' || calls[1].offset != 0x10)
			fail_msg("%s: %u calls, first %c %x", rows[i].name, n_calls, calls[0].what,
				calls[0].offset);
		if ((steps() != 0) != rows[i].stepped)
			fail_msg("%s: stepped %u", rows[i].name, (unsigned)steps());
	}
}

ACCESS(store_disp8, "movl %%edx, 0x10(%%rbx)")
ACCESS(store_disp32, "movl.d32 %%edx, 0x10(%%rbx)")
ACCESS(store_scaled, "movl %%edx, (%%rbx,%%rcx,4)")
ACCESS(store_r12_r13, "movl %%r13d, 0x10(%%r12)")
ACCESS(store_immediate, "movl $0x89abcdef, 0x10(%%rbx)")
ACCESS(store_immediate_r12, "movl $0x89abcdef, 0xc(%%r12,%%rcx)")
ACCESS(store_64, "movq %%rdx, 0x10(%%rbx)")
ACCESS(store_64_immediate, "movq $-2, 0x10(%%rbx)")
ACCESS(store_16, "movw %%dx, 0x12(%%rbx)")
ACCESS(store_16_immediate, "movw $0xcdef, 0x10(%%rbx)")
ACCESS(store_8, "movb %%dl, 0x11(%%rbx)")
ACCESS(store_8_immediate, "movb $0xef, 0x13(%%rbx)")
ACCESS(store_xmm, "movq %%rdx, %%xmm9; movd %%xmm9, 0x10(%%rbx)")

/* Those that are stepped. */
ACCESS(store_8_high, "movb %%dh, 0x10(%%rbx)")
ACCESS(store_quad, "movq %%rdx, %%xmm0; movq %%xmm0, 0x10(%%rbx)")
ACCESS(store_or, "orl $0x80000000, 0x10(%%rbx)")
ACCESS(store_exchange, "xchgl %%edx, 0x10(%%rbx)")
ACCESS(store_same, "andl $-1, 0x10(%%rbx)")

TEST(stores)
{
	static const struct {
		const char *name;
		access_function store;
		uint32_t want, above;
		bool stepped;
	} rows[] = {
		{ "disp8", store_disp8, 0x89abcdef, 0x55555555, false },
		{ "disp32", store_disp32, 0x89abcdef, 0x55555555, false },
		{ "scaled", store_scaled, 0x89abcdef, 0x55555555, false },
		{ "r12 r13", store_r12_r13, 0x89abcdef, 0x55555555, false },
		{ "immediate", store_immediate, 0x89abcdef, 0x55555555, false },
		{ "immediate r12", store_immediate_r12, 0x89abcdef, 0x55555555, false },
		{ "64", store_64, 0x89abcdef, 0x01234567, false },
		{ "64 immediate", store_64_immediate, 0xfffffffe, 0xffffffff, false },
		{ "16", store_16, 0xcdef1111, 0x55555555, false },
		{ "16 immediate", store_16_immediate, 0x1111cdef, 0x55555555, false },
		{ "8", store_8, 0x1111ef11, 0x55555555, false },
		{ "8 immediate", store_8_immediate, 0xef111111, 0x55555555, false },
		{ "xmm", store_xmm, 0x89abcdef, 0x55555555, false },
		{ "8 high", store_8_high, 0x111111cd, 0x55555555, true },
		{ "quad", store_quad, 0x89abcdef, 0x01234567, true },
		{ "or", store_or, 0x91111111, 0x55555555, true },
		{ "exchange", store_exchange, 0x89abcdef, 0x55555555, true },
		{ "same", store_same, 0x11111111, 0x55555555, true },
	};

	open_bar();
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const volatile struct call *c = &calls[0];

		model_reg_set(&model, 0x10, 0x11111111);
		model_reg_set(&model, 0x14, 0x55555555);
		forget();
		rows[i].store(model.bar_driver, 0x0123456789abcdef);
		if (model_reg(&model, 0x10) != rows[i].want ||
			model_reg(&model, 0x14) != rows[i].above)
			fail_msg("%s: %x %x", rows[i].name, model_reg(&model, 0x10),
				model_reg(&model, 0x14));
		while (c->what == 'b')
			c++;
		if (c->what != 'w' || c->offset != 0x10 || c->old != 0x11111111 ||
			c->value != rows[i].want)
			fail_msg("%s: %c %x: %x -> %x", rows[i].name, c->what, c->offset, c->old,
				c->value);
		if ((steps() != 0) != rows[i].stepped)
			fail_msg("%s: stepped %u", rows[i].name, (unsigned)steps());
	}
}

/* Two registers in one access are told of as two. */
TEST(wide_accesses_are_two_registers)
{
	open_bar();
	load_64(model.bar_driver, 0);
	assert_int_equal(n_calls, 4);
	assert_int_equal(calls[2].offset, 0x14);
	forget();
	store_64(model.bar_driver, 0);
	assert_int_equal(n_calls, 2);
	assert_int_equal(calls[1].what, 'w');
	assert_int_equal(calls[1].offset, 0x14);
}

/* Before a read comes before the value is taken, after it the register may change. */
TEST(hooks_come_in_time)
{
	volatile uint32_t *reg = open_bar();

	model_reg_set(&model, 0x40, 0);
	assert_int_equal(reg[0x40 / 4], 1);
	assert_int_equal(reg[0x40 / 4], 2);
	model_reg_set(&model, 0x44, 7);
	assert_int_equal(reg[0x44 / 4], 7);
	assert_int_equal(reg[0x44 / 4], 0);
	model_reg_set(&model, 0x50, 9);
	forget();
	reg[0x50 / 4] = 9;
	assert_int_equal(n_calls, 1);
	assert_int_equal(calls[0].old, 9);
}

/*
 * The last register works; what gcc makes of volatile accesses is never stepped. clang lets an "or"
 * have its operand in memory.
 */
TEST(compiled_accesses)
{
	volatile uint32_t *reg = open_bar(), *last = reg + BAR / 4 - 1;
	volatile uint64_t *wide = (volatile uint64_t *)(volatile void *)reg;

	*last = 3;
	assert_int_equal(*last, 3);
	for (unsigned i = 0; i < 16; i++)
		reg[i] = i << 4;
	reg[5] |= 1;
	assert_int_equal(reg[5], 0x51);
	assert_int_equal(reg[15], 0xf0);
	assert_true(wide[0] == UINT64_C(0x1000000000));
	wide[0] = 0;
	assert_int_equal(reg[1], 0);
}

static void *
hammer(void *argument)
{
	volatile uint8_t *own = model.bar_driver + 4 * (uintptr_t)argument;

	for (unsigned i = 0; i < ROUNDS; i++) {
		store_disp8(own, i);
		if (load_disp8(own, 0) != i)
			return argument;
		/* A stepped one opens the page: of its own, so that the others' are seen. */
		if (i % 16 == 0)
			store_or(model.bar_driver + 3 * 4096, 0);
	}
	return NULL;
}

TEST(threads_take_turns)
{
	const unsigned odd_ones = (ROUNDS + 15) / 16;
	pthread_t threads[THREADS];

	open_bar();
	unguarded = 0;
	for (unsigned i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, hammer,
					 (void *)(uintptr_t)(i + 1)),
			0);
	for (unsigned i = 0; i < THREADS; i++) {
		void *failed;

		pthread_join(threads[i], &failed);
		assert_null(failed);
	}
	/*
	 * A stepped store is a read and a write. It may find the page open: then it is one that
	 * nobody sees.
	 */
	assert_int_equal(steps() <= THREADS * odd_ones, 1);
	assert_int_equal(unguarded, 2 * THREADS * ROUNDS + 2 * steps());
}

TESTS(.after = close_bar);
