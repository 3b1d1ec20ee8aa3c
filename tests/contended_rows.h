/* SPDX-License-Identifier: MIT */
/*
 * contended_rows.h - what was published of one contended line, by which protocol, and what is asked
 *
 * Throughputs are rows of contended-atomics.csv, or of the table in section 2 of
 * contention-models.md where they carry their figure; the bounds are those of its section 5.
 */
#ifndef CHARGELINE_CONTENDED_ROWS_H
#define CHARGELINE_CONTENDED_ROWS_H

enum how {
	STEADY,
	FIXED
}; /* each CPU counts for a time, or does as many operations as the others */
enum kind { FIT, PREDICTED };

struct row {
	const char *machine, *dataset, *op; /* of contended-atomics.csv */
	const char *placement;
	int nr;
	enum how how;
	enum kind kind;
	int asked; /* percent that the error may be; 0: the placement is not known */
	int known; /* where it is more, or nothing is asked: the present error */
	const char *note;
	double measured; /* ns per operation, all CPUs; 0: the file has it */
};

#define SKX    "skx-8176-8s", "perfbook-hps", "atomic inc"
#define MILAN  "milan-2s64c", "perfbook-milan", "atomic inc"
#define SKL    "i7-6700HQ", "downs-skl", "atomic add"
#define SKLCAS "i7-6700HQ", "downs-skl", "cas add"
#define ICL    "i5-1035G4", "downs-icl", "atomic add"
#define ICLCAS "i5-1035G4", "downs-icl", "cas add"
#define G2     "graviton2-1s64c", "downs-g2-16", "atomic add"
#define G2CAS  "graviton2-1s64c", "downs-g2-16", "cas add"
#define G1     "graviton1", "downs-g1-16", "atomic add"
#define G1CAS  "graviton1", "downs-g1-16", "cas add"
#define P5     "power5+", "perfbook-p5", "atomic inc"
#define CCONT  "ccont", "ccont", "lock cmpxchg"
#define GEODE  "clx-2s18c", "geode", "increment"
#define CORES  "cores-first"
#define FREE   "not pinned"
#define ROLL   "not the CPUs of the rows above, says the source's own 4 + 0"

/* clang-format off: a table */
static const struct row rows[] = {
	{SKX, CORES, 1, STEADY, FIT, 15, 0, "e", 0},
	{SKX, CORES, 2, STEADY, PREDICTED, 0, -25, FREE ": two sockets?", 0},
	{SKX, CORES, 8, STEADY, PREDICTED, 0, -8, FREE, 0},
	{SKX, CORES, 28, STEADY, PREDICTED, 15, 0, FREE, 0},
	{SKX, CORES, 56, STEADY, PREDICTED, 0, 30, FREE, 0},
	{SKX, CORES, 112, STEADY, PREDICTED, 0, 14, FREE, 0},
	{SKX, CORES, 224, STEADY, PREDICTED, 0, 18, FREE, 0},
	{SKX, CORES, 420, STEADY, FIT, 30, 0, "w, by others", 0},
	{MILAN, CORES, 1, STEADY, FIT, 15, 0, "e", 0},
	{MILAN, CORES, 2, STEADY, PREDICTED, 0, 17, FREE, 0},
	{MILAN, CORES, 8, STEADY, FIT, 15, 0, "keep, if it is one CCX: " FREE, 0},
	{MILAN, "compact", 16, STEADY, PREDICTED, 0, -11, FREE, 0},
	{MILAN, "compact", 56, STEADY, PREDICTED, 0, 55, FREE, 0},
	{MILAN, "compact", 112, STEADY, PREDICTED, 0, 31, FREE, 0},
	{MILAN, "compact", 160, STEADY, PREDICTED, 30, 0, "a guest on nearly all its CPUs", 0},
	{SKL, CORES, 1, STEADY, FIT, 5, 0, "e", 0},
	{SKL, CORES, 2, STEADY, PREDICTED, 20, 0, "", 0},
	{SKL, CORES, 3, STEADY, PREDICTED, 20, 0, "", 0},
	{SKL, CORES, 4, STEADY, PREDICTED, 20, 0, "", 0},
	{SKLCAS, CORES, 1, STEADY, FIT, 5, 0, "e", 0},
	{SKLCAS, CORES, 2, STEADY, PREDICTED, 25, 0, "", 0},
	{SKLCAS, CORES, 3, STEADY, PREDICTED, 25, 0, "", 0},
	{SKLCAS, CORES, 4, STEADY, PREDICTED, 25, 0, "", 0},
	{ICL, CORES, 1, STEADY, FIT, 5, 0, "e", 0},
	{ICL, CORES, 2, STEADY, PREDICTED, 20, 0, "", 0},
	{ICL, CORES, 3, STEADY, PREDICTED, 20, 0, "", 0},
	{ICL, CORES, 4, STEADY, PREDICTED, 20, 0, "", 0},
	{ICLCAS, CORES, 1, STEADY, FIT, 5, 0, "e", 0},
	{ICLCAS, CORES, 2, STEADY, PREDICTED, 25, 0, "", 0},
	{ICLCAS, CORES, 3, STEADY, PREDICTED, 25, 0, "", 0},
	{ICLCAS, CORES, 4, STEADY, PREDICTED, 25, 0, "", 0},
	{G2, CORES, 1, STEADY, FIT, 10, 0, "e", 0},
	{G2, CORES, 2, STEADY, PREDICTED, 15, 0, "", 0},
	{G2, CORES, 4, STEADY, PREDICTED, 15, 0, "", 0},
	{G2, CORES, 8, STEADY, PREDICTED, 15, 0, "", 0},
	{G2, CORES, 16, STEADY, FIT, 15, 0, "far service", 0},
	{G2CAS, CORES, 2, STEADY, PREDICTED, 25, 208, "", 0},
	{G2CAS, CORES, 4, STEADY, PREDICTED, 25, 135, "", 0},
	{G2CAS, CORES, 8, STEADY, PREDICTED, 25, 82, "", 0},
	{G2CAS, CORES, 16, STEADY, PREDICTED, 25, 139, "", 0},
	{G1, CORES, 2, STEADY, FIT, 15, 0, "L", 0},
	{G1, CORES, 4, STEADY, PREDICTED, 25, 0, "", 0},
	{G1, CORES, 8, STEADY, PREDICTED, 25, 0, "", 0},
	{G1, CORES, 16, STEADY, FIT, 15, 0, "crowd", 0},
	{G1CAS, CORES, 2, STEADY, PREDICTED, 25, 68, "", 0},
	{G1CAS, CORES, 16, STEADY, PREDICTED, 25, 279, "", 0},
	{P5, CORES, 2, STEADY, FIT, 15, 0, "L; " FREE, 0},
	{P5, CORES, 8, STEADY, PREDICTED, 25, 0, FREE, 0},
	{P5, CORES, 16, STEADY, PREDICTED, 25, 0, FREE, 0},
	{P5, CORES, 28, STEADY, PREDICTED, 25, 0, FREE, 0},
	{P5, CORES, 64, STEADY, FIT, 15, 0, "crowd; " FREE, 0},
	{CCONT, "0", 1, FIXED, FIT, 5, 0, "e", 0},
	{CCONT, "0-1", 2, FIXED, FIT, 5, 0, "L", 0},
	{CCONT, "0-2", 3, FIXED, PREDICTED, 15, 0, "", 0},
	{CCONT, "0-3", 4, FIXED, PREDICTED, 15, 0, "", 0},
	{CCONT, "0-4", 5, FIXED, PREDICTED, 20, 0, "", 0},
	{CCONT, "0-5", 6, FIXED, PREDICTED, 20, 0, "turns of groups fitted on its shares", 0},
	{CCONT, "0-6", 7, FIXED, PREDICTED, 20, 0, "", 0},
	{CCONT, "0-7", 8, FIXED, FIT, 20, 0, "L across", 0},
	{CCONT, "0-3", 4, FIXED, PREDICTED, 15, 51, ROLL, 12.19},
	{CCONT, "0-2,4", 4, FIXED, PREDICTED, 20, 0, "", 23.67},
	{CCONT, "0-1,4-5", 4, FIXED, PREDICTED, 20, 0, "", 29.78},
	{CCONT, "0,4-6", 4, FIXED, PREDICTED, 20, 0, "", 25.18},
	{CCONT, "4-7", 4, FIXED, PREDICTED, 15, 53, ROLL, 12.08},
	{GEODE, CORES, 8, STEADY, PREDICTED, 15, 0, "CPU unknown, the same at any number", 24.4},
	{GEODE, "compact", 36, STEADY, PREDICTED, 15, 0, "if on one socket", 24.4},
	{GEODE, CORES, 36, STEADY, PREDICTED, 0, 24, "if on two sockets", 24.4},
	{"ryzen-2700x", "tarreau", "cas", "compact", 16, STEADY, PREDICTED, 25, -63, "", 88},
	{"xeon-w-2145", "tarreau", "cas", "compact", 16, STEADY, PREDICTED, 25, 0, "", 53},
	{"lx2160a", "tarreau", "cas", "compact", 16, STEADY, PREDICTED, 25, 333, "", 113},
};

/* fastest and slowest CPU, ns of its own operations: the README of ccont */
static const struct share {
	const char *machine, *op, *placement, *name;
	int nr;
	enum how how;
	enum kind kind;
	double fastest, slowest;
	int asked, known;
} shares[] = {
	{"ccont", "lock cmpxchg", "0-4", "4 + 1", 5, FIXED, PREDICTED, 61.69, 108.06, 25, 0},
	{"ccont", "lock cmpxchg", "0-5", "4 + 2", 6, FIXED, FIT, 101.32, 136.92, 25, 0},
	{"ccont", "lock cmpxchg", "0-6", "4 + 3", 7, FIXED, PREDICTED, 151.64, 169.22, 25, 0},
	{"ccont", "lock cmpxchg", "0-2,4", "3 + 1", 4, FIXED, PREDICTED, 85.51, 97.75, 25, 0},
	{"ccont", "lock cmpxchg", "0,4-6", "1 + 3", 4, FIXED, PREDICTED, 91.31, 103.88, 25, 0},
	{"ryzen-2700x", "cas", "compact", "all", 16, STEADY, PREDICTED, 1, 4.5, 25, 324},
};
/* clang-format on */
#define NR_ROWS	  (sizeof(rows) / sizeof(rows[0]))
#define NR_SHARES (sizeof(shares) / sizeof(shares[0]))

#endif
