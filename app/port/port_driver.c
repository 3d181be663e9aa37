/* Find and call driver-specific functions, and report their errors in testpmd's words. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "port/port_driver.h"

#include "base/err.h"
#include "port/port.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Paths of the loaded objects, collected first because dl_iterate_phdr() holds the linker's
 * lock. */
struct objects {
	char **path;
	size_t n;
};

static int
note(struct dl_phdr_info *info, size_t size, void *context)
{
	struct objects *o = context;
	char **more = realloc(o->path, (o->n + 1) * sizeof(*more));

	if (more == NULL)
		return -1;
	o->path = more;
	o->path[o->n] = strdup(info->dlpi_name);
	if (o->path[o->n] == NULL)
		return -1;
	o->n++;
	return 0;
}

static void *
symbol_of(const char *path, const char *name)
{
	void *object = dlopen(path, RTLD_LAZY | RTLD_NOLOAD), *symbol = NULL;

	if (object == NULL)
		return NULL;
	symbol = dlsym(object, name);
	dlclose(object); /* it stays loaded because of the first dlopen() */
	return symbol;
}

port_driver_call
port_driver_symbol(const char *name)
{
	struct objects objects = { NULL, 0 };
	void *symbol = dlsym(RTLD_DEFAULT, name);
	port_driver_call call;

	if (symbol == NULL)
		dl_iterate_phdr(note, &objects);
	for (size_t i = 0; i < objects.n; i++) {
		if (symbol == NULL)
			symbol = symbol_of(objects.path[i], name);
		free(objects.path[i]);
	}
	free(objects.path);
	memcpy(&call, &symbol, sizeof(call)); /* POSIX allows this conversion */
	return call;
}

/* testpmd's error message for a port without the function. */
static void
lacks_say(const struct port_driver_op *op, uint16_t id, char *text, size_t bytes)
{
	const char *always = op->always != NULL && strchr(op->always, '%') == NULL ? op->always
										   : NULL;
	const char *words = op->lacks != NULL ? op->lacks : always;

	snprintf(text, bytes, words != NULL ? words : "function not implemented", id);
}

/* The drivers that have a function: "net_i40e, net_ixgbe". */
static void
drivers_name(const struct port_driver_function *f, char *names, size_t bytes)
{
	size_t used = 0;

	names[0] = '\0';
	for (unsigned int i = 0; i < PORT_DRIVER_FUNCTIONS && f[i].name != NULL; i++)
		used += (size_t)snprintf(names + used, bytes - used, "%s%s", i > 0 ? ", " : "",
			f[i].driver);
}

port_driver_call
port_driver_find_any(const struct ports *ps, uint16_t id, const struct port_driver_function *f,
	const struct port_driver_op *op, struct err *e)
{
	const struct port *p = port_find(ps, id, e);
	const char *driver = p != NULL && p->info.driver_name != NULL ? p->info.driver_name : "";
	char names[128], lacks[96];

	if (p == NULL)
		return NULL;
	lacks_say(op, id, lacks, sizeof(lacks));
	for (unsigned int i = 0; i < PORT_DRIVER_FUNCTIONS && f[i].name != NULL; i++) {
		port_driver_call call;

		if (strncmp(driver, f[i].driver, strlen(f[i].driver)) != 0)
			continue;
		call = port_driver_symbol(f[i].name);
		if (call == NULL)
			err_set(e, ENOTSUP, "%s: driver %s of this DPDK has no function %s()",
				lacks, driver, f[i].name);
		return call;
	}
	drivers_name(f, names, sizeof(names));
	if (names[0] == '\0')
		err_set(e, ENOTSUP, "%s: no driver of this DPDK supports it", lacks);
	else
		err_set(e, ENOTSUP, "%s: port %u (%s); this command needs a port of %s", lacks, id,
			driver, names);
	return NULL;
}

port_driver_call
port_driver_find(const struct ports *ps, uint16_t id, const struct port_driver_op *op,
	const char *name, struct err *e)
{
	const struct port_driver_function f[PORT_DRIVER_FUNCTIONS] = { { op->driver, name } };

	return port_driver_find_any(ps, id, f, op, e);
}

int
port_driver_result(const struct ports *ps, uint16_t id, const struct port_driver_op *op,
	const uint64_t *n, int ret, struct err *e)
{
	const struct port *p = port_at(ps, id);
	const char *driver = p != NULL && p->info.driver_name != NULL ? p->info.driver_name : "";
	static const uint64_t none[3];
	char text[160];

	if (ret >= 0)
		return 0;
	if (n == NULL)
		n = none;
	if (ret == -ENOTSUP && (op->lacks != NULL || op->always == NULL))
		lacks_say(op, id, text, sizeof(text));
	else if (op->always != NULL)
		snprintf(text, sizeof(text), op->always, strerror(-ret));
	else if (ret == -EINVAL && op->invalid != NULL)
		snprintf(text, sizeof(text), op->invalid, (unsigned int)n[0], (unsigned int)n[1],
			(unsigned int)n[2]);
	else if (ret == -ENODEV)
		snprintf(text, sizeof(text), "invalid port_id %u", id);
	else
		snprintf(text, sizeof(text), "programming error: (%s)", strerror(-ret));
	return err_set(e, -ret, "%s: port %u (%s)", text, id, driver);
}
