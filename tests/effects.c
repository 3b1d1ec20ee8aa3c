/* SPDX-License-Identifier: MIT */
/*
 * The claims of the project, on this machine: each is two cases that differ in one parameter, in
 * turn, window by window, by the real runner on all CPUs. TAP; what a claim needs to hold, to be
 * refuted or to be skipped is said in effects.h.
 *
 *   effects [--swap]     --swap: the sides exchanged, so that what holds is refuted
 */
#include <stdio.h>
#include <string.h>

#include "bench.h"
#include "effects.h"

#define BLOCKS	  201
#define WINDOW_NS 2000000      /* short: between two disturbances of a machine that is in use */
#define BUDGET_NS 4000000000LL /* of one measurement: 1 s on an idle machine */
#define MAX_SETS  4

struct claim {
	const char *says, *experiment;
	const char *param, *worse, *better;
	const char *sets[MAX_SETS]; /* besides; ends with NULL */
	int cpus;		    /* as many are needed; 0: 2 */
};

static const struct claim claims[] = {
	{"usage alone on its line is at least as fast as packed",
	 "page_counter",
	 "layout",
	 "packed_5_19",
	 "padded_2022",
	 {"batch=32"},
	 /* two alternate, and where their lines are far apart each stays for several operations, max
	  * and all: one virtual machine showed x2.1 and x0.9, by where the host had put its CPUs */
	 4},
	{"a batch of 64 is at least as fast as 32", "page_counter", "batch", "32", "64", {NULL}},
	{"trimming the stock is at least as fast as draining it",
	 "memcg_stock",
	 "overflow",
	 "drain",
	 "trim",
	 {"pattern=request_response", "batch=64"}},
	{"a guarded flush threshold is at least as fast as an unguarded one",
	 "vmstats_flush",
	 "rule",
	 "global_unconditional",
	 "global_guarded",
	 {"batch=64"}},
	{"reclaim at 64 KiB is at least as fast as at any page",
	 "sk_forward_alloc",
	 "reclaim",
	 "zero",
	 "64k",
	 {"reserve=shared"}},
	{"fields on lines of their own are at least as fast as on one line",
	 "false_sharing",
	 "distance",
	 "8",
	 "64",
	 {NULL}},
};
#define NR_CLAIMS ((int)(sizeof(claims) / sizeof(claims[0])))

/* rates of undisturbed windows, by side and block; 0: none */
struct sides {
	int better; /* the case that is to be the faster one */
	double rate[2][BLOCKS];
};

static int on_sample(void *ctx, int case_idx, const struct sample *s, struct err *err)
{
	struct sides *sides = ctx;

	if (!s->marks && s->block < BLOCKS)
		sides->rate[case_idx == sides->better][s->block] = s->rate;
	return 0;
}

static int plan_claim(const struct topo *topo, const struct claim *c, struct plan *plan,
		      struct err *err)
{
	char sweep[96];
	const char *sets[MAX_SETS + 1] = {sweep};
	struct plan_spec spec = {.experiments = &c->experiment,
				 .nr_experiments = 1,
				 .sets = sets,
				 .nr_sets = 1,
				 .workers = "all",
				 .window_ns = WINDOW_NS,
				 .budget_ns = BUDGET_NS,
				 .blocks = BLOCKS,
				 .target = -1};
	int i;

	snprintf(sweep, sizeof(sweep), "%s=%s,%s", c->param, c->worse, c->better);
	for (i = 0; i < MAX_SETS && c->sets[i]; i++)
		sets[spec.nr_sets++] = c->sets[i];
	return plan_build(topo, &spec, plan, err);
}

static int better_case(const struct plan *plan, const struct claim *c, struct err *err)
{
	const struct param *p;
	char text[64];
	int i;

	if (plan->nr_cases != 2)
		return err_set(err, -EINVAL, "%d cases instead of 2", plan->nr_cases);
	for (i = 0; i < 2; i++) {
		p = params_find(plan->cases[i].exp, c->param, err);
		if (p &&
		    !strcmp(param_text(p, param_get(p, plan->cases[i].params), text, sizeof(text)),
			    c->better))
			return i;
	}
	return err_set(err, -EINVAL, "no case has %s=%s", c->param, c->better);
}

/* better / worse; out->n is the number of pairs, 0 when there was none */
static int measure(const struct topo *topo, const struct claim *c, bool swap, uint64_t seed,
		   struct estimate *out, struct err *err)
{
	struct sides sides = {0};
	struct bench_hooks hooks = {.sample = on_sample, .ctx = &sides};
	struct plan plan;
	int rc = plan_claim(topo, c, &plan, err);

	if (rc)
		return rc;
	rc = better_case(&plan, c, err);
	if (rc >= 0) {
		sides.better = swap ? !rc : rc;
		plan.seed = seed;
		rc = bench_run(topo, &plan, &hooks, err);
	}
	plan_free(&plan);
	if (rc < 0)
		return rc;
	*out = (struct estimate){0};
	rc = stats_ratio_ci(sides.rate[1], sides.rate[0], BLOCKS, seed, out);
	return rc == -EINVAL ? 0 : rc;
}

static void tell(int nr, const struct claim *c, enum effect effect, const struct estimate *e)
{
	printf("%s %d - %s", effect == EFFECT_REFUTED ? "not ok" : "ok", nr, c->says);
	if (effect == EFFECT_CANNOT_TELL && e->n < EFFECTS_MIN_PAIRS)
		printf(" # SKIP too noisy: %d of %d pairs of windows undisturbed, %d are needed",
		       e->n, BLOCKS, EFFECTS_MIN_PAIRS);
	else if (effect == EFFECT_CANNOT_TELL)
		printf(" # SKIP too noisy: x%.3f [%.3f, %.3f] of %d pairs does not tell, or not "
		       "twice alike",
		       e->mid, e->lo, e->hi, e->n);
	printf("\n");
}

static void try_claim(const struct topo *topo, int nr, const struct claim *c, bool swap)
{
	struct estimate e[EFFECTS_TRIES];
	struct err err = ERR_INIT;
	enum effect effect = EFFECT_CANNOT_TELL;
	int try, rc = 0;

	for (try = 0; try < EFFECTS_TRIES && effect != EFFECT_HOLDS; try++) {
		rc = measure(topo, c, swap, nr * EFFECTS_TRIES + try + 1, &e[try], &err);
		if (rc)
			break;
		printf("# %s=%s / %s: x%.3f [%.3f, %.3f], %d pairs\n", c->param,
		       swap ? c->worse : c->better, swap ? c->better : c->worse, e[try].mid,
		       e[try].lo, e[try].hi, e[try].n);
		effect = effect_judge_all(e, try + 1);
	}
	if (!rc)
		tell(nr, c, effect, &e[try - 1]);
	else if (rc == -EOPNOTSUPP)
		printf("ok %d - %s # SKIP %s\n", nr, c->says, err.msg);
	else
		printf("not ok %d - %s: %s\n", nr, c->says, err.msg);
	fflush(stdout);
}

/* why nothing can be said here; "" if it can */
static void obstacle(const struct topo *topo, const struct claim *c, char *why, size_t size)
{
	int nr, needed = c->cpus ? c->cpus : 2;

	topo_cpus(topo, &nr);
	*why = 0;
	if (nr < needed)
		snprintf(why, size, "not enough CPUs: %d must contend, %d may be used", needed, nr);
	else if (!strcmp(topo_info(topo)->hypervisor, "qemu-tcg"))
		snprintf(why, size, "the CPUs are emulated: their times mean nothing");
}

int main(int argc, char **argv)
{
	bool swap = argc == 2 && !strcmp(argv[1], "--swap");
	struct err err = ERR_INIT;
	struct topo *topo;
	char why[120];
	int i;

	if (argc > 1 && !swap) {
		fprintf(stderr, "usage: effects [--swap]\n");
		return 2;
	}
	if (topo_load(&topo, NULL, &err)) {
		printf("Bail out! %s\n", err.msg);
		return 1;
	}
	printf("1..%d\n", NR_CLAIMS);
	for (i = 0; i < NR_CLAIMS; i++) {
		obstacle(topo, &claims[i], why, sizeof(why));
		if (*why)
			printf("ok %d - %s # SKIP %s\n", i + 1, claims[i].says, why);
		else
			try_claim(topo, i + 1, &claims[i], swap);
	}
	topo_free(topo);
	return 0;
}
