/* SPDX-License-Identifier: MIT */
#include "report.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "format.h"
#include "report_private.h"

/* ------------------------------------------------------------------------- per demand */

/* "256 gains +5.1% [+4.5,+5.8] over 32" */
static char *gain_text(char *buf, size_t size, const struct pick_row *row)
{
	char gain[FORMAT_MAX];

	if (row->gain.n)
		snprintf(buf, size, "%lld gains %s over %lld", (long long)row->gain_batch,
			 format_gain(gain, &row->gain), (long long)row->batch);
	else
		snprintf(buf, size, "no larger batch can be compared with %lld",
			 (long long)row->batch);
	return buf;
}

static void explain_decided(const struct pick *p, struct pick_demand *d)
{
	const struct pick_row *row = pick_row_at(d, d->batch);
	char gain[128], margin[FORMAT_MAX];

	if (d->bound_by_limit && row->gain.n)
		snprintf(d->why, sizeof(d->why), "bound by the limit of %lld (%s): %s",
			 (long long)p->limit, p->limit_by, gain_text(gain, sizeof(gain), row));
	else if (d->bound_by_limit)
		snprintf(d->why, sizeof(d->why),
			 "bound by the limit of %lld (%s); no larger batch was measured",
			 (long long)p->limit, p->limit_by);
	else if (row == d->rows)
		snprintf(d->why, sizeof(d->why),
			 "already from %lld, the smallest measured, no larger batch gains more "
			 "than %s",
			 (long long)d->batch, format_percent(margin, p->margin));
	else
		snprintf(d->why, sizeof(d->why),
			 "%s; from %lld on no larger batch gains more than %s",
			 gain_text(gain, sizeof(gain), row - 1), (long long)d->batch,
			 format_percent(margin, p->margin));
}

static void explain_range(const struct pick *p, struct pick_demand *d)
{
	const struct pick_row *row = pick_row_at(d, d->range_lo);
	char gain[128], margin[FORMAT_MAX], more[80] = "", hi[40] = " or more";

	if (row == d->rows + d->nr_rows - 1 && row > d->rows) {
		snprintf(d->why, sizeof(d->why),
			 "at least %lld, the largest measured: %s; measure larger ones",
			 (long long)row->batch, gain_text(gain, sizeof(gain), row - 1));
		return;
	}
	if (d->range_hi)
		snprintf(hi, sizeof(hi), " to %lld", (long long)d->range_hi);
	if (d->more_blocks && row->gain.n < STATS_MIN_N)
		snprintf(more, sizeof(more), "; at least %d more block%s needed", d->more_blocks,
			 d->more_blocks == 1 ? " is" : "s are");
	else if (d->more_blocks)
		snprintf(more, sizeof(more), "; about %d more block%s would decide", d->more_blocks,
			 d->more_blocks == 1 ? "" : "s");
	snprintf(d->why, sizeof(d->why), "cannot tell, %lld%s: %s, the margin is %s%s",
		 (long long)d->range_lo, hi, gain_text(gain, sizeof(gain), row),
		 format_percent(margin, p->margin), more);
}

static void explain_demand(const struct pick *p, struct pick_demand *d)
{
	if (!d->nr_rows)
		snprintf(d->why, sizeof(d->why),
			 "no data: %s%.80s has no valid window with %d worker%s at this demand",
			 p->layout ? "layout " : "", p->layout ? p->layout : p->experiment,
			 d->nr_workers, d->nr_workers == 1 ? "" : "s");
	else if (d->nr_workers < 2)
		snprintf(d->why, sizeof(d->why),
			 "cannot tell: one worker never contends for the shared lines");
	else if (d->decided)
		explain_decided(p, d);
	else if (!d->range_lo)
		snprintf(d->why, sizeof(d->why),
			 "no measured batch is within the limits: the smallest is %lld",
			 (long long)d->rows[0].batch);
	else
		explain_range(p, d);
}

/* ---------------------------------------------------------------------------- overall */

struct sentence {
	char *text;
	size_t size, len;
};

static void say(struct sentence *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void say(struct sentence *s, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(s->text + s->len, s->size - s->len, fmt, ap);
	va_end(ap);
	if (n > 0)
		s->len += (size_t)n < s->size - s->len ? (size_t)n : s->size - s->len - 1;
}

/* "250 ns, 1 us and 4 us": the demands with work that have data, or that have none */
static void say_demands(struct sentence *s, const struct pick *p, bool with_data)
{
	const struct pick_demand *d;
	char work[FORMAT_MAX];
	int i, said = 0, nr = 0;

	for (i = 0; i < p->nr_demands; i++) {
		d = &p->demands[i];
		nr += d->work_ns && (d->nr_rows > 0) == with_data;
	}
	for (i = 0; i < p->nr_demands; i++) {
		d = &p->demands[i];
		if (!d->work_ns || (d->nr_rows > 0) != with_data)
			continue;
		if (said++)
			say(s, said == nr ? " and " : ", ");
		say(s, "%s", format_work(work, d->work_ns));
		if (p->weighted && with_data)
			say(s, " (weight %g)", d->weight);
	}
}

static const struct pick_demand *first_undecided(const struct pick *p)
{
	int i;

	if (p->weighted)
		return p->weighted;
	for (i = 0; i < p->nr_demands; i++)
		if (p->demands[i].work_ns && p->demands[i].nr_rows && !p->demands[i].decided)
			return &p->demands[i];
	return NULL;
}

static bool missing(const struct pick *p)
{
	int i;

	for (i = 0; i < p->nr_demands; i++)
		if (p->demands[i].work_ns && !p->demands[i].nr_rows)
			return true;
	return false;
}

static bool bound(const struct pick *p)
{
	int i;

	if (p->weighted)
		return p->weighted->bound_by_limit;
	for (i = 0; i < p->nr_demands; i++)
		if (p->demands[i].work_ns && p->demands[i].bound_by_limit &&
		    p->demands[i].batch == p->batch)
			return true;
	return false;
}

static void say_decided(struct sentence *s, const struct pick *p)
{
	char margin[FORMAT_MAX];

	say(s, "Batch %lld: the smallest from which no larger one%s gains more than %s at ",
	    (long long)p->batch, bound(p) ? " within the limits" : "",
	    format_percent(margin, p->margin));
	if (p->weighted)
		say(s, "the weighted mean of ");
	say_demands(s, p, true);
	say(s, " of local work per %s", format_per(p->experiment));
	if (p->layout)
		say(s, ", layout %.60s", p->layout);
	say(s, ", %d workers.", p->nr_workers);
	if (p->batch > PICK_8BIT_MAX)
		say(s, " Over %d it needs wide counts: the seven-slot stock has 8-bit slot counts.",
		    PICK_8BIT_MAX);
}

static void say_undecided(struct sentence *s, const struct pick *p)
{
	const struct pick_demand *d = first_undecided(p);
	char work[FORMAT_MAX];

	if (p->nr_workers < 2) {
		say(s, "No batch is recommended: one worker only, so contention cannot be "
		       "measured.");
		return;
	}
	if (!d) {
		say(s, "No batch is recommended: only the saturated demand has data, where every "
		       "doubling pays and the answer is always the largest. Measure with local "
		       "work, such as work_ns=250,1000,4000.");
		return;
	}
	say(s, "No batch is recommended yet");
	/* the range of the demand itself is in its own sentence */
	if (p->range_lo == d->range_lo && p->range_hi == d->range_hi)
		say(s, ". ");
	else if (p->range_hi)
		say(s, ": %lld to %lld. ", (long long)p->range_lo, (long long)p->range_hi);
	else if (p->range_lo)
		say(s, ": %lld or more. ", (long long)p->range_lo);
	else
		say(s, ". ");
	if (p->weighted)
		say(s, "In the weighted mean: %s.", d->why);
	else
		say(s, "At %s of local work per %s: %s.", format_work(work, d->work_ns),
		    format_per(p->experiment), d->why);
}

void pick_explain(struct pick *p)
{
	struct sentence s = {p->sentence, sizeof(p->sentence), 0};
	int i;

	for (i = 0; i < p->nr_demands; i++)
		explain_demand(p, &p->demands[i]);
	if (p->weighted)
		explain_demand(p, p->weighted);
	if (p->predicted)
		say(&s, "Predicted by the model, not measured. ");
	if (p->decided)
		say_decided(&s, p);
	else
		say_undecided(&s, p);
	if (!missing(p))
		return;
	say(&s, " No data at ");
	say_demands(&s, p, false);
	say(&s, ".");
}
