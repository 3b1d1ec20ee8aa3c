/* SPDX-License-Identifier: MIT */
/* What the record says about itself: the machine, the run, what to beware of, how to repeat it. */
#include "report_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "format.h"
#include "text.h"

#define MANY_MARKED	0.05
#define WORK_ERROR_GOOD 0.05
#define MAX_COMMANDS	10

static const char *or_unknown(const char *s)
{
	return s && *s ? s : "unknown";
}

/* ------------------------------------------------------------------------- the machine */

static void machine(struct doc *d, const struct results_machine *m)
{
	char l3[FORMAT_MAX] = "", bytes[FORMAT_MAX];

	doc_section(d, "machine", "The machine");
	doc_fact(d, "class", "%s: %s, %s", or_unknown(m->class_name), or_unknown(m->model),
		 or_unknown(m->arch));
	if (m->l3_caches && m->l3_bytes)
		snprintf(l3, sizeof(l3), ", %d L3 cache%s of %s", m->l3_caches,
			 m->l3_caches == 1 ? "" : "s",
			 text_bytes(bytes, sizeof(bytes), (double)m->l3_bytes));
	doc_fact(d, "CPUs", "%d package%s, %d NUMA node%s, %d core%s, %d CPU%s (%d per core)%s",
		 m->packages, m->packages == 1 ? "" : "s", m->numa_nodes,
		 m->numa_nodes == 1 ? "" : "s", m->cores, m->cores == 1 ? "" : "s", m->pus,
		 m->pus == 1 ? "" : "s", m->smt_max, l3);
	doc_fact(d, "system", "%s, host %s, pages of %d KiB, %s%s", or_unknown(m->kernel),
		 or_unknown(m->hostname), m->page_bytes / 1024,
		 m->hypervisor && *m->hypervisor ? "virtual machine: " : "no hypervisor seen",
		 m->hypervisor ? m->hypervisor : "");
	if (m->map && *m->map)
		doc_add(d, DOC_DRAWING, "%s", m->map);
}

/* ----------------------------------------------------------------------------- the run */

struct counts {
	int cases, windows, marked, zero, blocks, by_mark[BENCH_NR_MARKS];
	int64_t elapsed_ns;
};

static void count_sample(struct counts *n, const struct sample *s)
{
	int i;

	n->windows++;
	n->marked += !!s->marks;
	n->zero += !s->marks && s->rate == 0;
	for (i = 0; i < BENCH_NR_MARKS; i++)
		n->by_mark[i] += s->marks >> i & 1;
}

static void count(struct counts *n, const struct results *const *r, int nr)
{
	const struct result_case *c;
	int i, k, s, last;

	memset(n, 0, sizeof(*n));
	for (i = 0; i < nr; i++) {
		n->elapsed_ns += r[i]->elapsed_ns;
		n->cases += r[i]->nr_cases;
		for (last = -1, k = 0; k < r[i]->nr_cases; k++) {
			c = &r[i]->cases[k];
			for (s = 0; s < c->nr_samples; s++) {
				count_sample(n, &c->samples[s]);
				last = c->samples[s].block > last ? c->samples[s].block : last;
			}
		}
		n->blocks += last + 1;
	}
}

/* ": 9 switched, 4 steal"; a window may carry several marks */
static void marks_text(char *buf, size_t size, const struct counts *n)
{
	size_t len = 0;
	int i;

	buf[0] = '\0';
	for (i = 0; i < BENCH_NR_MARKS && len < size; i++)
		if (n->by_mark[i])
			len += snprintf(buf + len, size - len, "%s %d %s", len ? "," : ":",
					n->by_mark[i], bench_mark_names[i]);
}

/* is parameter @idx of @first the same in every case of that experiment? */
static bool constant(const struct results *r, const struct result_case *first, int idx)
{
	const char *name = first->params[idx].name, *value;
	int i;

	for (i = 0; i < r->nr_cases; i++) {
		if (strcmp(r->cases[i].experiment, first->experiment))
			continue;
		value = result_param_text(&r->cases[i], name);
		if (!value || strcmp(value, first->params[idx].text))
			return false;
	}
	return true;
}

/* each experiment once, with the parameters that no table shows because they never vary */
static void subjects(struct doc *d, const struct results *r)
{
	const struct result_case *c;
	char text[600];
	size_t len;
	int i, k;

	for (i = 0; i < r->nr_cases; i++) {
		c = &r->cases[i];
		for (k = 0; k < i && strcmp(r->cases[k].experiment, c->experiment); k++)
			;
		if (k < i)
			continue;
		len = snprintf(text, sizeof(text), "%s", c->experiment);
		for (k = 0; k < c->nr_params && len < sizeof(text); k++)
			if (constant(r, c, k))
				len += snprintf(text + len, sizeof(text) - len, " %s=%s",
						c->params[k].name, c->params[k].text);
		doc_fact(d, "subject", "%s", text);
	}
}

static void run(struct doc *d, const struct results *const *r, int nr)
{
	char took[FORMAT_MAX], window[FORMAT_MAX], marks[240];
	struct counts n;

	count(&n, r, nr);
	marks_text(marks, sizeof(marks), &n);
	doc_section(d, "run", "The run");
	if (nr > 1)
		doc_fact(d, "files", "%d result files, the first of %s", nr,
			 or_unknown(r[0]->started));
	subjects(d, r[0]);
	doc_fact(d, "measured",
		 "%d cases in %d blocks: %d windows of %s in %s; %d left out as disturbed%s",
		 n.cases, n.blocks, n.windows,
		 text_duration(window, sizeof(window), (double)r[0]->window_ns),
		 text_duration(took, sizeof(took), (double)n.elapsed_ns), n.marked, marks);
	if (r[0]->context_known && isfinite(r[0]->context.work_error))
		doc_fact(
			d, "clock",
			"read in %.3g ns, steps of %.3g ns; local work within %.2g%% of what was asked",
			r[0]->context.clock_read_ns, r[0]->context.clock_resolution_ns,
			100 * r[0]->context.work_error);
	if (nr == 1 && r[0]->command && *r[0]->command)
		doc_fact(d, "command", "%s", r[0]->command);
	if (r[0]->thinned && *r[0]->thinned)
		doc_fact(d, "thinned", "%s", r[0]->thinned);
	if (r[0]->note && *r[0]->note)
		doc_fact(d, "note", "%s", r[0]->note);
	doc_fact(d, "built", "chargeline %s, %s (%s)", or_unknown(r[0]->build.version),
		 or_unknown(r[0]->build.compiler), or_unknown(r[0]->build.flags));
}

void record_head(struct doc *d, const struct results *const *r, int nr)
{
	machine(d, &r[0]->machine);
	run(d, r, nr);
}

/* ---------------------------------------------------------------------------- warnings */

/* does the record itself warn of it already? */
static bool recorded(const struct results *r, const char *word)
{
	int i;

	for (i = 0; i < r->nr_warnings; i++)
		if (strcasestr(r->warnings[i], word))
			return true;
	return false;
}

static void warn_context(struct doc *d, const struct results *r)
{
	const struct bench_context *c = &r->context;
	double error = fmax(c->work_error, c->work_error_end);
	char buf[FORMAT_MAX];

	if (!r->context_known)
		return;
	if (!c->memory_verified && !recorded(r, "memory"))
		doc_add(d, DOC_ITEM, "Where the shared memory was is not verified: %s",
			or_unknown(c->memory_note));
	if (error > WORK_ERROR_GOOD && !recorded(r, "local work"))
		doc_add(d, DOC_ITEM,
			"The local work was off by up to %s of what was asked: the demands are "
			"that uncertain.",
			format_percent(buf, error));
}

static void warn_workers(struct doc *d, const struct report *rep)
{
	const struct results *r = rep->r[0];
	int i, most = 0;

	for (i = 0; i < rep->set.nr; i++)
		if (rep->set.s[i].nr_valid && !rep->set.s[i].in_matrix &&
		    rep->set.s[i].c->nr_workers > most)
			most = rep->set.s[i].c->nr_workers;
	if (most == 1 && !recorded(r, "contention cannot be measured"))
		doc_add(d, DOC_ITEM,
			"One worker: contention cannot be measured. Nothing here says "
			"what alignment or a larger batch gives under contention.");
	else if (most > 1 && most < r->machine.pus)
		doc_add(d, DOC_ITEM,
			"At most %d workers were measured on %d CPUs: contention grows with the "
			"workers.",
			most, r->machine.pus);
}

static void warn_windows(struct doc *d, const struct results *const *r, int nr)
{
	char share[FORMAT_MAX];
	struct counts n;

	count(&n, r, nr);
	if (n.windows && n.marked == n.windows)
		doc_add(d, DOC_ITEM,
			"Every window was disturbed and is left out: there are no "
			"numbers. Repeat on a quieter machine.");
	else if (n.windows && n.marked > MANY_MARKED * n.windows)
		doc_add(d, DOC_ITEM, "%s of the windows were disturbed and are left out.",
			format_percent(share, (double)n.marked / n.windows));
	if (!n.windows)
		doc_add(d, DOC_ITEM, "No window was measured.");
	if (n.zero)
		doc_add(d, DOC_ITEM,
			"In %d undisturbed window%s nothing got done: in the medians, but in no "
			"ratio.",
			n.zero, n.zero == 1 ? "" : "s");
}

static void warn_precision(struct doc *d, const struct report *rep)
{
	const struct matrix *m = rep->matrices.m;
	int i, k, wide = 0, nr = 0;
	struct estimate e;
	char target[FORMAT_MAX];

	for (i = 0; i < rep->set.nr && rep->r[0]->target > 0; i++) {
		if (rep->set.s[i].in_matrix)
			continue;
		if (series_rate(&rep->set.s[i], &e)) {
			d->failed = true;
			return;
		}
		nr += !!e.n;
		wide += e.n && !(stats_rel_halfwidth(&e) <= rep->r[0]->target);
	}
	for (i = 0; i < rep->matrices.nr && rep->r[0]->target > 0; i++) {
		for (k = 0; k < m[i].nr_cells; k++) {
			nr += !!m[i].cells[k].ns.n;
			wide += m[i].cells[k].ns.n &&
				!(stats_rel_halfwidth(&m[i].cells[k].ns) <= rep->r[0]->target);
		}
	}
	if (wide)
		doc_add(d, DOC_ITEM, "%d of %d cases did not reach the precision asked for, +-%s.",
			wide, nr, format_percent(target, rep->r[0]->target));
}

void record_warnings(struct doc *d, const struct report *rep)
{
	int i, k;

	doc_section(d, "warnings", "Read this before using the numbers");
	warn_workers(d, rep);
	warn_windows(d, rep->r, rep->nr);
	warn_precision(d, rep);
	for (i = 0; i < rep->nr; i++) {
		if (series_run_given_before(rep->r, i))
			doc_add(d, DOC_ITEM, "%s is a run that was given before: it is used once.",
				rep->r[i]->path ? rep->r[i]->path : "One file");
		if (!rep->r[i]->complete)
			doc_add(d, DOC_ITEM, "The run%s%s is not complete: it can be resumed.",
				rep->r[i]->path ? " in " : "",
				rep->r[i]->path ? rep->r[i]->path : "");
		warn_context(d, rep->r[i]);
		for (k = 0; k < rep->r[i]->nr_warnings; k++)
			doc_add(d, DOC_ITEM, "%s", rep->r[i]->warnings[k]);
	}
	if (!d->failed && !d->sections[d->nr_sections - 1].nr_blocks)
		doc_add(d, DOC_PARA, "Nothing to warn of was found.");
}

/* ------------------------------------------------------------------------- how to repeat */

static void how_to_read(struct doc *d)
{
	doc_section(d, "legend", "How to read the numbers");
	doc_add(d, DOC_ITEM,
		"12.3 M +-0.5%%: the median of the windows; 95%% confidence interval, "
		"half its width (bootstrap).");
	doc_add(d, DOC_ITEM,
		"+12.3%% [+11.0,+13.5]: the median change between windows of the same block, so "
		"that drift cancels, and its 95%% interval.");
	doc_add(d, DOC_ITEM,
		"~ +-1.3%%: no difference seen; one of more than 1.3%% would have been seen. "
		"About 1 in 20 cases without a difference is shown as a change all the same.");
	doc_add(d, DOC_ITEM, "?: not decided, or fewer than %d windows and so no interval.",
		STATS_MIN_N);
	doc_add(d, DOC_ITEM, "-(a): no number; the reason is under the table.");
}

void record_repeat(struct doc *d, const struct results *const *r, int nr)
{
	int i, said = 0;

	how_to_read(d);
	doc_section(d, "repeat", "How to repeat it");
	for (i = 0; i < nr && said < MAX_COMMANDS; i++) {
		if (!r[i]->command || !*r[i]->command || series_run_given_before(r, i))
			continue;
		doc_add(d, DOC_COMMAND, "%s", r[i]->command);
		said++;
	}
	if (!said)
		doc_add(d, DOC_PARA, "The files do not hold the command that made them.");
	else if (i < nr)
		doc_add(d, DOC_PARA, "and those of the other files");
}
