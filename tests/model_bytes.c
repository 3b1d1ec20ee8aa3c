/* SPDX-License-Identifier: MIT */
/*
 * model_bytes - predictions of all subjects, each value of each choice, to the last bit
 *
 *   model_bytes one|sweep [RUNS]    in one thread, or by sim_sweep(); RUNS times, all alike or it fails
 *
 * One line per prediction: "page_counter layout=padded_2022 icx-8380: rate ...", floating point in
 * hexadecimal. model_bytes.sh compares what differently compiled and started programs print.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim.h"

#define MAX_CASES 400
#define ACCESSES  15000
#define WORKERS	  6

struct job {
	const struct experiment *exp;
	const char *param, *choice;
	void *params;
};

static const char *const machines[] = {"icx-8380", "milan-2s64c", "graviton2-1s64c"};

static void add(struct sim_config *config, struct job *job, int *nr, const struct job *what,
		const struct param *q, int64_t value, struct sim_profile *p)
{
	struct job *j = &job[*nr];
	struct err err = ERR_INIT;

	*j = *what;
	j->params = calloc(1, j->exp->params_size);
	params_defaults(j->exp, j->params);
	if (q)
		param_set(q, j->params, value);
	config[*nr] = (struct sim_config){.profile = p,
					  .experiment = j->exp->name,
					  .params = j->params,
					  .seed = 7,
					  .max_accesses = j->exp->pairs ? 5 * ACCESSES : ACCESSES};
	if (topo_place(p->topo, "scatter", j->exp->pairs ? 2 : WORKERS, &config[*nr].cpus, &err) ||
	    (j->exp->validate && j->exp->validate(j->params, config[*nr].cpus.nr, &err)) ||
	    *nr + 1 == MAX_CASES) {
		cpulist_free(&config[*nr].cpus);
		free(j->params);
		return;
	}
	++*nr;
}

static int make_cases(struct sim_config *config, struct job *job, struct sim_profile *p)
{
	const struct experiment *const *e;
	const struct param *q;
	int64_t v;
	int nr = 0;

	for (e = experiments; *e; e++) {
		add(config, job, &nr, &(struct job){.exp = *e, .param = "", .choice = ""}, NULL, 0,
		    p);
		for (q = (*e)->params; q->name; q++)
			for (v = 0; q->choices && v <= q->max; v++)
				add(config, job, &nr, &(struct job){*e, q->name, q->choices[v]}, q,
				    v, p);
	}
	return nr;
}

static void print_one(FILE *f, const struct job *j, const char *machine, const struct sim_result *r)
{
	const struct metric *m = j->exp->metrics;
	int i;

	fprintf(f, "%s %s=%s %s: rate %a half_width %a ns %a transfers %a slowest %a fastest %a %a",
		j->exp->name, j->param, j->choice, machine, r->rate, r->half_width, r->ns_per_op,
		r->transfers_per_op, r->slowest, r->fastest, r->jain);
	for (i = 0; m && m[i].name; i++)
		fprintf(f, " %s %a", m[i].name, r->metrics[i]);
	fprintf(f, " time %lld %lld %lld %lld %lld", (long long)r->time.work,
		(long long)r->time.hits, (long long)r->time.transfers, (long long)r->time.queueing,
		(long long)r->time.other);
	for (i = 0; i < r->nr_lines; i++)
		fprintf(f, " [%lld %s %llu %llu %lld]", (long long)r->line[i].offset,
			r->line[i].fields, (unsigned long long)r->line[i].accesses,
			(unsigned long long)r->line[i].transfers, (long long)r->line[i].waited_ps);
	fprintf(f, " accesses %llu ps %lld bounded %d\n", (unsigned long long)r->nr_accesses,
		(long long)r->simulated_ps, r->bounded);
}

static int predict_all(FILE *f, const char *machine, bool sweep, struct err *err)
{
	static struct sim_config config[MAX_CASES];
	static struct sim_result r[MAX_CASES];
	static struct job job[MAX_CASES];
	static bool done[MAX_CASES];
	struct sim_profile *p;
	int i, nr, rc = sim_profile_builtin(&p, machine, err);

	if (rc)
		return rc;
	nr = make_cases(config, job, p);
	if (sweep)
		rc = sim_sweep(config, nr, r, done, NULL, NULL, err);
	for (i = 0; i < nr && !rc; i++) {
		if (!sweep)
			rc = sim_run(&config[i], &r[i], err);
		if (rc && !sweep)
			err_prefix(err, "%s, %s=%s: ", machine, job[i].param, job[i].choice);
		if (!rc)
			print_one(f, &job[i], machine, &r[i]);
	}
	for (i = 0; i < nr; i++) {
		cpulist_free(&config[i].cpus);
		free(job[i].params);
	}
	sim_profile_free(p);
	return rc;
}

int main(int argc, char **argv)
{
	bool sweep = argc > 1 && !strcmp(argv[1], "sweep");
	long runs = argc > 2 ? strtol(argv[2], NULL, 10) : 1;
	char *text = NULL, *first = NULL;
	struct err err = ERR_INIT;
	size_t k, size;
	int rc = 0;
	FILE *f;

	for (; runs > 0 && !rc; runs--) {
		f = open_memstream(&text, &size);
		for (k = 0; k < sizeof(machines) / sizeof(machines[0]) && !rc; k++)
			rc = predict_all(f, machines[k], sweep, &err);
		fclose(f);
		if (rc)
			fprintf(stderr, "model_bytes: %s\n", err.msg);
		else if (first && (rc = strcmp(first, text)))
			fprintf(stderr, "model_bytes: two runs in one process differ\n");
		if (first)
			free(text);
		else
			first = text;
	}
	if (!rc)
		fputs(first, stdout);
	free(first);
	return !!rc;
}
