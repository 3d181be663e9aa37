/* Print numeric members of a struct from a table. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/fields.h"

#include "base/out.h"

#include <string.h>

static void
field_show(struct out *o, const struct field *f, const uint8_t *at)
{
	uint64_t u64;
	uint32_t u32;
	int number;

	switch (f->kind) {
	case FIELD_U32:
		memcpy(&u32, at, sizeof(u32));
		out_u64(o, f->name, "%" PRIu64 "\n", u32);
		break;
	case FIELD_INT:
		memcpy(&number, at, sizeof(number));
		out_i64(o, f->name, "%" PRId64 "\n", number);
		break;
	case FIELD_U64:
		memcpy(&u64, at, sizeof(u64));
		out_u64(o, f->name, "%" PRIu64 "\n", u64);
		break;
	case FIELD_HEX:
		memcpy(&u64, at, sizeof(u64));
		out_u64(o, f->name, "%" PRIx64 "\n", u64);
		break;
	}
}

void
fields_show(struct out *o, const char *prefix, const struct field *fields, size_t n,
	const void *base)
{
	for (size_t i = 0; i < n; i++) {
		out_text(o, "%s.%s %s", prefix, fields[i].name,
			fields[i].before != NULL ? fields[i].before : "");
		field_show(o, &fields[i], (const uint8_t *)base + fields[i].at);
	}
}
