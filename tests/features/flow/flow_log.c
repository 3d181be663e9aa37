/* Before libethdev: a port that takes every flow rule and writes down, byte by byte, what it got, into
 * the file that FLOW_LOG names. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "flow_log.h"

#include <rte_flow.h>
#include <rte_version.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A line of the log; the caller ends it with line_end(). */
static FILE *
line(const char *what, uint16_t port)
{
	FILE *f = fopen(getenv("FLOW_LOG"), "a");

	if (f == NULL)
		abort();
	fprintf(f, "%s port=%u", what, port);
	return f;
}

static void
line_end(FILE *f)
{
	fputc('\n', f);
	fclose(f);
}

static void
rule(const char *what, uint16_t port, const struct rte_flow_attr *attr,
	const struct rte_flow_item *pattern, const struct rte_flow_action *action)
{
	FILE *f = line(what, port);

	fprintf(f, " group=%u priority=%u %u%u%u", attr->group, attr->priority, attr->ingress,
		attr->egress, attr->transfer);
	flow_log_items(f, pattern);
	flow_log_actions(f, action);
	line_end(f);
}

/* A handle that the log has given: the next number. */
static void *
handle_new(void)
{
	static uintptr_t last;

	return (void *)++last;
}

/* Rules and actions that have an age: all of them are old at once. */
static struct {
	void *handle, *context;
} aged[64];

static void
aged_add(void *handle, const struct rte_flow_action *action)
{
	size_t i = 0;

	for (; action->type != RTE_FLOW_ACTION_TYPE_END; action++)
		if (action->type == RTE_FLOW_ACTION_TYPE_AGE) {
			while (aged[i].handle != NULL)
				i++;
			aged[i].handle = handle;
			aged[i].context =
				((const struct rte_flow_action_age *)action->conf)->context;
		}
}

static void
aged_drop(void *handle)
{
	for (size_t i = 0; i < RTE_DIM(aged); i++)
		if (aged[i].handle == handle)
			aged[i].handle = NULL;
}

int
rte_flow_get_aged_flows(uint16_t port, void **contexts, uint32_t n, struct rte_flow_error *error)
{
	uint32_t found = 0;

	for (size_t i = 0; i < RTE_DIM(aged); i++) {
		if (aged[i].handle == NULL)
			continue;
		if (found < n)
			contexts[found] = aged[i].context;
		found++;
	}
	return (int)found;
}

int
rte_flow_get_q_aged_flows(uint16_t port, uint32_t queue, void **contexts, uint32_t n,
	struct rte_flow_error *error)
{
	return rte_flow_get_aged_flows(port, contexts, n, error);
}

int
rte_flow_validate(uint16_t port, const struct rte_flow_attr *attr,
	const struct rte_flow_item pattern[], const struct rte_flow_action act[],
	struct rte_flow_error *error)
{
	rule("validate", port, attr, pattern, act);
	return 0;
}

struct rte_flow *
rte_flow_create(uint16_t port, const struct rte_flow_attr *attr,
	const struct rte_flow_item pattern[], const struct rte_flow_action act[],
	struct rte_flow_error *error)
{
	void *handle = handle_new();

	rule("create", port, attr, pattern, act);
	aged_add(handle, act);
	return handle;
}

int
rte_flow_destroy(uint16_t port, struct rte_flow *flow, struct rte_flow_error *error)
{
	aged_drop(flow);
	return 0;
}

int
rte_flow_flush(uint16_t port, struct rte_flow_error *error)
{
	memset(aged, 0, sizeof(aged));
	return 0;
}

int
rte_flow_isolate(uint16_t port, int set, struct rte_flow_error *error)
{
	return 0;
}

int
rte_flow_query(uint16_t port, struct rte_flow *flow, const struct rte_flow_action *action,
	void *data, struct rte_flow_error *error)
{
	const struct rte_flow_query_count count = { .hits_set = 1,
		.hits = 17,
		.bytes_set = 1,
		.bytes = 4711 };
	const struct rte_flow_query_age age = { .aged = 1,
		.sec_since_last_hit_valid = 1,
		.sec_since_last_hit = 9 };

	if (action->type == RTE_FLOW_ACTION_TYPE_COUNT)
		memcpy(data, &count, sizeof(count));
	else if (action->type == RTE_FLOW_ACTION_TYPE_AGE)
		memcpy(data, &age, sizeof(age));
	return 0;
}

/* What is written of an indirect action: attr is NULL, or of an operation in a queue. */
static void *
indirect_create(uint16_t port, const char *how, const struct rte_flow_indir_action_conf *conf,
	const struct rte_flow_action *action)
{
	void *handle = handle_new();
	FILE *f = line("indirect", port);

	fprintf(f, "%s handle=%p %u%u%u", how, handle, conf->ingress, conf->egress, conf->transfer);
	flow_log_action(f, action);
	line_end(f);
	return handle;
}

static void
handle_write(uint16_t port, const char *how, const void *handle)
{
	FILE *f = line(how, port);

	fprintf(f, " handle=%p", handle);
	line_end(f);
}

/* An update of a connection or an age is a struct of its own, others are actions. */
static void
indirect_update(uint16_t port, const char *how, const void *handle, const void *update)
{
	FILE *f = line("indirect update", port);

	fprintf(f, "%s handle=%p", how, handle);
	flow_log_bytes(f, "update", update, sizeof(uint32_t));
	line_end(f);
}

struct rte_flow_action_handle *
rte_flow_action_handle_create(uint16_t port, const struct rte_flow_indir_action_conf *conf,
	const struct rte_flow_action *action, struct rte_flow_error *error)
{
	void *handle = indirect_create(port, "", conf, action);

	aged_add(handle,
		(struct rte_flow_action[]){ *action, { .type = RTE_FLOW_ACTION_TYPE_END } });
	return handle;
}

int
rte_flow_action_handle_destroy(uint16_t port, struct rte_flow_action_handle *handle,
	struct rte_flow_error *error)
{
	handle_write(port, "indirect destroy", handle);
	aged_drop(handle);
	return 0;
}

int
rte_flow_action_handle_update(uint16_t port, struct rte_flow_action_handle *handle,
	const void *update, struct rte_flow_error *error)
{
	indirect_update(port, "", handle, update);
	return 0;
}

int
rte_flow_action_handle_query(uint16_t port, const struct rte_flow_action_handle *handle, void *data,
	struct rte_flow_error *error)
{
	const struct rte_flow_query_count count = { .hits_set = 1, .hits = 3, .bytes = 5 };

	memcpy(data, &count, sizeof(count));
	return 0;
}

int
rte_flow_info_get(uint16_t port, struct rte_flow_port_info *info, struct rte_flow_queue_info *queue,
	struct rte_flow_error *error)
{
	info->max_nb_queues = 4;
	info->max_nb_counters = 5;
	info->max_nb_aging_objects = 6;
	info->max_nb_meters = 7;
	queue->max_size = 64;
	return 0;
}

int
rte_flow_configure(uint16_t port, const struct rte_flow_port_attr *attr, uint16_t n,
	const struct rte_flow_queue_attr *queue[], struct rte_flow_error *error)
{
	FILE *f = line("configure", port);

	fprintf(f,
		" counters=%u aging=%u meters=%u conntracks=%u flags=%u queues=", attr->nb_counters,
		attr->nb_aging_objects, attr->nb_meters, attr->nb_conn_tracks, attr->flags);
	for (uint16_t i = 0; i < n; i++)
		fprintf(f, "%u ", queue[i]->size);
	line_end(f);
	return 0;
}

struct rte_flow_pattern_template *
rte_flow_pattern_template_create(uint16_t port, const struct rte_flow_pattern_template_attr *attr,
	const struct rte_flow_item pattern[], struct rte_flow_error *error)
{
	FILE *f = line("pattern template", port);

	fprintf(f, " %u%u%u%u", attr->relaxed_matching, attr->ingress, attr->egress,
		attr->transfer);
	flow_log_items(f, pattern);
	line_end(f);
	return handle_new();
}

struct rte_flow_actions_template *
rte_flow_actions_template_create(uint16_t port, const struct rte_flow_actions_template_attr *attr,
	const struct rte_flow_action acts[], const struct rte_flow_action masks[],
	struct rte_flow_error *error)
{
	FILE *f = line("actions template", port);

	fprintf(f, " %u%u%u", attr->ingress, attr->egress, attr->transfer);
	flow_log_actions(f, acts);
	fputs(" masks", f);
	flow_log_actions(f, masks);
	line_end(f);
	return handle_new();
}

struct rte_flow_template_table *
rte_flow_template_table_create(uint16_t port, const struct rte_flow_template_table_attr *attr,
	struct rte_flow_pattern_template *patterns[], uint8_t n_patterns,
	struct rte_flow_actions_template *acts[], uint8_t n_acts, struct rte_flow_error *error)
{
	FILE *f = line("table", port);

	fprintf(f, " group=%u priority=%u %u%u%u flows=%u patterns", attr->flow_attr.group,
		attr->flow_attr.priority, attr->flow_attr.ingress, attr->flow_attr.egress,
		attr->flow_attr.transfer, attr->nb_flows);
#if RTE_VERSION >= RTE_VERSION_NUM(24, 3, 0, 0)
	fprintf(f, " special=%x", attr->specialize);
#endif
	for (uint8_t i = 0; i < n_patterns; i++)
		fprintf(f, " %p", (void *)patterns[i]);
	fputs(" actions", f);
	for (uint8_t i = 0; i < n_acts; i++)
		fprintf(f, " %p", (void *)acts[i]);
	line_end(f);
	return handle_new();
}

int
rte_flow_pattern_template_destroy(uint16_t port, struct rte_flow_pattern_template *template,
	struct rte_flow_error *error)
{
	handle_write(port, "pattern template destroy", template);
	return 0;
}

int
rte_flow_actions_template_destroy(uint16_t port, struct rte_flow_actions_template *template,
	struct rte_flow_error *error)
{
	handle_write(port, "actions template destroy", template);
	return 0;
}

int
rte_flow_template_table_destroy(uint16_t port, struct rte_flow_template_table *table,
	struct rte_flow_error *error)
{
	handle_write(port, "table destroy", table);
	return 0;
}

/* Operations in all queues, done at once, until they are pulled. */
static struct rte_flow_op_result results[64];
static uint16_t n_results;

/* How an operation is written: with its queue, and whether it may wait. */
static const char *
queued(uint32_t queue, const struct rte_flow_op_attr *attr, void *job,
	enum rte_flow_op_status status)
{
	static char how[64];

	results[n_results].user_data = job;
	results[n_results++].status = status;
	snprintf(how, sizeof(how), " queue=%u postpone=%u", queue, attr->postpone);
	return how;
}

/* One of the second actions template is never made. */
struct rte_flow *
rte_flow_async_create(uint16_t port, uint32_t queue, const struct rte_flow_op_attr *attr,
	struct rte_flow_template_table *table, const struct rte_flow_item pattern[], uint8_t p,
	const struct rte_flow_action acts[], uint8_t a, void *job, struct rte_flow_error *error)
{
	void *handle = handle_new();
	FILE *f = line("async", port);

	fprintf(f, "%s table=%p %u %u",
		queued(queue, attr, job, a == 1 ? RTE_FLOW_OP_ERROR : RTE_FLOW_OP_SUCCESS),
		(void *)table, p, a);
	flow_log_items(f, pattern);
	flow_log_actions(f, acts);
	line_end(f);
	aged_add(handle, acts);
	return handle;
}

int
rte_flow_async_destroy(uint16_t port, uint32_t queue, const struct rte_flow_op_attr *attr,
	struct rte_flow *flow, void *job, struct rte_flow_error *error)
{
	FILE *f = line("async destroy", port);

	fprintf(f, "%s handle=%p", queued(queue, attr, job, RTE_FLOW_OP_SUCCESS), (void *)flow);
	line_end(f);
	aged_drop(flow);
	return 0;
}

struct rte_flow_action_handle *
rte_flow_async_action_handle_create(uint16_t port, uint32_t queue,
	const struct rte_flow_op_attr *attr, const struct rte_flow_indir_action_conf *conf,
	const struct rte_flow_action *action, void *job, struct rte_flow_error *error)
{
	return indirect_create(port, queued(queue, attr, job, RTE_FLOW_OP_SUCCESS), conf, action);
}

int
rte_flow_async_action_handle_destroy(uint16_t port, uint32_t queue,
	const struct rte_flow_op_attr *attr, struct rte_flow_action_handle *handle, void *job,
	struct rte_flow_error *error)
{
	handle_write(port, queued(queue, attr, job, RTE_FLOW_OP_SUCCESS), handle);
	return 0;
}

int
rte_flow_async_action_handle_update(uint16_t port, uint32_t queue,
	const struct rte_flow_op_attr *attr, struct rte_flow_action_handle *handle,
	const void *update, void *job, struct rte_flow_error *error)
{
	indirect_update(port, queued(queue, attr, job, RTE_FLOW_OP_SUCCESS), handle, update);
	return 0;
}

int
rte_flow_async_action_handle_query(uint16_t port, uint32_t queue,
	const struct rte_flow_op_attr *attr, const struct rte_flow_action_handle *handle,
	void *data, void *job, struct rte_flow_error *error)
{
	handle_write(port, queued(queue, attr, job, RTE_FLOW_OP_SUCCESS), handle);
	return rte_flow_action_handle_query(port, handle, data, error);
}

#if RTE_VERSION >= RTE_VERSION_NUM(24, 3, 0, 0)
int
rte_flow_async_actions_update(uint16_t port, uint32_t queue, const struct rte_flow_op_attr *attr,
	struct rte_flow *flow, const struct rte_flow_action acts[], uint8_t a, void *job,
	struct rte_flow_error *error)
{
	FILE *f = line("async update", port);

	fprintf(f, "%s handle=%p %u", queued(queue, attr, job, RTE_FLOW_OP_SUCCESS), (void *)flow,
		a);
	flow_log_actions(f, acts);
	line_end(f);
	return 0;
}

int
rte_flow_async_update_resized(uint16_t port, uint32_t queue, const struct rte_flow_op_attr *attr,
	struct rte_flow *flow, void *job, struct rte_flow_error *error)
{
	handle_write(port, queued(queue, attr, job, RTE_FLOW_OP_SUCCESS), flow);
	return 0;
}

int
rte_flow_template_table_resize(uint16_t port, struct rte_flow_template_table *table, uint32_t n,
	struct rte_flow_error *error)
{
	FILE *f = line("resize", port);

	fprintf(f, " handle=%p %u", (void *)table, n);
	line_end(f);
	return 0;
}

int
rte_flow_template_table_resize_complete(uint16_t port, struct rte_flow_template_table *table,
	struct rte_flow_error *error)
{
	handle_write(port, "resize complete", table);
	return 0;
}

/* The second pattern template has no hash. */
int
rte_flow_calc_table_hash(uint16_t port, const struct rte_flow_template_table *table,
	const struct rte_flow_item pattern[], uint8_t p, uint32_t *hash,
	struct rte_flow_error *error)
{
	FILE *f = line("hash", port);

	fprintf(f, " table=%p %u", (const void *)table, p);
	flow_log_items(f, pattern);
	line_end(f);
	*hash = 0xdecaf;
	return p == 0 ? 0
		      : rte_flow_error_set(error, ENOTSUP, RTE_FLOW_ERROR_TYPE_HANDLE, NULL, "no");
}

int
rte_flow_calc_encap_hash(uint16_t port, const struct rte_flow_item pattern[],
	enum rte_flow_encap_hash_field field, uint8_t n, uint8_t *hash,
	struct rte_flow_error *error)
{
	FILE *f = line("encap hash", port);

	fprintf(f, " %d %u", (int)field, n);
	flow_log_items(f, pattern);
	line_end(f);
	memset(hash, 0x5a, n);
	return 0;
}

int
rte_flow_group_set_miss_actions(uint16_t port, uint32_t group,
	const struct rte_flow_group_attr *attr, const struct rte_flow_action acts[],
	struct rte_flow_error *error)
{
	FILE *f = line("miss", port);

	fprintf(f, " group=%u %u%u%u", group, attr->ingress, attr->egress, attr->transfer);
	flow_log_actions(f, acts);
	line_end(f);
	return 0;
}

static void
query_update(uint16_t port, const char *how, const void *handle,
	const struct rte_flow_action *update, enum rte_flow_query_update_mode mode)
{
	FILE *f = line("query and update", port);

	fprintf(f, "%s handle=%p mode=%d", how, handle, (int)mode);
	flow_log_action(f, update);
	line_end(f);
}

int
rte_flow_action_handle_query_update(uint16_t port, struct rte_flow_action_handle *handle,
	const void *update, void *query, enum rte_flow_query_update_mode mode,
	struct rte_flow_error *error)
{
	query_update(port, "", handle, update, mode);
	return rte_flow_action_handle_query(port, handle, query, error);
}

int
rte_flow_async_action_handle_query_update(uint16_t port, uint32_t queue,
	const struct rte_flow_op_attr *attr, struct rte_flow_action_handle *handle,
	const void *update, void *query, enum rte_flow_query_update_mode mode, void *job,
	struct rte_flow_error *error)
{
	query_update(port, queued(queue, attr, job, RTE_FLOW_OP_SUCCESS), handle, update, mode);
	return rte_flow_action_handle_query(port, handle, query, error);
}
#endif

int
rte_flow_push(uint16_t port, uint32_t queue, struct rte_flow_error *error)
{
	line_end(line("push", port));
	return 0;
}

int
rte_flow_pull(uint16_t port, uint32_t queue, struct rte_flow_op_result result[], uint16_t n,
	struct rte_flow_error *error)
{
	const uint16_t taken = RTE_MIN(n, n_results);

	memcpy(result, results, taken * sizeof(*result));
	memmove(results, results + taken, (n_results - taken) * sizeof(*result));
	n_results -= taken;
	return taken;
}

int
rte_flow_tunnel_decap_set(uint16_t port, struct rte_flow_tunnel *tunnel,
	struct rte_flow_action **acts, uint32_t *n, struct rte_flow_error *error)
{
	static struct rte_flow_action added[] = { { .type = RTE_FLOW_ACTION_TYPE_FLAG },
		{ .type = RTE_FLOW_ACTION_TYPE_VOID } };

	*acts = added;
	*n = RTE_DIM(added);
	return 0;
}

int
rte_flow_tunnel_match(uint16_t port, struct rte_flow_tunnel *tunnel, struct rte_flow_item **added,
	uint32_t *n, struct rte_flow_error *error)
{
	static struct rte_flow_item item;

	item.type = tunnel->type;
	*added = &item;
	*n = 1;
	return 0;
}

int
rte_flow_tunnel_action_decap_release(uint16_t port, struct rte_flow_action *acts, uint32_t n,
	struct rte_flow_error *error)
{
	line_end(line("actions released", port));
	return 0;
}

int
rte_flow_tunnel_item_release(uint16_t port, struct rte_flow_item *added, uint32_t n,
	struct rte_flow_error *error)
{
	line_end(line("items released", port));
	return 0;
}

int
rte_flow_pick_transfer_proxy(uint16_t port, uint16_t *proxy, struct rte_flow_error *error)
{
	*proxy = 1;
	return 0;
}

static void
flex_field(FILE *f, const char *name, const struct rte_flow_item_flex_field *field)
{
	fprintf(f, " %s=%d.%u.%d.%u.%u.%d.%u", name, (int)field->field_mode, field->field_size,
		field->field_base, field->offset_base, field->offset_mask, field->offset_shift,
		(unsigned int)field->field_id);
}

static void
flex_links(FILE *f, const char *name, const struct rte_flow_item_flex_link *link, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		fprintf(f, " | %s next=%u item %d", name, link[i].next, (int)link[i].item.type);
		flow_log_item(f, link[i].item.type, "spec", link[i].item.spec);
		flow_log_item(f, link[i].item.type, "mask", link[i].item.mask);
	}
}

struct rte_flow_item_flex_handle *
rte_flow_flex_item_create(uint16_t port, const struct rte_flow_item_flex_conf *conf,
	struct rte_flow_error *error)
{
	FILE *f = line("flex", port);

	fprintf(f, " tunnel=%d", (int)conf->tunnel);
	flex_field(f, "header", &conf->next_header);
	flex_field(f, "protocol", &conf->next_protocol);
	for (uint32_t i = 0; i < conf->nb_samples; i++)
		flex_field(f, "sample", &conf->sample_data[i]);
	flex_links(f, "input", conf->input_link, conf->nb_inputs);
	flex_links(f, "output", conf->output_link, conf->nb_outputs);
	line_end(f);
	return handle_new();
}

int
rte_flow_flex_item_release(uint16_t port, const struct rte_flow_item_flex_handle *handle,
	struct rte_flow_error *error)
{
	handle_write(port, "flex release", handle);
	return 0;
}
