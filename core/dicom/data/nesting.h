#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

namespace isolume::dicom {

/// DCMTK reads sequences within sequences by recursion, without a limit: a file of a few MB that nests them hundreds
/// of thousands deep would overflow the stack. Walks through the headers of the elements, without reading values, and
/// throws InputError for a file that is not DICOM, with or without a preamble, or that is nested deeper than any
/// object of the standard. Elements from `stop_tag` (group and element) on are ignored. `content` is the content of
/// the file, if already known.
void check_nesting(const std::filesystem::path& path, std::uint32_t stop_tag = 0xFFFFFFFFU,
                   std::string_view content = {});

}  // namespace isolume::dicom
