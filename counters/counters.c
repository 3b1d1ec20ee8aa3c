/* SPDX-License-Identifier: MIT */
#include "counters_private.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct counter_thread {
	struct counters *c;
	void *opened[COUNTERS_MAX]; /* NULL: refused to open */
	struct err open_err[COUNTERS_MAX];
	int set; /* of the last window; -1: none yet */
	bool begun, running;
	struct err err; /* of the last window; code 0: it was counted */
	struct counter_reading reading[SET_MAX_EVENTS];
};

/* --------------------------------------------------------------------- opening */

static int open_backend(struct counters *c, const struct counter_backend *first,
			const struct counter_backend *second)
{
	struct err err = ERR_INIT;

	if (first && !first->open(c->version, sizeof(c->version), &err)) {
		c->backend = first;
		return 0;
	}
	if (first)
		snprintf(c->note, sizeof(c->note), "%s", err.msg);
	if (!second || second->open(c->version, sizeof(c->version), &err))
		return -1;
	c->backend = second;
	return 0;
}

static void refuse_all(struct counters *c, const char *why)
{
	int i;

	for (i = 0; i < c->nr; i++) {
		c->column[i].state = COUNTER_NOT_SUPPORTED;
		snprintf(c->column[i].info.reason, sizeof(c->column[i].info.reason), "%s", why);
	}
	c->nr_sets = 1;
}

int counters_open_with(struct counters **out, const struct counter_machine *machine,
		       const struct counter_backend *first, const struct counter_backend *second,
		       const char *choice, bool multiplex, struct err *err)
{
	struct err begin = ERR_INIT;
	struct counters *c;
	int rc;

	*out = NULL;
	choice = choice ? choice : COUNTERS_DEFAULT;
	if (!strcmp(choice, "none"))
		return 0;
	c = calloc(1, sizeof(*c));
	if (!c)
		return err_set(err, -ENOMEM, "out of memory");
	c->machine = *machine;
	c->multiplex = multiplex;
	rc = choice_parse(c, choice, err);
	if (rc) {
		counters_close(c);
		return rc;
	}
	if (open_backend(c, first, second)) {
		refuse_all(c, *c->note ? c->note : "there is nothing to count with");
	} else if (c->backend->thread_begin(&begin)) {
		refuse_all(c, begin.msg);
		c->backend = NULL;
	} else {
		probe_columns(c);
		c->backend->thread_end();
	}
	*out = c;
	return 0;
}

int counters_open(struct counters **out, const struct topo *topo, const char *choice,
		  bool multiplex, struct err *err)
{
	const char *told = "multiplexed through perf_event_open: PAPI does not say which share of "
			   "the time an event was counted";
	struct counter_machine machine = {.uarch = ""};
	int rc;

	if (choice && !strcmp(choice, "none")) {
		*out = NULL;
		return 0;
	}
	if (!topo_info(topo)->is_this_system)
		return err_set(err, -EOPNOTSUPP, "'%s' is not this system: nothing can be counted",
			       topo_info(topo)->input);
	counter_machine_read(&machine, topo, "");
	rc = counters_open_with(out, &machine, multiplex ? NULL : &papi_backend, &perf_backend,
				choice, multiplex, err);
	if (!rc && *out && multiplex)
		snprintf((*out)->note, sizeof((*out)->note), "%s", told);
	return rc;
}

void counters_close(struct counters *c)
{
	free(c);
}

/* ------------------------------------------------------------------- accessors */

int counters_nr(const struct counters *c)
{
	return c->nr;
}

const struct counter_info *counters_info(struct counters *c, int column)
{
	struct column *col = &c->column[column];

	col->info.state = col->state == COUNTER_COUNTED && col->nr_refused && !col->nr_counted
				  ? COUNTER_NOT_COUNTED
				  : col->state;
	return &col->info;
}

int counters_nr_sets(const struct counters *c)
{
	return c->nr_sets;
}

bool counters_multiplexed(const struct counters *c)
{
	return c->multiplex;
}

const char *counters_backend(const struct counters *c)
{
	return c->backend ? c->version : "none";
}

const char *counters_note(const struct counters *c)
{
	return c->note;
}

/* --------------------------------------------------------------------- threads */

int counters_thread_open(struct counters *c, struct counter_thread **out, struct err *err)
{
	struct counter_thread *t = calloc(1, sizeof(*t));
	struct err begin = ERR_INIT;
	int i;

	if (!t)
		return err_set(err, -ENOMEM, "out of memory");
	t->c = c;
	t->set = -1;
	t->begun = c->backend && !c->backend->thread_begin(&begin);
	if (c->backend && !t->begun) {
		for (i = 0; i < c->nr_sets; i++)
			t->open_err[i] = begin;
	} else if (t->begun) {
		for (i = 0; i < c->nr_sets; i++)
			if (c->set[i].nr &&
			    c->backend->set_open(&t->opened[i], c->set[i].event, c->set[i].nr,
						 c->multiplex, &t->open_err[i]))
				t->opened[i] = NULL;
	}
	*out = t;
	return 0;
}

void counters_thread_close(struct counter_thread *t)
{
	int i;

	if (!t)
		return;
	for (i = 0; i < t->c->nr_sets; i++)
		if (t->opened[i])
			t->c->backend->set_close(t->opened[i]);
	if (t->begun)
		t->c->backend->thread_end();
	free(t);
}

void counters_start(struct counter_thread *t, int set)
{
	t->set = set;
	t->err = t->open_err[set];
	t->running = t->opened[set] && !t->c->backend->start(t->opened[set], &t->err);
}

void counters_stop(struct counter_thread *t)
{
	if (t->running && t->c->backend->stop(t->opened[t->set], t->reading, &t->err) &&
	    !t->err.code)
		t->err.code = -EIO;
	t->running = false;
}

/* ---------------------------------------------------------------------- values */

/* the event's count in the last window; NaN, and why */
static double count_of(const struct counter_thread *t, const struct counter_event *e, double *share,
		       const char **why)
{
	const struct counter_reading *r;
	int at = t->set < 0 ? -1 : set_index(&t->c->set[t->set], e);

	*why = NULL;
	if (at < 0)
		return NAN;
	if (t->err.code || !t->opened[t->set]) {
		*why = t->err.msg;
		return NAN;
	}
	r = &t->reading[at];
	*why = reading_fault(r, t->c->multiplex);
	if (*why)
		return NAN;
	if (r->share < *share)
		*share = r->share;
	return r->value;
}

struct counter_software counters_software(const struct counter_thread *t)
{
	struct counter_software s = {NAN, NAN, NAN, NAN};
	double share = 1, *const to[] = {&s.task_clock_ns, &s.page_faults, &s.context_switches,
					 &s.migrations};
	const char *const names[] = {"task_clock", "page_faults", "context_switches", "migrations"};
	const char *why;
	int i, k;

	for (i = 0; i < t->c->nr; i++)
		for (k = 0; k < 4; k++)
			if (t->c->column[i].state == COUNTER_COUNTED &&
			    !strcmp(t->c->column[i].info.name, names[k]))
				*to[k] = count_of(t, &t->c->column[i].event[0], &share, &why);
	return s;
}

/* of all threads; NaN when one of them has none, with its sentence in the column */
static double sum_of(struct column *col, int event, struct counter_thread *const *threads, int nr,
		     double *share)
{
	const char *why;
	double sum = 0, v;
	int i;

	for (i = 0; i < nr; i++) {
		v = count_of(threads[i], &col->event[event], share, &why);
		if (isnan(v)) {
			snprintf(col->info.reason, sizeof(col->info.reason), "%s",
				 why && *why ? why : "the set could not be counted");
			return NAN;
		}
		sum += v;
	}
	return sum;
}

static double value_of(struct column *col, struct counter_thread *const *threads, int nr,
		       double ops, double *share)
{
	double sum[METRIC_MAX_EVENTS] = {0}, total = 0;
	int i;

	for (i = 0; i < col->nr_events; i++) {
		sum[i] = sum_of(col, i, threads, nr, share);
		total += sum[i];
	}
	if (col->formula == COUNTER_QUOTIENT)
		total = sum[0] / sum[1];
	else
		total /= ops;
	return isfinite(total) ? total : NAN;
}

double counters_values(struct counters *c, struct counter_thread *const *threads, int nr,
		       double ops, double *values)
{
	double least = INFINITY, share;
	struct column *col;
	int i;

	for (i = 0; i < c->nr; i++) {
		col = &c->column[i];
		values[i] = NAN;
		if (col->state != COUNTER_COUNTED ||
		    !(col->software || col->set == threads[0]->set))
			continue;
		/* in a set of its own a column may be without the software events */
		if (threads[0]->set >= 0 && set_index(&c->set[threads[0]->set], &col->event[0]) < 0)
			continue;
		share = 1;
		values[i] = value_of(col, threads, nr, ops, &share);
		if (isnan(values[i])) {
			col->nr_refused++;
			continue;
		}
		col->nr_counted++;
		least = share < least ? share : least;
	}
	return isfinite(least) ? least : NAN;
}
