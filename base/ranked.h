/* SPDX-License-Identifier: MIT */
/* ranked.h - values that remember where they stood, for sorting; private to base/ */
#ifndef BASE_RANKED_H
#define BASE_RANKED_H

struct ranked {
	double value;
	int idx;
};

static inline int ranked_by_value(const void *pa, const void *pb)
{
	const struct ranked *a = pa, *b = pb;

	return (a->value > b->value) - (a->value < b->value);
}

#endif
