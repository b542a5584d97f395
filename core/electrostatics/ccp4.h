#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "core/jobs/progress.h"
#include "core/lattice/scalar_field.h"

namespace isolume::electrostatics {

/// Reads a map of real numbers (mode 2) in the format of CCP4 and MRC2014, plain or gzipped, of either byte order and any order
/// of axes; the field's axes are the cell's. Where it lies is what the header's origin says or, where that is zero, its
/// first indices (NSTART) times the steps. Lengths are in angstrom; the unit is what the first label has in
/// brackets, as in those that are written here, if it is one of a potential; or empty.
///
/// Throws InputError, ResourceError, Cancelled.
lattice::ScalarField read_ccp4(const std::filesystem::path& path, const jobs::Progress& progress = {});
/// The lattice alone; its numbers are not looked at.
lattice::Lattice read_ccp4_lattice(const std::filesystem::path& path);

/// Writes such a map, little-endian, gzipped where its name ends with .gz: where it lies as first indices where that is a
/// whole number of steps, as the origin in angstrom otherwise. Throws Error where the lattice's first step does not lie along x and its second one in
/// the plane of x and y, which the format cannot say, or it cannot be written; Cancelled.
void write_ccp4(const lattice::ScalarField& field, const std::filesystem::path& path,
                const jobs::Progress& progress = {});

/// Writes such a map part after part, not gzipped, with the bytes that write_ccp4 writes: it is there after `commit`, or not at all.
class Ccp4Writer {
 public:
  /// Throws Error as write_ccp4.
  Ccp4Writer(const std::filesystem::path& path, const lattice::Lattice& lattice, std::string name,
             std::string unit);
  ~Ccp4Writer();
  /// The next planes across the first axis: a field on these alone. Throws Error, Cancelled.
  void put(const lattice::ScalarField& planes, const jobs::Progress& progress);
  /// After all planes. Throws Error where the file cannot be written.
  void commit();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace isolume::electrostatics
