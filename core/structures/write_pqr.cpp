#include <cmath>
#include <iterator>
#include <numbers>

#include <fmt/format.h>

#include "core/base/atomic_file.h"
#include "core/structures/pqr.h"

namespace isolume::structures {
namespace {

/// Missing names would shift the following words; only a chain's may be missing.
std::string_view word_or(std::string_view word, std::string_view otherwise) {
  return word.empty() ? otherwise : word;
}

/// Writes CRYST1 if the edges are oriented accordingly: the first one along x, the second one in the xy plane.
void write_cell(const Eigen::Matrix3d& cell, fmt::memory_buffer& lines) {
  if (!(cell(1, 0) == 0 && cell(2, 0) == 0 && cell(2, 1) == 0)) return;
  const auto angle = [&](int a, int b) {
    const double cosine = cell.col(a).dot(cell.col(b)) / (cell.col(a).norm() * cell.col(b).norm());
    return std::acos(cosine) * 180 / std::numbers::pi;
  };
  fmt::format_to(std::back_inserter(lines), "CRYST1{:>9.3f}{:>9.3f}{:>9.3f}{:>7.2f}{:>7.2f}{:>7.2f} P 1\n",
                 cell.col(0).norm(), cell.col(1).norm(), cell.col(2).norm(), angle(1, 2), angle(2, 0),
                 angle(0, 1));
}

}  // namespace

void write_pqr(const Charges& charges, const std::vector<std::string>& remarks,
               const std::filesystem::path& path, const jobs::Progress& progress) {
  AtomicFile file(path);
  fmt::memory_buffer lines;
  const auto flush = [&] {
    progress.check();
    file.stream().write(lines.data(), static_cast<std::streamsize>(lines.size()));
    lines.clear();
  };
  for (const auto& remark : remarks) fmt::format_to(std::back_inserter(lines), "REMARK   5 {}\n", remark);
  if (charges.cell) write_cell(*charges.cell, lines);
  const AtomLabel nameless;
  for (std::size_t i = 0; i < charges.size(); ++i) {
    const AtomLabel& label = i < charges.labels.size() ? charges.labels[i] : nameless;
    const std::string_view insertion(&label.insertion, label.insertion == ' ' ? 0 : 1);
    fmt::format_to(std::back_inserter(lines),
                   "{:<6} {:>5} {:<4} {:>3} {}{}{:>4}{} {:>11.3f} {:>8.3f} {:>8.3f} {:>9.6f} {:>6.4f}\n",
                   label.is_hetero ? "HETATM" : "ATOM", i + 1, word_or(label.atom, "X"),
                   word_or(label.residue, "UNK"), label.chain, label.chain.empty() ? "" : " ", label.number,
                   insertion, charges.x[i], charges.y[i], charges.z[i], charges.charge[i], charges.radius[i]);
    if (lines.size() > std::size_t{1} << 20U) {
      flush();
      progress.report(static_cast<double>(i) / static_cast<double>(charges.size()), "writing charges");
    }
  }
  fmt::format_to(std::back_inserter(lines), "END\n");
  flush();
  file.commit();
}

}  // namespace isolume::structures
