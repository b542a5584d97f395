#!/usr/bin/env python3
"""Counts the machine instructions of the hottest CUDA loops, so that a longer loop is noticed without a GPU.

    sass_counts.py BUILD [--arch sm_90] [--tool NVDISASM] [--save FILE.json] [--compare FILE.json]

Compiles the sources of LOOPS for one architecture with the options of BUILD, a build folder with CUDA, disassembles
them, and prints issue slots per unit of work, slots by kind, and the kernel's registers, spills and static shared
memory. --compare prints the differences to a saved file, and returns 1 where a loop has become longer or a kernel
spills more; errors return 2.

A loop is found by control flow: it is the innermost loop around an instruction that matches `marker`; of several such
loops the one with the fewest slots per unit counts. Slots are those on the shortest path of an iteration that passes
the marker, or on the longest one where branches skip work at borders. Called functions (slow paths of divisions) and
the paths of diverged warps around shuffles are left out.
"""
import argparse
import collections
import json
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

# `kernel`: the beginning of its name with template arguments, mangled. `units`: units of work in one iteration, or None
# for one per marker. `path`: min for the shortest, max for the longest. `whole`: count the whole kernel, not a loop.
Loop = collections.namedtuple("Loop", "name source kernel marker unit units path whole")
DIRECT, WALK = "gpu/nbody/direct/direct_kernels.cu", "gpu/nbody/tree/walk_kernels.cu"
LEAVES = "gpu/nbody/fmm/leaf_kernels.cu"
EQUATION = "gpu/electrostatics/poisson_boltzmann/poisson_boltzmann_kernels.cu"
MULTIGRID = "gpu/electrostatics/poisson_boltzmann/multigrid_kernels.cu"
SEPARABLE = "gpu/orbitals/separable/separable_kernels.cu"
PRODUCTS = "gpu/orbitals/products/product_kernels.cu"
VOLUMES, GAUSSIAN = "gpu/volumes/volume_kernels.cu", "gpu/volumes/gaussian_kernels.cu"
TILES, CUBES = "gpu/livewire/tile_kernels.cu", "gpu/surfaces/marching_cubes_kernels.cu"
LOOPS = [Loop(*row) for row in (
    ("direct sum", DIRECT, "sum_partsILb0ELb1E", r"MUFU\.RSQ", "pair", None, min, False),
    ("direct sum without potential", DIRECT, "sum_partsILb0ELb0E", r"MUFU\.RSQ", "pair", None, min, False),
    # Only the spline kernel has two parts, which meet at half its support.
    ("direct sum, spline softening", DIRECT, "sum_partsILb1ELb1E", r"FSETP.* 0\.5\b", "pair", None, min, False),
    ("tree walk, bodies of a leaf", WALK, "walk_chunksILb0E", r"MUFU\.RSQ", "pair", None, min, False),
    # A lane has two bodies; -1.5 is a factor of the second moments, once for each body.
    ("tree walk, spline softening", WALK, "walk_chunksILb1E", r"FSETP.* 0\.5\b", "pair", None, min, False),
    ("tree walk, accepted cell", WALK, "walk_chunksILb0E", r"FMUL.*-1\.5$", "cell and body", None, min, False),
    ("tree walk, opened cell", WALK, "walk_chunksILb0E", r"FMNMX", "cell and body", 2, min, False),
    ("fast multipole method, near bodies", LEAVES, "add_leaves", r"MUFU\.RSQ", "pair", None, min, False),
    ("Poisson-Boltzmann, smoothing", MULTIGRID, "relax_colourILb0E", r"STG", "grid point", 1, max, True),
    ("Poisson-Boltzmann, operator", EQUATION, "apply_to", r"STG", "grid point", 1, max, False),
    ("separable orbitals", SEPARABLE, "sum_brickILb0ELb1E", r"FFMA", "term and point", None, min, False),
    ("separable densities", SEPARABLE, "sum_brickILb1ELb1E", r"FFMA", "term and point", None, min, False),
    # A thread has 16 points. Offsets of a product's last factors along x: 32 bytes for each power. Polynomials of lower
    # degree have no such loads, those of higher degree are longer.
    ("density products, degree 2", PRODUCTS, "add_products", r"LDS\.128.*\+0x50\]", "product and point", 16, min,
     False),
    ("density products, degree 4", PRODUCTS, "add_products", r"LDS\.128.*\+0x90\]", "product and point", 16, min,
     False),
    ("livewire tiles, node costs", TILES, "relax_tilesILb0ELi8E", r"STS(?!\.U16)", "pixel and sweep", None, min, False),
    ("livewire tiles, arc costs", TILES, "relax_tilesILb1ELi8E", r"STS(?!\.U16)", "pixel and sweep", None, min, False),
    ("marching cubes, classification", CUBES, "classify_runs", r"POPC", "grid point", 1, max, True),
    ("marching cubes, vertices", CUBES, "write_vertices_of_runs", r"STG", "vertex", 1, max, False),
    # The compiler unrolls loops of at most two iterations by 16: the longest path is never taken.
    ("marching cubes, triangles", CUBES, "write_triangles_of_runs", r"STG", "triangle", 1, min, False),
    # A thread has four voxels that follow each other along z.
    ("warp of a volume", VOLUMES, "warp_by", r"STG", "voxel", 4, max, True),
    ("force of a mismatch", VOLUMES, "force_ofILb1E", r"STG", "voxel", 4, max, True),
    ("composition of a step", VOLUMES, "compose_step_of", r"STG", "voxel", 1, max, False),
    ("Gaussian along rows", GAUSSIAN, "convolve_along_x", r"FFMA", "voxel and weight", None, min, False),
    ("Gaussian across rows", GAUSSIAN, "convolve_across", r"FFMA", "voxel and weight", None, min, False),
)]
KINDS = [  # the first pattern that matches an opcode
    ("FFMA", "FFMA"), ("FADD", "FADD"), ("FMUL", "FMUL"), ("MUFU", "MUFU"), ("FP64", "D[A-Z]"),
    ("float compare", "F(SETP|SEL|SET|MNMX|CHK)"), ("conversion", "[FI]2|FRND"), ("shared", "LDS|STS|ATOMS"),
    ("global", "LDG|STG|RED|ATOMG|LD$|ST$"), ("spill", "LDL|STL"), ("constant", "U?LDC"),
    ("shuffle", "SHFL|VOTE|MATCH"),
    ("control", "BRA|BRX|BSSY|BSYNC|BREAK|CALL|RET|EXIT|WARPSYNC|BAR|NOP|B2R"), ("integer or move", ""),
]


def fail(message):
    print(message, file=sys.stderr)
    sys.exit(2)


def bare(text):
    return re.sub(r"^@!?U?P\w+\s+", "", text)


def opcode(text):
    return bare(text).split()[0].split(".")[0]


def functions(listing):
    """Maps each function to [(address, text, targets)]; nvdisasm prints targets as labels, cuobjdump as addresses."""
    found, labels, pending, code = {}, {}, [], []
    for line in listing.splitlines():
        if start := re.match(r"\.text\.(\S+):|\s+Function : (\S+)", line):
            code = found.setdefault(start[1] or start[2], [])
        elif label := re.match(r"(\.L_\w+):", line):
            pending.append(label[1])
        elif instruction := re.match(r"\s+/\*([0-9a-f]{4,})\*/\s+(.*?)\s*;", line):
            labels.update(dict.fromkeys(pending, int(instruction[1], 16)))
            pending = []
            code.append((int(instruction[1], 16), instruction[2]))

    def targets(text):
        if opcode(text) not in ("BRA", "BRX", "BSSY") or bare(text).startswith("BRA.DIV"):
            return []
        named = [labels[name] for name in re.findall(r"\.L_\w+", text)]
        return named or [int(address, 16) for address in re.findall(r"\b0x([0-9a-f]+)$", text)]

    return {name: [(address, text, targets(text)) for address, text in code] for name, code in found.items()}


class Flow:
    """Control flow of a function. A block is named by the number of its first instruction."""

    def __init__(self, code):
        at = {address: i for i, (address, _, _) in enumerate(code)}
        following = []
        for i, (_, text, targets) in enumerate(code):
            then = [i + 1] if i + 1 < len(code) else []
            jumps = [at[t] for t in targets]
            if opcode(text) in ("BRA", "BRX"):
                conditional = not jumps or text.startswith("@") or re.match(r"BRA\S* !?U?P\d", text)
                then = jumps + (then if conditional else [])
            elif opcode(text) in ("EXIT", "RET") and not text.startswith("@"):
                then = []
            elif opcode(text) == "BSYNC":  # continues where the BSSY of the same barrier says
                barrier = text.split()[-1]
                joins = [at[code[b][2][0]] for b in range(i) if re.match(rf"BSSY\S* {barrier},", code[b][1])]
                then = then if not joins or i + 1 in joins else joins[-1:]
            following.append(then)
        leaders = {0}
        for i, then in enumerate(following):
            if then != [i + 1]:
                leaders |= set(then) | {i + 1}
        starts = sorted(leaders | {len(code)})
        self.end = dict(zip(starts, starts[1:]))
        self.next = {block: following[end - 1] for block, end in self.end.items()}
        self.find_loops()

    def find_loops(self):
        """Natural loops: a back edge leads to a block that dominates its origin."""
        finished, seen, stack = [], {0}, [(0, iter(self.next[0]))]
        while stack:
            to = next(stack[-1][1], None)
            if to is None:
                finished.append(stack.pop()[0])
            elif to not in seen:
                seen.add(to)
                stack.append((to, iter(self.next[to])))
        self.order = finished[::-1]  # each block after its predecessors, except for back edges
        before = collections.defaultdict(list)
        for block in self.order:
            for to in self.next[block]:
                before[to].append(block)
        dominators, changed = {block: seen for block in self.order} | {0: {0}}, True
        while changed:
            changed = False
            for block in self.order[1:]:
                known = set.intersection(*(dominators[b] for b in before[block])) | {block}
                changed = changed or known != dominators[block]
                dominators[block] = known
        self.loops, self.back = {}, set()
        for block in self.order:
            for head in set(self.next[block]) & dominators[block]:
                self.back.add((block, head))
                inside, todo = self.loops.setdefault(head, {head}), [block]
                while todo:
                    if (b := todo.pop()) not in inside:
                        inside.add(b)
                        todo += before[b]

    def path(self, head, inside, via, choose):
        """Blocks from the head past `via` to the end of the iteration or kernel, without inner back edges."""

        def best(paths):
            return choose((p for p in paths if p), key=lambda p: sum(self.end[b] - b for b in p), default=[])

        blocks = [b for b in self.order if b in inside]
        to, after = {head: [head]}, {}
        for block in blocks[1:]:
            origins = (b for b in blocks if block in self.next[b] and (b, block) not in self.back and to.get(b))
            to[block] = best([to[b] + [block] for b in origins])
        for block in reversed(blocks):
            ends = (block, head) in self.back or not self.next[block]
            onward = (n for n in self.next[block] if after.get(n) and (block, n) not in self.back)
            after[block] = best([[block] + after[n] for n in onward] + ([[block]] if ends else []))
        return to[via] + after[via][1:] if to[via] and after[via] else []


def count(code, loop):
    flow, found = Flow(code), []
    marked = [bool(re.match(loop.marker, bare(text))) for _, text, _ in code]
    for via in flow.order:
        around = [(len(inside), head) for head, inside in flow.loops.items() if via in inside]
        if not any(marked[via:flow.end[via]]) or not (around or loop.whole):
            continue
        head, inside = (0, set(flow.order)) if loop.whole else (min(around)[1], flow.loops[min(around)[1]])
        if path := [i for b in flow.path(head, inside, via, loop.path) for i in range(b, flow.end[b])]:
            units = loop.units or sum(marked[i] for i in path)
            found.append((len(path) / units, units, [code[i][1] for i in path]))
    if not found:
        fail(f"{loop.source}: no loop of {loop.kernel} contains {loop.marker}. Adapt LOOPS in {__file__}.")
    _, units, texts = loop.path(found)
    kinds = collections.Counter(next(k for k, pattern in KINDS if re.match(pattern, opcode(t))) for t in texts)
    return {"unit": loop.unit, "slots": len(texts), "units": units,
            "kinds": {k: kinds[k] for k, _ in KINDS if kinds[k]}}


def compile_source(build, source, arch, folder):
    """Returns the path of the machine code and the resources of each kernel."""
    try:
        commands = json.loads((build / "compile_commands.json").read_text())
    except OSError as error:
        fail(f"{error}. Name a build folder.")
    command = next((c for c in commands if c["file"].endswith("/" + source)), None)
    if command is None:
        fail(f"{build} does not compile {source}. Configure it with ISOLUME_GPU=cuda.")
    words = [w for w in shlex.split(command["command"]) if not w.startswith("--generate-code")]
    cubin = folder / (pathlib.Path(source).stem + ".cubin")
    words[words.index("-o") + 1] = str(cubin)
    words[words.index("-c")] = "-cubin"
    run = subprocess.run(words + [f"-arch={arch}", "-Xptxas=-v"], cwd=command["directory"], stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, text=True)
    if run.returncode != 0:
        fail(f"{source} does not compile:\n{run.stdout}")
    resources = {}
    for name, text in re.findall(r"entry function '(\S+)'(.*?Used.*?)\n", run.stdout, re.S):
        resources[name] = {key: sum(map(int, re.findall(rf"(\d+) {pattern}", text))) for key, pattern in
                           (("registers", "registers"), ("spills", "bytes spill"), ("shared", "bytes smem"))}
    return cubin, resources


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("build", type=pathlib.Path, help="build folder with CUDA")
    parser.add_argument("--arch", default="sm_90", help="architecture of the machine code (sm_90)")
    parser.add_argument("--tool", default=shutil.which("nvdisasm") or shutil.which("cuobjdump"),
                        help="nvdisasm or cuobjdump, if it is not in PATH")
    parser.add_argument("--save", type=pathlib.Path, help="write the counts as JSON")
    parser.add_argument("--compare", type=pathlib.Path, help="compare with saved counts")
    options = parser.parse_args()
    if not options.tool or not shutil.which(options.tool):
        fail("No disassembler found. Install the package cuda-nvdisasm of the CUDA toolkit, or the Python package "
             "nvidia-cuda-nvdisasm, and name its program by --tool.")
    flag = "-sass" if "cuobjdump" in pathlib.Path(options.tool).name else "-c"
    saved = json.loads(options.compare.read_text()) if options.compare else {}
    results, codes, resources = {}, {}, {}
    with tempfile.TemporaryDirectory() as folder:
        for source in dict.fromkeys(loop.source for loop in LOOPS):
            cubin, resources[source] = compile_source(options.build, source, options.arch, pathlib.Path(folder))
            run = subprocess.run([options.tool, flag, cubin], check=True, capture_output=True, text=True)
            codes[source] = functions(run.stdout)
    print("| loop | unit | slots per unit | slots | registers | spills, bytes | shared, bytes | slots by kind |")
    print("|---|---|---|---|---|---|---|---|")
    for loop in LOOPS:
        name = next((n for n in codes[loop.source] if re.search(r"\d" + loop.kernel, n)), None)
        if name is None:
            fail(f"{loop.source} has no kernel {loop.kernel}. Adapt LOOPS in {__file__}.")
        r = results[loop.name] = count(codes[loop.source][name], loop) | resources[loop.source][name]
        kinds = ", ".join(f"{number} {kind}" for kind, number in r["kinds"].items())
        print(f"| {loop.name} | {loop.unit} | {r['slots'] / r['units']:.2f} | {r['slots']} for {r['units']} | "
              f"{r['registers']} | {r['spills']} | {r['shared']} | {kinds} |")
    if options.save:
        options.save.write_text(json.dumps(results, indent=1) + "\n")
    longer = False
    for name, old in saved.items():
        if new := results.get(name):
            before, now = old["slots"] / old["units"], new["slots"] / new["units"]
            longer = longer or now > before or new["spills"] > old["spills"]
            changes = [f"{before:.2f} -> {now:.2f} slots per {new['unit']}"] if now != before else []
            changes += [f"{key} {old[key]} -> {new[key]}" for key in ("registers", "spills", "shared")
                        if new[key] != old[key]]
            if changes:
                print(f"{name}: {', '.join(changes)}")
    return int(longer)


if __name__ == "__main__":
    sys.exit(main())
