#include "core/base/launch.h"

#include <charconv>
#include <cstdlib>
#include <cstring>

namespace isolume {
namespace {

std::optional<int> number_in_environment(const char* name) {
  const char* text = std::getenv(name);
  if (text == nullptr) return std::nullopt;
  int number = 0;
  const char* end = text + std::strlen(text);
  const auto [rest, problem] = std::from_chars(text, end, number);
  return problem == std::errc() && rest == end ? std::optional(number) : std::nullopt;
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
