/* SPDX-License-Identifier: MIT */
#include "cli.h"

#include <string.h>

#include "bench.h"
#include "sim.h"

/* text as roff takes it: no line of it is a request, a hyphen is that of the keyboard */
static void put(const char *s)
{
	bool start = true;

	for (; *s; s++) {
		if (start && (*s == '.' || *s == '\''))
			printf("\\&");
		if (*s == '\\')
			printf("\\e");
		else if (*s == '-')
			printf("\\-");
		else if (*s == '\'')
			printf("\\(aq");
		else if (*s == '`')
			printf("\\(ga");
		else if (*s == '^')
			printf("\\(ha");
		else if (*s == '~')
			printf("\\(ti");
		else
			putchar(*s);
		start = *s == '\n';
	}
}

/* lines as they are; their own indentation and tables stay */
static void put_lines(const char *s)
{
	size_t len;

	printf(".PP\n.nf\n");
	for (; *s; s += len + (s[len] == '\n')) {
		char line[256];

		len = strcspn(s, "\n");
		snprintf(line, sizeof(line), "%.*s", (int)len, s);
		if (*line)
			put(line);
		else
			printf(".sp");
		printf("\n");
	}
	printf(".fi\n");
}

static void put_item(const char *name, const char *text)
{
	printf(".TP\n.B ");
	put(name);
	printf("\n");
	put(text);
	printf("\n");
}

static void put_option(const struct option_row *row)
{
	printf(".TP\n");
	if (row->letter)
		printf("\\fB\\-%c\\fR, ", row->letter);
	printf("\\fB\\-\\-");
	put(row->name);
	printf("\\fR");
	if (row->arg) {
		printf(" \\fI");
		put(row->arg);
		printf("\\fR");
	}
	printf("\n");
	put(row->help);
	printf("\n");
}

static void put_command(const struct command *cmd, const char *about, const struct option_row *rows)
{
	printf(".SS chargeline %s\n.B chargeline %s\n", cmd->name, cmd->name);
	if (rows->name)
		printf("[\\fIOPTION\\fR...]\\&\n");
	if (*cmd->args) {
		put(cmd->args);
		printf("\\&\n");
	}
	printf(".PP\n");
	put(cmd->summary);
	printf(".\n");
	if (about)
		put_lines(about);
	for (; rows->name; rows++)
		put_option(rows);
}

static void put_names(void)
{
	const struct bench_published_case *c;
	const struct topo_placement *p;
	int i, nr;

	printf(".SH EXPERIMENTS\nTheir parameters and metrics: \\fBchargeline list params\\fR.\n");
	for (i = 0; experiments[i]; i++)
		put_item(experiments[i]->name, experiments[i]->question);
	printf(".SH PUBLISHED CASES\nTheir rows and sources: \\fBchargeline list cases\\fR.\n");
	for (c = bench_published_cases; c->name; c++)
		put_item(c->name, c->title);
	printf(".SH PLACEMENTS\nA list of CPUs, such as 0\\-17,36\\-53, or one of these:\n");
	p = topo_placements(&nr);
	for (i = 0; i < nr; i++)
		put_item(p[i].name, p[i].help);
}

static void put_machines(void)
{
	const char *const *name = sim_profile_names();

	printf(".SH MACHINES\nBuilt\\-in profiles of the model:\n");
	for (; *name; name++) {
		put(*name);
		printf("%s", name[1] ? ",\n" : ".\n");
	}
}

static void put_end(void)
{
	const struct cli_status *s;

	printf(".SH EXIT STATUS\n");
	for (s = cli_statuses; s->meaning; s++) {
		printf(".TP\n.B %d\n", s->status);
		put(s->meaning);
		printf("\n");
	}
	printf(".SH FILES\n.TP\n.I $XDG_DATA_HOME/chargeline/store.sqlite\n"
	       "the result store; without XDG_DATA_HOME below \\fI$HOME/.local/share\\fR\n"
	       ".SH SEE ALSO\n.BR lstopo (1),\n.BR numactl (8)\n");
}

int man_page(void)
{
	const struct command *c;
	int status = EXIT_DONE;

	/* no date: the same program gives the same page */
	printf(".\\\" made by 'chargeline help --man'\n"
	       ".TH CHARGELINE 1 \"\" \"chargeline %s\" \"User Commands\"\n"
	       ".SH NAME\nchargeline \\- the cost of memory cgroup charging, and the batch to use\n"
	       ".SH SYNOPSIS\n.B chargeline\n\\fICOMMAND\\fR [\\fIOPTION\\fR...]\n.br\n"
	       ".B chargeline\n\\-\\-version\n.SH DESCRIPTION\n",
	       CHARGELINE_VERSION);
	put(cli_purpose);
	printf("\n.PP\nEvery command takes \\fB\\-h\\fR and \\fB\\-\\-help\\fR.\n.SH COMMANDS\n");
	options_show(put_command);
	for (c = commands; c->name && status == EXIT_DONE; c++)
		status = command_help(c);
	options_show(NULL);
	put_names();
	put_machines();
	put_end();
	return status;
}
