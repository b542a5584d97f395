#pragma once

#include "core/molecules/structure.h"

/// Structures of residues are read in core/molecules; here they are given charges.
namespace isolume::structures {

using molecules::is_helix;
using molecules::name_of;
using molecules::read_models;
using molecules::read_structure;
using molecules::Residue;
using molecules::Secondary;
using molecules::SecondaryRange;
using molecules::Structure;
using molecules::StructureAtom;

}  // namespace isolume::structures
