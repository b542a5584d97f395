#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>

#include "app/labs/electrostatics/picture/choices.h"
#include "app/labs/electrostatics/picture/map_source.h"
#include "core/structures/charge_frames.h"

namespace isolume::labs::electrostatics {

/// Molecules at several moments, read when they are asked for. Several threads may use it.
class MoleculeFrames {
 public:
  using MoleculePointer = std::shared_ptr<const ChargedMolecule>;

  /// `first`: the molecule that has been read. Of many frames it reads no more than `most_read`, from the first to the last one,
  /// for the box around them. Throws as they do; Cancelled.
  MoleculeFrames(MoleculePointer first, std::unique_ptr<structures::ChargeFrames> frames,
                 std::filesystem::path trajectory, const jobs::Progress& progress);
  ~MoleculeFrames();
  static constexpr std::size_t most_read = 64;

  std::size_t size() const;
  /// Empty where the file itself has the frames.
  const std::filesystem::path& trajectory() const { return trajectory_; }
  const MoleculePointer& first() const { return first_; }
  /// `frame` counts from 1; the last ones are kept. Throws as reading frames does, Error where there is none of this
  /// number.
  MoleculePointer at(int frame, const jobs::Progress& progress) const;
  /// One grid around the places of the frames that were read at first, so that slices stay where they are.
  grid::Grid grid(const MapGrid& where) const;
  /// Throws Error where a grid, or the one that it is a part or a coarser one of, does not hold a frame's atoms.
  void require_within(const grid::Grid& grid, int frame, const ChargedMolecule& molecule) const;
  /// For sums over all of them.
  const structures::ChargeFrames& charges() const;

  /// Whose field this is, as frame_source made it; null for other fields, and for those of long ago.
  MoleculePointer molecule_of(const grid::ScalarField& field) const;
  void remember(const std::shared_ptr<const grid::ScalarField>& field, MoleculePointer molecule) const;

 private:
  class Locked;
  struct Kept;

  const MoleculePointer first_;
  const std::unique_ptr<Locked> frames_;
  const std::filesystem::path trajectory_;
  structures::Box box_;
  const std::unique_ptr<Kept> kept_;
};

/// What a file held: one molecule, and its frames where there are several.
struct OpenedMolecule {
  std::shared_ptr<const ChargedMolecule> molecule;
  std::shared_ptr<const MoleculeFrames> frames;  ///< null: one only
};
/// With a trajectory, an empty path for none, of which the first frame is the molecule. Throws as
/// structures::read_charged_file and structures::open_charge_frames.
OpenedMolecule open_molecule(const std::filesystem::path& path, const std::filesystem::path& trajectory,
                             const jobs::Progress& progress);
/// The same of charges with other options than the window's.
OpenedMolecule open_molecule(const std::filesystem::path& path, const structures::ChargedFileOptions& options,
                             const std::filesystem::path& trajectory, const jobs::Progress& progress);

/// What `make` gives of the frame's molecule, on the grid of all frames.
std::shared_ptr<const fields::FieldSource> frame_source(
    std::shared_ptr<const MoleculeFrames> frames, int frame, const MapGrid& where,
    std::function<std::shared_ptr<const fields::FieldSource>(std::shared_ptr<const ChargedMolecule>)> make);
/// The mean over all frames of the potential.
std::shared_ptr<const fields::FieldSource> mean_source(std::shared_ptr<const MoleculeFrames> frames,
                                                       const science::PotentialOptions& how,
                                                       const MapGrid& where);

}  // namespace isolume::labs::electrostatics
