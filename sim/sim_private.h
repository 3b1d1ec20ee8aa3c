/* SPDX-License-Identifier: MIT */
/*
 * sim_private.h - the parts of the model, private to sim/
 *
 *   sim.c       a prediction: setup, warm-up, batches of simulated time, what comes out
 *   engine.c    fibers, the event heap, time
 *   line.c      cache lines: states, transactions
 *   turn.c      the order of service
 *   arena.c     the model's memory: fixed line numbers
 *   profile.c   costs of a machine; profiles.c: the built-in table
 */
#ifndef SIM_PRIVATE_H
#define SIM_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>

#include "fiber.h"
#include "sim.h"

#define LINE_SIZE   64
#define SIM_MAX_CPU 4096 /* CPU numbers fit 12 bits of an event's key */
#define NOBODY	    (-1)

enum sim_kind { SIM_LOAD, SIM_STORE, SIM_RMW, SIM_POST };
#define SIM_MAX_POSTED 8 /* far atomics of a core that nobody waits for and that have not ended */

/* ---------------------------------------------------------------------- lines */

struct sim_line {
	int first;	  /* the only CPU that has touched it so far; NOBODY none */
	bool shared_ever; /* touched by a second one: from then on every access is ordered */
	int owner;	  /* has it modified; NOBODY: shared, in flight, or in no cache */
	bool busy;	  /* a transaction is in flight that nothing overlaps */
	bool to_reader;	  /* ... and it is a read: the owner keeps a copy */
	uint32_t epoch;	  /* CPUs whose mark equals it share the line; 0: nobody */
	int nr_sharers;
	/* who may still use it while the transaction in flight is on its way */
	int old_owner, taker; /* from whom to whom */
	int64_t leaves_at;
	int64_t free_at;     /* the last transaction that nothing overlaps ended */
	int64_t server_free; /* far atomics */
	int run_length;	     /* services in a row to the owner's group */
	/* waiting requests, by group from sim->first_slot on, in no order; a CPU waits in one at most */
	int nr_waiting;
	uint16_t *waiting;
	int *nr_in_group;
	struct {
		uint32_t mark;
		uint8_t follows;  /* it read the line after its own atomic on it */
		uint8_t rmw_word; /* what that atomic changed */
	} * of;			  /* each CPU */
	uint16_t *group_sharers;  /* by group */
	uint64_t accesses, transfers;
	int64_t waited;
};

/* -------------------------------------------------------------------- the whole */

/* what every access needs first, on two lines: many CPUs do not fit the cache otherwise */
struct sim_cpu {
	struct fiber fiber;
	int64_t now;
	int idx, pidx, group; /* its worker; its CPU in the profile, and that one's group */
	/* a request that waits at a line's home */
	enum sim_kind kind;
	struct sim_line *line;
	int64_t issued, asked, stalled_until; /* asked: it looked ahead */
	uint32_t epoch;			      /* of the line when the transaction began */
	bool alone;			      /* nothing else at this line until it has ended */
	bool done;			      /* fixed work: has done its share */
	struct sim_time time;
	struct worker w;
	uint64_t ops, ops_asked;
	unsigned nr_posted;
	int64_t posted[SIM_MAX_POSTED]; /* when each of the last ones ends */
} __attribute__((aligned(64)));

struct sim_arena;

struct sim {
	const struct sim_config *config;
	const struct sim_profile *profile;
	const struct experiment *exp;
	const void *params;
	void *shared;
	struct env env;
	int *groups;	 /* env.socket, then env.cluster */
	int *first_slot; /* of each group of CPUs, in the list of those that wait for a line */
	struct sim_arena *arena;
	struct sim_field *field; /* told by the experiment */
	int nr_fields;
	bool count_fields; /* the accesses of each */
	int nr;		   /* workers = simulated CPUs */
	struct sim_cpu *cpu;
	int *pidx; /* of each, on few lines: the owner's is looked up in every hand-over */
	void *stacks;
	struct fiber scheduler;
	struct sim_cpu *running; /* NULL: setup, check */
	/* events: at most one per CPU; key = time << 12 | CPU */
	uint64_t *heap;
	int nr_heap;
	int64_t op_ps;	 /* of an operation beside its accesses and its local work */
	int64_t stop_at; /* of the batch that is being simulated */
	uint64_t nr_accesses, max_accesses;
	uint64_t rng;	/* of the order of service */
	int over;	/* worker_over() */
	bool long_ops;	/* of so many accesses that each is a step of its own */
	bool draining;	/* every fiber ends with its operation */
	bool no_memory; /* for what is known of a line: the prediction is void */
};

/* ------------------------------------------------------------------- engine.c */

/* everybody's fiber, each about to run its experiment from time 0; 0 or -ENOMEM */
int engine_open(struct sim *s);
void engine_close(struct sim *s);

/*
 * engine_run - let time pass until @until
 * Ends early when the bound of accesses is reached or, with fixed work, when all have done theirs.
 */
void engine_run(struct sim *s, int64_t until);

/* no fiber may run before the running one: true when it is first in time */
bool engine_is_first(const struct sim *s, const struct sim_cpu *c);
void engine_schedule(struct sim *s, struct sim_cpu *c, int64_t at);
void engine_wait_turn(struct sim *s, struct sim_cpu *c); /* the running one, until it is first */
void engine_yield(struct sim *s); /* the running fiber; it has been scheduled, or waits at a line */

/* --------------------------------------------------------------------- line.c */

/* one access of the running fiber; returns when it has ended and time has moved */
/* @word: of the line */
void line_access(struct sim *s, struct sim_line *l, enum sim_kind kind, int word);

/* @c's transaction ends now: its state changes, and the next request begins */
void line_grant(struct sim *s, struct sim_cpu *c);

/* --------------------------------------------------------------------- turn.c */

void turn_wait(struct sim *s, struct sim_line *l, struct sim_cpu *c);
struct sim_cpu *turn_next(struct sim *s, struct sim_line *l); /* somebody waits */

/* -------------------------------------------------------------------- arena.c */

int arena_make(struct sim *s);
void arena_free(struct sim *s);
struct sim_line *arena_line(struct sim *s, const volatile void *addr); /* NULL: not the model's */
int arena_nr_lines(const struct sim *s);
int64_t arena_offset(const struct sim *s, const volatile void *addr); /* -1: not the model's */
struct sim_line *arena_line_at(const struct sim *s, int i, int64_t *offset); /* NULL: untouched */

/* experiment_find() of the model's copies of the records; the native ones have other names */
const struct experiment *model_experiment_find(const char *name, struct err *err);

#endif
