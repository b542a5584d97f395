#include "core/base/file_format.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "core/base/suffix.h"

namespace isolume {
namespace {

bool fits(std::string_view name, std::string_view pattern) {
  pattern.remove_prefix(1);
  if (!pattern.ends_with('*')) return name.size() > pattern.size() && name.ends_with(pattern);
  pattern.remove_suffix(1);
  const auto at = name.find(pattern);
  return at != std::string_view::npos && at > 0;
}

/// One for each MIME type, with the suffixes of all labs that have it.
std::vector<FileFormat> joined(std::span<const FileFormats> all) {
  std::vector<FileFormat> types;
  for (const FileFormats& together : all) {
    for (const FileFormat& format : together.formats) {
      if (format.mime_type.empty()) continue;
      const auto same = std::ranges::find(types, format.mime_type, &FileFormat::mime_type);
      if (same == types.end()) {
        types.push_back(format);
        continue;
      }
      for (const std::string& suffix : format.suffixes) {
        if (std::ranges::find(same->suffixes, suffix) == same->suffixes.end())
          same->suffixes.push_back(suffix);
      }
    }
  }
  return types;
}

std::string escaped(std::string_view text) {
  std::string result;
  for (const char letter : text) {
    if (letter == '&') {
      result += "&amp;";
    } else if (letter == '<') {
      result += "&lt;";
    } else if (letter == '"') {
      result += "&quot;";
    } else {
      result += letter;
    }
  }
  return result;
}

}  // namespace

std::vector<std::string> FileFormat::patterns() const {
  std::vector<std::string> patterns;
  for (const std::string& suffix : suffixes) {
    patterns.push_back("*" + suffix);
    if (gzipped && !suffix.ends_with('*')) patterns.push_back("*" + suffix + ".gz");
  }
  return patterns;
}

bool FileFormat::matches(const std::filesystem::path& path) const {
  const std::string name = small_name(path);
  return std::ranges::any_of(patterns(), [&](const std::string& pattern) { return fits(name, pattern); });
}

std::string FileFormats::patterns() const {
  std::string all;
  for (const FileFormat& format : formats) {
    for (const std::string& pattern : format.patterns()) all += (all.empty() ? "" : " ") + pattern;
  }
  return all;
}

bool FileFormats::match(const std::filesystem::path& path) const {
  return std::ranges::any_of(formats, [&](const FileFormat& format) { return format.matches(path); });
}

void write_mime_types(std::ostream& out, std::span<const FileFormats> all) {
  out << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
         "<mime-info xmlns=\"http://www.freedesktop.org/standards/shared-mime-info\">\n";
  for (const FileFormat& format : joined(all)) {
    fmt::print(out, "  <mime-type type=\"{}\">\n    <comment>{}</comment>\n", format.mime_type,
               escaped(format.title));
    if (format.is_text) out << "    <sub-class-of type=\"text/plain\"/>\n";
    if (!format.magic.empty()) {
      out << "    <magic priority=\"60\">\n";
      for (const auto& magic : format.magic)
        fmt::print(out, "      <match type=\"string\" value=\"{}\" offset=\"{}\"/>\n", escaped(magic.bytes),
                   magic.offset);
      out << "    </magic>\n";
    }
    for (const std::string& pattern : format.patterns()) {
      if (!pattern.ends_with('*')) fmt::print(out, "    <glob pattern=\"{}\"/>\n", pattern);
    }
    out << "  </mime-type>\n";
  }
  out << "</mime-info>\n";
}

std::string mime_type_list(std::span<const FileFormats> all) {
  std::string list;
  for (const FileFormat& format : joined(all)) list += format.mime_type + ";";
  return list;
}

}  // namespace isolume
