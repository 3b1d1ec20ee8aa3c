#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# How fast the model is, on one core: simulated accesses a second on 16, 160 and 512 CPUs that share
# lines, the better of three turns each. At 160 at least 2 million are wanted. The last line is the
# ratio of the cost of an access on 512 CPUs to that on 16: at most 1.5.
#
# BUILD names the build folder; one with optimization and without sanitizers.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=${BUILD:-build}
[ -d "$build" ] || meson setup "$build" -Dbuildtype=release >/dev/null
ninja -C "$build" tests/perf/model_speed >/dev/null
exec "$build/tests/perf/model_speed"
