/* SPDX-License-Identifier: MIT */
#include "cli.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

#define MAX_OPTIONS 40

static int store_list(struct option_list *list, const char *value, struct err *err)
{
	const char **grown = realloc(list->item, sizeof(*grown) * (list->nr + 1));

	if (!grown)
		return err_set(err, -ENOMEM, "out of memory");
	list->item = grown;
	list->item[list->nr++] = value;
	return 0;
}

static int store(const struct option_row *row, const char *value, struct err *err)
{
	bool limited = row->min || row->max;
	double percent;
	int rc;

	switch (row->type) {
	case OPT_SWITCH:
		*(bool *)row->dst = true;
		return 0;
	case OPT_TEXT:
		*(const char **)row->dst = value;
		return 0;
	case OPT_LIST:
		return store_list(row->dst, value, err);
	case OPT_INT:
		return text_parse_int(value, limited ? row->min : INT64_MIN,
				      limited ? row->max : INT64_MAX, row->dst, err);
	case OPT_DURATION:
		rc = text_parse_duration(value, row->dst, err);
		if (!rc && *(int64_t *)row->dst < row->min)
			rc = err_set(err, -EINVAL, "%s is shorter than %lld ms", value,
				     (long long)(row->min / 1000000));
		return rc;
	case OPT_SIZE:
		return text_parse_size(value, row->dst, err);
	case OPT_PERCENT:
		rc = text_parse_percent(value, row->min, limited ? row->max : 1e6, &percent, err);
		if (!rc)
			*(double *)row->dst = percent / 100;
		return rc;
	}
	return err_set(err, -EINVAL, "option --%s has no type", row->name);
}

static void print_help(const struct command *cmd, const char *about, const struct option_row *rows)
{
	char left[48];
	const char *s, *nl;

	printf("usage: chargeline %s%s%s%s\n\n%s.\n", cmd->name, rows->name ? " [OPTION...]" : "",
	       *cmd->args ? " " : "", cmd->args, cmd->summary);
	if (about)
		printf("\n%s\n", about);
	printf("\noptions:\n");
	for (; rows->name; rows++) {
		snprintf(left, sizeof(left), "%c%c%s--%s%s%s", rows->letter ? '-' : ' ',
			 rows->letter ? rows->letter : ' ', rows->letter ? ", " : "  ", rows->name,
			 rows->arg ? " " : "", rows->arg ? rows->arg : "");
		for (s = rows->help; s; s = nl ? nl + 1 : NULL) {
			nl = strchr(s, '\n');
			printf("  %-27s %.*s\n", s == rows->help ? left : "",
			       nl ? (int)(nl - s) : (int)strlen(s), s);
		}
	}
	printf("  %-27s %s\n", "-h, --help", "this text");
}

static options_shown *shown = print_help;

void options_show(options_shown *show)
{
	shown = show ? show : print_help;
}

/* getopt's own words name no neighbour, so the sentence is made here */
static int unknown_option(const struct option_row *rows, const char *arg, struct err *err)
{
	const char *names[MAX_OPTIONS];
	char name[64];
	size_t nr = 0;

	if (arg[0] != '-' || arg[1] != '-')
		return err_set(err, -EINVAL, "unknown option '%.80s': see --help", arg);
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(arg + 2, "="), arg + 2);
	for (; rows->name && nr < MAX_OPTIONS; rows++) {
		if (!strcmp(rows->name, name))
			return err_set(err, -EINVAL, "option --%s %s", name,
				       rows->arg ? "needs a value" : "takes no value");
		names[nr++] = rows->name;
	}
	if (text_nearest(name, names, nr))
		return err_set(err, -EINVAL, "unknown option '--%s': nearest is '--%s'", name,
			       text_nearest(name, names, nr));
	return err_set(err, -EINVAL, "unknown option '--%s': see --help", name);
}

int options_parse(const struct command *cmd, const char *about, const struct option_row *rows,
		  int argc, char **argv, int *first, struct err *err)
{
	struct option longs[MAX_OPTIONS + 2] = {{0}};
	char shorts[2 * MAX_OPTIONS + 4] = ":h", *s = shorts + 2;
	int c, i, at, nr = 0, rc;

	for (nr = 0; nr < MAX_OPTIONS && rows[nr].name; nr++) {
		longs[nr] = (struct option){rows[nr].name, rows[nr].arg ? 1 : 0, NULL, 256 + nr};
		if (rows[nr].letter) {
			*s++ = rows[nr].letter;
			if (rows[nr].arg)
				*s++ = ':';
		}
	}
	longs[nr] = (struct option){"help", 0, NULL, 'h'};
	*s = 0;
	opterr = 0;
	optind = 0;
	for (;;) {
		at = optind ? optind : 1;
		c = getopt_long(argc, argv, shorts, longs, NULL);
		if (c == -1)
			break;
		if (c == 'h') {
			shown(cmd, about, rows);
			return 1;
		}
		if (c == '?' || c == ':')
			return unknown_option(rows, argv[optind - 1 > at ? optind - 1 : at], err);
		i = c >= 256 ? c - 256 : 0;
		for (; c < 256 && rows[i].name && rows[i].letter != c; i++)
			;
		rc = store(&rows[i], optarg, err);
		if (rc) {
			err_prefix(err, "option --%s: ", rows[i].name);
			return rc;
		}
	}
	*first = optind;
	return 0;
}

int option_choice(const char *what, const char *value, const char *const *names, int nr,
		  struct err *err)
{
	int i;

	for (i = 0; i < nr; i++)
		if (!strcmp(value, names[i]))
			return i;
	return text_unknown(err, what, value, names, nr);
}
