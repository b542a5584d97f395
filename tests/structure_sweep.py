"""Are atoms lost? Counts the atoms of every structure of a folder by itself, and compares with what the program kept and named.

    python3 structure_sweep.py ISOLUME-BATCH FOLDER

For each file: atoms of its first model (PDB, mmCIF) = atoms written - atoms added + atoms that remarks say were left out. Prints a line for
each file where that does not hold, and each that is refused; exits with 1 if there is one of the former.
"""
import gzip
import json
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

ENDINGS = (".pdb", ".ent", ".cif", ".mmcif", ".pdbx", ".pdb1")


def text_of(path):
    packed = path.suffix == ".gz" and path.read_bytes()[:2] == b"\x1f\x8b"
    opened = gzip.open(path, "rt", errors="replace") if packed else open(path, errors="replace")
    with opened as file:
        return file.read()


def atoms_of_pdb(text):
    """Of the first model, up to a record MODEL, or to END or ENDMDL where the same atoms follow: frames."""
    stretches = [(True, [])]
    for line in text.splitlines():
        if re.match(r"ATOM[ \d]|HETATM", line):
            stretches[-1][1].append(line[12:16] + line[17:21])
        elif line.startswith(("MODEL", "ENDMDL")) or line.strip() == "END":
            stretches.append((line.startswith("MODEL"), []))
    stretches = [each for each in stretches if each[1]]
    count, before = 0, None
    for is_model, atoms in stretches:
        if before is not None and (is_model or atoms == before):
            break
        count, before = count + len(atoms), atoms
    return count


def atoms_of_mmcif(text):
    """Rows of the first loop of _atom_site, of the first model in it, with coordinates."""
    lines = iter(text.splitlines())
    for line in lines:
        if line.strip() != "loop_":
            continue
        tags = []
        for line in lines:
            if not line.strip().startswith("_"):
                break
            tags.append(line.strip().split()[0].lower().replace("_atom_site_", "_atom_site."))
        if "_atom_site.cartn_x" not in tags:
            continue
        model = tags.index("_atom_site.pdbx_pdb_model_num") if "_atom_site.pdbx_pdb_model_num" in tags else None
        count, first = 0, None
        while line is not None and line.strip() and not line.startswith(("#", "loop_", "_", "data_")):
            words = shlex.split(line.replace("'", "\\'")) if '"' in line else line.split()
            number = words[model] if model is not None else "1"
            first = first or number
            count += number == first
            line = next(lines, None)
        return count
    return None


def main(program, folder):
    files = sorted(path for path in pathlib.Path(folder).rglob("*")
                   if path.name.lower().removesuffix(".gz").endswith(ENDINGS))
    wrong = refused = 0
    for path in files:
        text = text_of(path)
        expected = atoms_of_mmcif(text) if re.search(r"^data_", text, re.M) else atoms_of_pdb(text)
        with tempfile.TemporaryDirectory() as place:
            run = subprocess.run([program, "electrostatics", "prepare", path, "-o", f"{place}/out.pqr", "--keep-water", "--json"],
                                 capture_output=True, text=True)
        if run.returncode != 0:
            refused += 1
            print(f"refused: {path}: {run.stderr.strip().splitlines()[-1] if run.stderr.strip() else run.returncode}")
            continue
        told = json.loads(run.stdout)
        hydrogens = told["preparation"]["hydrogens"]
        named = hydrogens["replaced"] + sum(remark.get("count", 0) for remark in told["remarks"]
                                            if remark["kind"] == "dropped" and not remark["text"].startswith("The file has"))
        found = told["atoms"] - hydrogens["added"] - len(told["preparation"]["added_atoms"]) + named
        if expected is not None and found != expected:
            wrong += 1
            print(f"LOST: {path}: {expected} atoms in the file, {found} kept or named")
    print(f"{len(files)} files, {refused} refused, {wrong} with atoms that are neither kept nor named")
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
