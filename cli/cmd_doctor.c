/* SPDX-License-Identifier: MIT */
#include "cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "doctor.h"
#include "report.h"

#define WIDTH  100
#define INDENT 25 /* of what is said about a check: name and state stand before it */

static const char about[] =
	"Each row is ok, warning, fault or unknown, with the number behind it and, below it, the\n"
	"remedy, or why it is unknown. The rows and their order are always the same, so that two\n"
	"machines can be compared by diff; the first line says how many are bad.\n"
	"  warning  the numbers can be used by who knows this\n"
	"  fault    the numbers would be wrong, or those of something else\n"
	"  unknown  the system does not say: never taken for ok\n"
	"The CPUs are watched for a tenth of a second. Every result file keeps these findings.\n"
	"Exit status: 0 whatever is found, 1 when this system cannot be examined.";

/* words into lines of WIDTH columns; the first line has its first @column columns already */
static void print_wrapped(const char *text, int column)
{
	int at = column, len;
	const char *s;

	for (s = text; *s; s += len, s += strspn(s, " ")) {
		len = (int)strcspn(s, " ");
		if (at > column && at + 1 + len > WIDTH) {
			printf("\n%*s", column, "");
			at = column;
		} else if (at > column) {
			putchar(' ');
			at++;
		}
		printf("%.*s", len, s);
		at += len;
	}
	putchar('\n');
}

static void print_count(int nr, const char *what, const char *plural, const char *end)
{
	printf("%d %s%s%s", nr, what, nr == 1 ? "" : plural, end);
}

static void print_findings(const struct finding *f, int nr)
{
	int count[FINDING_NR_STATES] = {0}, i;

	for (i = 0; i < nr; i++)
		count[f[i].state]++;
	print_count(count[FINDING_FAULT], "fault", "s", ", ");
	print_count(count[FINDING_WARNING], "warning", "s", ", ");
	print_count(count[FINDING_UNKNOWN], "unknown", "", ", ");
	print_count(count[FINDING_OK], "ok", "", "\n\n");
	for (i = 0; i < nr; i++) {
		printf("%-15s %-8s ", f[i].name, finding_state_names[f[i].state]);
		print_wrapped(*f[i].value ? f[i].value : "-", INDENT);
		if (*f[i].remedy) {
			printf("%*s", INDENT, "");
			print_wrapped(f[i].remedy, INDENT);
		}
	}
}

int cmd_doctor(const struct command *self, int argc, char **argv)
{
	bool json = false;
	const struct option_row rows[] = {{"json", 0, OPT_SWITCH, &json, NULL, "for programs"},
					  {NULL}};
	struct err err = ERR_INIT;
	struct finding *f = NULL;
	struct topo *topo = NULL;
	int first, nr = 0, rc;

	rc = options_parse(self, about, rows, argc, argv, &first, &err);
	if (!rc && first < argc)
		rc = err_set(&err, -EINVAL, "doctor takes no argument '%.80s'", argv[first]);
	if (rc)
		return rc > 0 ? EXIT_DONE : cli_fail(&err);
	rc = topo_load(&topo, NULL, &err);
	if (!rc)
		rc = doctor_examine(topo, "", &f, &nr, &err);
	if (!rc && json)
		rc = json_doctor(f, nr, stdout) ? err_set(&err, -EIO, "cannot write the findings")
						: 0;
	else if (!rc)
		print_findings(f, nr);
	free(f);
	topo_free(topo);
	return rc ? cli_fail_input(&err) : EXIT_DONE;
}
