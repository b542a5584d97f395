#include <iterator>

#include <fmt/format.h>

#include "core/base/atomic_file.h"
#include "core/structures/pqr.h"

namespace isolume::structures {
namespace {

/// Names that are missing would shift the words behind them; only a chain's may be.
std::string_view word_or(std::string_view word, std::string_view otherwise) {
  return word.empty() ? otherwise : word;
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
  for (std::size_t i = 0; i < charges.size(); ++i) {
    const AtomLabel label = i < charges.labels.size() ? charges.labels[i] : AtomLabel{};
    const auto number = label.insertion == ' ' ? fmt::format("{}", label.number)
                                               : fmt::format("{}{}", label.number, label.insertion);
    fmt::format_to(std::back_inserter(lines),
                   "{:<6} {:>5} {:<4} {:>3} {}{:>4} {:>11.3f} {:>8.3f} {:>8.3f} {:>9.6f} {:>6.4f}\n",
                   label.is_hetero ? "HETATM" : "ATOM", i + 1, word_or(label.atom, "X"),
                   word_or(label.residue, "UNK"), label.chain.empty() ? "" : label.chain + " ", number,
                   charges.x[i], charges.y[i], charges.z[i], charges.charge[i], charges.radius[i]);
    if (lines.size() > std::size_t{1} << 20U) flush();
  }
  fmt::format_to(std::back_inserter(lines), "END\n");
  flush();
  file.commit();
}

}  // namespace isolume::structures
