/* Questions to QEMU, one line each, and its answers. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/drivers/model_nic/qemu/door.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
	ANSWER_MS = 20 * 1000, /* on a busy machine QEMU needs seconds to start */
	CONFIG_ADDRESS = 0xcf8,
	CONFIG_DATA = 0xcfc,
	CONFIG_ENABLE = INT32_MIN,
	SLOT_SHIFT = 11,
	PCI_LINE_FIRST = 16, /* of the interrupt controller's inputs */
};

/* Read more bytes of a socket into text, waiting for at most ms. Returns 1; 0: none came; -1: it ended. */
static int
more(int fd, char *text, size_t size, size_t *used, int ms)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	ssize_t n;
	int ready;

	do
		ready = poll(&p, 1, ms);
	while (ready < 0 && errno == EINTR);
	if (ready <= 0)
		return ready;
	n = recv(fd, text + *used, size - 1 - *used, 0);
	if (n <= 0)
		return -1;
	*used += (size_t)n;
	text[*used] = '\0';
	return 1;
}

/* Take the first line out of the bytes that have arrived. Returns false if none is complete. */
static bool
line_take(struct door *d, char *line, size_t size)
{
	char *end = memchr(d->line, '\n', d->used);
	size_t n;

	if (end == NULL)
		return false;
	n = (size_t)(end - d->line);
	snprintf(line, size, "%.*s", (int)n, d->line);
	d->used -= n + 1;
	memmove(d->line, end + 1, d->used);
	return true;
}

/* True for a line about an interrupt, such as "IRQ raise 16". Calls d->interrupt() for a PCI interrupt. */
static bool
is_interrupt(struct door *d, const char *line)
{
	if (strncmp(line, "IRQ ", 4) != 0)
		return false;
	if (strncmp(line, "IRQ raise ", 10) != 0 || d->interrupt == NULL)
		return true;
	/* The timer and others of the machine have lower lines. */
	if (strtoul(line + 10, NULL, 10) >= PCI_LINE_FIRST)
		d->interrupt(d->arg);
	return true;
}

/* Ask a question. Returns the number of the answer, or all ones if there is none. */
static uint64_t
ask(struct door *d, const char *question)
{
	const size_t length = strlen(question);
	uint64_t value = UINT64_MAX;
	char line[128] = "";

	pthread_mutex_lock(&d->lock);
	if (!atomic_load(&d->broken) &&
		send(d->qtest, question, length, MSG_NOSIGNAL) != (ssize_t)length)
		atomic_store(&d->broken, true);
	while (!atomic_load(&d->broken)) {
		if (!line_take(d, line, sizeof(line))) {
			if (more(d->qtest, d->line, sizeof(d->line), &d->used, ANSWER_MS) <= 0)
				atomic_store(&d->broken, true);
		} else if (!is_interrupt(d, line)) {
			if (strncmp(line, "OK ", 3) == 0)
				value = strtoull(line + 3, NULL, 0);
			break;
		}
	}
	pthread_mutex_unlock(&d->lock);
	return value;
}

static char
letter(uint8_t bytes)
{
	return bytes == 1 ? 'b' : bytes == 2 ? 'w' : bytes == 4 ? 'l' : 'q';
}

uint64_t
door_load(struct door *d, uint64_t address, uint8_t bytes)
{
	char question[64];

	snprintf(question, sizeof(question), "read%c 0x%llx\n", letter(bytes),
		(unsigned long long)address);
	return ask(d, question);
}

void
door_store(struct door *d, uint64_t address, uint8_t bytes, uint64_t value)
{
	char question[96];

	snprintf(question, sizeof(question), "write%c 0x%llx 0x%llx\n", letter(bytes),
		(unsigned long long)address, (unsigned long long)value);
	ask(d, question);
}

static void
port_write(struct door *d, unsigned port, uint32_t value)
{
	char question[64];

	snprintf(question, sizeof(question), "outl 0x%x 0x%x\n", port, value);
	ask(d, question);
}

uint32_t
door_config(struct door *d, unsigned slot, unsigned offset)
{
	char question[64];

	port_write(d, CONFIG_ADDRESS, (uint32_t)CONFIG_ENABLE | slot << SLOT_SHIFT | offset);
	snprintf(question, sizeof(question), "inl 0x%x\n", CONFIG_DATA);
	return (uint32_t)ask(d, question);
}

void
door_config_set(struct door *d, unsigned slot, unsigned offset, uint32_t value)
{
	port_write(d, CONFIG_ADDRESS, (uint32_t)CONFIG_ENABLE | slot << SLOT_SHIFT | offset);
	port_write(d, CONFIG_DATA, value);
}

bool
door_look(struct door *d)
{
	char line[128];

	if (pthread_mutex_trylock(&d->lock) != 0)
		return true; /* the one who asks sees them */
	if (!atomic_load(&d->broken) && more(d->qtest, d->line, sizeof(d->line), &d->used, 0) < 0)
		atomic_store(&d->broken, true);
	while (line_take(d, line, sizeof(line)))
		is_interrupt(d, line);
	pthread_mutex_unlock(&d->lock);
	return !atomic_load(&d->broken);
}

/* Read lines of QMP until one that answers; events and the greeting are skipped. */
static int
answer(struct door *d, char *why, size_t size)
{
	char text[4096];
	size_t used = 0;

	text[0] = '\0';
	for (;;) {
		char *end = strchr(text, '\n'), *said;

		if (end == NULL) {
			if (used + 1 >= sizeof(text) ||
				more(d->qmp, text, sizeof(text), &used, ANSWER_MS) <= 0) {
				snprintf(why, size, "QEMU does not answer");
				return -EIO;
			}
			continue;
		}
		*end = '\0';
		if (strstr(text, "\"return\"") != NULL)
			return 0;
		if (strstr(text, "\"error\"") != NULL) {
			said = strstr(text, "\"desc\": \"");
			said = said != NULL ? said + strlen("\"desc\": \"") : text;
			snprintf(why, size, "%.*s", (int)strcspn(said, "\""), said);
			return -EIO;
		}
		used -= (size_t)(end + 1 - text);
		memmove(text, end + 1, used + 1);
	}
}

int
door_command(struct door *d, const char *json, char *why, size_t size)
{
	const size_t length = strlen(json);
	int ret = -EIO;

	pthread_mutex_lock(&d->lock);
	snprintf(why, size, "QEMU is gone");
	if (!atomic_load(&d->broken) && send(d->qmp, json, length, MSG_NOSIGNAL) == (ssize_t)length)
		ret = answer(d, why, size);
	pthread_mutex_unlock(&d->lock);
	return ret;
}

int
door_open(struct door *d, int qtest, int qmp)
{
	char why[128];

	memset(d, 0, sizeof(*d));
	pthread_mutex_init(&d->lock, NULL);
	d->qtest = qtest;
	d->qmp = qmp;
	/* The controller's inputs are told of instead of interrupting the halted CPU. */
	ask(d, "irq_intercept_in ioapic\n");
	if (!atomic_load(&d->broken) &&
		door_command(d, "{\"execute\": \"qmp_capabilities\"}\n", why, sizeof(why)) == 0)
		return 0;
	door_close(d);
	return -EPIPE;
}

void
door_close(struct door *d)
{
	pthread_mutex_lock(&d->lock);
	if (d->qtest >= 0)
		close(d->qtest);
	if (d->qmp >= 0)
		close(d->qmp);
	d->qtest = d->qmp = -1;
	atomic_store(&d->broken, true);
	pthread_mutex_unlock(&d->lock);
}
