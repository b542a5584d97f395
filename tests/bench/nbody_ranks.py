#!/usr/bin/env python3
"""Weak scaling of isolume-batch nbody on several ranks of this machine, as a table for tests/bench/results/nbody_mpi.md.

usage: nbody_ranks.py ISOLUME_BATCH [BODIES_PER_RANK [ROUNDS]]

Each rank has as many bodies of a Plummer sphere and one thread. A run of ten steps is made with each number of ranks, taking turns;
the least time of all rounds counts. Efficiency: time of one rank over that of all.
"""
import json
import os
import subprocess
import sys
import tempfile

RANKS = (1, 2, 4)
STEPS = 10


def run(program, ranks, bodies, folder):
    words = [program, "nbody", "run", "--scene", "plummer", "--bodies", str(bodies * ranks), "--steps", str(STEPS),
             "--every", str(STEPS), "--threads", "1", "--diagnostics", os.path.join(folder, "run.csv"), "--json"]
    if ranks > 1:
        words = ["mpirun", "-n", str(ranks), "--oversubscribe", "--bind-to", "none", "--mca", "plm", "isolated"] + words
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    done = subprocess.run(words, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(words)}: {done.stderr}")
    return json.loads(done.stdout)


def main():
    program = sys.argv[1]
    bodies = int(sys.argv[2]) if len(sys.argv) > 2 else 100000
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 3
    best = {}
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(rounds):
            for ranks in RANKS:
                told = run(program, ranks, bodies, folder)
                if ranks not in best or told["seconds"]["all"] < best[ranks]["seconds"]["all"]:
                    best[ranks] = told
    print(f"{bodies} bodies a rank, {STEPS} steps, 1 thread a rank, least of {rounds} rounds; load of the machine before: "
          f"{load:.1f}; after: {os.getloadavg()[0]:.1f}.\n")
    print("| ranks | bodies | s a step | efficiency | order, tree, exchange s | sums s | division s | most work / mean | "
          "99 % of errors below |")
    print("|---|---|---|---|---|---|---|---|---|")
    for ranks, told in best.items():
        seconds = told["seconds"]
        sums = [rank["sums"] for rank in told.get("ranks", [{"sums": seconds["sums"]}])]
        print(f"| {ranks} | {told['bodies']} | {seconds['all'] / STEPS:.3f} | "
              f"{best[1]['seconds']['all'] / seconds['all']:.2f} | {(seconds['order'] + seconds['tree']) / STEPS:.3f} | "
              f"{seconds['sums'] / STEPS:.3f} | {seconds.get('division', 0) / STEPS:.3f} | "
              f"{max(sums) * len(sums) / sum(sums):.2f} | {told['p99_error']:.1e} |")


if __name__ == "__main__":
    main()
