/* SPDX-License-Identifier: MIT */
/*
 * parallel.h - the same work on many things, on all CPUs that this process may use
 */
#ifndef CHARGELINE_PARALLEL_H
#define CHARGELINE_PARALLEL_H

/*
 * parallel_each - call @work(@ctx, i) once for each i of 0 .. @nr - 1, and return when all are done
 * In no order, on up to 64 threads, the caller's among them; where no thread can be had the caller's
 * does it all. What @work writes must be its i's own.
 */
void parallel_each(int nr, void (*work)(void *ctx, int i), void *ctx);

#endif
