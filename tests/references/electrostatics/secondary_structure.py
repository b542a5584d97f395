"""Writes secondary-structure.csv, from the PDB and mmCIF files beside it.

pip install mdtraj (1.11)
"""
import gzip
import pathlib
import tempfile

import mdtraj

here = pathlib.Path(__file__).parent
lines = [
    "# Secondary structure of wwPDB entries by compute_dssp(simplified=False) of mdtraj 1.11: H alpha, G 3-10 and I pi helices, E strands,",
    "# B bridges; all else is a dot. Written by secondary_structure.py.",
    "entry,chain,codes",
]
for name in ["1AFS.pdb", "1AJJ.pdb", "1FAS.cif"]:
    with tempfile.TemporaryDirectory() as folder:
        plain = pathlib.Path(folder, name)
        plain.write_bytes(gzip.decompress((here / (name + ".gz")).read_bytes()))
        entry = mdtraj.load(str(plain))[0]
    codes = mdtraj.compute_dssp(entry, simplified=False)[0]
    for chain in entry.topology.chains:
        own = [codes[residue.index] for residue in chain.residues if codes[residue.index] != "NA"]
        if own:
            lines.append(f"{name[:4]},{chain.chain_id},{''.join(code if code in 'HGIEB' else '.' for code in own)}")
(here / "secondary-structure.csv").write_text("\n".join(lines) + "\n")
