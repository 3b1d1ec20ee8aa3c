/* SPDX-License-Identifier: MIT */
#include "case_copy.h"

#include <stdlib.h>
#include <string.h>

static char *copy(const char *s, int *rc)
{
	char *dup = s ? strdup(s) : NULL;

	if (s && !dup)
		*rc = -ENOMEM;
	return dup;
}

int case_copy(struct result_case *to, const struct result_case *from)
{
	int i, rc = cpulist_copy(&to->cpus, &from->cpus);

	to->experiment = copy(from->experiment, &rc);
	to->placement = copy(from->placement, &rc);
	to->home = copy(from->home, &rc);
	to->relation = copy(from->relation, &rc);
	to->nr_workers = from->nr_workers;
	to->home_node = from->home_node;
	to->params = calloc(from->nr_params + 1, sizeof(*to->params));
	to->metrics = calloc(from->nr_metrics + 1, sizeof(*to->metrics));
	if (!to->params || !to->metrics)
		return -ENOMEM;
	for (i = 0; i < from->nr_params; i++, to->nr_params++)
		to->params[i] = (struct result_param){copy(from->params[i].name, &rc),
						      from->params[i].value,
						      copy(from->params[i].text, &rc)};
	for (i = 0; i < from->nr_metrics; i++, to->nr_metrics++)
		to->metrics[i] = (struct result_metric){copy(from->metrics[i].name, &rc),
							copy(from->metrics[i].unit, &rc)};
	return rc;
}

void case_free(struct result_case *c)
{
	int i;

	for (i = 0; i < c->nr_params; i++) {
		free(c->params[i].name);
		free(c->params[i].text);
	}
	for (i = 0; i < c->nr_metrics; i++) {
		free(c->metrics[i].name);
		free(c->metrics[i].unit);
	}
	free(c->experiment);
	free(c->placement);
	free(c->home);
	free(c->relation);
	free(c->params);
	free(c->metrics);
	free(c->samples);
	cpulist_free(&c->cpus);
}
