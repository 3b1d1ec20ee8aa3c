/* SPDX-License-Identifier: MIT */
#include "report.h"

#include <stdlib.h>
#include <string.h>

#include "report_private.h"
#include "text.h"

int64_t pick_reference(int which)
{
	return which ? PICK_KERNEL_BATCH : PICK_OLD_BATCH;
}

static bool is_batch(const char *name)
{
	return !strcmp(name, "batch");
}

static bool same_but_batch(const struct result_case *a, const struct result_case *b)
{
	return a->nr_workers == b->nr_workers && text_same(a->placement, b->placement) &&
	       result_same_params(a, b, is_batch);
}

static bool is_at(const struct series *s, int64_t batch)
{
	int64_t its;

	return s->nr_valid && result_param(s->c, "batch", &its) && its == batch;
}

static int compare(struct pick *p, const struct series *at, const struct series *smaller,
		   int64_t batch)
{
	struct pick_loser *grown;
	struct estimate change;
	int rc = series_ratio(at, smaller, &change);

	if (rc || !change.n)
		return rc;
	p->nr_compared++;
	if (change.hi >= 1)
		return 0;
	grown = realloc(p->losers, (p->nr_losers + 1) * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	p->losers = grown;
	p->losers[p->nr_losers++] = (struct pick_loser){at->c, batch, change};
	return 0;
}

static int most_first(const void *pa, const void *pb)
{
	const struct pick_loser *a = pa, *b = pb;

	return (a->change.mid > b->change.mid) - (a->change.mid < b->change.mid);
}

int pick_find_losers(struct pick *p, const struct series_set *set)
{
	int which, i, k, rc = 0;
	int64_t batch;

	for (which = 0; p->decided && which < PICK_NR_REFERENCES; which++) {
		batch = pick_reference(which);
		for (i = 0; i < set->nr && batch < p->batch; i++) {
			if (!is_at(&set->s[i], p->batch))
				continue;
			for (k = 0; k < set->nr && !rc; k++)
				if (is_at(&set->s[k], batch) &&
				    same_but_batch(set->s[i].c, set->s[k].c))
					rc = compare(p, &set->s[i], &set->s[k], batch);
		}
	}
	if (p->nr_losers)
		qsort(p->losers, p->nr_losers, sizeof(*p->losers), most_first);
	return rc;
}
