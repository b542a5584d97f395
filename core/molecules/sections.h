#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace isolume::molecules {

class LineReader;

/// A named part of a file, as in WFX and NBO files. The words refer to the reader's text.
struct Section {
  std::vector<std::string_view> words;
  std::string_view title;  ///< its first line, where the format gives it a meaning
  std::size_t line = 0;    ///< where it begins
};

struct Sections {
  std::string_view as_written;  ///< how the format writes names: "<{}>", "${}"
  std::map<std::string, Section, std::less<>> by_name;
};

/// Null if there is none.
const Section* find(const Sections& sections, std::string_view name);
/// Throws Error if there is none.
const Section& require(const Sections& sections, std::string_view name, const LineReader& reader);

}  // namespace isolume::molecules
