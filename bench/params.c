/* SPDX-License-Identifier: MIT */
#include "experiment.h"

#include <stdio.h>
#include <string.h>

#include "text.h"

int64_t param_get(const struct param *p, const void *params)
{
	return *(const int64_t *)((const char *)params + p->off);
}

void param_set(const struct param *p, void *params, int64_t value)
{
	*(int64_t *)((char *)params + p->off) = value;
}

int params_count(const struct experiment *exp)
{
	int nr = 0;

	while (exp->params && exp->params[nr].name)
		nr++;
	return nr;
}

void params_defaults(const struct experiment *exp, void *params)
{
	int i, nr = params_count(exp);

	memset(params, 0, exp->params_size);
	for (i = 0; i < nr; i++)
		param_set(&exp->params[i], params, exp->params[i].def);
}

const struct param *params_find(const struct experiment *exp, const char *name, struct err *err)
{
	const char *names[EXPERIMENT_MAX_PARAMS];
	int i, nr = params_count(exp);

	for (i = 0; i < nr; i++) {
		if (!strcmp(exp->params[i].name, name))
			return &exp->params[i];
		names[i] = exp->params[i].name;
	}
	text_unknown(err, "parameter", name, names, nr);
	return NULL;
}

int param_parse(const struct param *p, const char *s, int64_t *out, struct err *err)
{
	int64_t step = p->step ? p->step : 1, v;
	int i, nr = 0;

	if (p->choices) {
		for (i = 0; p->choices[i]; i++, nr++) {
			if (!strcmp(p->choices[i], s)) {
				*out = i;
				return 0;
			}
		}
		return text_unknown(err, p->name, s, p->choices, nr);
	}
	if (text_parse_int(s, INT64_MIN, INT64_MAX, &v, err)) {
		err_prefix(err, "%s: ", p->name);
		return -EINVAL;
	}
	if (v < p->min || v > p->max)
		return err_set(err, -EINVAL, "%s=%s is outside %lld..%lld%s%s", p->name, s,
			       (long long)p->min, (long long)p->max, *p->unit ? " " : "", p->unit);
	if ((v - p->min) % step)
		return err_set(err, -EINVAL, "%s=%s is not a multiple of %lld%s%s in %lld..%lld",
			       p->name, s, (long long)step, *p->unit ? " " : "", p->unit,
			       (long long)p->min, (long long)p->max);
	*out = v;
	return 0;
}

const char *param_text(const struct param *p, int64_t value, char *buf, size_t size)
{
	if (p->choices && value >= 0 && value <= p->max)
		snprintf(buf, size, "%s", p->choices[value]);
	else
		snprintf(buf, size, "%lld", (long long)value);
	return buf;
}
