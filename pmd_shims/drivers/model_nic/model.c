/* The models by port, and functions that need only one model. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/drivers/model_nic/model.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct model *models[MODEL_PORTS_MAX];

struct model *
model_port(unsigned port)
{
	return port < MODEL_PORTS_MAX ? models[port] : NULL;
}

struct model *
model_make(unsigned port)
{
	struct model *m = models[port];

	if (m != NULL)
		return m;
	m = calloc(1, sizeof(*m));
	if (m != NULL) {
		m->port = port;
		m->interrupt_fd = -1;
		m->interrupt_bytes = sizeof(uint32_t);
		for (unsigned i = 0; i < MODEL_VECTORS_MAX; i++)
			m->vector_fd[i] = -1;
	}
	models[port] = m;
	return m;
}

void
models_free(void)
{
	for (unsigned i = 0; i < MODEL_PORTS_MAX; i++) {
		if (models[i] != NULL)
			free(models[i]->state);
		free(models[i]);
		models[i] = NULL;
	}
}

void
model_ask(struct model *m, enum model_ask what)
{
	if (what == MODEL_LINK_DOWN)
		atomic_fetch_and(&m->asked, ~(uint32_t)MODEL_LINK_UP);
	else if (what == MODEL_LINK_UP)
		atomic_fetch_and(&m->asked, ~(uint32_t)MODEL_LINK_DOWN);
	atomic_fetch_or(&m->asked, (uint32_t)what);
}

static void
raise_by(const struct model *m, int fd, size_t bytes)
{
	uint64_t count = 1;

	/* A full pipe is fine: the driver will be interrupted anyway. */
	if (fd >= 0 && write(fd, &count, bytes) < 0 && errno != EAGAIN)
		model_log(m, 1, "interrupt: %s", strerror(errno));
}

void
model_interrupt(struct model *m)
{
	raise_by(m, m->interrupt_fd, m->interrupt_bytes);
}

void
model_interrupt_vector(struct model *m, unsigned vector)
{
	if (!m->vectored)
		model_interrupt(m);
	else if (vector < MODEL_VECTORS_MAX)
		raise_by(m, m->vector_fd[vector], sizeof(uint64_t));
}

static void (*gone_tell)(const struct model *m);

void
model_gone_by(void (*tell)(const struct model *m))
{
	gone_tell = tell;
}

void
model_gone(const struct model *m)
{
	if (gone_tell != NULL)
		gone_tell(m);
}

static void
print_line(const char *line)
{
	fputs(line, stderr);
}

static void (*log_line)(const char *line) = print_line;

void
model_log_by(void (*print)(const char *line))
{
	log_line = print;
}

void
model_log(const struct model *m, int level, const char *format, ...)
{
	char text[256], line[320];
	va_list arguments;

	if (m->log < level)
		return;
	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	snprintf(line, sizeof(line), "model_nic: port %u %s: %s\n", m->port, m->family->name, text);
	log_line(line);
}
