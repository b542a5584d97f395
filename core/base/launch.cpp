#include "core/base/launch.h"

#include <cstdlib>

#include "core/base/number.h"

namespace isolume {
namespace {

std::optional<int> number_in_environment(const char* name) {
  const char* text = std::getenv(name);
  if (text == nullptr) return std::nullopt;
  return parse_number<int>(text);
}

}  // namespace

std::optional<Launch> launch() {
  struct Names {
    const char *rank, *ranks;
  };
  for (const Names& names : {Names{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                             Names{"PMIX_RANK", "SLURM_NTASKS"}, Names{"PMI_RANK", "PMI_SIZE"}}) {
    const auto rank = number_in_environment(names.rank), ranks = number_in_environment(names.ranks);
    if (rank && ranks && *rank >= 0 && *rank < *ranks) return Launch{*rank, *ranks};
  }
  return std::nullopt;
}

}  // namespace isolume
