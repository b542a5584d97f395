#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include <Eigen/Core>

#include "app/labs/electrostatics/picture/choices.h"
#include "app/labs/electrostatics/picture/map_source.h"
#include "app/scene/fields/field_picture.h"
#include "core/parameters/schema.h"

namespace isolume::labs::electrostatics {

/// What is seen of a molecule at one place of its picture.
struct SeenAtom {
  std::size_t atom = 0;
  std::optional<Eigen::Vector3d> on_surface;  ///< the place in angstrom; nothing where its ball is seen
};

/// "−0.39", in e; never minus nothing.
std::string charge_text(double charge);
/// "LYS A 25, NZ"; "NZ" after the name of an atom `before` of the same residue; of a wavefunction "N25".
std::string atom_name(const ChargedMolecule& molecule, std::size_t atom,
                      std::optional<std::size_t> before = {});
/// "LYS A 25, NZ (N): charge −0.39 e".
std::string atom_text(const ChargedMolecule& molecule, std::size_t atom);
/// The same with the field there, in a line of its own; null: there is no picture yet. On the surface it is the value
/// of the surface's colour.
/// `height`: that of SampledSurface, in angstrom.
std::string reading_of(const ChargedMolecule& molecule, const SeenAtom& seen,
                       const scene::FieldPicture* picture, double height);

/// "|E|: 0.42 kT/e/Å", of a potential; empty where it is not known.
std::string field_text(const grid::ScalarField& potential, const Eigen::Vector3d& place);

/// The expression that selects the atom, or its residue; by the names of a residue that no other has.
std::string picked_expression(const ChargedMolecule& molecule, std::size_t atom, Picked what);
/// Whether `picked` is one of those that `or` joins.
bool has_alternative(const std::string& expression, const std::string& picked);
/// An expression, or an empty one, with or without what `picked` selects.
std::string with_picked(const std::string& expression, const std::string& picked);
std::string without_picked(const std::string& expression, const std::string& picked);

}  // namespace isolume::labs::electrostatics
