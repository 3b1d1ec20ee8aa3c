/* SPDX-License-Identifier: MIT */
#include "experiment.h"

#include <string.h>

#include "text.h"

/* the table: a subject is one line here, one in meson.build and one file; reports keep this order */
#define SUBJECTS(X)         \
	X(page_counter)     \
	X(contended_line)   \
	X(false_sharing)    \
	X(core_to_core)     \
	X(memcg_stock)      \
	X(vmstats_flush)    \
	X(sk_forward_alloc) \
	X(charge_path)

#define DECLARE(subject) extern const struct experiment subject##_experiment;
#define ENTER(subject)	 &subject##_experiment,

SUBJECTS(DECLARE)

const struct experiment *const experiments[] = {SUBJECTS(ENTER) NULL};

const struct experiment *experiment_find(const char *name, struct err *err)
{
	const char *names[sizeof(experiments) / sizeof(experiments[0])];
	size_t i;

	for (i = 0; experiments[i]; i++) {
		if (!strcmp(experiments[i]->name, name))
			return experiments[i];
		names[i] = experiments[i]->name;
	}
	text_unknown(err, "experiment", name, names, i);
	return NULL;
}
