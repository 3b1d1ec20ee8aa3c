/* SPDX-License-Identifier: MIT */
#include "gbench.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

#define PREFIX	   "--benchmark_"
#define MAX_REPS   100000
#define MAX_WINDOW 3600000000000LL

/* ------------------------------------------------------------------- options */

enum kind { SWITCH, NUMBER, TEXT, WINDOW, WARMUP, FORMAT, COLOR, UNIT, CONTEXT, NO_COUNTERS };

#define AT(field) offsetof(struct gbench_options, field)
const struct gbench_option gbench_option_table[] = {
	{"list_tests", NULL, "print the names and measure nothing", SWITCH, AT(list)},
	{"filter", "REGEX", "only names that match; a leading '-' inverts", TEXT, AT(filter)},
	{"min_time", "TIME", "measuring time of each window: 0.02, 0.02s or 20ms", WINDOW,
	 AT(window_ns)},
	{"min_warmup_time", "TIME", "warm-up before each window", WARMUP, AT(warmup_ns)},
	{"repetitions", "N", "windows per case; from 2 on with aggregates", NUMBER,
	 AT(repetitions)},
	{"enable_random_interleaving", NULL, "repetitions of all cases in random order", SWITCH,
	 AT(interleave)},
	{"report_aggregates_only", NULL, "no single repetitions, nowhere", SWITCH,
	 AT(report_aggregates)},
	{"display_aggregates_only", NULL, "no single repetitions on the display", SWITCH,
	 AT(display_aggregates)},
	{"format", "console|json", "of the display", FORMAT, AT(format)},
	{"out", "FILE", "also write to FILE", TEXT, AT(out)},
	{"out_format", "json|console", "of FILE", FORMAT, AT(out_format)},
	{"color", "auto|true|false", "colors on the console", COLOR, AT(color)},
	{"counters_tabular", NULL, "counters as columns", SWITCH, AT(tabular)},
	{"context", "KEY=VALUE,...", "entries of the JSON context", CONTEXT, 0},
	{"time_unit", "ns|us|ms|s", "of the times", UNIT, AT(unit)},
	{"perf_counters", "LIST", "refused: they would count the waiting main thread", NO_COUNTERS,
	 0},
	{NULL, NULL, NULL, 0, 0},
};

static int choose(const char *s, const char *const *names, int nr, int64_t *out, struct err *err)
{
	int i;

	for (i = 0; i < nr; i++) {
		if (!strcasecmp(s, names[i])) {
			*out = i;
			return 0;
		}
	}
	return text_unknown(err, "value", s, names, nr);
}

static int parse_switch(const char *s, bool *out, struct err *err)
{
	static const char *const names[] = {"false", "true", "no", "yes", "off", "on",
					    "0",     "1",    "f",  "t",	  "n",	 "y"};
	int64_t v = 0;

	if (choose(s, names, 12, &v, NULL))
		return err_set(err, -EINVAL, "'%.80s' is neither true nor false", s);
	*out = v & 1;
	return 0;
}

static int parse_format(const char *s, int64_t *out, struct err *err)
{
	static const char *const names[] = {"console", "json"};

	if (!strcasecmp(s, "csv"))
		return err_set(err, -EINVAL,
			       "csv is withdrawn by libbenchmark and not read back by CSV readers: "
			       "json holds the same numbers");
	return choose(s, names, 2, out, err);
}

static int parse_color(const char *s, int64_t *out, struct err *err)
{
	bool on;
	int rc;

	if (!strcasecmp(s, "auto")) {
		*out = GBENCH_COLOR_AUTO;
		return 0;
	}
	rc = parse_switch(s, &on, err);
	if (!rc)
		*out = on ? GBENCH_COLOR_ON : GBENCH_COLOR_OFF;
	return rc;
}

/* libbenchmark before 1.8: "0.5"; from 1.8: "0.5s" or "10x". Both times are taken, and our own. */
static int parse_time(const char *s, bool zero, int64_t *out, struct err *err)
{
	size_t len = strlen(s);
	char buf[64];
	int64_t ns;
	int rc;

	if (len && s[len - 1] == 'x')
		return err_set(err, -EINVAL,
			       "'%.40s' is a count: a window is a time here, because counts let "
			       "stragglers run uncontended; such as 0.02s",
			       s);
	if (len >= sizeof(buf) - 1)
		return err_set(err, -EINVAL, "'%.80s' is not a time", s);
	if (zero && len && strspn(s, "0.s") == len && s[0] == '0') {
		*out = 0;
		return 0;
	}
	snprintf(buf, sizeof(buf), "%s%s", s, len && isdigit((unsigned char)s[len - 1]) ? "s" : "");
	rc = text_parse_duration(buf, &ns, NULL);
	if (rc)
		return err_set(err, rc, "'%.40s' is not a time such as 0.02, 0.02s or 20ms", s);
	if (ns > MAX_WINDOW)
		return err_set(err, -EINVAL, "%.40s is longer than an hour", s);
	*out = ns;
	return 0;
}

static int add_context(struct gbench_options *o, const char *pair, size_t len, struct err *err)
{
	const char *eq = memchr(pair, '=', len);
	char *key;
	int i;

	if (!eq || eq == pair)
		return err_set(err, -EINVAL, "'%.*s' is not KEY=VALUE", (int)len, pair);
	if (o->nr_context == GBENCH_MAX_CONTEXT)
		return err_set(err, -EINVAL, "more than %d entries", GBENCH_MAX_CONTEXT);
	key = strndup(pair, len);
	if (!key)
		return err_set(err, -ENOMEM, "no memory for the context");
	key[eq - pair] = '\0';
	for (i = 0; gbench_context_keys[i] && strcmp(gbench_context_keys[i], key); i++)
		;
	if (gbench_context_keys[i]) {
		err_set(err, -EINVAL, "key '%.80s' is taken by the format", key);
		free(key);
		return -EINVAL;
	}
	for (i = 0; i < o->nr_context && strcmp(o->context[i][0], key); i++)
		;
	if (i == o->nr_context)
		o->nr_context++;
	else
		free(o->context[i][0]); /* the later one holds */
	o->context[i][0] = key;
	o->context[i][1] = key + (eq - pair) + 1;
	return 0;
}

static int parse_context(struct gbench_options *o, const char *s, struct err *err)
{
	size_t len;
	int rc = 0;

	for (; !rc; s += len + 1) {
		len = strcspn(s, ",");
		rc = add_context(o, s, len, err);
		if (!s[len])
			break;
	}
	return rc;
}

static int parse_value(struct gbench_options *o, const struct gbench_option *opt, const char *s,
		       struct err *err)
{
	static const char *const units[] = {"ns", "us", "ms", "s"}; /* as gbench_units */
	void *field = (char *)o + opt->off;

	switch ((enum kind)opt->kind) {
	case SWITCH:
		return parse_switch(s, field, err);
	case NUMBER:
		return text_parse_int(s, 1, MAX_REPS, field, err);
	case TEXT:
		*(const char **)field = s;
		return 0;
	case WINDOW:
		return parse_time(s, false, field, err);
	case WARMUP:
		return parse_time(s, true, field, err);
	case FORMAT:
		return parse_format(s, field, err);
	case COLOR:
		return parse_color(s, field, err);
	case UNIT:
		return choose(s, units, 4, field, err);
	case CONTEXT:
		return parse_context(o, s, err);
	case NO_COUNTERS:
		break;
	}
	if (!*s)
		return 0;
	return err_set(err, -EINVAL,
		       "libbenchmark's counters would count its own waiting thread, not the "
		       "workers");
}

static int parse_environment(struct gbench_options *o, struct err *err)
{
	const struct gbench_option *opt;
	const char *value;
	char name[64];
	size_t i;
	int rc;

	for (opt = gbench_option_table; opt->name; opt++) {
		snprintf(name, sizeof(name), "BENCHMARK_%s", opt->name);
		for (i = 0; name[i]; i++)
			name[i] = (char)toupper((unsigned char)name[i]);
		value = getenv(name);
		if (!value || !*value)
			continue;
		rc = parse_value(o, opt, value, err);
		if (rc) {
			err_prefix(err, "environment variable %s: ", name);
			return rc;
		}
	}
	return 0;
}

static int unknown_option(const char *arg, size_t len, struct err *err)
{
	const char *names[sizeof(gbench_option_table) / sizeof(gbench_option_table[0])];
	char all[400] = "", word[64];
	const char *near;
	size_t nr, used = 0;

	for (nr = 0; gbench_option_table[nr].name; nr++)
		names[nr] = gbench_option_table[nr].name;
	snprintf(word, sizeof(word), "%.*s", (int)len, arg);
	near = text_nearest(word, names, nr);
	if (near)
		return err_set(err, -EINVAL,
			       "unknown option '" PREFIX "%s': nearest is '" PREFIX "%s'", word,
			       near);
	for (nr = 0; gbench_option_table[nr].name && used < sizeof(all) - 1; nr++)
		used += snprintf(all + used, sizeof(all) - used, "%s%s", nr ? ", " : "",
				 gbench_option_table[nr].name);
	return err_set(err, -EINVAL, "unknown option '" PREFIX "%s': after " PREFIX " there are %s",
		       word, all);
}

static int parse_argument(struct gbench_options *o, const char *arg, struct err *err)
{
	const struct gbench_option *opt;
	const char *name = arg + strlen(PREFIX);
	size_t len;
	int rc;

	if (strncmp(arg, PREFIX, strlen(PREFIX)))
		return err_set(err, -EINVAL, "'%.80s' is not a " PREFIX "... option", arg);
	len = strcspn(name, "=");
	for (opt = gbench_option_table; opt->name; opt++)
		if (strlen(opt->name) == len && !strncmp(opt->name, name, len))
			break;
	if (!opt->name)
		return unknown_option(name, len, err);
	if (!name[len] && opt->arg)
		return err_set(err, -EINVAL, "%s needs a value: %s=%s", arg, arg, opt->arg);
	rc = parse_value(o, opt, name[len] ? name + len + 1 : "true", err);
	if (rc)
		err_prefix(err, PREFIX "%s: ", opt->name);
	return rc;
}

int gbench_options_parse(int argc, char **argv, struct gbench_options *out, struct err *err)
{
	int rc, i;

	memset(out, 0, sizeof(*out));
	out->repetitions = 1;
	out->window_ns = -1;
	out->warmup_ns = -1;
	out->out_format = GBENCH_JSON;
	out->filter = "";
	out->out = "";
	rc = parse_environment(out, err);
	for (i = 1; i < argc && !rc; i++)
		rc = parse_argument(out, argv[i], err);
	return rc;
}

void gbench_options_free(struct gbench_options *o)
{
	int i;

	for (i = 0; i < o->nr_context; i++)
		free(o->context[i][0]);
	o->nr_context = 0;
}

bool gbench_option(int i, const char **name, const char **arg, const char **help)
{
	const struct gbench_option *o = &gbench_option_table[i];

	if (i < 0 || (size_t)i >= sizeof(gbench_option_table) / sizeof(gbench_option_table[0]) ||
	    !o->name)
		return false;
	*name = o->name;
	*arg = o->arg;
	*help = o->help;
	return true;
}
