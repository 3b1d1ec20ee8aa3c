/* SPDX-License-Identifier: MIT */
/*
 * sim.h - the model: what an experiment would do on a machine that is not here
 *
 * The subjects are compiled a second time, against a katomic.h that reports every access. One fiber
 * per simulated CPU runs the same run() on the same structs; the model decides when each access
 * ends. So the layout decides which fields share a line here as it does on hardware, and moving a
 * field moves the prediction.
 *
 * Time is an integer of picoseconds; events are ordered by (time, CPU): the same input gives the
 * same bytes of output, whatever the compiler's optimization or the address space layout. Nothing
 * reads a clock, nothing is random that is not drawn from the seed.
 *
 * A line is modified at one CPU, or shared by a set of them. An access that finds it in the needed
 * state is a hit and costs local time. Anything else is a transaction; the line's home serves them
 * one at a time. Whose turn it is, is drawn: a group of CPUs with more waiting is served more often
 * (in `per_group` of all turns: is not), inside a group anybody may be next.
 *
 *   modified elsewhere   L(i,j), the hand-over latency of the pair, from the profile; it was measured
 *                        with the atomic in it, so the atomic that waited for it costs no more
 *   read of a shared one L to the nearest sharer's group; such reads overlap
 *   write of a shared    L to the farthest sharer's group: the invalidation waits for it; times
 *                        upgrade_cross when a sharer is in another package
 *   look ahead (AMD)     a core asks for a line up to ahead_ps before it needs it, as far as it had
 *                        local work to do since its last atomic: that much of the hand-over costs
 *                        nothing where the line was free. And it runs reads ahead of an atomic:
 *                        where a subject reads another word of the line after its atomic (max
 *                        beside usage) and it arrives before the atomic asks, it comes shared
 *                        first and is upgraded then, two transactions instead of one
 *   far atomics (Arm)    the home executes: two legs, and far_ps of service; no hand-over. One
 *                        whose value nobody uses is posted: the core goes on, with 8 on their way
 *   crowd (LL/SC)        each CPU that waits adds crowd_ps to a turn: it loads, and fails to store
 *
 *   visit    the next request is on its way while the owner works: the owner keeps the line for
 *            w L of its L on average (drawn, exponential), on EPYC keep_ps more. What reads in that
 *            time hits; an atomic does when half of it fits, so n more of e are done, w L / e on
 *            average. Hence the law of a saturated line: s = L / (1 + w L / e). A copy that is
 *            called back is readable as long
 *   batch    the home prefers requests from the owner's group at most `batch` times in a row
 *
 * Local work (cpu_work_ns) is drawn from within a quarter of its length: CPUs that all work equally
 * long would stay in step, and arrive at a line together for ever.
 *
 * What it leaves out: bandwidth of links, capacity of caches, TLBs, prefetchers, frequency, and
 * out-of-order overlap of a core's own misses. Where it is known to be wrong: docs/model.md.
 *
 * Threads: any number of sim_run() at once, each on its own thread.
 */
#ifndef CHARGELINE_SIM_H
#define CHARGELINE_SIM_H

#include <stdbool.h>
#include <stdint.h>

#include "err.h"
#include "experiment.h"
#include "text.h"
#include "topo.h"

/* ------------------------------------------------------------------- profiles */

/* a reorder buffer of 256 entries (Zen 3) to 448 (Zen 5), 3 of them in a cycle: 25 to 36 ns */
#define AMD_AHEAD_PS 30000

/* What the model knows of a machine besides its topology. Every figure has its source in
 * sim/profiles.c or comes from a matrix. All times in ps. */
struct sim_costs {
	int64_t smt, cluster, node, socket,
		cross;		  /* hand-over by relation; socket: other node in it */
	int64_t cross_far;	  /* across the farther link of a machine that has two; 0: none */
	int64_t rmw, load, store; /* of a hit; e is rmw */
	int64_t op;		  /* of an operation beside its accesses and its local work */
	int64_t far_ps;		  /* 0: atomics run in the core */
	double visit;		  /* w; 0: none */
	int64_t keep_ps;	  /* what an owner keeps a wanted line beside w L, however near */
	double per_group;	  /* of 1: turns that go to groups, not to requests */
	int64_t crowd_ps;	  /* LL/SC: what each CPU that waits adds to a turn */
	int64_t ahead_ps;	  /* how far a core looks ahead (AMD); 0: not past a locked one */
	double upgrade_cross;	  /* 1: an upgrade costs what a hand-over costs */
	int batch;		  /* B; 1: none */
	bool home_decides; /* EPYC: a pair away from the home's socket pays `cross` (or `socket`) */
};

/* the op of one case, where it is known better than costs.op: on any number of CPUs */
struct sim_op {
	const char *experiment; /* its name, of a record */
	void *params;		/* owned */
	int64_t ps;
};

struct sim_profile {
	char name[64];
	char source[500];  /* where the figures are from */
	struct topo *topo; /* owned */
	struct sim_costs costs;
	int nr_cpus;	      /* usable CPUs of topo, by index */
	int nr_groups;	      /* LLC groups: CPUs that share the smallest cache that cores share */
	int nr_homes;	      /* 1, or one for each package when home_decides */
	int *group, *package; /* of each CPU */
	int64_t *transfer;    /* [home][i][j], ps */
	uint8_t *
		pair_class; /* the same where there are few values: an index into class_cost; or NULL */
	int64_t class_cost[256];
	int64_t *group_cost; /* [home][i][group]: mean of transfer to its CPUs */
	struct sim_op *op;   /* owned; nr_op of them */
	int nr_op;
};

/* the built-in ones, by name: "clx-2s18c", "cpx-5318h", ... ends with NULL */
const char *const *sim_profile_names(void);

/* -EINVAL unknown name (nearest given). Free with sim_profile_free(), which accepts NULL. */
int sim_profile_builtin(struct sim_profile **out, const char *name, struct err *err);

/* from a topology and costs by relation; @topo is taken over, also on failure */
int sim_profile_make(struct sim_profile **out, const char *name, struct topo *topo,
		     const struct sim_costs *costs, struct err *err);

/*
 * sim_profile_csv - replace the hand-over latencies by a measured matrix
 * @path: lower triangle as in machines/README.md; row r is the r-th usable CPU by OS number
 * -EINVAL: another size than the topology (both named), text, NaN, zero, negative or missing cells,
 * the two directions of a full matrix more than 2x apart: with row and column.
 */
int sim_profile_csv(struct sim_profile *p, const char *path, struct err *err);

/* after p->transfer was changed by hand: what follows from it, sim_transfer() too; 0 or -ENOMEM */
int sim_profile_refresh(struct sim_profile *p);
void sim_profile_free(struct sim_profile *p);

static inline int64_t sim_transfer(const struct sim_profile *p, int home, int from, int to)
{
	if (p->pair_class)
		return p->class_cost
			[p->pair_class[((int64_t)home * p->nr_cpus + from) * p->nr_cpus + to]];
	return p->transfer[((int64_t)home * p->nr_cpus + from) * p->nr_cpus + to];
}

/* ----------------------------------------------------------------- predictions */

struct sim_config {
	const struct sim_profile *profile;
	const char *experiment; /* its name: the model has its own copy of the record */
	const void *params;	/* as for the native record of that name */
	struct cpulist cpus;	/* OS numbers of the profile's topology, one per worker */
	int home;		/* index of the home package for home_decides; 0 */
	uint64_t seed;
	double target;		/* stop at this relative half-width; 0: 0.005 */
	int64_t max_accesses;	/* the bound; 0: 100 million */
	int64_t ops_per_worker; /* > 0: fixed work instead of a steady state (ccont's protocol) */
};

/* where a worker's time goes, summed over workers, ps */
struct sim_time {
	int64_t work, hits, transfers, queueing, other;
};

struct sim_line_report {
	int64_t offset;	  /* of the line in the model's memory: stable from run to run */
	char fields[160]; /* names of the fields on it, as far as the subject told them */
	uint64_t accesses, transfers;
	int64_t waited_ps; /* all CPUs: transfers and queueing */
};

#define SIM_MAX_LINES 16

struct sim_result {
	double rate;	   /* operations per second, all workers */
	double half_width; /* relative, of the rate: how far the simulation itself is uncertain;
			      NaN: the bound came before two batches had ended */
	double ns_per_op;  /* workers / rate */
	double transfers_per_op;
	double slowest, fastest, jain;
	double metrics[EXPERIMENT_MAX_METRICS]; /* the experiment's own; NaN none */
	struct sim_time time;
	struct sim_line_report line[SIM_MAX_LINES]; /* those waited for most */
	int nr_lines;
	uint64_t nr_accesses; /* simulated */
	int64_t simulated_ps;
	double *worker_rate; /* for fixed work; NULL else; free() it */
	bool bounded;	     /* the bound came before the target */
};

/*
 * sim_run - one prediction
 * -EINVAL: unknown experiment, more workers than CPUs, a CPU that the profile does not have, what
 * the experiment refuses; -EUCLEAN: its invariant broke; -ETIME: no operation ended within the
 * bound: the subject waits for something that never comes; -ENOMEM.
 */
int sim_run(const struct sim_config *config, struct sim_result *out, struct err *err);

/* a field in shared memory and what was done to it, setup and check not counted */
struct sim_field {
	int64_t offset; /* in the model's memory */
	int size;	/* bytes */
	char name[48];	/* as the subject tells it: "0:usage", level and name */
	uint64_t reads, writes;
};

/*
 * sim_fields - who touches what: @config run, and the accesses of every field that the subject names
 * Layout facts, the same on every machine. *out is the caller's, free() it. Errors as sim_run().
 */
int sim_fields(const struct sim_config *config, struct sim_field **out, int *nr, struct err *err);

/*
 * sim_sweep - many predictions, on all cores; the results do not depend on how many there are
 * @tell: called on the caller's thread with how many are done; returns true to stop; may be NULL
 * Returns 0, 1 when stopped (@done says which), or the first error by position.
 */
int sim_sweep(const struct sim_config *configs, int nr, struct sim_result *out, bool *done,
	      bool (*tell)(void *ctx, int nr_done), void *ctx, struct err *err);

#endif
