/* SPDX-License-Identifier: MIT */
/*
 * What completes a word is what its place is called in the tables of help: "[EXPERIMENT...]",
 * "PLACEMENT|CPULIST", "add FILE...|list|export DIR". A word in small letters stands for itself,
 * one in capitals is looked up in places[] below.
 */
#include "cli.h"

#include <ctype.h>
#include <string.h>

#include "bench.h"
#include "sim.h"

/* what is being completed: the words before it, and the part of it that is there */
struct asked {
	char **words;
	int nr;
	const char *part;
};
static struct asked asked;

static void offer(const char *prefix, const char *name, const char *end)
{
	if (!strncmp(name, asked.part, strlen(asked.part)))
		printf("%s%s%s\n", prefix, name, end);
}

/* --------------------------------------------------------------------- places */

static void offer_files(const char *prefix)
{
	printf(":files\n");
}

static void offer_folders(const char *prefix)
{
	printf(":folders\n");
}

static void offer_cases(const char *prefix)
{
	const struct bench_published_case *c;

	for (c = bench_published_cases; c->name; c++)
		offer(prefix, c->name, "");
}

static void offer_experiments(const char *prefix)
{
	int i;

	for (i = 0; experiments[i]; i++)
		offer(prefix, experiments[i]->name, "");
	offer_cases(prefix);
}

static void offer_placements(const char *prefix)
{
	int i, nr;
	const struct topo_placement *p = topo_placements(&nr);

	for (i = 0; i < nr; i++)
		offer(prefix, p[i].name, "");
}

static void offer_machines(const char *prefix)
{
	const char *const *name;

	for (name = sim_profile_names(); *name; name++)
		offer(prefix, *name, "");
}

static void offer_commands(const char *prefix)
{
	const struct command *c;

	for (c = commands; c->name; c++)
		offer(prefix, c->name, "");
}

static bool word_given(const char *word)
{
	int i;

	for (i = 1; i < asked.nr - 1; i++)
		if (!strcmp(asked.words[i], word))
			return true;
	return false;
}

static void offer_choices(const char *prefix, const struct param *p)
{
	int i;

	for (i = 0; p->choices && p->choices[i]; i++)
		offer(prefix, p->choices[i], "");
}

/* of the experiments on the line, or of all when there is none; a name may come more than once */
static void each_param(const char *prefix, const char *only,
		       void (*f)(const char *prefix, const struct param *p))
{
	const struct param *p;
	bool given = false;
	int i;

	for (i = 0; experiments[i]; i++)
		given |= word_given(experiments[i]->name);
	for (i = 0; experiments[i]; i++)
		for (p = experiments[i]->params; p && p->name; p++)
			if ((!given || word_given(experiments[i]->name)) &&
			    (!only || !strcmp(only, p->name)))
				f(prefix, p);
}

static void offer_param(const char *prefix, const struct param *p)
{
	offer(prefix, p->name, "=");
}

/* "layout=v6_12,v6_15": the name, then each value behind the last comma */
static void offer_params(const char *prefix)
{
	const char *equals = strchr(asked.part, '='), *value;
	char name[64], before[256];

	if (!equals) {
		each_param(prefix, NULL, offer_param);
		return;
	}
	value = strrchr(equals, ',') ? strrchr(equals, ',') + 1 : equals + 1;
	snprintf(name, sizeof(name), "%.*s", (int)(equals - asked.part), asked.part);
	snprintf(before, sizeof(before), "%s%.*s", prefix, (int)(value - asked.part), asked.part);
	asked.part = value;
	each_param(before, name, offer_choices);
}

static void offer_layouts(const char *prefix)
{
	const struct experiment *e = experiment_find("page_counter", NULL);

	if (e)
		offer_choices(prefix, params_find(e, "layout", NULL));
}

static void offer_homes(const char *prefix)
{
	offer(prefix, "local", "");
	offer(prefix, "farthest", "");
	offer(prefix, "interleave", "");
	offer(prefix, "node-", "");
}

/* every word in capitals of the tables of help; the test completion sees to that */
static const struct {
	const char *name;
	void (*offer)(const char *prefix); /* NULL: a number, a date: nothing to offer */
} places[] = {
	{"A", offer_files},
	{"AGE", NULL},
	{"B", offer_files},
	{"CASE", offer_cases},
	{"CLASS", NULL},
	{"COMMAND", offer_commands},
	{"CPULIST", NULL},
	{"CSV", offer_files},
	{"DATE", NULL},
	{"DIR", offer_folders},
	{"EXPERIMENT", offer_experiments},
	{"FILE", offer_files},
	{"LAYOUT", offer_layouts},
	{"LIST", NULL},
	{"MACHINE", offer_machines},
	{"N", NULL},
	{"PARAM", offer_params},
	{"PCT", NULL},
	{"PLACEMENT", offer_placements},
	{"RECORD", offer_files},
	{"RELEASE", NULL},
	{"SIZE", NULL},
	{"T", NULL},
	{"TOPOLOGY", offer_files},
	{"WHERE", offer_homes},
	{"WORK", NULL},
};

/* one place of a table: its name ends at the first character that no name has */
static void offer_place(const char *prefix, const char *place, int len)
{
	char name[40];
	size_t i;

	snprintf(name, sizeof(name), "%.*s", len, place);
	if (!isupper((unsigned char)*name)) {
		offer(prefix, name, "");
		return;
	}
	for (i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		if (!strcmp(places[i].name, name)) {
			if (places[i].offer)
				places[i].offer(prefix);
			return;
		}
	printf(":unknown %s\n", name);
}

static int name_length(const char *s)
{
	int len = 0;

	while (isalnum((unsigned char)s[len]) || (len && s[len] == '-'))
		len++;
	return len;
}

/* "FILE...|list": the place number @nth of each alternative whose own words were typed so far */
static void offer_argument(const char *spec, char **typed, int nth)
{
	const char *end, *s;
	int at, len;

	for (; *spec; spec = *end ? end + 1 : end) {
		end = spec + strcspn(spec, "|");
		for (s = spec, at = 0; s < end; s += len) {
			s += strspn(s, "[ ");
			len = name_length(s);
			if (!len)
				break;
			if (at == nth || (at < nth && !strncmp(s + len, "...", 3))) {
				offer_place("", s, len);
				break;
			}
			if (!isupper((unsigned char)*s) &&
			    (strlen(typed[at]) != (size_t)len || strncmp(typed[at], s, len)))
				break;
			at++;
		}
	}
}

/* -------------------------------------------------------------------- options */

static void offer_value(const char *prefix, const char *spec)
{
	const char *end;

	for (; *spec; spec = *end ? end + 1 : end) {
		/* brackets repeat what stands before them */
		end = spec + strcspn(spec, "|");
		if (name_length(spec))
			offer_place(prefix, spec, name_length(spec));
	}
}

static void offer_options(const struct command *cmd, const struct option_row *rows)
{
	const char *name, *arg, *help;
	char text[80];
	int i;

	for (; rows->name; rows++) {
		snprintf(text, sizeof(text), "--%s", rows->name);
		offer("", text, "");
	}
	offer("", "--help", "");
	for (i = 0; cmd->run == cmd_bench && gbench_option(i, &name, &arg, &help); i++) {
		snprintf(text, sizeof(text), "--benchmark_%s", name);
		offer("", text, arg ? "=" : "");
	}
}

/* the row of "--name" or "-n", with or without "=value" */
static const struct option_row *option_of(const struct option_row *rows, const char *word)
{
	size_t len;

	if (word[0] != '-')
		return NULL;
	for (; rows->name; rows++) {
		len = strlen(rows->name);
		if (word[1] == '-' && !strncmp(word + 2, rows->name, len) &&
		    (!word[2 + len] || word[2 + len] == '='))
			return rows;
		if (rows->letter && word[1] == rows->letter && !word[2])
			return rows;
	}
	return NULL;
}

static void offer_for(const struct command *cmd, const char *about, const struct option_row *rows)
{
	const struct option_row *row = NULL;
	const char *equals = strchr(asked.part, '=');
	char prefix[80], *typed[64];
	int i, nr_typed = 0;

	for (i = 1; i < asked.nr - 1 && nr_typed < 64; i++) {
		if (row) {
			row = NULL; /* this word was its value */
			continue;
		}
		row = option_of(rows, asked.words[i]);
		if (row && (!row->arg || strchr(asked.words[i], '=')))
			row = NULL;
		else if (asked.words[i][0] != '-')
			typed[nr_typed++] = asked.words[i];
	}
	if (row) {
		offer_value("", row->arg);
	} else if (asked.part[0] == '-' && equals) {
		row = option_of(rows, asked.part);
		snprintf(prefix, sizeof(prefix), "%.*s", (int)(equals + 1 - asked.part),
			 asked.part);
		asked.part = equals + 1;
		if (row && row->arg)
			offer_value(prefix, row->arg);
	} else if (asked.part[0] == '-') {
		offer_options(cmd, rows);
	} else {
		offer_argument(cmd->args, typed, nr_typed);
	}
}

void complete(char **words, int nr)
{
	const struct command *cmd;

	if (!nr)
		return;
	asked = (struct asked){.words = words, .nr = nr, .part = words[nr - 1]};
	if (nr == 1) {
		offer_commands("");
		offer("", "--help", "");
		offer("", "--version", "");
		return;
	}
	cmd = command_find(words[0]);
	if (!cmd)
		return;
	options_show(offer_for);
	command_help(cmd);
	options_show(NULL);
}
