/* SPDX-License-Identifier: MIT */
#include "sim_private.h"

#include <math.h>

#include "stats.h"

#define LAST_WAS_RMW  1
#define READS_FOLLOW  2
#define MAX_RUN_AHEAD 64 /* accesses of a line that only one CPU has touched */

static int64_t hit_cost(const struct sim_costs *costs, enum sim_kind kind)
{
	return kind == SIM_LOAD ? costs->load : kind == SIM_STORE ? costs->store : costs->rmw;
}

/*
 * Does @c have the line in the state that the access needs, at its time? Also while the line is on
 * its way to somebody else: until it leaves.
 */
static bool is_hit(const struct sim *s, const struct sim_line *l, const struct sim_cpu *c,
		   enum sim_kind kind)
{
	if (l->owner == c->idx)
		return true;
	/* half of it done: the snoop waits for the rest, and w L / e more are done on average */
	if (kind != SIM_LOAD)
		return l->busy && l->old_owner == c->idx &&
		       c->now + s->profile->costs.rmw / 2 <= l->leaves_at;
	if (l->busy && l->old_owner == c->idx && (l->to_reader || c->now <= l->leaves_at))
		return true;
	/* a copy that is being called back is readable until the call arrives */
	if (l->busy && !l->to_reader && l->of[c->idx].mark == l->epoch - 1 &&
	    c->now <= l->leaves_at)
		return true;
	return l->of[c->idx].mark == l->epoch;
}

static void count_hit(struct sim *s, struct sim_cpu *c, enum sim_kind kind)
{
	int64_t cost = hit_cost(&s->profile->costs, kind);

	c->now += cost;
	c->time.hits += cost;
	if (kind >= SIM_RMW)
		c->stalled_until = c->now;
}

/* --------------------------------------------------------------------- sharers */

static void share_with(struct sim *s, struct sim_line *l, struct sim_cpu *c)
{
	if (l->of[c->idx].mark == l->epoch)
		return;
	l->of[c->idx].mark = l->epoch;
	l->group_sharers[c->group]++;
	l->nr_sharers++;
}

static void forget_sharers(struct sim *s, struct sim_line *l)
{
	int g;

	for (g = 0; l->nr_sharers && g < s->profile->nr_groups; g++)
		l->group_sharers[g] = 0;
	l->nr_sharers = 0;
	l->epoch++;
}

static int64_t group_cost(const struct sim *s, const struct sim_cpu *c, int group)
{
	const struct sim_profile *p = s->profile;

	return p->group_cost[((int64_t)s->config->home * p->nr_cpus + c->pidx) * p->nr_groups +
			     group];
}

/* the nearest or the farthest group that shares the line; 0: nobody else does */
static int64_t sharer_cost(const struct sim *s, const struct sim_line *l, const struct sim_cpu *c,
			   bool farthest)
{
	bool mine = l->of[c->idx].mark == l->epoch;
	int64_t cost, best = 0;
	int g, nr;

	for (g = 0; g < s->profile->nr_groups; g++) {
		nr = l->group_sharers[g] - (mine && g == c->group);
		if (nr <= 0)
			continue;
		cost = group_cost(s, c, g);
		if (!best || (farthest ? cost > best : cost < best))
			best = cost;
	}
	return best;
}

/* ---------------------------------------------------------------- transactions */

/* a write by a CPU that had a copy is a second transaction for the same line: the upgrade */
static int64_t invalidation(const struct sim *s, const struct sim_line *l, const struct sim_cpu *c)
{
	const struct sim_costs *costs = &s->profile->costs;
	int64_t cost = sharer_cost(s, l, c, true);

	if (cost > costs->socket && l->of[c->idx].mark == l->epoch)
		cost = (int64_t)(cost * costs->upgrade_cross);
	return cost;
}

static int64_t cost_of(const struct sim *s, const struct sim_line *l, const struct sim_cpu *c)
{
	if (l->owner != NOBODY)
		return sim_transfer(s->profile, s->config->home, s->pidx[l->owner], c->pidx);
	if (l->nr_sharers)
		return c->kind == SIM_LOAD ? sharer_cost(s, l, c, false) : invalidation(s, l, c);
	return s->profile->costs.socket; /* in no cache: from memory, once */
}

/* how long the owner keeps a line that is wanted elsewhere: w L and keep_ps on average */
static int64_t hold_ps(struct sim *s, int64_t transfer)
{
	double mean = s->profile->costs.visit * transfer + s->profile->costs.keep_ps;
	double u = (stats_rng_below(&s->rng, 1 << 20) + 0.5) / (1 << 20);

	return mean > 0 ? (int64_t)(-log(u) * mean) : -1;
}

/* the home executes the atomic itself: copies are called in first, and nobody gets the line */
static int64_t far_service(struct sim *s, struct sim_line *l, int64_t now)
{
	const struct sim_costs *costs = &s->profile->costs;
	int64_t ends = now > l->server_free ? now : l->server_free;

	if (l->owner != NOBODY || l->nr_sharers)
		ends += costs->socket / 2;
	l->owner = NOBODY;
	forget_sharers(s, l);
	l->transfers++;
	l->server_free = ends + costs->far_ps;
	return l->server_free;
}

static bool is_far(const struct sim *s, const struct sim_cpu *c)
{
	return c->kind >= SIM_RMW && s->profile->costs.far_ps;
}

static void begin_far(struct sim *s, struct sim_line *l, struct sim_cpu *c, int64_t now)
{
	int64_t ends = far_service(s, l, now);

	c->time.queueing += now - c->issued;
	c->time.transfers += ends - now;
	l->waited += ends - c->issued;
	l->busy = c->alone = true;
	l->to_reader = false;
	l->old_owner = NOBODY;
	engine_schedule(s, c, ends);
}

static void begin(struct sim *s, struct sim_line *l, struct sim_cpu *c, int64_t now)
{
	bool has_copy = c->kind == SIM_LOAD && l->of[c->idx].mark == l->epoch;
	int64_t cost = has_copy ? 0 : cost_of(s, l, c), ends, least;

	if (c->kind != SIM_LOAD)
		cost += s->profile->costs.crowd_ps * l->nr_waiting;
	/* however early it was asked for: the atomic itself is still to be done */
	ends = (l->free_at > c->asked ? l->free_at : c->asked) + cost;
	least = c->kind == SIM_LOAD ? 0 : hit_cost(&s->profile->costs, c->kind);
	least = now + (least < cost ? least : cost);
	if (ends < least)
		ends = least;
	c->time.queueing += now - c->issued;
	c->time.transfers += ends - now;
	l->waited += ends - c->issued;
	l->transfers += !has_copy;
	engine_schedule(s, c, ends);
	c->alone = c->kind != SIM_LOAD || l->owner != NOBODY;
	c->epoch = l->epoch;
	if (!c->alone)
		return; /* reads of a shared line overlap */
	l->busy = true;
	l->to_reader = c->kind == SIM_LOAD;
	l->old_owner = l->owner;
	l->taker = c->idx;
	l->leaves_at = now + hold_ps(s, cost);
	l->owner = NOBODY;
	if (c->kind != SIM_LOAD)
		forget_sharers(s, l);
}

/* as many as can be begun at once: one that changes the state, or any number of reads */
static void serve(struct sim *s, struct sim_line *l, int64_t now)
{
	struct sim_cpu *c;

	while (l->nr_waiting && !l->busy) {
		c = turn_next(s, l);
		(is_far(s, c) ? begin_far : begin)(s, l, c, now);
	}
}

void line_grant(struct sim *s, struct sim_cpu *c)
{
	struct sim_line *l = c->line;

	c->line = NULL;
	if (is_far(s, c)) {
		; /* it stays at the home */
	} else if (c->kind != SIM_LOAD) {
		l->owner = c->idx;
	} else if (c->alone) {
		/* a modified line is now shared by its owner and the reader */
		forget_sharers(s, l);
		share_with(s, l, &s->cpu[l->old_owner]);
		share_with(s, l, c);
	} else if (c->epoch == l->epoch && l->owner == NOBODY) {
		share_with(s, l, c);
	}
	if (c->alone) {
		l->busy = false;
		l->free_at = c->now;
	}
	c->stalled_until = c->now;
	serve(s, l, c->now);
}

/* the first CPU to touch a line has it to itself until a second one comes */
static bool still_private(struct sim_line *l, struct sim_cpu *c)
{
	if (l->shared_ever)
		return false;
	if (l->first == NOBODY)
		l->first = l->owner = c->idx;
	if (l->first == c->idx)
		return true;
	l->shared_ever = true;
	return false;
}

/* the core looks ahead, over what it has to do since it last stood still, not past an atomic */
static int64_t asked_at(const struct sim *s, const struct sim_cpu *c)
{
	int64_t at = c->now - s->profile->costs.ahead_ps;

	return at > c->stalled_until ? at : c->stalled_until;
}

static void transact(struct sim *s, struct sim_line *l, struct sim_cpu *c, enum sim_kind kind)
{
	c->line = l;
	c->kind = kind;
	c->issued = c->now;
	c->asked = asked_at(s, c);
	turn_wait(s, l, c);
	serve(s, l, c->now);
	engine_yield(s);
}

/* the requester waits its turn, the service and two legs */
static void far_atomic(struct sim *s, struct sim_line *l, struct sim_cpu *c)
{
	int64_t legs = s->profile->costs.socket;

	transact(s, l, c, SIM_RMW);
	c->now += legs;
	c->time.transfers += legs;
	l->waited += legs;
	engine_wait_turn(s, c);
}

/* nobody waits for the value: the core goes on, until too many of its own are under way */
static void far_post(struct sim *s, struct sim_line *l, struct sim_cpu *c)
{
	int64_t *ends = &c->posted[c->nr_posted++ % SIM_MAX_POSTED];
	int64_t waits = *ends > c->now ? *ends - c->now : 0;

	c->time.queueing += waits;
	l->waited += waits;
	c->now += waits;
	*ends = far_service(s, l, c->now) + s->profile->costs.socket;
	count_hit(s, c, SIM_POST);
	engine_wait_turn(s, c);
}

/*
 * Does a read of @l by @c follow its own atomic on it? What happened once is taken for a habit. A
 * read of what the atomic changes has to wait for it.
 */
static void learn(struct sim_line *l, struct sim_cpu *c, enum sim_kind kind, int word)
{
	uint8_t *f = &l->of[c->idx].follows;

	if (kind >= SIM_RMW) {
		*f |= LAST_WAS_RMW;
		l->of[c->idx].rmw_word = word;
	} else if (*f & LAST_WAS_RMW && word != l->of[c->idx].rmw_word) {
		*f = READS_FOLLOW;
	}
}

/*
 * The core runs reads ahead of its atomic: the line comes shared first, and is upgraded. Where it is
 * not there before the atomic asks (far away, or asked for ahead by the atomic too), both are one.
 */
static bool reads_ahead(const struct sim *s, const struct sim_line *l, const struct sim_cpu *c)
{
	int from = l->owner != NOBODY ? l->owner : l->busy ? l->taker : NOBODY;
	int64_t ahead_ps = s->profile->costs.ahead_ps;

	ahead_ps -= ahead_ps ? c->now - asked_at(s, c) : 0;
	if (!ahead_ps || !(l->of[c->idx].follows & READS_FOLLOW) || l->of[c->idx].mark == l->epoch)
		return false;
	return ahead_ps >=
	       (from == NOBODY ? sharer_cost(s, l, c, false)
			       : sim_transfer(s->profile, s->config->home, s->pidx[from], c->pidx));
}

void line_access(struct sim *s, struct sim_line *l, enum sim_kind kind, int word)
{
	struct sim_cpu *c = s->running;

	s->nr_accesses++;
	l->accesses++;
	/* lines of its own let a CPU run ahead, but not for ever: it may be waiting for another */
	if (s->nr_accesses >= s->max_accesses || !(l->accesses % MAX_RUN_AHEAD))
		engine_wait_turn(s, c);
	if (still_private(l, c)) {
		count_hit(s, c, kind);
		return;
	}
	learn(l, c, kind, word);
	/* whoever is earlier goes first: it may take the line away */
	if (!engine_is_first(s, c))
		engine_wait_turn(s, c);
	if (is_hit(s, l, c, kind)) {
		count_hit(s, c, kind);
		return;
	}
	if (kind >= SIM_RMW && s->profile->costs.far_ps) {
		(kind == SIM_POST ? far_post : far_atomic)(s, l, c);
		return;
	}
	if (kind >= SIM_RMW && reads_ahead(s, l, c))
		transact(s, l, c, SIM_LOAD);
	transact(s, l, c, kind);
	if (kind == SIM_LOAD)
		count_hit(s, c, kind);
}
