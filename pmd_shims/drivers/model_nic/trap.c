/* The BAR, mapped twice: as plain memory for the model, without access for the driver; the fault
 * handler emulates the driver's accesses. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/drivers/model_nic/trap.h"

#include "pmd_shims/drivers/model_nic/model.h"
#include "pmd_shims/drivers/model_nic/trap_decode.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#ifndef __x86_64__
#error "the trap needs a decoder for this processor's loads and stores"
#endif

enum {
	PAGE = 4096,
	FLAG_TRAP = 1 << 8,   /* in EFLAGS: SIGTRAP after the next instruction */
	FAULT_WRITE = 1 << 1, /* in a page fault's error code */
	STATE_SSE = 1 << 1,   /* in the saved state: the low halves of vector registers are valid */
	SAVED_EXTENT = 464,   /* offset in the saved state of its extent */
};

static struct region {
	_Atomic(struct model *) model; /* NULL: no BAR; written by trap_open() and trap_close() */
	struct ticket lock;
	/*
	 * State of an instruction that runs with its page open. Protected by lock, which is held
	 * from SIGSEGV to SIGTRAP.
	 */
	atomic_bool stepping;
	bool step_write;
	pthread_t stepper;
	uint32_t step_offset, step_old;
	_Atomic uint64_t accesses, stepped;
} regions[MODEL_PORTS_MAX];

static struct sigaction old_segv, old_trap;

/* ucontext's index of each register, in the order of their encoding. */
static const int context_index[16] = { REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP,
	REG_RSI, REG_RDI, REG_R8, REG_R9, REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15 };

static struct region *
region_of(const struct model *m)
{
	return &regions[m->port];
}

static struct region *
region_find(const void *address, struct model **m)
{
	for (unsigned i = 0; i < MODEL_PORTS_MAX; i++) {
		const uint8_t *base, *a = address;

		*m = atomic_load_explicit(&regions[i].model, memory_order_acquire);
		base = *m != NULL ? (*m)->bar_driver : NULL;
		if (base != NULL && a >= base && a < base + (*m)->family->bar_len)
			return &regions[i];
	}
	return NULL;
}

void
trap_lock(struct model *m)
{
	ticket_lock(&region_of(m)->lock);
}

void
trap_unlock(struct model *m)
{
	ticket_unlock(&region_of(m)->lock);
}

static void
fetch(struct model *m, uint32_t offset)
{
	if (m->family->load != NULL)
		model_reg_set(m, offset, (uint32_t)m->family->load(m, offset, 4));
	else if (m->family->before_read != NULL)
		m->family->before_read(m, offset);
}

static void
fetched(struct model *m, uint32_t offset)
{
	if (m->family->after_read != NULL)
		m->family->after_read(m, offset);
}

static void
stored(struct model *m, uint32_t offset, uint32_t old, uint32_t value)
{
	if (m->family->store != NULL)
		m->family->store(m, offset, 4, value);
	else if (m->family->written != NULL)
		m->family->written(m, offset, old, value);
}

/* Write the bits of a register that are set in mask. */
static void
register_write(struct model *m, uint32_t offset, uint32_t mask, uint32_t value)
{
	uint32_t old = model_reg(m, offset);

	value = (old & ~mask) | (value & mask);
	model_reg_set(m, offset, value);
	stored(m, offset, old, value);
}

static uint32_t
register_read(struct model *m, uint32_t offset)
{
	uint32_t value;

	fetch(m, offset);
	value = model_reg(m, offset);
	fetched(m, offset);
	return value;
}

static uint64_t
mask_of(uint8_t bytes)
{
	return bytes >= 8 ? UINT64_MAX : (UINT64_C(1) << 8 * bytes) - 1;
}

/*
 * Registers are 32 bits wide: 8 bytes access two registers, the lower one first; fewer than 4 bytes
 * access a part of one. A card outside sees each access as it is.
 */
static uint64_t
bar_read(struct model *m, uint32_t offset, uint8_t bytes)
{
	uint32_t aligned = offset & ~3u, shift = 8 * (offset & 3);
	uint64_t value;

	if (m->family->load != NULL)
		return m->family->load(m, offset, bytes) & mask_of(bytes);
	value = register_read(m, aligned);
	if (bytes == 8)
		value |= (uint64_t)register_read(m, aligned + 4) << 32;
	return value >> shift & mask_of(bytes);
}

static void
bar_write(struct model *m, uint32_t offset, uint8_t bytes, uint64_t value)
{
	uint32_t aligned = offset & ~3u, shift = 8 * (offset & 3);

	if (m->family->store != NULL) {
		m->family->store(m, offset, bytes, value);
		return;
	}
	register_write(m, aligned, (uint32_t)(mask_of(bytes) << shift), (uint32_t)(value << shift));
	if (bytes == 8)
		register_write(m, aligned + 4, UINT32_MAX, (uint32_t)(value >> 32));
}

/* True for an access that is misaligned or beyond the BAR; 8 bytes need alignment to 4 only. */
static bool
odd(const struct model *m, uint32_t offset, uint8_t bytes)
{
	return offset % (bytes < 4 ? bytes : 4) != 0 || offset + bytes > m->family->bar_len;
}

/* True for registers whose accesses have no side effects. */
static bool
of_open_page(const struct model *m, uint32_t offset)
{
	const struct model_family *f = m->family;

	for (unsigned i = 0; i < sizeof(f->open) / sizeof(f->open[0]) && f->open[i].len != 0; i++)
		if (offset >= f->open[i].offset && offset - f->open[i].offset < f->open[i].len)
			return true;
	return false;
}

bool
trap_read(struct model *m, uint32_t offset, uint8_t bytes, uint64_t *value)
{
	if (bytes == 0 || bytes > sizeof(*value) || odd(m, offset, bytes))
		return false;
	*value = 0;
	if (of_open_page(m, offset)) {
		memcpy(value, m->bar + offset, bytes);
		return true;
	}
	trap_lock(m);
	*value = bar_read(m, offset, bytes);
	trap_unlock(m);
	return true;
}

bool
trap_write(struct model *m, uint32_t offset, uint8_t bytes, uint64_t value)
{
	if (bytes == 0 || bytes > sizeof(value) || odd(m, offset, bytes))
		return false;
	if (of_open_page(m, offset)) {
		memcpy(m->bar + offset, &value, bytes);
		return true;
	}
	trap_lock(m);
	bar_write(m, offset, bytes, value);
	trap_unlock(m);
	return true;
}

/*
 * A vector register of the interrupted code. If the saved state does not include vector registers,
 * because all were 0, a bit is set so that they are restored. Source: bits/sigcontext.h, struct
 * _xstate.
 */
static void *
vector_register(ucontext_t *context, uint8_t reg)
{
	fpregset_t saved = context->uc_mcontext.fpregs;
	const struct _fpx_sw_bytes *extent = (const void *)((const uint8_t *)saved + SAVED_EXTENT);
	struct _xstate *state = (void *)saved;

	if (extent->magic1 == FP_XSTATE_MAGIC1)
		state->xstate_hdr.xstate_bv |= STATE_SSE;
	return &saved->_xmm[reg];
}

static void
emulate(struct model *m, uint32_t offset, const struct trap_move *move, ucontext_t *context)
{
	greg_t *registers = context->uc_mcontext.gregs;
	void *reg = move->xmm ? vector_register(context, move->reg)
			      : (void *)&registers[context_index[move->reg]];
	uint64_t value, old;

	memcpy(&old, reg, sizeof(old));
	if (move->write) {
		value = move->immediate ? move->value : old;
		bar_write(m, offset, move->bytes, value & mask_of(move->bytes));
	} else {
		value = bar_read(m, offset, move->bytes);
		if (!move->zero_extended && !move->xmm)
			value |= old & ~mask_of(move->bytes);
		if (move->xmm)
			memset(reg, 0, 16);
		memcpy(reg, &value, sizeof(value));
	}
	registers[REG_RIP] += move->length;
}

/*
 * Run the instruction itself, with its page open. Accesses by other threads to that page are not
 * noticed meanwhile; this is acceptable because compilers make plain moves for register accesses,
 * so other instructions are rare. If the instruction accesses several registers, only the first
 * counts.
 */
static void
step_begin(struct region *r, struct model *m, uint32_t offset, greg_t *registers)
{
	r->step_offset = offset & ~3u;
	r->step_write = (registers[REG_ERR] & FAULT_WRITE) != 0;
	fetch(m, r->step_offset);
	r->step_old = model_reg(m, r->step_offset);
	r->stepper = pthread_self();
	atomic_store(&r->stepping, true);
	atomic_fetch_add_explicit(&r->stepped, 1, memory_order_relaxed);
	mprotect(m->bar_driver + offset / PAGE * PAGE, PAGE, PROT_READ | PROT_WRITE);
	registers[REG_EFL] |= FLAG_TRAP;
}

static void
step_end(struct region *r, struct model *m, greg_t *registers)
{
	uint32_t offset = r->step_offset;

	registers[REG_EFL] &= ~(greg_t)FLAG_TRAP;
	mprotect(m->bar_driver + offset / PAGE * PAGE, PAGE, PROT_NONE);
	atomic_store(&r->stepping, false);
	if (r->step_write)
		stored(m, offset, r->step_old, model_reg(m, offset));
	else
		fetched(m, offset);
	ticket_unlock(&r->lock);
}

/* A fault outside the BARs: behave as if this file did not exist. */
static void
pass_on(const struct sigaction *old, int signal, siginfo_t *info, void *context)
{
	static _Thread_local bool passing;
	const struct sigaction none = { .sa_handler = SIG_DFL };
	bool handled = (old->sa_flags & SA_SIGINFO) != 0 ||
		(old->sa_handler != SIG_DFL && old->sa_handler != SIG_IGN);

	/* passing: the old handler itself faults, or passes the signal back to this handler. */
	if (!handled || passing) {
		/* The instruction faults again, this time without this handler. */
		sigaction(signal, passing ? &none : old, NULL);
		if (info->si_code <= 0)
			raise(signal);
		return;
	}
	passing = true;
	if ((old->sa_flags & SA_SIGINFO) != 0)
		old->sa_sigaction(signal, info, context);
	else
		old->sa_handler(signal);
	passing = false;
}

static void
on_segv(int signal, siginfo_t *info, void *context)
{
	greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
	struct trap_move move;
	struct model *m = NULL;
	struct region *r = info->si_code > 0 ? region_find(info->si_addr, &m) : NULL;
	uint32_t offset;
	int saved = errno;

	if (r == NULL) {
		pass_on(&old_segv, signal, info, context);
		return;
	}
	offset = (uint32_t)((uint8_t *)info->si_addr - m->bar_driver);
	ticket_lock(&r->lock);
	atomic_fetch_add_explicit(&r->accesses, 1, memory_order_relaxed);
	if (trap_decode((const uint8_t *)registers[REG_RIP], &move) &&
		!odd(m, offset, move.bytes)) {
		emulate(m, offset, &move, context);
		ticket_unlock(&r->lock);
	} else {
		step_begin(r, m, offset, registers);
	}
	errno = saved;
}

static void
on_trap(int signal, siginfo_t *info, void *context)
{
	for (unsigned i = 0; i < MODEL_PORTS_MAX; i++) {
		struct region *r = &regions[i];
		struct model *m = atomic_load(&r->model);
		int saved = errno;

		if (m != NULL && atomic_load(&r->stepping) &&
			pthread_equal(r->stepper, pthread_self())) {
			step_end(r, m, ((ucontext_t *)context)->uc_mcontext.gregs);
			errno = saved;
			return;
		}
	}
	pass_on(&old_trap, signal, info, context);
}

/*
 * Install a handler. Done again for each device, since the application may have replaced the
 * handler. No SA_ONSTACK: a driver's stack has more room than an alternate one. SA_NODEFER: a bug
 * in a family causes a second fault, which is passed on.
 */
static int
handler_install(int signal, void (*handler)(int, siginfo_t *, void *), struct sigaction *old)
{
	struct sigaction now,
		ours = { .sa_sigaction = handler,
			.sa_flags = SA_SIGINFO | SA_NODEFER | SA_RESTART };

	if (sigaction(signal, NULL, &now) != 0)
		return -errno;
	if ((now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == handler)
		return 0;
	*old = now;
	sigemptyset(&ours.sa_mask);
	return sigaction(signal, &ours, NULL) == 0 ? 0 : -errno;
}

/* Open the doorbell pages, in which the driver's writes are polled. */
static int
pages_open(const struct model *m)
{
	const struct model_family *f = m->family;

	for (unsigned i = 0; i < sizeof(f->open) / sizeof(f->open[0]) && f->open[i].len != 0; i++)
		if (mprotect(m->bar_driver + f->open[i].offset, f->open[i].len,
			    PROT_READ | PROT_WRITE) != 0)
			return -errno;
	return 0;
}

static uint8_t *
bar_map(int fd, size_t len, int protection)
{
	void *p = mmap(NULL, len, protection, MAP_SHARED, fd, 0);

	return p != MAP_FAILED ? p : NULL;
}

int
trap_open(struct model *m)
{
	struct region *r = region_of(m);
	size_t len = m->family->bar_len;
	int fd = memfd_create("model_nic BAR", MFD_CLOEXEC), ret = 0;

	assert(m->bar == NULL && len % PAGE == 0);
	if (fd < 0 || ftruncate(fd, (off_t)len) != 0) {
		ret = -errno;
	} else {
		m->bar = bar_map(fd, len, PROT_READ | PROT_WRITE);
		m->bar_driver = bar_map(fd, len, PROT_NONE);
		if (m->bar == NULL || m->bar_driver == NULL)
			ret = -errno;
	}
	if (fd >= 0)
		close(fd);
	ret = ret == 0 ? pages_open(m) : ret;
	ret = ret == 0 ? handler_install(SIGSEGV, on_segv, &old_segv) : ret;
	ret = ret == 0 ? handler_install(SIGTRAP, on_trap, &old_trap) : ret;
	atomic_store(&r->accesses, 0);
	atomic_store(&r->stepped, 0);
	atomic_store_explicit(&r->model, m, memory_order_release);
	if (ret != 0)
		trap_close(m);
	return ret;
}

void
trap_close(struct model *m)
{
	atomic_store(&region_of(m)->model, NULL);
	if (m->bar != NULL)
		munmap(m->bar, m->family->bar_len);
	if (m->bar_driver != NULL)
		munmap(m->bar_driver, m->family->bar_len);
	m->bar = m->bar_driver = NULL;
}

void
trap_counts(const struct model *m, uint64_t *accesses, uint64_t *stepped)
{
	*accesses = atomic_load(&region_of(m)->accesses);
	*stepped = atomic_load(&region_of(m)->stepped);
}
