"""Writes resources/charges/charmm.csv, and the sugars of resources/charges/amber.csv and hydrogens.csv behind the line that begins
with "# Sugars".

    python3 make_charges.py TOPPAR OPENMM

TOPPAR: a folder with CHARMM's own topologies and parameters (toppar_c36); OPENMM: the folder openmm/app/data of PyPI's openmm 8.6, which has
GLYCAM_06j as XML.
"""
import pathlib
import re
import sys
import xml.etree.ElementTree as ElementTree

CHARGES = pathlib.Path(__file__).parents[3] / "resources" / "charges"
RESIDUES = "ALA ARG ASN ASP CYS GLN GLU GLY HSD HSE HSP ILE LEU LYS MET PHE PRO SER THR TRP TYR VAL".split()
HISTIDINES = {"HSD": "HID", "HSE": "HIE", "HSP": "HIP"}
# wwPDB's name of a sugar: CHARMM's, GLYCAM's without the number of its links.
SUGARS = {"NAG": ("BGLCNA", "YB"), "NDG": ("AGLCNA", "YA"), "NGA": ("BGALNA", "VB"), "A2G": ("AGALNA", "VA"),
          "BGC": ("BGLC", "GB"), "GLC": ("AGLC", "GA"), "BMA": ("BMAN", "MB"), "MAN": ("AMAN", "MA"),
          "GAL": ("BGAL", "LB"), "GLA": ("AGAL", "LA"), "FUC": ("AFUC", "fA"), "FUL": ("BFUC", "fB"),
          "RAM": ("ARHM", "hA"), "XYP": ("BXYL", "XB"), "XYS": ("AXYL", "XA"), "BDP": ("BGLCA", "ZB"),
          "GCU": ("AGLCA", "ZA"), "SIA": ("ANE5AC", "SA"), "SLB": ("BNE5AC", "SB")}
SIALIC = ("SIA", "SLB")


# --- CHARMM's files ---------------------------------------------------------------------------------------------------------------

class Block:
    """A residue, or a patch: atoms with type and charge, those that it removes, bonds."""

    def __init__(self):
        self.atoms, self.removed, self.bonds = {}, [], []


def read_topology(*files):
    blocks, block = {}, None
    for file in files:
        for line in file.read_text(errors="replace").splitlines():
            words = line.split("!")[0].split()
            if not words:
                continue
            key = words[0].upper()[:4]
            if key in ("RESI", "PRES"):
                block = blocks.setdefault(words[1], Block())
                block.__init__()
            elif key == "END" or key == "READ":
                block = None
            elif block is None:
                continue
            elif key == "ATOM":
                block.atoms[words[1]] = (words[2], float(words[3]))
            elif key == "DELE" and words[1].upper() == "ATOM":
                block.removed.append(words[2])
            elif key in ("BOND", "DOUB"):
                block.bonds += list(zip(words[1::2], words[2::2]))
    return blocks


def read_radii(*files):
    """Half of the distance at which two equal atoms' energy is least, in angstrom, by type."""
    radii = {}
    for file in files:
        inside = False
        for line in file.read_text(errors="replace").splitlines():
            line = line.split("!")[0]
            if re.match(r"(NONBONDED|nonbonded)", line):
                inside = True
            elif re.match(r"(NBFIX|HBOND|END|end)", line):
                inside = False
            words = line.split()
            if inside and len(words) >= 4 and all(re.fullmatch(r"-?\d*\.\d+", word) for word in words[1:4]):
                radii.setdefault(words[0].upper(), float(words[3]))
    return radii


def patched(base, *patches):
    """Atoms of a residue behind patches, of which each is a dictionary of atoms and a list of removed ones."""
    atoms = dict(base)
    for changed, removed in patches:
        for name in removed:
            atoms.pop(name, None)
        atoms.update(changed)
    return atoms


def of_patch(block, which=""):
    """Of a patch between two residues those of one of them: "1" or "2"."""
    def names(name):
        return name[len(which):] if name.startswith(which) else None
    return ({names(a): v for a, v in block.atoms.items() if names(a)}, [names(a) for a in block.removed if names(a)])


# --- names ------------------------------------------------------------------------------------------------------------------------

def amino_acid_names(residue, block):
    """CHARMM's names of atoms, and wwPDB's."""
    names = {"HN": "H", "HT1": "H1", "HT2": "H2", "HT3": "H3", "OT1": "O", "OT2": "OXT", "HN1": "H2", "HN2": "H3"}
    carried = {}
    for a, b in block.bonds:
        for atom, other in ((a, b), (b, a)):
            if other.startswith("H"):
                carried.setdefault(atom, set()).add(other)
    for atom, hydrogens in carried.items():
        if atom.startswith("C") and len(hydrogens) == 2:  # CHARMM counts from 1, wwPDB from 2
            for name in hydrogens:
                names[name] = name[:-1] + str(int(name[-1]) + 1)
    if residue == "ILE":
        names |= {"CD": "CD1", "HD1": "HD11", "HD2": "HD12", "HD3": "HD13"}
    if residue in ("SER", "CYS"):
        names["HG1"] = "HG"
    if residue == "HYP":
        names |= {"OE": "OD1", "HE": "HD1", "HD1": "HD22", "HD2": "HD23"}
    return names


NUCLEOTIDE_NAMES = {"O1P": "OP1", "O2P": "OP2", "H5T": "HO5'", "H3T": "HO3'", "C5M": "C7", "H51": "H71", "H52": "H72", "H53": "H73"}
RIBOSE_NAMES = NUCLEOTIDE_NAMES | {"H2''": "H2'", "H2'": "HO2'"}
IONS = {"LI": ("LI", "LIT"), "NA": ("NA", "SOD"), "K": ("K", "POT"), "RB": ("RB", "RUB"), "CS": ("CS", "CES"), "CL": ("CL", "CLA"),
        "MG": ("MG", "MG"), "CA": ("CA", "CAL"), "BA": ("BA", "BAR"), "ZN": ("ZN", "ZN2"), "CD": ("CD", "CD2")}
WON = {"CU1": ("CU", "Cu1p"), "AG": ("AG", "Ag1p"), "AU": ("AU", "Au1p"), "SR": ("SR", "Sr2p"), "MN": ("MN", "Mn2p"), "FE2": ("FE", "Fe2p"),
       "CO": ("CO", "Co2p"), "NI": ("NI", "Ni2p"), "CU": ("CU", "Cu2p"), "PD": ("PD", "Pd2p"), "PT": ("PT", "Pt2p"), "HG": ("HG", "Hg2p"),
       "PB": ("PB", "Pb2p"), "EU": ("EU", "Eu2p"), "AL": ("AL", "Al3p"), "YT3": ("Y", "Y3p"), "LA": ("LA", "La3p"), "CE": ("CE", "Ce3p"),
       "PR": ("PR", "Pr3p"), "SM": ("SM", "Sm3p"), "EU3": ("EU", "Eu3p"), "GD3": ("GD", "Gd3p"), "TB": ("TB", "Tb3p"), "DY": ("DY", "Dy3p"),
       "ER3": ("ER", "Er3p"), "LU": ("LU", "Lu3p"), "CR": ("CR", "Cr3p"), "FE": ("FE", "Fe3p"), "IN": ("IN", "In3p")}


def sugar_names(sugar):
    """CHARMM's names of a sugar's atoms, and wwPDB's, where they differ."""
    if sugar in SIALIC:
        acetyl, carbons = {"N": "N5", "HN": "HN5", "C": "C10", "O": "O10", "CT": "C11"}, ("H111", "H112", "H113")
    else:
        acetyl, carbons = {"N": "N2", "HN": "HN2", "C": "C7", "O": "O7", "CT": "C8"}, ("H81", "H82", "H83")
    return acetyl | dict(zip(("HT1", "HT2", "HT3"), carbons)) | {"O61": "O6A", "O62": "O6B", "O11": "O1A", "O12": "O1B"}


def glycam_name(sugar, name):
    """wwPDB's name of an atom of GLYCAM."""
    if re.fullmatch(r"H\dO", name):
        return "HO" + name[1]
    acetyl = ({"C5N": "C10", "O5N": "O10", "CME": "C11", "H5N": "HN5", "H1M": "H111", "H2M": "H112", "H3M": "H113",
               "H3E": "H31", "H3A": "H32", "H9R": "H91", "H9S": "H92"} if sugar in SIALIC else
              {"C2N": "C7", "O2N": "O7", "CME": "C8", "H2N": "HN2", "H1M": "H81", "H2M": "H82", "H3M": "H83",
               "H5E": "H51", "H5A": "H52"})
    return acetyl.get(name, name)


def anomeric(sugar):
    return "2" if sugar in SIALIC else "1"


# --- the tables -------------------------------------------------------------------------------------------------------------------

class Table:
    """Lines residue,atom,charge,radius."""

    def __init__(self):
        self.lines = []

    def add(self, residue, atoms, names=None):
        for name, (radius, charge) in atoms.items():
            self.lines.append(f"{residue},{(names or {}).get(name, name)},{round(charge, 6):g},{round(radius, 5):g}")


def charmm_table(toppar):
    streams = toppar / "stream"
    blocks = read_topology(toppar / "top_all36_prot.rtf", toppar / "top_all36_na.rtf", toppar / "top_all36_carb.rtf",
                           toppar / "toppar_water_ions.str", streams / "prot" / "toppar_all36_prot_modify_res.str",
                           streams / "carb" / "toppar_all36_carb_glycopeptide.str", streams / "misc" / "toppar_ions_won.str")
    radii = read_radii(toppar / "par_all36m_prot.prm", toppar / "par_all36_na.prm", toppar / "par_all36_carb.prm",
                       toppar / "toppar_water_ions.str", streams / "misc" / "toppar_ions_won.str")
    table = Table()

    def add(residue, atoms, names=None):
        table.add(residue, {name: (radii[kind.upper()], charge) for name, (kind, charge) in atoms.items()}, names)

    for prefix in ("", "N", "C"):
        states = [(HISTIDINES.get(r, r), r, []) for r in RESIDUES]
        states += [("ASH", "ASP", ["ASPP"]), ("GLH", "GLU", ["GLUP"]), ("LYN", "LYS", ["LSN"]), ("CYM", "CYS", ["CYSD"]),
                   ("CYX", "CYS", ["DISU"])] + ([("HYP", "HYP", [])] if prefix != "N" else [])
        for name, base, patches in sorted(states):
            start = {"GLY": "GLYP", "PRO": "PROP"}.get(base, "NTER")
            changes = [of_patch(blocks[p], "1" if p == "DISU" else "") for p in patches]
            changes += [of_patch(blocks[{"N": start, "C": "CTER"}[prefix]])] if prefix else []
            if prefix == "N" and base == "PRO":
                changes[-1] = (changes[-1][0], ["HN"])
            names = amino_acid_names(base, blocks[base])
            if name == "LYN":
                names |= {"HZ1": "HZ2", "HZ2": "HZ3"}
            add(prefix + name, patched(blocks[base].atoms, *changes), names)
    for letter, base in zip("ACGTU", ("ADE", "CYT", "GUA", "THY", "URA")):
        for deoxy in (True, False):
            if letter == ("U" if deoxy else "T"):
                continue
            atoms = patched(blocks[base].atoms, of_patch(blocks["DEOX"])) if deoxy else blocks[base].atoms
            for suffix, patches in (("", []), ("3", ["3TER"]), ("5", ["5TER"]), ("N", ["5TER", "3TER"])):
                ended = patched(atoms, *(of_patch(blocks[p]) for p in patches))
                add(("D" if deoxy else "") + letter + suffix, ended, NUCLEOTIDE_NAMES if deoxy else RIBOSE_NAMES)
    def ends(patch, *names):
        return {name: blocks[patch].atoms[name] for name in names}
    add("ACE", ends("ACE", "CAY", "HY1", "HY2", "HY3", "CY", "OY"),
        {"CAY": "CH3", "HY1": "H1", "HY2": "H2", "HY3": "H3", "CY": "C", "OY": "O"})
    add("NME", ends("CT3", "NT", "HNT", "CAT", "HT1", "HT2", "HT3"),
        {"NT": "N", "HNT": "H", "CAT": "C", "HT1": "H1", "HT2": "H2", "HT3": "H3"})
    add("NH2", ends("CT2", "NT", "HT1", "HT2"), {"NT": "N", "HT1": "HN1", "HT2": "HN2"})
    for ion, (atom, residue) in (IONS | WON).items():
        add(ion, {atom: next(iter(blocks[residue].atoms.values()))})
    add("HOH", blocks["TIP3"].atoms, {"OH2": "O"})
    add_charmm_sugars(blocks, add)
    return table.lines


def add_charmm_sugars(blocks, add):
    for sugar, (residue, _) in SUGARS.items():
        atoms, names, c = blocks[residue].atoms, sugar_names(sugar), "C" + anomeric(sugar)
        add(sugar, atoms, names)
        acid = sugar in SIALIC
        for position in "234678":
            oxygen = "O" + position
            if oxygen not in atoms or "HO" + position not in atoms or oxygen == "O" + anomeric(sugar):
                continue
            if acid and position != "8":
                continue  # there are no patches for these
            patch = {"6": "16BT", "8": "SA28AA"}.get(position, f"1{position}bb")
            add(f"{sugar}/{oxygen}", of_patch(blocks[patch], "1")[0], names)
        if acid:
            add(f"{sugar}/O9", of_patch(blocks["SA29AT"], "1")[0], names)
            for oxygen, patch in (("", "SA26AT"), ("-O8", "SA28AA"), ("-O9", "SA29AT")):
                add(f"{sugar}/C2{oxygen}", of_patch(blocks[patch], "2")[0], names)
        else:
            add(f"{sugar}/C1", of_patch(blocks["14bb"], "2")[0], names)
            linked = of_patch(blocks["NGLB"], "2")[0]  # all but C1 are as they were
            add(f"{sugar}/C1-ND2", {"C1": linked["C1"]}, names)
    for prefix in ("", "N", "C"):
        linked = of_patch(blocks["NGLB"], "1")[0]
        add(f"{prefix}ASN/ND2", linked, {"HB1": "HB2", "HB2": "HB3", "HD22": "HD21"})
        for residue, oxygen, patch in (("SER", "OG", "SGPB"), ("THR", "OG1", "TGPB")):
            add(f"{prefix}{residue}/{oxygen}", of_patch(blocks[patch], "1")[0])


def glycam_table(openmm):
    radii, residues = {}, {}
    for name in ("protein.ff14SB.xml", "GLYCAM_06j-1.xml"):
        root = ElementTree.parse(openmm / "amber14" / name).getroot()
        for atom in root.find("NonbondedForce").iter("Atom"):
            if "type" in atom.attrib:
                radii[atom.get("type")] = float(atom.get("sigma")) * 10 * 2**(1 / 6) / 2
        for residue in root.iter("Residue"):
            residues.setdefault(residue.get("name"), {a.get("name"): (a.get("type"), float(a.get("charge"))) for a in residue.iter("Atom")})
    table = Table()

    def add(residue, atoms, sugar=None):
        table.add(residue, {glycam_name(sugar, a) if sugar else a: (round(radii[kind], 4), charge) for a, (kind, charge) in atoms.items()})

    for sugar, (_, code) in SUGARS.items():
        free, digit = residues["0" + code], anomeric(sugar)
        hydroxyl = {name.replace("1", digit): value for name, value in residues["ROH"].items()}
        add(sugar, hydroxyl | free, sugar)
        add(f"{sugar}/C{digit}", {"C" + digit: free["C" + digit]}, sugar)
        for position in "2346789":
            linked = residues.get(position + code)
            if linked is None:
                continue
            gone = set(free) - set(linked)
            assert gone == {f"H{position}O"} and not set(linked) - set(free), (sugar, position)
            changed = {a: v for a, v in linked.items() if v != free[a]}
            assert set(changed) == {"O" + position}, (sugar, position)
            add(f"{sugar}/O{position}", changed, sugar)
    for residue, atom, code in (("ASN", "ND2", "NLN"), ("SER", "OG", "OLS"), ("THR", "OG1", "OLT")):
        for prefix in ("", "N", "C"):
            add(f"{prefix}{residue}/{atom}", residues[prefix + code])
    return table.lines


# --- where the hydrogens of sugars are -------------------------------------------------------------------------------------------------------

def sugar_rules(toppar):
    blocks = read_topology(toppar / "top_all36_carb.rtf")
    lines = []
    for sugar, (residue, _) in SUGARS.items():
        names, bonded = sugar_names(sugar), {}
        for a, b in blocks[residue].bonds:
            a, b = names.get(a, a), names.get(b, b)
            bonded.setdefault(a, []).append(b)
            bonded.setdefault(b, []).append(a)
        for atom in (names.get(a, a) for a in blocks[residue].atoms):
            hydrogens = sorted(b for b in bonded[atom] if b.startswith("H"))
            heavy = sorted((b for b in bonded[atom] if not b.startswith("H")), key=lambda name: (name[0] != "C", name))
            if not hydrogens or atom.startswith("H"):
                continue
            shape, reference = "tetrahedral", ""
            if atom.startswith("O"):
                shape = "hydroxyl"
            if atom.startswith("N"):
                shape = "planar"
            if len(heavy) == 1:
                reference = next(b for b in sorted(bonded[heavy[0]]) if not b.startswith("H") and b != atom)
            lines.append(f"{sugar},{atom},{shape},{' '.join(heavy)},{reference},{' '.join(hydrogens)}")
    lines += [f"{residue}/{atom},{atom},planar,CG HD22,,HD21" for residue, atom in (("ASN", "ND2"),)]
    return lines


CHARMM_HEADING = """\
# Partial charges in e and radii in angstrom by residue and atom, as CHARMM36 has them; CHARMM36m has the same. Names, states and ends
# are those of amber.csv, and here every state is there at both ends of a chain.
# Amino acids: MacKerell et al., J. Phys. Chem. B 102, 3586 (1998), and Best et al., J. Chem. Theory Comput. 8, 3257 (2012); CYM: Foloppe
# et al., J. Mol. Biol. 310, 449 (2001); HYP: Domene et al., J. Chem. Theory Comput. (2015), DOI 10.1021/acs.jctc.5b00411.
# Nucleotides: Foloppe and MacKerell, J. Comput. Chem. 21, 86 (2000); Denning et al., J. Comput. Chem. 32, 1929 (2011); Hart et al.,
# J. Chem. Theory Comput. 8, 348 (2012).
# Ions: Beglov and Roux, J. Chem. Phys. 100, 9050 (1994), and later ones of Roux and co-workers; zinc: Stote and Karplus, Proteins 23, 12
# (1995); Cu1, Ag, Au, Sr, Mn, Fe, Co, Ni, Cu, Pd, Pt, Hg, Pb, and all of three charges: Won, J. Phys. Chem. A 116, 11763 (2012). There
# are none for fluoride, bromide and iodide. SEP, TPO and PTR: patches SP2, THP2 and TP2, behind all others. Water: CHARMM's TIP3P, whose hydrogens have a radius.
# Sugars: Guvench et al., J. Comput. Chem. 29, 2543 (2008); their links: Guvench et al., J. Chem. Theory Comput. 5, 2353 (2009), and with
# proteins 7, 3162 (2011). What a line with a / means is said in amber.csv.
# Radii are Rmin/2, half the distance of two equal atoms at which their van der Waals energy is least, as in amber.csv.
# Before NH2 CHARMM36 has 0.55 and -0.55 e on C and O of the last amino acid; here they are as in the middle of a chain.
# Written by tests/references/electrostatics/make_charges.py.
residue,atom,charge,radius"""
# CHARMM36's patches SP2, THP2 and TP2, of which the last one calls its atoms P1, O2, O3 and O4; radii in angstrom.
PHOSPHATES = {"SEP": ("SER", "HG", {"CB": -0.18, "OG": -0.4}, 1.1, -0.9),
              "TPO": ("THR", "HG1", {"CB": -0.09, "OG1": -0.4}, 1.1, -0.9),
              "PTR": ("TYR", "HH", {"CE1": -0.21, "HE1": 0.21, "CE2": -0.21, "HE2": 0.21, "CZ": -0.28, "OH": -0.28}, 1.44, -0.96)}
SUGARS_MARK = "# Sugars"
GLYCAM_HEADING = """\
# Sugars: GLYCAM_06j, Kirschner et al., J. Comput. Chem. 29, 622 (2008), and its later sets. NAG is the whole molecule; NAG/O4 has what is
# other where its O4 is bonded to another residue, and NAG/C1 the same of its anomeric carbon; NAG/C1-ND2 goes before NAG/C1 where the other
# atom is ND2. At an oxygen or nitrogen one hydrogen is gone then, at a carbon its hydroxyl group. ASN, SER and THR bear sugars at ND2, OG
# and OG1. Written, from here on, by tests/references/electrostatics/make_charges.py."""
RULES_HEADING = """\
# Sugars. A neighbour that is gone for a bond to another residue (O1, O2 of sialic acids, HD22 of ASN) is that residue's atom.
# Written, from here on, by tests/references/electrostatics/make_charges.py."""


def phosphorylated(lines):
    """Rows of the phosphorylated residues, made of those of the others."""
    made = []
    for name, (of, lost, changed, phosphorus, oxygen) in PHOSPHATES.items():
        for line in lines:
            residue, atom, charge, radius = line.split(",")
            if residue == of and atom != lost:
                made.append(f"{name},{atom},{changed.get(atom, charge)},{radius}")
        made.append(f"{name},P,{phosphorus},2.15")
        made += [f"{name},O{i}P,{oxygen},1.7" for i in (1, 2, 3)]
    return made


def replace_tail(path, heading, lines):
    text = path.read_text()
    head = text[:text.index(SUGARS_MARK)] if f"\n{SUGARS_MARK}" in text else text
    path.write_text(head.rstrip("\n") + "\n" + heading + "\n" + "\n".join(lines) + "\n")


if __name__ == "__main__":
    toppar, openmm = map(pathlib.Path, sys.argv[1:3])
    table = charmm_table(toppar)
    (CHARGES / "charmm.csv").write_text(CHARMM_HEADING + "\n" + "\n".join(table + phosphorylated(table)) + "\n")
    replace_tail(CHARGES / "amber.csv", GLYCAM_HEADING, glycam_table(openmm))
    replace_tail(CHARGES / "hydrogens.csv", RULES_HEADING, sugar_rules(toppar))
