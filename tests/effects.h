/* SPDX-License-Identifier: MIT */
/*
 * effects.h - when does a measurement bear a claim "better is at least as fast as worse"?
 *
 * By the 95% interval of better / worse, paired window by window; never by a time.
 *
 *   holds        the lower end is over 1 - EFFECTS_MARGIN
 *   refuted      else, and the upper end is under 1
 *   cannot tell  else: the interval is wider than EFFECTS_MARGIN and holds 1; or there are fewer
 *                than EFFECTS_MIN_PAIRS pairs of undisturbed windows
 *
 * So a claim that holds with equality is not refuted by chance more often than the interval is both
 * wide and off. A claim that does not hold at once is measured again, and is refuted only when it
 * is refuted both times: what a loaded machine does once, it seldom does twice alike.
 */
#ifndef CHARGELINE_EFFECTS_H
#define CHARGELINE_EFFECTS_H

#include "stats.h"

#define EFFECTS_MARGIN	  0.03
#define EFFECTS_MIN_PAIRS 11
#define EFFECTS_TRIES	  2

enum effect { EFFECT_HOLDS, EFFECT_REFUTED, EFFECT_CANNOT_TELL };

static inline enum effect effect_judge(const struct estimate *e)
{
	if (e->n < EFFECTS_MIN_PAIRS)
		return EFFECT_CANNOT_TELL;
	if (e->lo > 1 - EFFECTS_MARGIN)
		return EFFECT_HOLDS;
	return e->hi < 1 ? EFFECT_REFUTED : EFFECT_CANNOT_TELL;
}

/* what several measurements say together: one that holds holds, refuted needs all of them */
static inline enum effect effect_judge_all(const struct estimate *e, int nr)
{
	int i, refuted = 0;

	for (i = 0; i < nr; i++) {
		if (effect_judge(&e[i]) == EFFECT_HOLDS)
			return EFFECT_HOLDS;
		refuted += effect_judge(&e[i]) == EFFECT_REFUTED;
	}
	return refuted == EFFECTS_TRIES ? EFFECT_REFUTED : EFFECT_CANNOT_TELL;
}

#endif
