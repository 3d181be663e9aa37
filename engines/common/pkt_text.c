/* Parses settings that describe packets to create: segment lengths, addresses, pairs of numbers. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/common/pkt_text.h"

#include "base/err.h"
#include "engines/common/pkt.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Read a decimal number min..max at *text and advance *text; false if there is none. */
static bool
number(const char **text, uint64_t min, uint64_t max, uint64_t *value)
{
	char *end;

	if (**text < '0' || **text > '9')
		return false;
	errno = 0;
	*value = strtoull(*text, &end, 10);
	*text = end;
	return errno == 0 && *value >= min && *value <= max;
}

int
pkt_text_lengths(const char *text, uint16_t *lengths, struct err *e)
{
	uint64_t total = 0, bytes;
	const char *p = text;
	int n = 0;

	do {
		const char *word = p;

		if (!number(&p, 1, UINT16_MAX, &bytes) || (*p != ',' && *p != '\0'))
			return err_set(e, EINVAL,
				"txpkts \"%s\": segment \"%.*s\": expected 1..%u bytes, such as 64 or 64,128",
				text, (int)strcspn(word, ","), word, UINT16_MAX);
		if (n == PKT_SEGS_MAX)
			return err_set(e, ERANGE, "txpkts: too many segments: expected 1..%d",
				PKT_SEGS_MAX);
		if (lengths != NULL)
			lengths[n] = (uint16_t)bytes;
		total += bytes;
		n++;
	} while (*p++ == ',');
	if (total < sizeof(struct pkt_udp) || total > UINT16_MAX)
		return err_set(e, ERANGE,
			"txpkts \"%s\": packet of %" PRIu64 " bytes: expected %zu..%u", text, total,
			sizeof(struct pkt_udp), UINT16_MAX);
	return n;
}

int
pkt_text_pair(const char *text, uint64_t max, uint64_t pair[2])
{
	if (!number(&text, 0, max, &pair[0]))
		return 0;
	pair[1] = pair[0];
	if (*text == '\0')
		return 1;
	return *text++ == ',' && number(&text, 0, max, &pair[1]) && *text == '\0' ? 2 : 0;
}

bool
pkt_text_addresses(const char *text, uint32_t addresses[2])
{
	const char *comma = strchr(text, ',');
	char first[INET_ADDRSTRLEN];
	struct in_addr in[2];

	if (comma == NULL || (size_t)(comma - text) >= sizeof(first))
		return false;
	memcpy(first, text, (size_t)(comma - text));
	first[comma - text] = '\0';
	if (inet_pton(AF_INET, first, &in[0]) != 1 || inet_pton(AF_INET, comma + 1, &in[1]) != 1)
		return false;
	addresses[0] = ntohl(in[0].s_addr);
	addresses[1] = ntohl(in[1].s_addr);
	return true;
}
