/* SPDX-License-Identifier: MIT */
/*
 * star.h - least squares for v = class + leg + leg + own + own + entry, private to sim/legs.c
 *
 * A leg is what a core has in all kinds, own what it has beside it in one. Numbers are dense,
 * 0 .. nr - 1, and each is in some observation. After the fit legs, own and entries have mean 0 on
 * each side (the two sockets of a cross pair) and in each class.
 */
#ifndef SIM_STAR_H
#define SIM_STAR_H

#include <stdbool.h>

struct star_obs {
	int class, leg[2], own[2], entry;
	double v;
};

struct star {
	int nr_classes, nr_legs, nr_own, nr_entries; /* legs, own, entries 0: there are none */
	int nr_sides;
	const int *leg_side, *own_side;			      /* of each leg, own */
	const int (*class_leg_side)[2], (*class_own_side)[2]; /* of each class: where pairs end */
	const int *entry_class;				      /* of each entry */
	bool legs, table;				      /* what the choice took */
	double *x; /* classes, legs, own, entries; free() it */
};

/* x, legs and table of @s, whose other fields are set; 0 or -ENOMEM */
int star_fit(struct star *s, const struct star_obs *obs, int nr);

double star_at(const struct star *s, const double *x, const struct star_obs *o);

static inline int star_legs(const struct star *s)
{
	return s->nr_classes;
}

static inline int star_own(const struct star *s)
{
	return s->nr_classes + s->nr_legs;
}

static inline int star_entries(const struct star *s)
{
	return s->nr_classes + s->nr_legs + s->nr_own;
}

#endif
