#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# long_plan.sh - the long plans of "meson test --benchmark": this machine measured in full
#
# usage: tests/long_plan.sh CHARGELINE FOLDER plan|core_to_core|pick
#
# FOLDER gets, with CLASS the machine class:
#   plan          CLASS.json .txt .html                the default plan and its report
#   core_to_core  CLASS-core_to_core.json .txt .html .csv
#   pick          CLASS-pick.txt .json                 from the record of plan and earlier ones
# An interrupted record is gone on with; a complete one moves to FOLDER/earlier/ and counts on in
# reports and pick. CHARGELINE_BUDGET=30s bounds a measurement. Needs meson's word that it may last.
set -u
tool=$(readlink -f -- "$1")
what=$3
mkdir -p -- "$2/earlier" && cd -- "$2" || exit 1
folder=$PWD
class=$("$tool" topo --json | sed -n 's/^ *"class": "\([^"]*\)".*/\1/p' | head -n 1)
[ -n "$class" ] || { echo "long_plan.sh: chargeline topo names no class"; exit 1; }
budget=()
[ -z "${CHARGELINE_BUDGET-}" ] || budget=(--budget "$CHARGELINE_BUDGET")

# 0, or 3: a number is not to be trusted, which the report says
good() {
	[ "$1" = 0 ] || [ "$1" = 3 ]
}

give_up() { # STATUS SENTENCE
	echo "long_plan.sh: $2"
	exit "$1"
}

# aside NAME [WHY]: the record makes room for a new one
aside() {
	mv -- "$1.json" "earlier/$1-${2-}$(date -u -r "$1.json" +%Y%m%d-%H%M%S).json"
}

# measure NAME COMMAND...: into NAME.json, from where it was left. What cannot be gone on with, as
# it was made by another build or for another budget, is kept but not counted.
measure() {
	local name=$1 status=0
	shift
	set -- "$@" "${budget[@]}" -o "$name.json"
	if grep -qsE '^ *"complete": *true' "$name.json"; then
		aside "$name"
	elif [ -e "$name.json" ]; then
		cp -p -- "$name.json" "$name.before"
		"$tool" "$@" --resume || status=$?
		if ! good $status && cmp -s -- "$name.json" "$name.before"; then
			echo "measuring anew"
			aside "$name" stopped-
			status=0
		fi
		rm -f -- "$name.before"
	fi
	[ -e "$name.json" ] || "$tool" "$@" || status=$?
	good $status || give_up $status "$* ended with $status; $folder/$name.json has what was measured"
}

# all complete records under a name: the new one and earlier ones
records() {
	files=("$1.json")
	local file
	for file in "earlier/$1"-[0-9]*.json; do
		[ ! -e "$file" ] || files+=("$file")
	done
}

# written FILE...: they exist, are not empty, and are told
written() {
	local file
	for file; do
		[ -s "$file" ] || give_up 1 "$folder/$file was not written"
		echo "written  $folder/$file"
	done
}

case $what in
plan)
	measure "$class" report --html "$class.html"
	records "$class"
	"$tool" report --html "$class.html" "${files[@]}" >"$class.txt" || give_up $? "report failed"
	written "$class".{json,txt,html}
	;;
core_to_core)
	if [ "$(nproc)" = 1 ]; then
		echo "one CPU is no pair"
		exit 77
	fi
	name=$class-core_to_core
	measure "$name" run core_to_core --set protocol=cas,read
	"$tool" report --html "$name.html" --csv "$name.csv" "$name.json" >"$name.txt" ||
		give_up $? "report failed"
	written "$name".{json,txt,html,csv}
	;;
pick)
	records "$class"
	[ -e "$class.json" ] || give_up 77 "there is no record of the plan yet: run it first"
	"$tool" pick "${files[@]}" >"$class-pick.txt" || give_up $? "pick failed"
	"$tool" pick --json "${files[@]}" >"$class-pick.json" || give_up $? "pick failed"
	cat -- "$class-pick.txt"
	written "$class"-pick.{txt,json}
	;;
*) give_up 2 "unknown plan '$what': plan, core_to_core or pick" ;;
esac
