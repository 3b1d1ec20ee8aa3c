/* SPDX-License-Identifier: MIT */
#include "results.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

/* each of these is 0 when both are the same, else it writes the sentence */

static int same_text(const char *what, const char *now, const char *was, struct err *err)
{
	if (!strcmp(now, was))
		return 0;
	return err_set(err, -EINVAL, "%s is '%.120s' now, '%.120s' in the file", what, now, was);
}

static int same_number(const char *what, int64_t now, int64_t was, struct err *err)
{
	if (now == was)
		return 0;
	return err_set(err, -EINVAL, "%s is %" PRId64 " now, %" PRId64 " in the file", what, now,
		       was);
}

static int same_duration(const char *what, int64_t now, int64_t was, struct err *err)
{
	char a[64], b[64];

	if (now == was)
		return 0;
	text_duration(a, sizeof(a), now);
	text_duration(b, sizeof(b), was);
	if (strcmp(a, b))
		return err_set(err, -EINVAL, "%s is %s now, %s in the file", what, a, b);
	return same_number(what, now, was, err);
}

static int same_machine(const struct results_machine *now, const struct results_machine *was,
			struct err *err)
{
	int rc = same_text("the machine class", now->class_name, was->class_name, err);

	rc = rc ? rc : same_text("the CPU model", now->model, was->model, err);
	return rc ? rc : same_text("the kernel", now->kernel, was->kernel, err);
}

static int same_build(const struct results_build *now, const struct results_build *was,
		      struct err *err)
{
	int rc = same_text("the version of chargeline", now->version, was->version, err);

	rc = rc ? rc : same_text("the compiler", now->compiler, was->compiler, err);
	return rc ? rc : same_text("the build", now->flags, was->flags, err);
}

static int same_settings(const struct results *now, const struct results *was, struct err *err)
{
	int rc = same_duration("the window", now->window_ns, was->window_ns, err);

	rc = rc ? rc : same_duration("the warm-up", now->warmup_ns, was->warmup_ns, err);
	if (!rc && now->target != was->target)
		rc = err_set(err, -EINVAL, "the target is %.6g%% now, %.6g%% in the file",
			     now->target * 100, was->target * 100);
	if (!rc && now->seed != was->seed)
		rc = err_set(err, -EINVAL, "the seed is %" PRIu64 " now, %" PRIu64 " in the file",
			     now->seed, was->seed);
	return rc ? rc : same_number("the number of cases", now->nr_cases, was->nr_cases, err);
}

static int same_counters(const struct results *now, const struct results *was, struct err *err)
{
	int i, rc = same_number("the number of counters", now->nr_counters, was->nr_counters, err);

	for (i = 0; !rc && i < now->nr_counters; i++)
		rc = same_text("a counter", now->counters[i].name, was->counters[i].name, err);
	return rc ? rc
		  : same_number("multiplexing", now->counters_multiplexed,
				was->counters_multiplexed, err);
}

static int same_params(const struct result_case *now, const struct result_case *was,
		       struct err *err)
{
	int i, rc = same_number("the number of parameters", now->nr_params, was->nr_params, err);

	for (i = 0; !rc && i < now->nr_params; i++) {
		rc = same_text("a parameter", now->params[i].name, was->params[i].name, err);
		rc = rc ? rc
			: same_text(now->params[i].name, now->params[i].text, was->params[i].text,
				    err);
		rc = rc ? rc
			: same_number(now->params[i].name, now->params[i].value,
				      was->params[i].value, err);
	}
	return rc;
}

static int same_cpus(const struct cpulist *now, const struct cpulist *was, struct err *err)
{
	char a[120], b[120];

	if (now->nr == was->nr && !memcmp(now->cpu, was->cpu, now->nr * sizeof(*now->cpu)))
		return 0;
	return err_set(err, -EINVAL, "the CPUs are %s now, %s in the file",
		       cpulist_format(now, a, sizeof(a)), cpulist_format(was, b, sizeof(b)));
}

static int same_metrics(const struct result_case *now, const struct result_case *was,
			struct err *err)
{
	int i, rc = same_number("the number of metrics", now->nr_metrics, was->nr_metrics, err);

	for (i = 0; !rc && i < now->nr_metrics; i++)
		rc = same_text("a metric", now->metrics[i].name, was->metrics[i].name, err);
	return rc;
}

static int same_case(const struct result_case *now, const struct result_case *was, struct err *err)
{
	int rc = same_text("the experiment", now->experiment, was->experiment, err);

	rc = rc ? rc : same_params(now, was, err);
	rc = rc ? rc : same_cpus(&now->cpus, &was->cpus, err);
	rc = rc ? rc : same_text("the home of shared memory", now->home, was->home, err);
	rc = rc ? rc : same_number("the home node", now->home_node, was->home_node, err);
	return rc ? rc : same_metrics(now, was, err);
}

/* compares what a new record of the plan would say, so that nothing is collected twice */
int results_resume(const struct results *r, const struct topo *topo, struct plan *plan,
		   struct err *err)
{
	struct err why = ERR_INIT;
	struct results *now;
	int i, rc = results_new(&now, topo, plan, "", err);

	if (rc)
		return rc;
	rc = same_machine(&now->machine, &r->machine, &why);
	rc = rc ? rc : same_build(&now->build, &r->build, &why);
	rc = rc ? rc : same_settings(now, r, &why);
	rc = rc ? rc : same_counters(now, r, &why);
	for (i = 0; !rc && i < r->nr_cases; i++) {
		rc = same_case(&now->cases[i], &r->cases[i], &why);
		if (rc)
			err_prefix(&why, "cases[%d]: ", i);
	}
	results_free(now);
	if (rc)
		return err_set(err, rc, "cannot resume '%.120s': %s",
			       r->path ? r->path : "a result", why.msg);
	for (i = 0; i < r->nr_cases; i++) {
		plan->cases[i].done = r->cases[i].samples;
		plan->cases[i].nr_done = r->cases[i].nr_samples;
	}
	return 0;
}
