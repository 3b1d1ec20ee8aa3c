/* SPDX-License-Identifier: MIT */
#include "results.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fields.h"
#include "results_counters.h"
#include "results_findings.h"
#include "results_map.h"
#include "results_pairs.h"

struct reader {
	struct fields f;
	struct results *r;
	int nr_samples, nr_cpus; /* of all cases so far */
};

/* ------------------------------------------------------------------ the sections */

static const json_t *enter(struct fields *f, const json_t *root, const char *name,
			   const char *section)
{
	const json_t *o;

	f->section = "";
	o = field_object(f, root, name);
	f->section = section;
	return o;
}

static uint64_t get_seed(struct fields *f, const json_t *o)
{
	const json_t *v = field_get(f, o, "seed");
	const char *s = v ? json_string_value(v) : NULL;
	char *end = NULL;
	uint64_t seed = 0;

	errno = 0;
	if (s && *s >= '0' && *s <= '9')
		seed = strtoull(s, &end, 10);
	if (v && (!end || *end || errno))
		field_refuse(f, "seed", "is not a text of digits below 2^64");
	return seed;
}

static void read_settings(struct fields *f, const json_t *root, struct results *r)
{
	const json_t *o = enter(f, root, "settings", "settings.");

	r->window_ns = field_int(f, o, "window_ns", 0, INT64_MAX);
	r->warmup_ns = field_int(f, o, "warmup_ns", 0, INT64_MAX);
	r->budget_ns = field_int(f, o, "budget_ns", 0, INT64_MAX);
	r->min_blocks = field_int(f, o, "min_blocks", 0, RESULTS_MAX_SAMPLES);
	r->max_blocks = field_int(f, o, "max_blocks", 0, INT32_MAX);
	r->target = field_real(f, o, "target", INFINITY);
	r->seed = get_seed(f, o);
	r->thinned = field_text(f, o, "thinned");
	r->note = field_text(f, o, "note");
}

static void read_machine(struct fields *f, const json_t *root, struct results *r)
{
	const json_t *o = enter(f, root, "machine", "machine.");
	struct results_machine *m = &r->machine;

	m->class_name = field_text(f, o, "class");
	m->model = field_text_or_none(f, o, "model");
	m->arch = field_text_or_none(f, o, "arch");
	m->uarch = field_text_or_none(f, o, "uarch");
	m->hypervisor = field_text_or_none(f, o, "hypervisor");
	m->hostname = field_text_or_none(f, o, "hostname");
	m->kernel = field_text_or_none(f, o, "kernel");
	m->packages = field_int(f, o, "packages", 0, 1 << 20);
	m->numa_nodes = field_int(f, o, "numa_nodes", 0, 1 << 20);
	m->cores = field_int(f, o, "cores", 0, 1 << 20);
	m->pus = field_int(f, o, "pus", 1, 1 << 20);
	m->smt_max = field_int_or_null(f, o, "smt_max", 1, 1 << 20, 0);
	m->l3_caches = field_int(f, o, "l3_caches", 0, 1 << 20);
	m->l3_bytes = field_int_or_null(f, o, "l3_bytes", 1, INT64_MAX, 0);
	m->restricted = field_bool(f, o, "restricted");
	m->page_bytes = field_int(f, o, "page_bytes", 512, 1 << 30);
	results_map_read(f, o, r);
}

static void read_build(struct fields *f, const json_t *root, struct results *r)
{
	const json_t *o = enter(f, root, "build", "build.");
	struct results_build *b = &r->build;

	b->version = field_text(f, o, "version");
	b->compiler = field_text(f, o, "compiler");
	b->flags = field_text(f, o, "flags");
	b->hwloc = field_text(f, o, "hwloc");
	b->libbenchmark = field_text_or_null(f, o, "libbenchmark");
}

static void read_context(struct fields *f, const json_t *root, struct results *r)
{
	struct bench_context *c = &r->context;
	const json_t *o;
	char *note;

	f->section = "";
	o = field_get(f, root, "context");
	if (!o || json_is_null(o))
		return;
	o = enter(f, root, "context", "context.");
	c->clock_read_ns = field_real_or_null(f, o, "clock_read_ns", INFINITY);
	c->clock_resolution_ns = field_real_or_null(f, o, "clock_resolution_ns", INFINITY);
	c->work_error = field_real_or_null(f, o, "work_error", INFINITY);
	c->work_error_end = field_real_or_null(f, o, "work_error_end", INFINITY);
	c->memory_verified = field_bool(f, o, "memory_verified");
	note = field_text(f, o, "memory_note");
	if (note)
		snprintf(c->memory_note, sizeof(c->memory_note), "%s", note);
	free(note);
	r->context_known = true;
}

static void read_warnings(struct fields *f, const json_t *root, struct results *r)
{
	char name[32], *text;
	const json_t *list;
	int i, nr;

	list = field_list(f, root, "warnings", RESULTS_MAX_WARNINGS, &nr);
	for (i = 0; i < nr && !f->rc; i++) {
		snprintf(name, sizeof(name), "warnings[%d]", i);
		text = field_text_value(f, json_array_get(list, i), name);
		if (text && results_add_warning(r, text))
			field_no_memory(f);
		free(text);
	}
}

/* ----------------------------------------------------------------------- a case */

static void read_param(struct fields *f, const char *name, const json_t *v, struct result_param *p)
{
	char where[100], number[24];

	snprintf(where, sizeof(where), "params.%.60s", name);
	p->name = strdup(name);
	if (!p->name)
		return field_no_memory(f);
	text_tame(p->name);
	if (json_is_object(v)) {
		snprintf(where, sizeof(where), "params.%.60s.", name);
		f->section = where;
		p->value = field_int(f, v, "value", INT64_MIN, INT64_MAX);
		p->text = field_text(f, v, "text");
		f->section = "";
		return;
	}
	if (!json_is_integer(v))
		return field_refuse(f, where, "is neither a whole number nor a choice");
	p->value = json_integer_value(v);
	snprintf(number, sizeof(number), "%lld", (long long)p->value);
	p->text = strdup(number);
	if (!p->text)
		field_no_memory(f);
}

static void read_params(struct fields *f, const json_t *o, struct result_case *c)
{
	const json_t *params = field_object(f, o, "params");
	void *at;

	if (f->rc)
		return;
	if (json_object_size(params) > EXPERIMENT_MAX_PARAMS)
		return field_refuse(f, "params", "has %zu members, more than %d",
				    json_object_size(params), EXPERIMENT_MAX_PARAMS);
	c->params = calloc(EXPERIMENT_MAX_PARAMS, sizeof(*c->params));
	if (!c->params)
		return field_no_memory(f);
	for (at = json_object_iter((json_t *)params); at && !f->rc;
	     at = json_object_iter_next((json_t *)params, at))
		read_param(f, json_object_iter_key(at), json_object_iter_value(at),
			   &c->params[c->nr_params++]);
}

static void read_cpus(struct reader *rd, const json_t *o, struct result_case *c)
{
	struct fields *f = &rd->f;
	struct err why = ERR_INIT;
	char *cpus = field_text(f, o, "cpus");

	if (cpus && cpulist_parse(cpus, &c->cpus, &why))
		field_refuse(f, "cpus", "is not right: %s", why.msg);
	else if (cpus && c->cpus.nr != c->nr_workers)
		field_refuse(f, "cpus", "has %d CPUs for %d workers", c->cpus.nr, c->nr_workers);
	free(cpus);
	rd->nr_cpus += c->cpus.nr;
	if (rd->nr_cpus > RESULTS_MAX_CPUS)
		field_refuse(f, "cpus", "is too much: more than %d in all cases", RESULTS_MAX_CPUS);
}

static void read_metrics(struct fields *f, const json_t *o, struct result_case *c)
{
	const json_t *list, *m;
	char name[32];
	int i, nr;

	list = field_list(f, o, "metrics", EXPERIMENT_MAX_METRICS, &nr);
	if (f->rc)
		return;
	c->metrics = calloc(nr ? nr : 1, sizeof(*c->metrics));
	if (!c->metrics)
		return field_no_memory(f);
	c->nr_metrics = nr;
	for (i = 0; i < nr && !f->rc; i++) {
		m = json_array_get(list, i);
		snprintf(name, sizeof(name), "metrics[%d]", i);
		if (!json_is_object(m))
			return field_refuse(f, name, "is not an object");
		snprintf(name, sizeof(name), "metrics[%d].", i);
		f->section = name;
		c->metrics[i].name = field_text(f, m, "name");
		c->metrics[i].unit = field_text(f, m, "unit");
		f->section = "";
	}
}

/* --------------------------------------------------------------------- a window */

static unsigned mark_bit(const char *name)
{
	int i;

	for (i = 0; name && i < BENCH_NR_MARKS; i++)
		if (!strcmp(bench_mark_names[i], name))
			return 1u << i;
	return 0;
}

static unsigned read_marks(struct fields *f, const json_t *o)
{
	unsigned marks = 0, bit;
	const json_t *list;
	char name[32];
	int i, nr;

	list = field_list(f, o, "marks", BENCH_NR_MARKS, &nr);
	for (i = 0; i < nr; i++) {
		bit = mark_bit(json_string_value(json_array_get(list, i)));
		if (!bit) {
			snprintf(name, sizeof(name), "marks[%d]", i);
			field_refuse(f, name, "is not the name of a mark");
		}
		marks |= bit;
	}
	return marks;
}

static void read_metric_values(struct fields *f, const json_t *o, int expected, double *values)
{
	const json_t *list, *v;
	char name[32];
	int i, nr;

	list = field_list(f, o, "metrics", EXPERIMENT_MAX_METRICS, &nr);
	if (!f->rc && nr != expected)
		field_refuse(f, "metrics", "has %d values for %d metrics", nr, expected);
	for (i = 0; i < nr && !f->rc; i++) {
		v = json_array_get(list, i);
		values[i] = json_is_null(v) ? NAN : json_number_value(v);
		if (!json_is_null(v) && !json_is_number(v)) {
			snprintf(name, sizeof(name), "metrics[%d]", i);
			field_refuse(f, name, "is not a number");
		}
	}
}

static void read_sample(struct reader *rd, const json_t *o, const struct result_case *c)
{
	struct fields *f = &rd->f;
	struct sample s = {0};

	if (!json_is_object(o))
		return field_refuse(f, "", "is not an object");
	s.block = field_int(f, o, "block", 0, INT32_MAX);
	s.ops = field_int(f, o, "ops", 0, INT64_MAX);
	s.window_ns = field_real_or_null(f, o, "window_ns", INFINITY);
	s.rate = field_real_or_null(f, o, "rate", INFINITY);
	s.slowest = field_real_or_null(f, o, "slowest", INFINITY);
	s.fastest = field_real_or_null(f, o, "fastest", INFINITY);
	s.jain = field_real_or_null(f, o, "jain", 1.000001);
	s.overlap = field_real_or_null(f, o, "overlap", 1.000001);
	s.marks = read_marks(f, o);
	read_metric_values(f, o, c->nr_metrics, s.metrics);
	sample_counters_read(f, o, rd->r, &s);
	if (!s.marks && isnan(s.rate))
		field_refuse(f, "rate", "is null in a window without marks");
	if (!f->rc)
		f->rc = results_add_sample(rd->r, f->case_idx, &s, f->err);
}

static void read_samples(struct reader *rd, const json_t *o, const struct result_case *c)
{
	struct fields *f = &rd->f;
	const json_t *list;
	int i, nr;

	list = field_list(f, o, "samples", RESULTS_MAX_SAMPLES - rd->nr_samples, &nr);
	rd->nr_samples += nr;
	for (i = 0; i < nr && !f->rc; i++) {
		f->sample_idx = i;
		read_sample(rd, json_array_get(list, i), c);
	}
	f->sample_idx = -1;
}

static void read_case(struct reader *rd, const json_t *o, struct result_case *c)
{
	struct fields *f = &rd->f;

	if (!json_is_object(o))
		return field_refuse(f, "", "is not an object");
	c->experiment = field_text(f, o, "experiment");
	read_params(f, o, c);
	c->nr_workers = field_int(f, o, "workers", 1, RESULTS_MAX_WORKERS);
	c->placement = field_text(f, o, "placement");
	read_cpus(rd, o, c);
	c->home = field_text(f, o, "home");
	c->home_node = field_int_or_null(f, o, "home_node", 0, 1 << 20, -1);
	results_read_relation(f, o, c);
	read_metrics(f, o, c);
	read_samples(rd, o, c);
}

static void read_cases(struct reader *rd, const json_t *root)
{
	const json_t *list;
	int i, nr;

	list = field_list(&rd->f, root, "cases", RESULTS_MAX_CASES, &nr);
	if (rd->f.rc)
		return;
	rd->r->cases = calloc(nr ? nr : 1, sizeof(*rd->r->cases));
	if (!rd->r->cases)
		return field_no_memory(&rd->f);
	rd->r->nr_cases = nr;
	for (i = 0; i < nr && !rd->f.rc; i++) {
		rd->f.case_idx = i;
		read_case(rd, json_array_get(list, i), &rd->r->cases[i]);
	}
	rd->f.case_idx = -1;
}

/* ---------------------------------------------------------------------- the file */

static void read_schema(struct fields *f, const json_t *root)
{
	const char *schema = json_string_value(json_object_get(root, "schema"));
	const json_t *version = json_object_get(root, "version");

	if (!schema || strcmp(schema, RESULTS_SCHEMA))
		f->rc = err_set(f->err, -EBADMSG,
				"file '%.200s': is not a result of chargeline: schema is not '%s'",
				f->path, RESULTS_SCHEMA);
	else if (json_is_integer(version) && json_integer_value(version) != RESULTS_VERSION)
		f->rc = err_set(f->err, -EBADMSG,
				"file '%.200s': version is %lld, this program reads version %d",
				f->path, (long long)json_integer_value(version), RESULTS_VERSION);
	else
		field_int(f, root, "version", RESULTS_VERSION, RESULTS_VERSION);
}

/* "2026-08-01T12:00:00Z" */
static void check_time(struct fields *f, const char *name, const char *s)
{
	static const char shape[] = "0000-00-00T00:00:00Z";
	int i;

	for (i = 0; s && shape[i]; i++)
		if (shape[i] == '0' ? s[i] < '0' || s[i] > '9' : s[i] != shape[i])
			return field_refuse(f, name, "is not a time such as 2026-08-01T12:00:00Z");
	if (s && s[i])
		field_refuse(f, name, "is not a time such as 2026-08-01T12:00:00Z");
}

static void read_root(struct reader *rd, const json_t *root)
{
	struct fields *f = &rd->f;
	struct results *r = rd->r;

	read_schema(f, root);
	r->complete = field_bool(f, root, "complete");
	r->started = field_text(f, root, "started");
	check_time(f, "started", r->started);
	r->command = field_text(f, root, "command");
	r->elapsed_ns = field_int(f, root, "elapsed_ns", 0, INT64_MAX);
	read_settings(f, root, r);
	read_machine(f, root, r);
	read_build(f, root, r);
	read_context(f, root, r);
	f->section = "";
	read_warnings(f, root, r);
	findings_read(f, root, r);
	results_read_pairs(f, root, r);
	results_counters_read(f, root, r);
	read_cases(rd, root);
	r->path = strdup(f->path);
	if (!r->path)
		field_no_memory(f);
}

int results_parse(struct results **out, const char *data, size_t size, const char *path,
		  struct err *err)
{
	struct reader rd = {
		.f = {.path = path, .err = err, .case_idx = -1, .sample_idx = -1, .section = ""}};
	json_t *root;
	int rc = fields_parse(path, data, size, &root, err);

	if (rc)
		return rc;
	rd.r = calloc(1, sizeof(*rd.r));
	if (rd.r)
		read_root(&rd, root);
	else
		field_no_memory(&rd.f);
	json_decref(root);
	if (rd.f.rc)
		results_free(rd.r);
	else
		*out = rd.r;
	return rd.f.rc;
}

int results_load(struct results **out, const char *path, struct err *err)
{
	size_t size;
	char *data;
	int rc = fields_read(path, RESULTS_MAX_FILE, &data, &size, err);

	if (!rc)
		rc = results_parse(out, data, size, path, err);
	free(data);
	return rc;
}
