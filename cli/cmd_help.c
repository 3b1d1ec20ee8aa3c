/* SPDX-License-Identifier: MIT */
#include "cli.h"

#include <string.h>

const char cli_purpose[] = "What charging memory to a cgroup costs on this machine, and which\n"
			   "MEMCG_CHARGE_BATCH it should use.";

const struct cli_status cli_statuses[] = {
	{EXIT_DONE, "done"},
	{EXIT_FAILED, "failed"},
	{EXIT_USAGE, "wrong usage"},
	{EXIT_DISTRUST, "ran but a number is not to be trusted\n(compare: a regression)"},
	{EXIT_INTERRUPTED, "interrupted (what was measured is saved)"},
	{0, NULL}};

void cli_usage(FILE *to)
{
	const struct cli_status *s;
	const struct command *c;

	fprintf(to, "usage: chargeline COMMAND [OPTION...]\n\n%s\n\ncommands:\n", cli_purpose);
	for (c = commands; c->name; c++)
		fprintf(to, "  %-9s %s\n", c->name, c->summary);
	fprintf(to, "\n'chargeline COMMAND --help' shows the options of one.\nExit status:");
	for (s = cli_statuses; s->meaning; s++)
		fprintf(to, "%s %d %s", s == cli_statuses ? "" : ",", s->status, s->meaning);
	fprintf(to, ".\n");
}

int command_help(const struct command *cmd)
{
	char name[32], help[] = "--help", *argv[] = {name, help, NULL};

	snprintf(name, sizeof(name), "%s", cmd->name);
	return cmd->run(cmd, 2, argv);
}

int cmd_help(const struct command *self, int argc, char **argv)
{
	bool man = false;
	const struct option_row rows[] = {
		{"man", 0, OPT_SWITCH, &man, NULL, "the manual page, in the format of man(7)"},
		{NULL}};
	const struct command *cmd;
	struct err err = ERR_INIT;
	int first, rc;

	/* the words that follow are another command's, and so are its options */
	if (argc > 1 && !strcmp(argv[1], "--complete")) {
		complete(argv + 2, argc - 2);
		return EXIT_DONE;
	}
	rc = options_parse(
		self,
		"'help --complete WORD...' prints what could stand in place of the last\n"
		"word, one a line: the completion of shells asks it.",
		rows, argc, argv, &first, &err);
	if (rc)
		return rc > 0 ? EXIT_DONE : cli_fail(&err);
	if (argc - first > (man ? 0 : 1)) {
		err_set(&err, -EINVAL, "help takes %s argument '%.80s'",
			man ? "with --man no" : "one command, not the", argv[argc - 1]);
		return cli_fail(&err);
	}
	if (man)
		return man_page();
	if (first == argc) {
		cli_usage(stdout);
		return EXIT_DONE;
	}
	cmd = command_find(argv[first]);
	if (!cmd)
		return command_unknown(argv[first]);
	return command_help(cmd);
}
