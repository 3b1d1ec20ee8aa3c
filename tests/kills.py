#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""kills.py TOOL N [SEED]: N sessions of a run are ended by SIGINT, SIGTERM and SIGKILL at random
moments, each is resumed, in the current folder. After every one the record is whole and holds all
that it held before; a finished run has every window of every case once. Says what it saw; exit
status 1 and the reason when something is not so."""
import json
import os
import random
import signal
import subprocess
import sys
import time

tool, wanted = sys.argv[1], int(sys.argv[2])
rng = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else time.time_ns())
BLOCKS = 400
PATH = "kills.json"
ARGS = ["run", "--set", "batch=8,16,32", "--workers", "1", "--window", "2ms", "--blocks",
        str(BLOCKS), "--target", "0", "-o", PATH]
LONGEST_S = 3.5   # saves are 2 s apart
GROWS_S = 3.3     # a session that lived this long after its plan was told has saved


class Broken(Exception):
    pass


def refuse(constant):
    raise Broken("%s in the record" % constant)


def load():
    """the windows of every case; None: no record yet"""
    if not os.path.exists(PATH):
        return None, False
    with open(PATH) as f:
        try:
            r = json.load(f, parse_constant=refuse)
        except ValueError as e:
            raise Broken("the record is no JSON: %s" % e)
    if len(r["cases"]) != 3:
        raise Broken("the record has %d cases of 3" % len(r["cases"]))
    return [c["samples"] for c in r["cases"]], r["complete"]


def holds_all(before, now):
    for case, (a, b) in enumerate(zip(before or [[], [], []], now)):
        if b[:len(a)] != a:
            raise Broken("case %d lost windows that the record had" % case)


def measured_once(cases, complete):
    for case, samples in enumerate(cases):
        last = {}
        for s in samples:
            # a block has more than one window only while they are disturbed, and three at most
            if s["block"] in last and not last[s["block"]][-1]["marks"]:
                raise Broken("case %d, block %d was measured twice" % (case, s["block"]))
            last.setdefault(s["block"], []).append(s)
            if len(last[s["block"]]) > 3:
                raise Broken("case %d, block %d has over 3 windows" % (case, s["block"]))
        if complete and sorted(last) != list(range(BLOCKS)):
            raise Broken("case %d: %d of %d blocks" % (case, len(last), BLOCKS))


def session(sig, before):
    args = [tool] + ARGS + ([] if before is None else ["--resume"])
    begin = time.monotonic()
    p = subprocess.Popen(args, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE)
    try:
        if rng.random() < 0.8:   # from the moment that measuring begins
            while p.poll() is None and b"record " not in p.stdout.readline():
                pass
            begin = time.monotonic()
        try:
            p.wait(rng.random() * LONGEST_S)
        except subprocess.TimeoutExpired:
            pass
        lived = time.monotonic() - begin
        hit = p.poll() is None
        p.send_signal(sig)
        out, err = p.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        p.kill()
        raise Broken("signal %d did not end the run in 60 s" % sig)
    return p.returncode, err.decode(), lived, hit


def check(code, err, sig, hit, lived, before, now, complete):
    if code not in (0, 3, 130, -sig):
        raise Broken("exit status %d after signal %d: %s" % (code, sig, err))
    if code == 130 and "-o %s --resume" % PATH not in err:
        raise Broken("no word on how to resume: %s" % err)
    if now is None:
        if code != -sig or lived > GROWS_S:
            raise Broken("exit status %d without a record" % code)
        return
    holds_all(before, now)
    measured_once(now, complete)
    if code in (0, 3) and not complete:
        raise Broken("exit status %d, but the record is not complete" % code)
    if hit and lived > GROWS_S and now == before:
        raise Broken("a session of %.1f s left nothing" % lived)


def main():
    nr = runs = kept = 0
    by = {signal.SIGINT: 0, signal.SIGTERM: 0, signal.SIGKILL: 0}
    ended = dict(by)   # by the signal, not by itself just then
    before = None
    while nr < wanted or before is not None:
        sig = rng.choice(list(by))
        # the last run is left to end by itself
        code, err, lived, hit = session(sig, before) if nr < wanted else finish(before)
        now, complete = load()
        check(code, err, sig, hit, lived, before, now, complete)
        if hit:
            nr += 1
            by[sig] += 1
            ended[sig] += code in (130, -sig)
        before = now
        if complete:
            kept += sum(map(len, now))
            runs += 1
            os.unlink(PATH)
            before = None
    for sig in by:
        if by[sig] > 2 and not ended[sig]:
            raise Broken("%d times signal %d, and no run was ended by it" % (by[sig], sig))
    print("%d signals survived (%d INT, %d TERM, %d KILL): %d runs completed, %d windows, none "
          "lost or measured twice" % (nr, *by.values(), runs, kept))


def finish(before):
    p = subprocess.run([tool] + ARGS + ["--resume"], capture_output=True, timeout=200,
                       stdin=subprocess.DEVNULL, check=False)
    return p.returncode, p.stderr.decode(), 0, False


try:
    main()
except Broken as e:
    print(e)
    sys.exit(1)
