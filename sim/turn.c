/* SPDX-License-Identifier: MIT */
/* Whose turn it is at a line's home. */
#include "sim_private.h"

#include "stats.h"

#define PER_GROUP_OF 1000

/* each group that has somebody waiting is as likely as the others */
static int any_group(struct sim *s, const struct sim_line *l, int skip)
{
	int g, nr = 0, drawn;

	for (g = 0; g < s->profile->nr_groups; g++)
		nr += g != skip && l->nr_in_group[g];
	drawn = (int)stats_rng_below(&s->rng, nr);
	for (g = 0; g == skip || !l->nr_in_group[g] || drawn-- > 0; g++)
		;
	return g;
}

/*
 * The next to be served. Nobody has published the order; requests of equal age meet on the way, so
 * it is drawn: a group with more waiting is served more often, and inside a group anyone is next.
 * In order of issue alone the queue would sort itself by socket for ever, which no machine shows.
 * With batches, the owner's group is served `batch` times in a row, then the others get their turn.
 */
static int choose(struct sim *s, struct sim_line *l)
{
	int own = l->owner == NOBODY ? NOBODY : s->cpu[l->owner].group, g, skip = NOBODY;
	int nr = l->nr_waiting, drawn, per_group = PER_GROUP_OF * s->profile->costs.per_group;

	if (s->profile->costs.batch > 1 && own != NOBODY) {
		if (l->nr_in_group[own] && ++l->run_length < s->profile->costs.batch)
			return own;
		if (l->nr_in_group[own] < nr) {
			skip = own;
			nr -= l->nr_in_group[own];
		}
	}
	l->run_length = 0;
	if (per_group && (int)stats_rng_below(&s->rng, PER_GROUP_OF) < per_group)
		return any_group(s, l, skip);
	drawn = (int)stats_rng_below(&s->rng, nr);
	for (g = 0; g == skip || drawn >= l->nr_in_group[g]; g++)
		drawn -= g == skip ? 0 : l->nr_in_group[g];
	return g;
}

/* any of those that wait in the group: CPUs of a core, or in step, would else stay in their order */
struct sim_cpu *turn_next(struct sim *s, struct sim_line *l)
{
	int group = choose(s, l);
	uint16_t *waiting = &l->waiting[s->first_slot[group]], nr = l->nr_in_group[group]--;
	int k = nr > 1 ? (int)stats_rng_below(&s->rng, nr) : 0, idx = waiting[k];

	waiting[k] = waiting[nr - 1];
	l->nr_waiting--;
	return &s->cpu[idx];
}

void turn_wait(struct sim *s, struct sim_line *l, struct sim_cpu *c)
{
	int g = c->group;

	l->waiting[s->first_slot[g] + l->nr_in_group[g]++] = c->idx;
	l->nr_waiting++;
}
