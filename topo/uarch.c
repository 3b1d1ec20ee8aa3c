/* SPDX-License-Identifier: MIT */
/*
 * What a processor is called. The numbers are facts from the Linux kernel 6.12:
 *   x86/Intel  arch/x86/include/asm/intel-family.h (steppings of 6/85: events/intel/core.c)
 *   x86/AMD    arch/x86/kernel/cpu/amd.c, bsp_init_amd()
 *   Arm        arch/arm64/include/asm/cputype.h
 * The names are those that kernel people use for the server part of the family.
 */
#include "topo_private.h"

#include <ctype.h>
#include <string.h>

struct x86_row {
	int family, model_min, model_max, stepping_min, stepping_max;
	const char *name;
};

#define ANY 0, 255

static const struct x86_row intel[] = {
	{6, 0x1a, 0x1a, ANY, "nhm"},  {6, 0x2e, 0x2e, ANY, "nhm"},   {6, 0x2c, 0x2c, ANY, "wsm"},
	{6, 0x2f, 0x2f, ANY, "wsm"},  {6, 0x2a, 0x2a, ANY, "snb"},   {6, 0x2d, 0x2d, ANY, "snb"},
	{6, 0x3a, 0x3a, ANY, "ivb"},  {6, 0x3e, 0x3e, ANY, "ivb"},   {6, 0x3c, 0x3c, ANY, "hsw"},
	{6, 0x3f, 0x3f, ANY, "hsw"},  {6, 0x45, 0x46, ANY, "hsw"},   {6, 0x3d, 0x3d, ANY, "bdw"},
	{6, 0x47, 0x47, ANY, "bdw"},  {6, 0x4f, 0x4f, ANY, "bdx"},   {6, 0x56, 0x56, ANY, "bdx-de"},
	{6, 0x4e, 0x4e, ANY, "skl"},  {6, 0x5e, 0x5e, ANY, "skl"},   {6, 0x55, 0x55, 0, 4, "skx"},
	{6, 0x55, 0x55, 5, 7, "clx"}, {6, 0x55, 0x55, 8, 15, "cpx"}, {6, 0x57, 0x57, ANY, "knl"},
	{6, 0x85, 0x85, ANY, "knm"},  {6, 0x8e, 0x8e, ANY, "kbl"},   {6, 0x9e, 0x9e, ANY, "kbl"},
	{6, 0xa5, 0xa6, ANY, "cml"},  {6, 0x6a, 0x6a, ANY, "icx"},   {6, 0x6c, 0x6c, ANY, "icx"},
	{6, 0x7d, 0x7e, ANY, "icl"},  {6, 0x8c, 0x8d, ANY, "tgl"},   {6, 0xa7, 0xa7, ANY, "rkl"},
	{6, 0x97, 0x97, ANY, "adl"},  {6, 0x9a, 0x9a, ANY, "adl"},   {6, 0xbe, 0xbe, ANY, "adl-n"},
	{6, 0xb7, 0xb7, ANY, "rpl"},  {6, 0xba, 0xba, ANY, "rpl"},   {6, 0xbf, 0xbf, ANY, "rpl"},
	{6, 0x8f, 0x8f, ANY, "spr"},  {6, 0xcf, 0xcf, ANY, "emr"},   {6, 0xad, 0xae, ANY, "gnr"},
	{6, 0xaf, 0xaf, ANY, "srf"},  {6, 0xdd, 0xdd, ANY, "cwf"},   {6, 0xaa, 0xaa, ANY, "mtl"},
	{6, 0xac, 0xac, ANY, "mtl"},  {6, 0xb5, 0xb5, ANY, "arl"},   {6, 0xc5, 0xc6, ANY, "arl"},
	{6, 0xbd, 0xbd, ANY, "lnl"},  {6, 0xcc, 0xcc, ANY, "ptl"},
};

static const struct x86_row amd[] = {
	{0x10, 0x00, 0xff, ANY, "k10"},	   {0x15, 0x00, 0xff, ANY, "bulldozer"},
	{0x17, 0x00, 0x2f, ANY, "zen1"},   {0x17, 0x50, 0x5f, ANY, "zen1"},
	{0x17, 0x30, 0x4f, ANY, "zen2"},   {0x17, 0x60, 0xff, ANY, "zen2"},
	{0x18, 0x00, 0xff, ANY, "dhyana"}, {0x19, 0x00, 0x0f, ANY, "zen3"},
	{0x19, 0x20, 0x5f, ANY, "zen3"},   {0x19, 0x10, 0x1f, ANY, "zen4"},
	{0x19, 0x60, 0xaf, ANY, "zen4"},   {0x1a, 0x00, 0x2f, ANY, "zen5"},
	{0x1a, 0x40, 0x4f, ANY, "zen5"},   {0x1a, 0x60, 0x7f, ANY, "zen5"},
	{0x1a, 0x50, 0x5f, ANY, "zen6"},   {0x1a, 0x80, 0xaf, ANY, "zen6"},
	{0x1a, 0xc0, 0xcf, ANY, "zen6"},
};

static const struct arm_row {
	int implementer, part;
	const char *name;
} arm[] = {
	{0x41, 0xd03, "a53"},	    {0x41, 0xd07, "a57"},	{0x41, 0xd08, "a72"},
	{0x41, 0xd09, "a73"},	    {0x41, 0xd0a, "a75"},	{0x41, 0xd0b, "a76"},
	{0x41, 0xd0c, "n1"},	    {0x41, 0xd40, "v1"},	{0x41, 0xd49, "n2"},
	{0x41, 0xd4f, "v2"},	    {0x41, 0xd83, "v3ae"},	{0x41, 0xd84, "v3"},
	{0x41, 0xd8e, "n3"},	    {0x42, 0x516, "thunderx2"}, {0x43, 0x0a1, "thunderx"},
	{0x43, 0x0af, "thunderx2"}, {0x43, 0x0b8, "thunderx3"}, {0x46, 0x001, "a64fx"},
	{0x48, 0xd01, "tsv110"},    {0x48, 0xd02, "hip09"},	{0x4e, 0x004, "carmel"},
	{0x4e, 0x010, "olympus"},   {0x51, 0xc00, "falkor"},	{0x51, 0x001, "oryon"},
	{0x6d, 0xd49, "n2"},	    {0xc0, 0xac3, "ampere1"},	{0xc0, 0xac4, "ampere1a"},
};

/*
 * Where a reader recorded no numbers: the marketing name. '#' stands for a digit, '?' for a letter
 * or digit; the first row found anywhere in the name holds. Xeon Scalable: the second digit is the
 * generation, and an H behind a 3 is Cooper Lake. EPYC: the last digit, with the first.
 */
static const struct text_row {
	const char *pattern, *name;
} texts[] = {
	{"Platinum #3##H", "cpx"},
	{"Gold #3##H", "cpx"},
	{"Platinum #1##", "skx"},
	{"Gold #1##", "skx"},
	{"Silver #1##", "skx"},
	{"Bronze #1##", "skx"},
	{"Platinum #2##", "clx"},
	{"Gold #2##", "clx"},
	{"Silver #2##", "clx"},
	{"Bronze #2##", "clx"},
	{"Platinum #3##", "icx"},
	{"Gold #3##", "icx"},
	{"Silver #3##", "icx"},
	{"Platinum #4##", "spr"},
	{"Gold #4##", "spr"},
	{"Silver #4##", "spr"},
	{"Bronze #4##", "spr"},
	{"CPU Max 9###", "spr"},
	{"Platinum #5##", "emr"},
	{"Gold #5##", "emr"},
	{"Silver #5##", "emr"},
	{"Bronze #5##", "emr"},
	{"Xeon(R) 6###P", "gnr"},
	{"Xeon(R) 6###E", "srf"},
	{"E5-#### v2", "ivb"},
	{"E5-#### v3", "hsw"},
	{"E5-#### v4", "bdx"},
	{"E5-####", "snb"},
	{"E7-#### v2", "ivb"},
	{"E7-#### v3", "hsw"},
	{"E7-#### v4", "bdx"},
	{"Xeon Phi(TM) CPU 72##", "knl"},
	{"12th Gen Intel", "adl"},
	{"13th Gen Intel", "rpl"},
	{"EPYC 7??1", "zen1"},
	{"EPYC 7??2", "zen2"},
	{"EPYC 7??3", "zen3"},
	{"EPYC 8??4", "zen4"},
	{"EPYC 9??4", "zen4"},
	{"EPYC 9V33X", "zen4"},
	{"EPYC 9??5", "zen5"},
	{"Opteron(tm) Processor 61##", "k10"},
	{"Opteron(tm) Processor 62##", "bulldozer"},
	{"Opteron(tm) Processor 63##", "bulldozer"},
	{"Neoverse-N1", "n1"},
	{"Neoverse-N2", "n2"},
	{"Neoverse-N3", "n3"},
	{"Neoverse-V1", "v1"},
	{"Neoverse-V2", "v2"},
	{"Neoverse-V3", "v3"},
	{"Cortex-A72", "a72"},
	{"A64FX", "a64fx"},
	{"ThunderX2", "thunderx2"},
	{"Kunpeng-920", "tsv110"},
	{"Ampere-1a", "ampere1a"},
	{"Ampere-1", "ampere1"},
	{"POWER7", "power7"},
	{"POWER8", "power8"},
	{"POWER9", "power9"},
	{"POWER10", "power10"},
	{"Power11", "power11"},
};

static bool matches_here(const char *text, const char *pattern)
{
	for (; *pattern; pattern++, text++) {
		if (*pattern == '#' ? !isdigit((unsigned char)*text)
		    : *pattern == '?'
			    ? !isalnum((unsigned char)*text)
			    : tolower((unsigned char)*pattern) != tolower((unsigned char)*text))
			return false;
	}
	return true;
}

static const char *name_of_text(const char *text)
{
	size_t i;
	const char *s;

	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		for (s = text; *s; s++)
			if (matches_here(s, texts[i].pattern))
				return texts[i].name;
	return NULL;
}

static const char *name_of_x86(const struct x86_row *rows, size_t nr, const struct cpu_id *id)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (id->family == rows[i].family && id->model >= rows[i].model_min &&
		    id->model <= rows[i].model_max && id->stepping >= rows[i].stepping_min &&
		    id->stepping <= rows[i].stepping_max)
			return rows[i].name;
	return NULL;
}

static const char *name_of_arm(const struct cpu_id *id)
{
	size_t i;

	for (i = 0; i < sizeof(arm) / sizeof(arm[0]); i++)
		if (id->implementer == arm[i].implementer && id->part == arm[i].part)
			return arm[i].name;
	return NULL;
}

#define NR(rows) (sizeof(rows) / sizeof((rows)[0]))

/* numbers first, then the marketing name, then a neutral name made of the numbers */
void topo_uarch(const struct cpu_id *id, const char *model, char *name, size_t size)
{
	bool is_intel = !strcmp(id->vendor, "GenuineIntel");
	bool is_amd = !strcmp(id->vendor, "AuthenticAMD") || !strcmp(id->vendor, "HygonGenuine");
	bool is_arm = id->implementer > 0 && id->part >= 0;
	const char *known = NULL;

	if (is_intel)
		known = name_of_x86(intel, NR(intel), id);
	else if (is_amd)
		known = name_of_x86(amd, NR(amd), id);
	else if (is_arm)
		known = name_of_arm(id);
	if (!known)
		known = name_of_text(model);
	if (known)
		snprintf(name, size, "%s", known);
	else if (is_arm)
		snprintf(name, size, "arm-%02x-%03x", id->implementer, id->part);
	else if (id->family >= 0 && id->model >= 0 && *id->vendor)
		snprintf(name, size, "%s-%d-%d",
			 is_intel ? "intel"
			 : is_amd ? "amd"
				  : "x86",
			 id->family, id->model);
	else
		snprintf(name, size, "unknown");
}
