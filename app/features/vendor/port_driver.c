/* Find and call driver-specific functions, and report their errors in testpmd's words. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/vendor/port_driver.h"

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

/* The drivers that have an operation: "net_i40e, net_ixgbe". */
static void
drivers_name(const struct port_driver_op *op, char *names, size_t bytes)
{
	size_t used = 0;

	names[0] = '\0';
	for (unsigned int i = 0; i < PORT_DRIVER_FUNCTIONS && op->function[i].name != NULL; i++)
		used += (size_t)snprintf(names + used, bytes - used, "%s%s", i > 0 ? ", " : "",
			op->function[i].driver);
}

port_driver_call
port_driver_find(const struct ports *ps, uint16_t id, const struct port_driver_op *op,
	enum port_driver_form *form, struct err *e)
{
	const struct port *p = port_find(ps, id, e);
	const char *driver = p != NULL && p->info.driver_name != NULL ? p->info.driver_name : "";
	char names[128], lacks[96];

	if (p == NULL)
		return NULL;
	lacks_say(op, id, lacks, sizeof(lacks));
	for (unsigned int i = 0; i < PORT_DRIVER_FUNCTIONS && op->function[i].name != NULL; i++) {
		const struct port_driver_function *f = &op->function[i];
		port_driver_call call;

		if (strncmp(driver, f->driver, strlen(f->driver)) != 0)
			continue;
		call = port_driver_symbol(f->name);
		if (call == NULL)
			err_set(e, ENOTSUP, "%s: driver %s of this DPDK has no function %s()",
				lacks, driver, f->name);
		else if (form != NULL)
			*form = f->form;
		return call;
	}
	drivers_name(op, names, sizeof(names));
	if (names[0] == '\0')
		err_set(e, ENOTSUP, "%s: no driver of this DPDK supports it", lacks);
	else
		err_set(e, ENOTSUP, "%s: port %u (%s); this command needs a port of %s", lacks, id,
			driver, names);
	return NULL;
}

#define AS(call, ...) ((int (*)(__VA_ARGS__))(call))

static int
invoke(port_driver_call f, enum port_driver_form form, uint16_t id,
	const struct port_driver_args *args)
{
	struct rte_ether_addr mac = args->mac;
	const uint64_t *n = args->n;

	switch (form) { /* one case per form */
	case PORT_DRIVER_NONE: return AS(f, uint16_t)(id);
	case PORT_DRIVER_8: return AS(f, uint16_t, uint8_t)(id, (uint8_t)n[0]);
	case PORT_DRIVER_8_8:
		return AS(f, uint16_t, uint8_t, uint8_t)(id, (uint8_t)n[0], (uint8_t)n[1]);
	case PORT_DRIVER_16: return AS(f, uint16_t, uint16_t)(id, (uint16_t)n[0]);
	case PORT_DRIVER_16_8:
		return AS(f, uint16_t, uint16_t, uint8_t)(id, (uint16_t)n[0], (uint8_t)n[1]);
	case PORT_DRIVER_16_16:
		return AS(f, uint16_t, uint16_t, uint16_t)(id, (uint16_t)n[0], (uint16_t)n[1]);
	case PORT_DRIVER_16_32:
		return AS(f, uint16_t, uint16_t, uint32_t)(id, (uint16_t)n[0], (uint32_t)n[1]);
	case PORT_DRIVER_16_8_32:
		return AS(f, uint16_t, uint16_t, uint8_t, uint32_t)(id, (uint16_t)n[0],
			(uint8_t)n[1], (uint32_t)n[2]);
	case PORT_DRIVER_16_16_8:
		return AS(f, uint16_t, uint16_t, uint16_t, uint8_t)(id, (uint16_t)n[0],
			(uint16_t)n[1], (uint8_t)n[2]);
	case PORT_DRIVER_16_32_64:
		return AS(f, uint16_t, uint16_t, uint32_t, uint64_t)(id, (uint16_t)n[0],
			(uint32_t)n[1], n[2]);
	case PORT_DRIVER_16_64_8:
		return AS(f, uint16_t, uint16_t, uint64_t, uint8_t)(id, (uint16_t)n[0], n[1],
			(uint8_t)n[2]);
	case PORT_DRIVER_32_8_32:
		return AS(f, uint16_t, uint32_t, uint8_t, uint32_t)(id, (uint32_t)n[0],
			(uint8_t)n[1], (uint32_t)n[2]);
	case PORT_DRIVER_16_MAC:
		return AS(f, uint16_t, uint16_t, struct rte_ether_addr *)(id, (uint16_t)n[0], &mac);
	case PORT_DRIVER_MAC_32:
		return AS(f, uint16_t, struct rte_ether_addr *, uint32_t)(id, &mac, (uint32_t)n[0]);
	}
	return -EINVAL;
}

int
port_driver_result(const struct ports *ps, uint16_t id, const struct port_driver_op *op,
	const uint64_t *n, int ret, struct err *e)
{
	const struct port *p = port_at(ps, id);
	const char *driver = p != NULL && p->info.driver_name != NULL ? p->info.driver_name : "";
	char text[160];

	if (ret >= 0)
		return 0;
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

int
port_driver_do(const struct ports *ps, uint16_t id, const struct port_driver_op *op,
	const struct port_driver_args *args, struct err *e)
{
	enum port_driver_form form = PORT_DRIVER_NONE;
	port_driver_call call = port_driver_find(ps, id, op, &form, e);

	if (call == NULL)
		return -e->code;
	return port_driver_result(ps, id, op, args->n, invoke(call, form, id, args), e);
}
