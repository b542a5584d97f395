#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "core/molecules/readers.h"

namespace isolume::molecules::testing {

/// One small file of a format.
struct SmallFile {
  const char* name;
  FileContents (*read)(const Source&);
  std::string text;
};

/// A table of orbitals in which each orbital is one function, in the columns of a program's output.
inline std::string unit_orbitals(const std::vector<std::string>& labels, int first_number, int per_block,
                                 const std::string& above, int width, int decimals) {
  std::string text;
  const int count = static_cast<int>(labels.size());
  for (int start = 0; start < count; start += per_block) {
    const int end = std::min(start + per_block, count);
    text += std::string(labels[0].size(), ' ');
    for (int i = start; i < end; ++i) text += fmt::format("{:{}d}", i + first_number, width);
    text += '\n' + above;
    for (int i = start; i < end; ++i) text += fmt::format("{:{}.5f}", 0.1 * i - 0.9, width);
    text += '\n';
    if (first_number == 0) {
      for (const std::string& words : {std::string("0.00000"), std::string("--------")}) {
        text += std::string(labels[0].size(), ' ');
        for (int i = start; i < end; ++i)
          text += fmt::format("{:>{}}", words == "0.00000" && i == 0 ? "2.00000" : words, width);
        text += '\n';
      }
    }
    for (int row = 0; row < count; ++row) {
      text += labels[static_cast<std::size_t>(row)];
      for (int i = start; i < end; ++i)
        text += fmt::format("{:{}.{}f}", row == i ? 1.0 : 0.0, width, decimals);
      text += '\n';
    }
  }
  return text + '\n';
}

/// Helium with one s, one p and one d shell.
inline std::string gaussian_log(const std::vector<std::string>& d_names) {
  std::vector<std::string> labels{"   1 1   He 1S       ", "   2        2PX      ", "   3        2PY      ",
                                  "   4        2PZ      "};
  for (const std::string& name : d_names)
    labels.push_back(fmt::format("{:4d}        {:<9}", labels.size() + 1, name));
  return " Entering Gaussian System, Link 0=g16\n Charge =  0 Multiplicity = 1\n"
         "                         Standard orientation:                         \n"
         " ---------------------------------------------------------------------\n"
         " Center     Atomic      Atomic             Coordinates (Angstroms)\n"
         " Number     Number       Type             X           Y           Z\n"
         " ---------------------------------------------------------------------\n"
         "      1          2           0        0.000000    0.100000    0.500000\n"
         " ---------------------------------------------------------------------\n"
         " AO basis set in the form of general basis input (Overlap normalization):\n      1 0\n"
         " SP  1 1.00       0.000000000000\n      0.1309000000D+01  0.1000000000D+01  0.1000000000D+01\n"
         " D   1 1.00       0.000000000000\n      0.1309000000D+01  0.1000000000D+01\n ****\n\n"
         "     1 alpha electrons        1 beta electrons\n     Molecular Orbital Coefficients:\n" +
         unit_orbitals(labels, 1, 5, "     Eigenvalues --  ", 10, 5) + " Density Matrix:\n";
}

inline std::string orca_output() {
  std::vector<std::string> labels;
  for (const char* name : {"1s", "1pz", "1px", "1py", "1dz2", "1dxz", "1dyz", "1dx2y2", "1dxy"})
    labels.push_back(fmt::format("  0He  {:<9}", name));
  return "                                 * O   R   C   A *\n Total Charge           Charge          ....   "
         " 0\n"
         " Multiplicity           Mult            ....    1\n"
         "----------------------------\nCARTESIAN COORDINATES (A.U.)\n----------------------------\n"
         "  NO LB      ZA    FRAG     MASS         X           Y           Z\n"
         "   0 He    2.0000    0     4.003    0.000000    0.100000    0.500000\n\n"
         "BASIS SET IN INPUT FORMAT\n-------------------------\n\n # Basis set for element : He\n NewGTO "
         "He\n S 1\n"
         "   1       1.3090000000      1.0000000000\n P 1\n   1       1.3090000000      1.0000000000\n D 1\n"
         "   1       1.3090000000      1.0000000000\n  end;\n\n"
         "------------------\nMOLECULAR ORBITALS\n------------------\n" +
         unit_orbitals(labels, 0, 6, std::string(16, ' '), 10, 6);
}

inline std::string qchem_output() {
  std::vector<std::string> labels;
  for (const char* name : {"s", "px", "py", "pz", "d 1", "d 2", "d 3", "d 4", "d 5"})
    labels.push_back(fmt::format("{:4d}  He    {:<6}", labels.size() + 1, name));
  return "            Q-Chem 5.1, Q-Chem, Inc., Pleasanton, CA\n"
         "             Standard Nuclear Orientation (Angstroms)\n"
         "    I     Atom           X                Y                Z\n"
         " ----------------------------------------------------------------\n"
         "    1      He      0.0000000000     0.1000000000     0.5000000000\n"
         " ----------------------------------------------------------------\n"
         " There are        1 alpha and        1 beta electrons\n"
         " Basis set in general basis input format:\n"
         "-----------------------------------------------------------------------\n$basis\nHe   0\n"
         "SP   1    1.000000\n   1.30900000E+00    1.00000000E+00    1.00000000E+00 \n"
         "D    1    1.000000\n   1.30900000E+00    1.00000000E+00 \n****\n$end\n"
         "                        RESTRICTED (RHF) MOLECULAR ORBITAL COEFFICIENTS\n" +
         unit_orbitals(labels, 1, 6, " eigenvalues:     ", 10, 5);
}

/// Two hydrogen atoms far from each other, with one s function each: exp(-r^2) has the norm 1/0.71270547.
inline std::string small_wfn(std::string_view charge = "1.0") {
  return fmt::format(
      " two atoms\nGAUSSIAN              1 MOL ORBITALS      2 PRIMITIVES        2 NUCLEI\n"
      "  H    1    (CENTRE  1)   0.00000000  0.00000000  0.00000000  CHARGE =  {}\n"
      "  H    2    (CENTRE  2)   0.00000000  0.00000000 14.00000000  CHARGE =  1.0\n"
      "CENTRE ASSIGNMENTS    1  2\nTYPE ASSIGNMENTS      1  1\nEXPONENTS  0.1000000D+01 0.1000000D+01\n"
      "MO    1     MO 0.0        OCC NO =    2.0000000  ORB. ENERGY =   -0.500000\n"
      "  7.12705470E-01  0.00000000E+00\n"
      "END DATA\n TOTAL ENERGY =       -1.0 THE VIRIAL(-V/T)=   2.0\n",
      charge);
}

inline std::string small_wfx() {
  return "<Title>\n two atoms\n</Title>\n<Keywords>\n GTO\n</Keywords>\n<Number of Nuclei>\n 2\n</Number of "
         "Nuclei>\n"
         "<Net Charge>\n 0\n</Net Charge>\n<Electronic Spin Multiplicity>\n 1\n</Electronic Spin "
         "Multiplicity>\n"
         "<Atomic Numbers>\n 1\n 1\n</Atomic Numbers>\n<Nuclear Charges>\n 1.0\n 1.0\n</Nuclear Charges>\n"
         "<Nuclear Cartesian Coordinates>\n 0 0 0\n 0 0 14\n</Nuclear Cartesian Coordinates>\n"
         "<Primitive Centers>\n 1 2\n</Primitive Centers>\n<Primitive Types>\n 1 1\n</Primitive Types>\n"
         "<Primitive Exponents>\n 1.0 1.0\n</Primitive Exponents>\n"
         "<Molecular Orbital Occupation Numbers>\n 2.0\n</Molecular Orbital Occupation Numbers>\n"
         "<Molecular Orbital Energies>\n -0.5\n</Molecular Orbital Energies>\n"
         "<Molecular Orbital Spin Types>\n Alpha and Beta\n</Molecular Orbital Spin Types>\n"
         "<Molecular Orbital Primitive Coefficients>\n<MO Number>\n 1\n</MO Number>\n 7.12705470E-01 0.0\n"
         "</Molecular Orbital Primitive Coefficients>\n";
}

inline std::string small_mwfn() {
  return "# Generated by Multiwfn\nWfntype=   0\nCharge=       0.000000\nNaelec=       1.000000\nNbelec=     "
         "  1.0\n"
         "Ncenter=       2\n$Centers\n     1 H    1   1.0      0.0      0.0      0.0\n"
         "     2 H    1   1.0      0.0      0.0      7.0\n\nNbasis=           2\nNindbasis=        1\n"
         "Nshell=           2\nNprimshell=       2\n$Shell types\n  0  0\n$Shell centers\n  1  2\n"
         "$Shell contraction degrees\n   1   1\n$Primitive exponents\n  1.0E+00  1.0E+00\n"
         "$Contraction coefficients\n  1.0E+00  1.0E+00\n\nIndex=         1\nType= 0\nEnergy= -5.0E-01\nOcc= "
         " 2.000000\n"
         "Sym= ?\n$Coeff\n  1.0E+00  0.0E+00\n\n";
}

inline std::string small_mkl() {
  return "$MKL\n#\n$CHAR_MULT\n  0 1\n$END\n\n$COORD\n   1   0.0   0.0   0.0\n   1   0.0   0.0   "
         "7.0\n$END\n\n$BASIS\n"
         " 1 S 1.0\n    1.0  1.0\n$$\n 1 S 1.0\n    1.0  1.0\n\n$END\n\n$COEFF_ALPHA\n a1g a1g\n  -0.5000000 "
         " 0.3000000\n"
         "   1.0000000   0.0000000\n   0.0000000   1.0000000\n $END\n\n$OCC_ALPHA\n   2.0000000    "
         "0.0000000\n $END\n";
}

inline std::string small_cjson() {
  return "{\n \"chemicalJson\": 1,\n \"atoms\": {\"coords\": {\"3d\": [0, 0, 0, 0, 0, 7.0]},\n"
         "  \"elements\": {\"number\": [1, 1]}},\n"
         " \"basisSet\": {\"coefficients\": [1.0, 1.0], \"exponents\": [1.0, 1.0],\n"
         "  \"primitivesPerShell\": [1, 1, 0], \"shellToAtomMap\": [0, 1], \"shellTypes\": [0, 0]},\n"
         " \"orbitals\": {\"electronCount\": 2, \"energies\": [-13.6, 5.0],\n"
         "  \"moCoefficients\": [1.0, 0.0, 0.0, 1.0]},\n"
         " \"properties\": {\"totalCharge\": 0, \"totalSpinMultiplicity\": 1}\n}\n";
}

inline std::string small_nbo(bool orbitals = true) {
  return std::string(
             " $GENNBO  NATOMS=2   NBAS=2    UPPER  BODM  $END\n $NBO $END\n $COORD\n two atoms\n"
             "     1    1       0.0       0.0       0.0\n     1    1       0.0       0.0       7.0\n $END\n"
             " $BASIS\n  CENTER =      1      2\n   LABEL =      1      1\n $END\n $CONTRACT\n  NSHELL =     "
             " 2\n"
             "    NEXP =      2\n   NCOMP =      1      1\n   NPRIM =      1      1\n    NPTR =      1      "
             "2\n"
             "     EXP =   1.0   1.0\n      CS =   0.71270547   0.71270547\n $END\n"
             " $OVERLAP\n   1.0  0.0  1.0\n $END\n $DENSITY\n   2.0  0.0  0.0\n $END\n") +
         (orbitals ? " $LCAOMO\n  1.0 0.0 0.0 1.0\n $END\n $FOCK\n -0.5 0.0 0.3\n $END\n" : "");
}

inline std::string small_punch() {
  return " $DATA  \ntwo atoms\nC1       0\nH           1.0      0.0      0.0      0.0\n   S       1\n"
         "     1              1.0  1.00000000\n\nH           1.0      0.0      0.0      7.0\n   S       1\n"
         "     1              1.0  1.00000000\n\n $END      \n--- CLOSED SHELL ORBITALS ---\n $VEC   \n"
         " 1  1 1.00000000E+00 0.00000000E+00\n 2  1-0.00000000E+00 1.00000000E+00\n $END   \n";
}

/// Molpro gives orbitals in Cartesian functions, although the calculation used spherical ones.
inline std::string small_molpro() {
  return "<?xml version=\"1.0\"?>\n<molpro xmlns=\"http://www.molpro.net/schema/molpro-output\">\n<!-- "
         "<atom/> -->\n"
         "<molecule id=\"M\" method=\"HF\">\n<cml:molecule id=\"M\" spinMultiplicity=\"1\" "
         "formalCharge=\"0\">\n"
         "<cml:atom id=\"a1\" elementType=\"H\" x3=\"0.0\" y3=\"0.0\" z3=\"0.0\"/>\n"
         "<cml:atom id=\"a2\" elementType=\"H\" x3=\"0.0\" y3=\"0.0\" z3=\"7.0\"/>\n</cml:molecule>\n"
         "<basisSet id=\"ORBITAL\" angular=\"spherical\">\n"
         "<basisGroup id=\"1\" minL=\"0\" maxL=\"0\" angular=\"spherical\">\n<basisExponents>\n "
         "1.0\n</basisExponents>\n"
         "<basisContraction id=\"1\">\n 1.0\n</basisContraction>\n</basisGroup>\n"
         "<association>\n<bases xlink:href=\"#xpointer(//molecule[@id='M']//basisGroup[@id='1'])\"/>\n"
         "<atoms xlink:href=\"#xpointer(//molecule[@id='M']//atom[@id='a1' or "
         "@id='a2'])\"/>\n</association>\n"
         "</basisSet>\n<orbitals basis=\"ORBITAL\" angular=\"cartesian\" spin=\"closed\" "
         "type=\"CANONICAL\">\n"
         "<orbital occupation=\"2.0\" energy=\"-0.5\" symmetryID=\"1\">\n 1.0 0.0\n</orbital>\n"
         "<orbital occupation=\"0.0\" energy=\"0.3\" symmetryID=\"1\">\n 0.0 1.0\n</orbital>\n</orbitals>\n"
         "</molecule>\n</molpro>\n";
}

/// Two s functions that are orthonormal enough: far apart.
inline std::string small_orca_json() {
  const std::string atom =
      R"({"Basis": [{"Shell": "s", "Exponents": [1.0, 0.5], "Coefficients": [0.5, 0.52179]}],
    "ElementLabel": "H", "ElementNumber": 1, "NuclearCharge": 1.0, "Coords": [0.0, 0.0, )";
  return R"({"Molecule": {"Charge": 0, "Multiplicity": 1, "CoordinateUnits": "Bohrs", "HFTyp": "RHF", "Atoms": [)" +
         atom + "0.0]}, " + atom +
         R"(20.0]}], "MolecularOrbitals": {"EnergyUnit": "Eh", "OrbitalLabels": ["0H   1s", "1H   1s"],
    "MOs": [{"MOCoefficients": [1.0, 0.0], "Occupancy": 2.0, "OrbitalEnergy": -0.5, "OrbitalSymLabel": "A"},
            {"MOCoefficients": [0.0, 1.0], "Occupancy": 0.0, "OrbitalEnergy": 0.3}]}}, "ORCA Header": {"Version": "6"}})";
}

inline std::string small_qcschema() {
  return R"({"schema_name": "qcschema_output", "provenance": {"creator": "Psi4"}, "properties": {"return_energy": -1.0,
    "scf_dipole_moment": [0.0, 0.0, 0.5]}, "molecule": {"symbols": ["H", "H"], "geometry": [0, 0, 0, 0, 0, 20],
    "molecular_charge": 0, "molecular_multiplicity": 1, "real": [true, true]}, "wavefunction": {"restricted": true,
    "basis": {"atom_map": ["h/1", "h/1"], "center_data": {"h/1": {"electron_shells": [{"angular_momentum": [0],
      "harmonic_type": "spherical", "exponents": [1.0], "coefficients": [[1.0]]}]}}},
    "orbitals_a": "scf_orbitals_a", "eigenvalues_a": "scf_eigenvalues_a", "scf_orbitals_a": [[1.0, 0.0], [0.0, 1.0]],
    "scf_eigenvalues_a": [-0.5, 0.3]}})";
}

inline std::string small_psi4() {
  return "          Psi4: An Open-Source Ab Initio Electronic Structure Package\n"
         "    Geometry (in Bohr), charge = -1, multiplicity = 1:\n\n       Center  X  Y  Z  Mass\n    ------ "
         " ----\n"
         "         H   0.0  0.0   0.0  1.0\n         Gh(H)   0.0  0.0  20.0  1.0\n\n  ==> AO Basis Functions "
         "<==\n\n"
         "    [ MADE ]\n    spherical\n    ****\n    H   1\n    S   1 1.00\n                1.00000000   "
         "0.71270547\n"
         "    ****\n\n    Total Energy =    -0.5\n\n  ==> Molecular Orbitals <==\n\n"
         "                            1            2\n\n 1    H1 s0          1.0000000    0.0000000\n"
         " 2    H2 s0          0.0000000    1.0000000\n\n            Ene    -0.5000000    0.3000000\n"
         "            Sym             A            A\n            Occ             2            0\n\n\n";
}

inline std::string small_nwchem() {
  return "              Northwest Computational Chemistry Package (NWChem) 7.0.2\n"
         " Output coordinates in a.u. (scale by  1.000000000 to convert to a.u.)\n\n"
         "  No.       Tag          Charge          X              Y              Z\n ---- ------ ------ "
         "-----\n"
         "    1 H                    1.0000     0.00000000     0.00000000     0.00000000\n"
         "    2 bqH                  0.0000     0.00000000     0.00000000    20.00000000\n\n"
         "                      Basis \"ao basis\" -> \"ao basis\" (cartesian)\n                      -----\n"
         "  H (Hydrogen)\n  ----------\n            Exponent  Coefficients \n       -------------- ------\n"
         "  1 S  1.00000000E+00  1.000000\n\n Summary of \"ao basis\" -> \"ao basis\" (cartesian)\n"
         "          charge          =  -1.00\n          open shells     =     0\n"
         "         Total SCF energy =     -0.500000000000\n"
         "                       ROHF Final Molecular Orbital Analysis\n"
         " Vector    1  Occ=2.000000D+00  E=-5.000000D-01  Symmetry=a1\n"
         " Vector    2  Occ=0.000000D+00  E= 3.000000D-01  Symmetry=a1\n\n"
         "                                 Final MO vectors\n"
         "                                 ----------------\n\n"
         " global array: scf_init: MOs[1:2,1:2],  handle: -1000 \n\n            1           2 \n"
         "       ----------- -----------\n   1       1.00000     0.00000\n   2       0.00000     1.00000\n\n";
}

inline std::string small_pdb() {
  return "HEADER    PROTEIN\nTITLE     WATER AND\nTITLE    2 CALCIUM\nMODEL        1\n"
         "ATOM      1  N   MET A   1      27.340  24.430   2.614  1.00  9.67           N\n"
         "ATOM      2  CA AMET A   1      26.266  25.413   2.842  0.50 10.38           C\n"
         "ATOM      3  CA BMET A   1      26.300  25.400   2.800  0.50 10.38           C\n"
         "ATOM      4 HG11 VAL A   2      20.000  21.000   2.000  1.00  0.00\n"
         "HETATM    5 CA    CA A 101      -1.000   0.000   0.500\nENDMDL\nMODEL        2\n"
         "ATOM      1  N   MET A   1      27.000  24.000   2.000  1.00  9.67           N\nENDMDL\nEND\n";
}

inline std::string small_sdf() {
  return "water\n  prog    3D\n\n  3  2  0  0  0  0  0  0  0  0999 V2000\n"
         "    0.0000    0.0000    0.1173 O   0  3  0  0  0  0\n    0.7572    0.0000   -0.4692 H   0  0\n"
         "   -0.7572    0.0000   -0.4692 D   0  0\n  1  2  1  0\n  1  3  1  0\nM  CHG  1   1  -1\nM  END\n"
         "> <name>\nwater\n\n$$$$\nneon\n  prog\n\n  0  0  0     0  0            999 V3000\nM  V30 BEGIN "
         "CTAB\n"
         "M  V30 COUNTS 1 0 0 0 0\nM  V30 BEGIN ATOM\nM  V30 1 Ne 0.5 -0.25 1.5 0 CHG=1\nM  V30 END ATOM\n"
         "M  V30 END CTAB\nM  END\n$$$$\n";
}

inline std::string small_cif() {
  return "data_1ABC\n#\n_struct.title 'Five o''clock: it's "
         "fine'\n_struct.text\n;loop_\n_atom_site.x\n;\nloop_\n"
         "_atom_site.group_PDB\n_atom_site.type_symbol\n_atom_site.label_atom_id\n_atom_site.label_alt_id\n"
         "_atom_site.label_asym_id\n_atom_site.label_seq_id\n_atom_site.Cartn_x\n_atom_site.Cartn_y\n_atom_"
         "site.Cartn_z\n"
         "_atom_site.pdbx_PDB_model_num\n"
         "ATOM N N . A 1 27.340 24.430 2.614 1\nATOM C CA A A 1 26.266 25.413 2.842 1 # first\n"
         "ATOM C CA B A 1 26.300 25.400 2.800 1\nATOM O \"O5'\" . A 2 1.0(2) 2.0 3.0 1\n"
         "ATOM N N . A 1 27.0 24.0 2.0 2\nATOM C CA A A 1 26.0 25.0 2.0 2\nATOM O \"O5'\" . A 2 1.1 2.1 3.1 "
         "2\n#\n"
         "loop_\n_atom_type.symbol\nN\nC\n";
}

inline std::vector<SmallFile> small_files() {
  return {{"wfn", read_wfn, small_wfn()},
          {"wfx", read_wfx, small_wfx()},
          {"mwfn", read_mwfn, small_mwfn()},
          {"mkl", read_mkl, small_mkl()},
          {"cjson", read_cjson, small_cjson()},
          {"nbo", read_nbo, small_nbo()},
          {"gamess-punch", read_punch, small_punch()},
          {"molpro", read_molpro, small_molpro()},
          {"gaussian-log", read_gaussian_log, gaussian_log({"3D 0", "3D+1", "3D-1", "3D+2", "3D-2"})},
          {"orca-output", read_orca_output, orca_output()},
          {"qchem-output", read_qchem_output, qchem_output()},
          {"psi4-output", read_psi4, small_psi4()},
          {"nwchem-output", read_nwchem, small_nwchem()},
          {"orca-json", read_orca_json, small_orca_json()},
          {"qcschema", read_qcschema, small_qcschema()},
          {"pdb", read_pdb, small_pdb()},
          {"sdf", read_sdf, small_sdf()},
          {"cif", read_cif, small_cif()}};
}

}  // namespace isolume::molecules::testing
