/* SPDX-License-Identifier: MIT */
/* What the doctor knows of counters here, as the reason of a refusal. */
#include "counters_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "doctor.h"

static void say(char *to, size_t size, const char *what, const struct finding *f)
{
	if (f->state == FINDING_OK && !*f->remedy)
		return;
	snprintf(to, size, "%s %s%s%s", what, f->value, *f->remedy ? ": " : "", f->remedy);
}

void counter_machine_read(struct counter_machine *m, const struct topo *topo, const char *root)
{
	struct finding *all;
	int i, nr;

	memset(m, 0, sizeof(*m));
	snprintf(m->uarch, sizeof(m->uarch), "%s", topo_info(topo)->uarch);
	m->hybrid = topo_info(topo)->cpukinds > 1;
	if (doctor_examine(topo, root, &all, &nr, NULL))
		return;
	for (i = 0; i < nr; i++) {
		if (!strcmp(all[i].name, "perf_event"))
			say(m->permission, sizeof(m->permission), "perf_event", &all[i]);
		else if (!strcmp(all[i].name, "pmu") && strstr(all[i].value, "cpu_"))
			m->hybrid = true; /* a PMU for each kind of core: cpu_core, cpu_atom */
		else if (!strcmp(all[i].name, "pmu") && !strcmp(all[i].value, "none"))
			snprintf(m->no_pmu, sizeof(m->no_pmu), "%s", all[i].remedy);
		else if (!strcmp(all[i].name, "nmi_watchdog"))
			say(m->watchdog, sizeof(m->watchdog), "nmi_watchdog", &all[i]);
	}
	free(all);
}
