/* SPDX-License-Identifier: MIT */
#include "results.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "atomic.h"
#include "results_counters.h"
#include "results_findings.h"
#include "results_map.h"
#include "results_pairs.h"

/* ----------------------------------------------------------------- JSON objects */

/* an object under construction; the first failure stays */
struct obj {
	json_t *json;
	bool failed;
};

static struct obj obj_new(void)
{
	struct obj o = {json_object(), false};

	return o;
}

/* the finished object, or NULL when memory was short */
static json_t *obj_end(struct obj *o)
{
	if (o->failed) {
		json_decref(o->json);
		return NULL;
	}
	return o->json;
}

static void set(struct obj *o, const char *name, json_t *v)
{
	if (json_object_set_new(o->json, name, v))
		o->failed = true;
}

/* absent: null, and why beside it */
static void set_null(struct obj *o, const char *name, const char *reason)
{
	char beside[64];

	snprintf(beside, sizeof(beside), "%s_reason", name);
	set(o, name, json_null());
	set(o, beside, json_string(reason));
}

static void set_int(struct obj *o, const char *name, int64_t v)
{
	set(o, name, json_integer(v));
}

static void set_real(struct obj *o, const char *name, double v, const char *reason)
{
	if (isfinite(v))
		set(o, name, json_real(v));
	else
		set_null(o, name, reason);
}

/* JSON is UTF-8; a host name or a file name need not be: then every byte beyond ASCII becomes '?' */
static json_t *text_value(const char *s)
{
	json_t *v = json_string(s);
	char *ascii, *c;

	if (v || !s)
		return v;
	ascii = strdup(s);
	if (!ascii)
		return NULL;
	for (c = ascii; *c; c++)
		if (*c & 0x80)
			*c = '?';
	v = json_string(ascii);
	free(ascii);
	return v;
}

static void set_text(struct obj *o, const char *name, const char *s)
{
	set(o, name, text_value(s));
}

static void set_text_or(struct obj *o, const char *name, const char *s, const char *reason)
{
	if (s && *s)
		set_text(o, name, s);
	else
		set_null(o, name, reason);
}

static void set_count_or(struct obj *o, const char *name, int64_t n, const char *reason)
{
	if (n > 0)
		set_int(o, name, n);
	else
		set_null(o, name, reason);
}

/* ------------------------------------------------------------------ the sections */

static json_t *settings(const struct results *r)
{
	struct obj o = obj_new();
	char seed[24];

	snprintf(seed, sizeof(seed), "%" PRIu64, r->seed);
	set_int(&o, "window_ns", r->window_ns);
	set_int(&o, "warmup_ns", r->warmup_ns);
	set_int(&o, "budget_ns", r->budget_ns);
	set_int(&o, "min_blocks", r->min_blocks);
	set_int(&o, "max_blocks", r->max_blocks);
	set_real(&o, "target", r->target, "none");
	set_text(&o, "seed", seed);
	set_text(&o, "thinned", r->thinned);
	set_text(&o, "note", r->note);
	return obj_end(&o);
}

static json_t *machine(const struct results *r)
{
	const struct results_machine *m = &r->machine;
	struct obj o = obj_new();

	set_text(&o, "class", m->class_name);
	set_text_or(&o, "model", m->model, "unknown");
	set_text_or(&o, "arch", m->arch, "unknown");
	set_text_or(&o, "uarch", m->uarch, "unknown");
	set_text_or(&o, "hypervisor", m->hypervisor, "none seen");
	set_text_or(&o, "hostname", m->hostname, "unknown");
	set_text_or(&o, "kernel", m->kernel, "unknown");
	set_int(&o, "packages", m->packages);
	set_int(&o, "numa_nodes", m->numa_nodes);
	set_int(&o, "cores", m->cores);
	set_int(&o, "pus", m->pus);
	set_count_or(&o, "smt_max", m->smt_max, "the machine describes no cores");
	set_int(&o, "l3_caches", m->l3_caches);
	set_count_or(&o, "l3_bytes", m->l3_bytes, "unknown");
	set(&o, "restricted", json_boolean(m->restricted));
	set_int(&o, "page_bytes", m->page_bytes);
	set(&o, "map", results_map_json(r));
	return obj_end(&o);
}

static json_t *build(const struct results_build *b)
{
	struct obj o = obj_new();

	set_text(&o, "version", b->version);
	set_text(&o, "compiler", b->compiler);
	set_text(&o, "flags", b->flags);
	set_text(&o, "hwloc", b->hwloc);
	set_text_or(&o, "libbenchmark", b->libbenchmark, "built without it");
	return obj_end(&o);
}

static json_t *context(const struct bench_context *c)
{
	struct obj o = obj_new();

	set_real(&o, "clock_read_ns", c->clock_read_ns, "not measured");
	set_real(&o, "clock_resolution_ns", c->clock_resolution_ns, "not measured");
	set_real(&o, "work_error", c->work_error, "not measured");
	set_real(&o, "work_error_end", c->work_error_end, "not measured");
	set(&o, "memory_verified", json_boolean(c->memory_verified));
	set_text(&o, "memory_note", c->memory_note);
	return obj_end(&o);
}

static json_t *warnings(const struct results *r)
{
	json_t *list = json_array();
	int i;

	for (i = 0; list && i < r->nr_warnings; i++) {
		if (json_array_append_new(list, text_value(r->warnings[i]))) {
			json_decref(list);
			return NULL;
		}
	}
	return list;
}

/* a number as itself; a choice with its number and its name */
static json_t *params(const struct result_case *c)
{
	struct obj o = obj_new(), choice;
	char number[24];
	int i;

	for (i = 0; i < c->nr_params; i++) {
		snprintf(number, sizeof(number), "%" PRId64, c->params[i].value);
		if (!strcmp(number, c->params[i].text)) {
			set_int(&o, c->params[i].name, c->params[i].value);
			continue;
		}
		choice = obj_new();
		set_int(&choice, "value", c->params[i].value);
		set_text(&choice, "text", c->params[i].text);
		set(&o, c->params[i].name, obj_end(&choice));
	}
	return obj_end(&o);
}

static json_t *metric_names(const struct result_case *c)
{
	struct obj o;
	json_t *list = json_array();
	int i;

	for (i = 0; list && i < c->nr_metrics; i++) {
		o = obj_new();
		set_text(&o, "name", c->metrics[i].name);
		set_text(&o, "unit", c->metrics[i].unit);
		if (json_array_append_new(list, obj_end(&o))) {
			json_decref(list);
			return NULL;
		}
	}
	return list;
}

static json_t *marks(const struct sample *s)
{
	json_t *list = json_array();
	int i;

	for (i = 0; i < BENCH_NR_MARKS; i++)
		if (s->marks & (1u << i))
			json_array_append_new(list, json_string(bench_mark_names[i]));
	return list;
}

static void set_metrics(struct obj *o, const struct sample *s, int nr)
{
	json_t *list = json_array();
	bool absent = false;
	int i;

	for (i = 0; i < nr; i++) {
		absent |= !isfinite(s->metrics[i]);
		if (json_array_append_new(list, isfinite(s->metrics[i]) ? json_real(s->metrics[i])
									: json_null()))
			o->failed = true;
	}
	set(o, "metrics", list);
	if (absent)
		set(o, "metrics_reason", json_string("the experiment gave no value"));
}

static json_t *sample(const struct results *r, const struct sample *s, int nr_metrics)
{
	static const char reason[] = "not measured";
	struct obj o = obj_new();

	set_int(&o, "block", s->block);
	set_int(&o, "ops", s->ops);
	set_real(&o, "window_ns", s->window_ns, reason);
	set_real(&o, "rate", s->rate, reason);
	set_real(&o, "slowest", s->slowest, reason);
	set_real(&o, "fastest", s->fastest, reason);
	set_real(&o, "jain", s->jain, reason);
	set_real(&o, "overlap", s->overlap, reason);
	set(&o, "marks", marks(s));
	set_metrics(&o, s, nr_metrics);
	if (sample_counters_json(o.json, r, s))
		o.failed = true;
	return obj_end(&o);
}

/* the members of a case before its samples */
static json_t *case_head(const struct result_case *c)
{
	size_t size = 12 * (size_t)c->cpus.nr + 4;
	struct obj o = obj_new();
	char *cpus = malloc(size);

	set_text(&o, "experiment", c->experiment);
	set(&o, "params", params(c));
	set_int(&o, "workers", c->nr_workers);
	set_text(&o, "placement", c->placement);
	set(&o, "cpus", cpus ? text_value(cpulist_format(&c->cpus, cpus, size)) : NULL);
	set_text(&o, "home", c->home);
	if (c->home_node >= 0)
		set_int(&o, "home_node", c->home_node);
	else
		set_null(&o, "home_node", "interleaved or unknown");
	set_text_or(&o, "relation", c->relation, "not a pair of CPUs");
	set(&o, "metrics", metric_names(c));
	free(cpus);
	return obj_end(&o);
}

/* --------------------------------------------------------------------- the file */

/*
 * One line for every section and every window, so that a file can be read, compared and searched
 * with line tools. Built and dumped piece by piece: the whole as one tree would be ten times the
 * size of the file.
 */
static void put_text(struct atomic_file *f, const char *text)
{
	atomic_put(text, strlen(text), f);
}

/* takes @v; NULL is "out of memory" */
static void put_value(struct atomic_file *f, json_t *v)
{
	const size_t flags = JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(17);

	if (!f->rc && json_dump_callback(v, atomic_put, f, flags) && !f->rc)
		f->rc = -ENOMEM;
	if (!f->rc && f->total > RESULTS_MAX_FILE)
		f->rc = -EFBIG;
	json_decref(v);
}

static void put_member(struct atomic_file *f, const char *name, json_t *v)
{
	put_text(f, ",\n\"");
	put_text(f, name);
	put_text(f, "\":");
	put_value(f, v);
}

static void put_case(struct atomic_file *f, const struct results *r, const struct result_case *c)
{
	char *head;
	json_t *v = case_head(c);
	int i;

	head = v ? json_dumps(v, JSON_COMPACT) : NULL;
	json_decref(v);
	if (!head) {
		f->rc = f->rc ? f->rc : -ENOMEM;
		return;
	}
	atomic_put(head, strlen(head) - 1, f); /* without the closing brace */
	free(head);
	put_text(f, ",\"samples\":[");
	for (i = 0; i < c->nr_samples && !f->rc; i++) {
		put_text(f, i ? ",\n" : "\n");
		put_value(f, sample(r, &c->samples[i], c->nr_metrics));
	}
	put_text(f, "]}");
}

static void put_results(struct atomic_file *f, const struct results *r)
{
	int i;

	put_text(f, "{\"schema\":\"" RESULTS_SCHEMA "\"");
	put_member(f, "version", json_integer(RESULTS_VERSION));
	put_member(f, "complete", json_boolean(r->complete));
	put_member(f, "started", text_value(r->started));
	put_member(f, "command", text_value(r->command));
	put_member(f, "elapsed_ns", json_integer(r->elapsed_ns));
	put_member(f, "settings", settings(r));
	put_member(f, "machine", machine(r));
	put_member(f, "build", build(&r->build));
	put_member(f, "context", r->context_known ? context(&r->context) : json_null());
	if (!r->context_known)
		put_member(f, "context_reason", json_string("the run had not begun"));
	put_member(f, "warnings", warnings(r));
	put_member(f, "findings", r->nr_findings ? findings_json(r) : json_null());
	if (!r->nr_findings)
		put_member(f, "findings_reason", json_string("the machine was not examined"));
	put_member(f, "pairs", results_has_pairs(r) ? results_pairs_json(r) : json_null());
	if (!results_has_pairs(r))
		put_member(f, "pairs_reason", json_string("no case is a pair of CPUs"));
	put_member(f, "counters", r->nr_counters ? results_counters_json(r) : json_null());
	if (!r->nr_counters)
		put_member(f, "counters_reason", json_string("none were chosen"));
	put_text(f, ",\n\"cases\":[");
	for (i = 0; i < r->nr_cases && !f->rc; i++) {
		put_text(f, i ? ",\n" : "\n");
		put_case(f, r, &r->cases[i]);
	}
	put_text(f, "]}\n");
}

/* what the reader would refuse must not be written */
static int check_limits(const struct results *r, const char *path, struct err *err)
{
	int64_t nr_samples = 0, nr_cpus = 0;
	int i;

	for (i = 0; i < r->nr_cases; i++) {
		nr_samples += r->cases[i].nr_samples;
		nr_cpus += r->cases[i].cpus.nr;
	}
	if (nr_samples > RESULTS_MAX_SAMPLES || nr_cpus > RESULTS_MAX_CPUS)
		return err_set(err, -EFBIG,
			       "cannot write '%.200s': more than %d windows or %d workers in all",
			       path, RESULTS_MAX_SAMPLES, RESULTS_MAX_CPUS);
	return 0;
}

int results_save(const struct results *r, const char *path, struct err *err)
{
	int rc = check_limits(r, path, err);
	struct atomic_file *f;

	if (rc)
		return rc;
	f = malloc(sizeof(*f));
	if (!f)
		return err_set(err, -ENOMEM, "cannot write '%.200s': out of memory", path);
	rc = atomic_begin(f, path, err);
	if (!rc) {
		put_results(f, r);
		rc = atomic_end(f, err);
	}
	free(f);
	return rc;
}
