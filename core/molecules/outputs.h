#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/molecules/line_reader.h"
#include "core/molecules/readers.h"

namespace isolume::molecules {

/// The orbitals of one spin.
struct Table {
  std::vector<Orbital> orbitals;
  std::vector<std::string> names;  ///< of the functions, in lower case: "3px", "5d+1", "1dz2", "d 1", "xx"
  std::vector<double> values;      ///< one orbital after the other
  std::size_t line = 0;
  bool ends_file = false;
};

/// Shells of one block of a printed basis set, and the atoms that they belong to.
struct PrintedBasis {
  std::string owner;
  std::vector<Shell> shells;
};

/// An SCF that did not converge, or a job that ended with an error, as reported by the program.
class Failure {
 public:
  /// The current line reports an SCF that did not converge.
  void scf(const LineReader& reader);
  /// A later SCF converged.
  void scf_converged() { scf_.clear(); }
  /// The current line reports that the job ended with an error.
  void job(const LineReader& reader);
  /// An SCF has ended: a failure is its own only if it was reported since the previous SCF ended. Returns whether it
  /// converged.
  bool scf_ended();
  void report(Remarks& remarks) const;

 private:
  std::string scf_, job_;  ///< the lines with their numbers
  bool since_last_scf_ = false;
};

/// Chooses one of the jobs of a file: the last one with orbitals, otherwise the last one with a geometry.
template <class Job>
class Jobs {
 public:
  void add(Job job, bool geometry, bool orbitals) {
    const int worth = orbitals ? 2 : geometry ? 1 : 0;
    if (worth > 0) ++count_;
    if (worth < worth_) return;
    worth_ = worth;
    chosen_ = count_;
    job_ = std::move(job);
  }
  Job& chosen() { return job_; }
  void report(Remarks& remarks) const {
    if (count_ < 2) return;
    remarks.dropped(
        fmt::format("The file has {} jobs. Job {} is shown, the last one with {}; the others are not "
                    "read. Split the file to open another one.",
                    count_, chosen_, worth_ > 1 ? "orbitals and their basis set" : "a geometry"),
        count_ - 1);
  }

 private:
  Job job_;
  int worth_ = 0;
  std::size_t count_ = 0, chosen_ = 0;
};

/// The data found in one job of an output, before basis set and orbitals are combined.
struct Output {
  std::vector<Atom> atoms;                    ///< positions for the orbitals, or the last ones
  std::vector<std::vector<Atom>> geometries;  ///< all that were printed
  std::vector<PrintedBasis> basis;
  std::array<Table, 2> tables;  ///< by spin
  bool unrestricted = false;    ///< the file announces a table for each spin
  std::optional<ElectronCount> electrons;
  std::optional<int> charge;
  std::optional<int> multiplicity;
  std::optional<Energy> energy;
  std::optional<Eigen::Vector3d> dipole_debye;
  Failure failure;
  Remarks remarks;

  bool has_orbitals() const { return !tables[0].orbitals.empty() && !basis.empty(); }
};

/// Differences between the programs.
struct Dialect {
  std::string_view program;
  double rounding;          ///< half a unit of the last printed digit of the coefficients
  bool orca_functions;      ///< with ORCA's names and signs
  std::string_view remedy;  ///< what to add to the input so that basis set and orbitals are written
};

/// "1 2 3 4 5", continuing at `first`: the number of columns, 0 if the line is something else.
std::size_t column_head(const std::vector<std::string_view>& words, long first);

/// Fails if the current line, the first after a table of orbitals, belongs to this table: then a line with the numbers
/// of its orbitals is missing. `first`: number of the first orbital of a table; `read`: orbitals read so far.
void check_end_of_table(LineReader& reader, long first, std::size_t read);

/// Fails if the current line has stars where a row with the coordinates of an atom may be: the atom would be left out.
void check_no_stars(const LineReader& reader, std::size_t atoms_before);

/// Fails if one spin has fewer orbitals than the other: the file was truncated.
void check_spins(std::size_t alpha, std::size_t beta, std::size_t line, const LineReader& reader);

/// Names a table of orbitals that has fewer than functions where the file ends after it: other lines always follow.
void report_end(bool ends_file, std::size_t orbitals, std::size_t functions, Remarks& remarks);

/// Shells as printed by Gaussian, Q-Chem and Psi4: "SP   3 1.00" and rows of exponent and coefficients, up to a line
/// of stars. The line that names the atom must have been read.
PrintedBasis read_shells(LineReader& reader, std::string owner);

/// The functions of a shell by increasing m, or as xx xy xz yy yz zz: p as y z x, or as x y z.
std::vector<std::string> systematic_names(int angular_momentum, bool spherical);

/// Throws InputError where there are no primitives, an exponent is not positive, or coefficients are missing.
void check_primitives(const Shell& shell, const LineReader& reader);

/// Determines from the names of the functions which shells are spherical, and how the rows are ordered. Without
/// orbitals or basis set returns only the molecule, and a remark with advice.
FileContents finish(Output output, const Dialect& dialect, const LineReader& reader);

}  // namespace isolume::molecules
