#include "app/labs/electrostatics/picture/ribbon_drawing.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <string_view>

#include "app/scene/fields/colour_map.h"

namespace isolume::labs::electrostatics {
namespace {

using RibbonPaint = std::array<std::uint8_t, 3>;

/// Okabe and Ito's, which people tell apart however they see colours.
constexpr RibbonPaint purple{204, 121, 167}, yellow{230, 159, 0}, green{0, 158, 115}, grey{170, 170, 170};
constexpr std::array<RibbonPaint, 7> of_chains{
    {{0, 114, 178}, yellow, green, purple, {86, 180, 233}, {213, 94, 0}, {240, 228, 66}}};

bool is_nucleotide(const ChargedMolecule& molecule, std::size_t residue) {
  return std::ranges::any_of(molecule.residues.all[residue].atoms, [&](std::uint32_t atom) {
    return atom < molecule.charges.labels.size() && molecule.charges.labels[atom].atom == "P";
  });
}

std::vector<RibbonPaint> by_structure(const ChargedMolecule& molecule) {
  std::vector<RibbonPaint> paints(molecule.residues.all.size(), grey);
  for (std::size_t i = 0; i < paints.size(); ++i) {
    const auto kind = molecule.secondary[i];
    if (structures::is_helix(kind)) paints[i] = purple;
    if (kind == structures::Secondary::strand) paints[i] = yellow;
    if (is_nucleotide(molecule, i)) paints[i] = green;
  }
  return paints;
}

/// In the order of the file; where it names none, all is one chain.
std::vector<RibbonPaint> by_chain(const ChargedMolecule& molecule) {
  std::map<std::string, std::size_t> places;
  std::vector<RibbonPaint> paints(molecule.residues.all.size(), grey);
  for (std::size_t i = 0; i < paints.size(); ++i) {
    const auto atom = molecule.residues.all[i].atoms.front();
    if (!molecule.ribbon.shown[i] || atom >= molecule.charges.labels.size()) continue;
    const auto place = places.emplace(molecule.charges.labels[atom].chain, places.size()).first->second;
    paints[i] = of_chains[place % of_chains.size()];
  }
  return paints;
}

std::vector<RibbonPaint> by_potential(const ChargedMolecule& molecule, vtkLookupTable& table,
                                      const std::vector<double>& potentials) {
  std::vector<RibbonPaint> paints(molecule.residues.all.size(), grey);
  for (std::size_t i = 0; i < std::min(paints.size(), potentials.size()); ++i) {
    if (std::isnan(potentials[i])) continue;
    const unsigned char* colour = table.MapValue(potentials[i]);
    paints[i] = {colour[0], colour[1], colour[2]};
  }
  return paints;
}

std::vector<RibbonPaint> paints_of(const ChargedMolecule& molecule, const MapView& view,
                                   const scene::ColourSpan& span, const std::vector<double>& potentials) {
  if (view.ribbon_colour == RibbonColour::chain) return by_chain(molecule);
  if (view.ribbon_colour == RibbonColour::potential)
    return by_potential(molecule, *scene::colour_map(ribbon_colours(view, span)), potentials);
  return by_structure(molecule);
}

/// Of residues that are selected. Every triangle lies between two residues: it goes with the one of its first point.
std::vector<std::uint32_t> triangles_of(const structures::Ribbon& ribbon, const std::vector<bool>& residues) {
  std::vector<std::uint32_t> kept;
  for (std::size_t i = 0; i < ribbon.triangles.size(); i += 3) {
    const auto first = ribbon.triangles.begin() + static_cast<std::ptrdiff_t>(i);
    if (residues[ribbon.residues[*first]]) kept.insert(kept.end(), first, first + 3);
  }
  return kept;
}

}  // namespace

scene::ColouredMesh coloured_ribbon(const ChargedMolecule& molecule, const MapView& view,
                                    const scene::ColourSpan& span, const std::vector<double>& potentials,
                                    const SelectedAtoms* only) {
  if (view.ribbon == RibbonShown::none) return {};
  const auto& ribbon = molecule.ribbon;
  const auto paints = paints_of(molecule, view, span, potentials);
  scene::ColouredMesh mesh{
      ribbon.points, ribbon.normals, only ? triangles_of(ribbon, only->residues) : ribbon.triangles, {}};
  mesh.colours.reserve(ribbon.residues.size());
  for (const auto residue : ribbon.residues) mesh.colours.push_back(paints[residue]);
  return mesh;
}

scene::ColourMapChoice ribbon_colours(const MapView& view, const scene::ColourSpan& span) {
  const scene::Rgb middle{0.93, 0.93, 0.93};  // the surface's
  return {scene::ColourMapChoice::Kind::diverging, span, scene::colour_of(view.negative_colour), middle,
          scene::colour_of(view.positive_colour)};
}

std::vector<bool> atoms_beside_ribbon(const ChargedMolecule& molecule, const MapView& view,
                                      const SelectedAtoms* only) {
  constexpr std::array<std::string_view, 7> phosphate{"P", "OP1", "OP2", "OP3", "O1P", "O2P", "O3P"};
  auto shown = only ? only->atoms : std::vector<bool>(molecule.charges.size(), true);
  if (view.ribbon != RibbonShown::chains) return shown;
  for (std::size_t i = 0; i < molecule.residues.all.size(); ++i) {
    if (!molecule.ribbon.shown[i]) continue;
    const bool nucleotide = is_nucleotide(molecule, i);
    for (const auto atom : molecule.residues.all[i].atoms) {
      const bool gives_way =
          !nucleotide || std::ranges::find(phosphate, molecule.charges.labels[atom].atom) != phosphate.end();
      if (gives_way) shown[atom] = false;
    }
  }
  return shown;
}

}  // namespace isolume::labs::electrostatics
