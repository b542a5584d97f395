#include "core/molecules/formats.h"

namespace isolume::molecules {

const FileFormats& wavefunction_formats() {
  static const FileFormats formats{
      "Wavefunctions",
      {{.title = "Molden wavefunction",
        .suffixes = {".molden", ".molden.input", ".molden.*"},
        .gzipped = true,
        .mime_type = "chemical/x-molden",
        .magic = {{0, "[Molden Format]"}, {0, "[MOLDEN FORMAT]"}}},
       {.title = "Molden wavefunction of ORCA", .suffixes = {".input"}},
       {.title = "Gaussian formatted checkpoint",
        .suffixes = {".fchk", ".fch"},
        .gzipped = true,
        .mime_type = "chemical/x-gaussian-checkpoint"},
       {.title = "Output of a quantum-chemistry program", .suffixes = {".log", ".out"}, .gzipped = true},
       {.title = "AIM wavefunction", .suffixes = {".wfn"}, .gzipped = true, .mime_type = "chemical/x-wfn"},
       {.title = "AIM extended wavefunction",
        .suffixes = {".wfx"},
        .gzipped = true,
        .mime_type = "chemical/x-wfx"},
       {.title = "Multiwfn wavefunction",
        .suffixes = {".mwfn"},
        .gzipped = true,
        .mime_type = "chemical/x-mwfn"},
       {.title = "ORCA wavefunction for Molekel",
        .suffixes = {".mkl"},
        .gzipped = true,
        .mime_type = "chemical/x-molekel"},
       {.title = "Input of NBO", .suffixes = {".47"}, .gzipped = true},
       {.title = "GAMESS punch file", .suffixes = {".dat"}, .gzipped = true},
       {.title = "Molpro XML", .suffixes = {".xml"}, .gzipped = true},
       {.title = "Chemical JSON", .suffixes = {".cjson"}, .gzipped = true, .mime_type = "chemical/x-cjson"},
       {.title = "QCSchema or ORCA JSON", .suffixes = {".json"}, .gzipped = true}}};
  return formats;
}

const FileFormats& molecule_formats() {
  static const FileFormats formats{
      "Fields and molecules",
      {{.title = "Gaussian cube field",
        .suffixes = {".cube", ".cub"},
        .gzipped = true,
        .mime_type = "chemical/x-gaussian-cube"},
       {.title = "XYZ geometry", .suffixes = {".xyz"}, .gzipped = true, .mime_type = "chemical/x-xyz"},
       {.title = "Protein Data Bank structure",
        .suffixes = {".pdb", ".ent"},
        .gzipped = true,
        .mime_type = "chemical/x-pdb"},
       {.title = "Crystallographic information",
        .suffixes = {".cif"},
        .gzipped = true,
        .mime_type = "chemical/x-cif"},
       {.title = "MDL molecule",
        .suffixes = {".mol"},
        .gzipped = true,
        .mime_type = "chemical/x-mdl-molfile"},
       {.title = "MDL molecules",
        .suffixes = {".sdf"},
        .gzipped = true,
        .mime_type = "chemical/x-mdl-sdfile"}}};
  return formats;
}

}  // namespace isolume::molecules
