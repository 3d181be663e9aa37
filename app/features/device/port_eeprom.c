/* Show and write the EEPROM of a port, and show that of its plug-in module. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/device/port_eeprom.h"

#include "base/err.h"
#include "base/out.h"
#include "port/port.h"

#include <rte_dev_info.h>
#include <rte_ethdev.h>
#include <rte_hexdump.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Report the driver's error in testpmd's words. */
static int
refused(const char *what, int ret, struct err *e)
{
	if (ret == -ENOTSUP)
		return err_set(e, ENOTSUP, "operation not supported by device");
	if (ret == -EIO)
		return err_set(e, EIO, "device is removed");
	return err_set(e, abs(ret), "Unable to get %s: %d", what, ret);
}

static void
hex_show(struct out *o, const uint8_t *bytes, size_t n)
{
	char *hex = malloc(2 * n + 1);
	size_t i;

	if (hex == NULL)
		return;
	hex[0] = '\0';
	for (i = 0; i < n; i++)
		snprintf(hex + 2 * i, 3, "%02X", bytes[i]);
	out_str(o, "eeprom", NULL, hex);
	free(hex);
}

static int
bytes_show(struct out *o, uint16_t id, const char *title, const struct rte_dev_eeprom_info *info,
	struct err *e)
{
	char *text = NULL;
	size_t chars;
	FILE *file = open_memstream(&text, &chars);

	if (file == NULL)
		return err_set(e, ENOMEM, "no memory for %u bytes as text", info->length);
	rte_hexdump(file, "hexdump", info->data, info->length);
	fclose(file);
	out_text(o, "%s", text);
	free(text);
	out_u64(o, "port", NULL, id);
	out_u64(o, "length", NULL, info->length);
	hex_show(o, info->data, info->length);
	out_text(o, "Finish -- Port: %u %s length: %u bytes\n", id, title, info->length);
	return 0;
}

/* The number of bytes. */
static int
length_get(uint16_t id, bool module, uint32_t *length, struct err *e)
{
	struct rte_eth_dev_module_info info = { 0 };
	int ret = module ? rte_eth_dev_get_module_info(id, &info)
			 : rte_eth_dev_get_eeprom_length(id);

	if (ret < 0)
		return refused(module ? "module EEPROM" : "EEPROM", ret, e);
	*length = module ? info.eeprom_len : (uint32_t)ret;
	return 0;
}

int
port_eeprom_show(struct ports *ps, uint16_t id, bool module, struct err *e)
{
	const char *title = module ? "MODULE EEPROM" : "EEPROM";
	struct rte_dev_eeprom_info info = { 0 };
	int ret;

	if (port_at(ps, id) == NULL)
		return port_missing(ps, id, e);
	ret = length_get(id, module, &info.length, e);
	if (ret != 0)
		return ret;
	info.data = calloc(1, (size_t)info.length + 1);
	if (info.data == NULL)
		return err_set(e, ENOMEM, "Allocation of port %u eeprom data failed", id);
	ret = module ? rte_eth_dev_get_module_eeprom(id, &info) : rte_eth_dev_get_eeprom(id, &info);
	if (ret != 0)
		ret = refused(module ? "module EEPROM" : "EEPROM", ret, e);
	else
		ret = bytes_show(ps->out, id, title, &info, e);
	free(info.data);
	return ret;
}

/* Parse two digits per byte into a buffer that the caller frees; NULL with e filled. */
static uint8_t *
hex_parse(const char *hex, uint32_t *n, struct err *e)
{
	const size_t digits = strlen(hex);
	uint8_t *bytes;
	size_t i;

	if (digits % 2 != 0 || strspn(hex, "0123456789abcdefABCDEF") != digits) {
		err_set(e, EINVAL,
			"Bad Argument: %s: expected hexadecimal digits, two per byte, such as 0aff",
			hex);
		return NULL;
	}
	bytes = calloc(1, digits / 2 + 1);
	if (bytes == NULL) {
		err_set(e, ENOMEM, "no memory for %zu bytes", digits / 2);
		return NULL;
	}
	for (i = 0; i < digits / 2; i++)
		sscanf(hex + 2 * i, "%2hhx", &bytes[i]);
	*n = (uint32_t)(digits / 2);
	return bytes;
}

static int
bytes_write(uint16_t id, struct rte_dev_eeprom_info *info, struct err *e)
{
	int ret = rte_eth_dev_get_eeprom_length(id);

	if (ret < 0)
		return err_set(e, -ret, "Unable to get EEPROM length: %s", strerror(-ret));
	if ((uint64_t)info->offset + info->length > (uint64_t)ret)
		return err_set(e, ERANGE,
			"offset and length exceed capabilities of EEPROM length: %d", ret);
	ret = rte_eth_dev_set_eeprom(id, info);
	return ret == 0 ? 0 : err_set(e, abs(ret), "Unable to set EEPROM: %s", strerror(abs(ret)));
}

int
port_eeprom_set(struct ports *ps, uint16_t id, uint32_t magic, const char *hex, uint32_t offset,
	struct err *e)
{
	struct rte_dev_eeprom_info info = { .magic = magic, .offset = offset };
	int ret;

	if (port_at(ps, id) == NULL)
		return port_missing(ps, id, e);
	info.data = hex_parse(hex, &info.length, e);
	if (info.data == NULL)
		return -e->code;
	ret = bytes_write(id, &info, e);
	free(info.data);
	return ret;
}
