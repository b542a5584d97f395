#pragma once

#include <cstddef>
#include <filesystem>
#include <ostream>
#include <span>
#include <string>
#include <vector>

namespace isolume {

/// A format of files that a lab opens. Open dialogs, the choice of the lab for a file, and what desktops know of the
/// program follow from its declaration.
struct FileFormat {
  std::string title;  ///< "Gaussian formatted checkpoint"
  /// ".fchk", in small letters, the usual one first; a last "*" stands for anything: ".molden.*".
  std::vector<std::string> suffixes;
  bool gzipped = false;  ///< whether ".gz" may follow
  /// "chemical/x-gaussian-checkpoint"; empty if files of other programs have these suffixes, too, so that desktops should
  /// not take all of them for this format.
  std::string mime_type = {};
  bool is_text = true;
  /// Bytes at an offset that files of the format have, of which one is enough.
  struct Magic {
    std::size_t offset;
    std::string bytes;  ///< printable
  };
  std::vector<Magic> magic = {};

  /// {"*.fchk", "*.fchk.gz", "*.fch", "*.fch.gz"}
  std::vector<std::string> patterns() const;
  /// Whether the file's name has one of the suffixes, in small letters or capitals.
  bool matches(const std::filesystem::path& path) const;
};

/// Formats that stand together in an open dialog.
struct FileFormats {
  std::string title;  ///< "Wavefunctions", in English
  std::vector<FileFormat> formats;

  /// "*.fchk *.fchk.gz *.wfn"
  std::string patterns() const;
  bool match(const std::filesystem::path& path) const;  ///< whether one of them does
};

/// Writes a description of the formats that have MIME types, as the Shared MIME-info Database of freedesktop.org takes it.
void write_mime_types(std::ostream& out, std::span<const FileFormats> all);
/// The MIME types, each once: "chemical/x-molden;chemical/x-xyz;", as in desktop entries.
std::string mime_type_list(std::span<const FileFormats> all);

}  // namespace isolume
