#pragma once

#include <QString>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "app/labs/electrostatics/panels/row_table.h"
#include "app/labs/electrostatics/panels/surface_patch_list.h"
#include "app/labs/electrostatics/picture/lab_ions.h"
#include "app/labs/electrostatics/picture/picture_numbers.h"
#include "app/labs/electrostatics/picture/picture_request.h"
#include "app/labs/electrostatics/picture/selected_atoms.h"
#include "app/scene/props/line_set.h"
#include "app/scene/surfaces/surface.h"
#include "core/electrostatics/maps/map_comparison.h"
#include "core/electrostatics/surfaces/residue_values.h"
#include "core/electrostatics/surfaces/surface_samples.h"
#include "core/graph/node.h"
#include "core/grid/scalar_field.h"

/// What is computed after the picture, and what of: see graph::Node.
namespace isolume::labs::electrostatics {

/// A request with all of it that a value depends on, besides the molecule, as text.
struct RequestInputs {
  PictureRequest request;
  std::string key;
  bool operator==(const RequestInputs& other) const {
    return request.molecule == other.request.molecule && key == other.key;
  }
};
/// The same with the map that is shown.
struct MapInputs : RequestInputs {
  std::shared_ptr<const grid::ScalarField> field;
  QString why_none = {};  ///< why no value can be computed of it; empty: one can
  bool operator==(const MapInputs&) const = default;
};
struct SelectionInputs {
  std::shared_ptr<const ChargedMolecule> molecule;
  std::string expression;
  bool operator==(const SelectionInputs&) const = default;
};
struct PatchInputs {
  std::shared_ptr<const ChargedMolecule> molecule;
  std::shared_ptr<const science::SurfaceSamples> samples;  ///< null: there is no potential to be sampled
  PatchChoices choices;
  bool operator==(const PatchInputs& other) const {
    return molecule == other.molecule && samples == other.samples &&
           choices.threshold == other.choices.threshold && choices.least_area == other.choices.least_area;
  }
};

/// What fills a table, or why it is empty.
template <class Rows>
struct RowsOrReason {
  Rows rows = {};
  QString unit = {};  ///< of values of the map
  QString why_none = {};
};

/// Null: nothing is selected.
using SelectionNode = graph::Node<SelectionInputs, SelectedAtoms>;
using IonsNode = graph::Node<RequestInputs, PlacedIons>;
using ResidueValuesNode =
    graph::Node<MapInputs, RowsOrReason<std::shared_ptr<const std::vector<science::ResidueValues>>>>;
using AtomsNode = graph::Node<MapInputs, RowsOrReason<TableRows>>;
using SurfaceSamplesNode = graph::Node<MapInputs, science::SurfaceSamples>;
/// Null: there are none.
using PatchesNode = graph::Node<PatchInputs, SurfacePatchList>;
using FieldLinesNode = graph::Node<MapInputs, FieldLines>;
using ResiduePotentialsNode = graph::Node<MapInputs, ResiduePotentials>;

/// A picture by its number: pictures are counted.
struct PictureInputs {
  std::uint64_t number;
  scene::FieldPicture picture;
  PictureRequest request;
  bool operator==(const PictureInputs& other) const { return number == other.number; }
};
struct OutlineInputs {
  std::uint64_t picture;
  std::shared_ptr<const SelectedAtoms> selected;
  bool isolates;  ///< the surface is cut to the selection instead
  std::shared_ptr<const ChargedMolecule> molecule = nullptr;
  scene::Lobes lobes = {};  ///< of that picture, on the host
  bool operator==(const OutlineInputs& other) const {
    return picture == other.picture && selected == other.selected && isolates == other.isolates;
  }
};
/// Lines, or a part of the surface.
struct SelectionOutline {
  std::uint64_t picture;
  std::shared_ptr<const SelectedAtoms> selected;
  std::shared_ptr<const scene::LineSet> lines = nullptr;
  /// The selection's part of the surface, which is drawn in its place.
  std::shared_ptr<const scene::Lobes> cut = nullptr;
};
struct EnergyInputs {
  std::shared_ptr<const ChargedMolecule> molecule;
  std::shared_ptr<const grid::ScalarField> field;
  SolvedEnergy known;
  bool operator==(const EnergyInputs& other) const { return field == other.field; }
};

using SelectionOutlineNode = graph::Node<OutlineInputs, SelectionOutline>;
/// With an estimate of its error.
using EnergyNode = graph::Node<EnergyInputs, SolvedEnergy>;
using DifferenceNode = graph::Node<PictureInputs, PictureDifference>;
using MapComparisonNode = graph::Node<PictureInputs, science::MapComparison>;

}  // namespace isolume::labs::electrostatics
