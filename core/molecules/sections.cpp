#include "core/molecules/sections.h"

#include <fmt/format.h>

#include "core/molecules/line_reader.h"

namespace isolume::molecules {

const Section* find(const Sections& sections, std::string_view name) {
  const auto found = sections.by_name.find(name);
  return found == sections.by_name.end() ? nullptr : &found->second;
}

const Section& require(const Sections& sections, std::string_view name, const LineReader& reader) {
  const Section* section = find(sections, name);
  if (section == nullptr) {
    reader.fail_at(0,
                   fmt::format("expected the section {}, found none",
                               fmt::format(fmt::runtime(sections.as_written), name)),
                   "The file is truncated or damaged: write it again.");
  }
  return *section;
}

}  // namespace isolume::molecules
