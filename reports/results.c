/* SPDX-License-Identifier: MIT */
#include "results.h"
#include "text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "case_copy.h"
#include "results_counters.h"
#include "results_findings.h"
#include "results_map.h"
#include "results_pairs.h"

#ifdef __clang__
#define COMPILER "clang " __VERSION__
#else
#define COMPILER "gcc " __VERSION__
#endif

/* one sticky failure for a row of copies */
static char *copy(const char *s, int *rc)
{
	char *dup = strdup(s ? s : "");

	if (!dup)
		*rc = -ENOMEM;
	return dup;
}

/* ------------------------------------------------------------------ the parts */

static int fill_machine(struct results_machine *m, const struct topo *topo)
{
	const struct topo_info *info = topo_info(topo);
	struct utsname uts = {0};
	char host[256] = "";
	int rc = 0;

	uname(&uts);
	gethostname(host, sizeof(host) - 1);
	m->class_name = copy(info->class_name, &rc);
	m->model = copy(info->model, &rc);
	m->arch = copy(info->arch, &rc);
	m->uarch = copy(info->uarch, &rc);
	m->hypervisor = copy(info->hypervisor, &rc);
	m->hostname = copy(host, &rc);
	m->kernel = copy(uts.release, &rc);
	m->packages = info->packages;
	m->numa_nodes = info->numa_nodes;
	m->cores = info->cores;
	m->pus = info->pus;
	m->smt_max = info->smt_max;
	m->l3_caches = info->l3_caches;
	m->l3_bytes = info->l3_bytes;
	m->restricted = info->restricted;
	m->page_bytes = sysconf(_SC_PAGESIZE);
	return rc;
}

static int fill_build(struct results_build *b)
{
	char flags[512];
	int rc = 0;

	snprintf(flags, sizeof(flags), "%s; atomics %s", BUILD_FLAGS_TEXT, bench_atomics());
	b->version = copy(CHARGELINE_VERSION, &rc);
	b->compiler = copy(COMPILER, &rc);
	b->flags = copy(flags, &rc);
	b->hwloc = copy(HWLOC_VERSION_TEXT, &rc);
	if (gbench_version())
		b->libbenchmark = copy(gbench_version(), &rc);
	return rc;
}

static int fill_settings(struct results *r, const struct plan *plan, const char *command)
{
	time_t now = time(NULL);
	char started[32] = "";
	struct tm tm;
	int rc = 0;

	if (gmtime_r(&now, &tm))
		strftime(started, sizeof(started), "%Y-%m-%dT%H:%M:%SZ", &tm);
	r->started = copy(started, &rc);
	r->command = copy(command, &rc);
	r->window_ns = plan->window_ns;
	r->warmup_ns = plan->warmup_ns;
	r->budget_ns = plan->budget_ns;
	r->min_blocks = plan->min_blocks;
	r->max_blocks = plan->max_blocks;
	r->target = plan->target;
	r->seed = plan->seed;
	r->thinned = copy(plan->thinned, &rc);
	r->note = copy(plan->note, &rc);
	return rc;
}

static int fill_params(struct result_case *c, const struct bench_case *from)
{
	const struct param *p = from->exp->params;
	int nr = params_count(from->exp), rc = 0, i;
	char text[128];

	c->params = calloc(nr ? nr : 1, sizeof(*c->params));
	if (!c->params)
		return -ENOMEM;
	c->nr_params = nr;
	for (i = 0; i < nr; i++) {
		c->params[i].name = copy(p[i].name, &rc);
		c->params[i].value = param_get(&p[i], from->params);
		c->params[i].text =
			copy(param_text(&p[i], c->params[i].value, text, sizeof(text)), &rc);
	}
	return rc;
}

static int fill_metrics(struct result_case *c, const struct metric *m)
{
	int nr = 0, rc = 0, i;

	while (m && nr < EXPERIMENT_MAX_METRICS && m[nr].name)
		nr++;
	c->metrics = calloc(nr ? nr : 1, sizeof(*c->metrics));
	if (!c->metrics)
		return -ENOMEM;
	c->nr_metrics = nr;
	for (i = 0; i < nr; i++) {
		c->metrics[i].name = copy(m[i].name, &rc);
		c->metrics[i].unit = copy(m[i].unit, &rc);
	}
	return rc;
}

static int fill_case(struct results *r, int idx, const struct bench_case *from, struct err *err)
{
	struct result_case *c = &r->cases[idx];
	int rc = 0, i;

	c->experiment = copy(from->exp->name, &rc);
	c->placement = copy(from->placement, &rc);
	c->home = copy(from->home, &rc);
	c->home_node = from->home_node;
	c->nr_workers = from->cpus.nr;
	if (rc || cpulist_copy(&c->cpus, &from->cpus) || fill_params(c, from) ||
	    fill_metrics(c, from->exp->metrics))
		return err_set(err, -ENOMEM, "out of memory");
	for (i = 0; i < from->nr_done; i++) {
		rc = results_add_sample(r, idx, &from->done[i], err);
		if (rc)
			return rc;
	}
	return 0;
}

/* what a reader must know about the machine before believing a number */
static int warn_machine(struct results *r, const struct topo *topo)
{
	const struct topo_info *info = topo_info(topo);
	char text[240];
	int nr, rc = 0;

	topo_cpus(topo, &nr);
	if (!strcmp(info->hypervisor, "qemu-tcg"))
		rc = results_add_warning(r, "emulated machine (qemu-tcg): its numbers say nothing "
					    "about the speed of a real one");
	else if (info->hypervisor[0]) {
		snprintf(text, sizeof(text),
			 "virtual machine (%s): other guests disturb the measurement, and the "
			 "topology may not be that of the hardware",
			 info->hypervisor);
		rc = results_add_warning(r, text);
	}
	if (!rc && nr == 1)
		rc = results_add_warning(r, "contention cannot be measured with one CPU");
	else if (!rc && nr < 4) {
		snprintf(text, sizeof(text),
			 "with %d CPUs the effect of a wide machine cannot be seen", nr);
		rc = results_add_warning(r, text);
	}
	if (!rc && info->restricted) {
		snprintf(text, sizeof(text),
			 "this process may not use the whole machine (cpuset, cgroup or taskset): "
			 "%d CPUs and %d memory nodes are left out",
			 info->pus_disallowed, info->nodes_disallowed);
		rc = results_add_warning(r, text);
	}
	return rc;
}

/* ----------------------------------------------------------------- the record */

int results_new(struct results **out, const struct topo *topo, const struct plan *plan,
		const char *command, struct err *err)
{
	struct results *r;
	int i, rc = -ENOMEM;

	if (plan->nr_cases > RESULTS_MAX_CASES)
		return err_set(err, -EINVAL,
			       "a result file holds at most %d cases, the plan has %d",
			       RESULTS_MAX_CASES, plan->nr_cases);
	r = calloc(1, sizeof(*r));
	if (!r)
		return err_set(err, -ENOMEM, "out of memory");
	r->cases = calloc(plan->nr_cases ? plan->nr_cases : 1, sizeof(*r->cases));
	if (!r->cases || fill_settings(r, plan, command) || fill_machine(&r->machine, topo) ||
	    fill_build(&r->build) || warn_machine(r, topo) || findings_fill(r, topo) ||
	    results_map_fill(r, topo) || results_set_counters(r, plan->counters)) {
		err_set(err, rc, "out of memory");
		goto fail;
	}
	r->nr_cases = plan->nr_cases;
	for (i = 0; i < plan->nr_cases; i++) {
		rc = fill_case(r, i, &plan->cases[i], err);
		if (rc)
			goto fail;
	}
	rc = results_fill_pairs(r, topo, plan);
	if (rc) {
		err_set(err, rc, "out of memory");
		goto fail;
	}
	*out = r;
	return 0;
fail:
	results_free(r);
	return rc;
}

void results_free(struct results *r)
{
	int i;

	if (!r)
		return;
	char *const texts[] = {r->path,
			       r->started,
			       r->command,
			       r->thinned,
			       r->note,
			       r->machine.model,
			       r->machine.arch,
			       r->machine.uarch,
			       r->machine.hostname,
			       r->machine.kernel,
			       r->machine.class_name,
			       r->machine.hypervisor,
			       r->machine.map,
			       r->build.version,
			       r->build.compiler,
			       r->build.flags,
			       r->build.hwloc,
			       r->build.libbenchmark};

	for (i = 0; i < (int)(sizeof(texts) / sizeof(texts[0])); i++)
		free(texts[i]);
	for (i = 0; i < r->nr_warnings; i++)
		free(r->warnings[i]);
	for (i = 0; i < r->nr_cases; i++)
		case_free(&r->cases[i]);
	findings_free(r);
	results_counters_free(r);
	free(r->warnings);
	free(r->cases);
	free(r);
}

/* NaN says "none"; anything else must be a size */
static bool is_size(double x)
{
	return isnan(x) || (isfinite(x) && x >= 0);
}

static int check_sample(const struct sample *s, struct err *err)
{
	if (s->block < 0)
		return err_set(err, -EINVAL, "a window has block %d", s->block);
	if (s->marks >> BENCH_NR_MARKS)
		return err_set(err, -EINVAL, "a window has unknown marks %#x", s->marks);
	if (s->ops > INT64_MAX)
		return err_set(err, -EINVAL, "a window has too many operations");
	if (!s->marks && !isfinite(s->rate))
		return err_set(err, -EINVAL, "a window without marks has no rate");
	if (!is_size(s->window_ns) || !is_size(s->rate) || !is_size(s->slowest) ||
	    !is_size(s->fastest) || !is_size(s->jain) || !is_size(s->overlap))
		return err_set(err, -EINVAL, "a window has a negative or infinite value");
	return 0;
}

int results_add_sample(struct results *r, int case_idx, const struct sample *s, struct err *err)
{
	struct result_case *c;
	struct sample *grown;
	int i, rc;

	if (case_idx < 0 || case_idx >= r->nr_cases)
		return err_set(err, -EINVAL, "there is no case %d, only %d cases", case_idx,
			       r->nr_cases);
	rc = check_sample(s, err);
	if (rc)
		return rc;
	c = &r->cases[case_idx];
	if (c->nr_samples >= RESULTS_MAX_SAMPLES)
		return err_set(err, -EFBIG, "a result file holds at most %d windows",
			       RESULTS_MAX_SAMPLES);
	/* room doubles at powers of two; every sample of a case comes through here */
	if (!(c->nr_samples & (c->nr_samples - 1))) {
		grown = realloc(c->samples,
				sizeof(*s) * (c->nr_samples ? 2 * (size_t)c->nr_samples : 1));
		if (!grown)
			return err_set(err, -ENOMEM, "out of memory");
		c->samples = grown;
	}
	c->samples[c->nr_samples] = *s;
	for (i = 0; i < EXPERIMENT_MAX_METRICS; i++)
		if (i >= c->nr_metrics || !isfinite(s->metrics[i]))
			c->samples[c->nr_samples].metrics[i] = NAN;
	for (i = 0; i < COUNTERS_MAX; i++)
		if (i >= r->nr_counters || !isfinite(s->counters[i]))
			c->samples[c->nr_samples].counters[i] = NAN;
	c->nr_samples++;
	return 0;
}

int results_add_warning(struct results *r, const char *sentence)
{
	char **grown, *dup;
	int i;

	for (i = 0; i < r->nr_warnings; i++)
		if (!strcmp(r->warnings[i], sentence))
			return 0;
	if (r->nr_warnings >= RESULTS_MAX_WARNINGS)
		return 0;
	grown = realloc(r->warnings, (r->nr_warnings + 1) * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	r->warnings = grown;
	dup = strdup(sentence);
	if (!dup)
		return -ENOMEM;
	r->warnings[r->nr_warnings++] = dup;
	return 0;
}

/* ------------------------------------------------------------------- accessors */

static const struct result_param *find_param(const struct result_case *c, const char *name)
{
	int i;

	for (i = 0; i < c->nr_params; i++)
		if (!strcmp(c->params[i].name, name))
			return &c->params[i];
	return NULL;
}

bool result_param(const struct result_case *c, const char *name, int64_t *value)
{
	const struct result_param *p = find_param(c, name);

	if (p)
		*value = p->value;
	return p;
}

const char *result_param_text(const struct result_case *c, const char *name)
{
	const struct result_param *p = find_param(c, name);

	return p ? p->text : NULL;
}

bool result_same_params(const struct result_case *a, const struct result_case *b,
			bool (*besides)(const char *name))
{
	int i;

	if (!text_same(a->experiment, b->experiment) || a->nr_params != b->nr_params ||
	    !text_same(a->home, b->home))
		return false;
	for (i = 0; i < a->nr_params; i++) {
		if (!text_same(a->params[i].name, b->params[i].name))
			return false;
		if (!(besides && besides(a->params[i].name)) &&
		    !text_same(a->params[i].text, b->params[i].text))
			return false;
	}
	return true;
}

int result_rates(const struct result_case *c, double *rate, int *block)
{
	int i, nr = 0;

	for (i = 0; i < c->nr_samples; i++) {
		if (c->samples[i].marks)
			continue;
		rate[nr] = c->samples[i].rate;
		block[nr++] = c->samples[i].block;
	}
	return nr;
}
