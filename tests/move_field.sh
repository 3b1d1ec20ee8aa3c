#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Copies page_counter.h with one field of layout padded_2022 moved: max lies beside usage, as if its
# alignment had been forgotten. What the header asserts of that layout's offsets is left out.
#   move_field.sh FROM TO
set -eu
sed -e '/^struct page_counter_padded_2022 {/,/^};/{
	s/^\tatomic_long_t usage CACHELINE_ALIGNED;/&\n\tunsigned long max;/
	s/, max;/;/
	}' -e '/^PC_ASSERT_LAYOUT(padded_2022,/d' "$1" >"$2"
[ "$(diff "$1" "$2" | grep -c '^[<>]')" = 4 ] || {
	echo "move_field.sh: $1 has no struct page_counter_padded_2022 as it was known here" >&2
	exit 1
}
