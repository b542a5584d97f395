#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/base/atomic_file.h"
#include "core/base/remarks.h"

namespace isolume {
class JsonEntry;
}

namespace isolume::sessions {

/// External data of a session: a file, or a folder of files.
struct DataReference {
  std::filesystem::path path;
  /// Path relative to the session's folder, so that both can be moved together; empty if there is no such
  /// path.
  std::filesystem::path beside = {};
  /// Size of the file, or of all files in the folder.
  std::uint64_t bytes = 0;
  /// XXH3 (128 bits, hexadecimal) of the file's content; above 16 MiB of its first and last 8 MiB; for a
  /// folder of the names and sizes of its files.
  std::string hash = {};
};

/// Throws Error if there is no such file or folder.
DataReference reference_to(const std::filesystem::path& data);

/// For a lab that stores further references in its state; the caller sets `beside`. data_of throws
/// InputError.
nlohmann::json json_of(const DataReference& data);
DataReference data_of(const JsonEntry& entry);

/// The saved state of one document.
struct DocumentSession {
  std::string lab;                         ///< whose it is: "orbitals"
  bool front = true;                       ///< whether it is the shown document of its lab
  std::optional<DataReference> data = {};  ///< empty for documents without a file
  std::vector<std::pair<std::string, std::string>> parameters = {};  ///< key and value as text, all of them
  std::string camera = {};                          ///< as for scene::set_camera; may be empty
  nlohmann::json state = nlohmann::json::object();  ///< state specific to the lab
  std::string entry = {};                           ///< in the file that was read: "documents[0]"
};

/// The saved state of the workbench: a file with the suffix .isolume.
struct Session {
  std::string shown;  ///< the visible lab
  /// The documents of a lab in the order of its tabs.
  std::vector<DocumentSession> documents;
  std::string layout = {};  ///< of the window, in base64; may be empty
  Remarks remarks = {};     ///< of reading
};

inline constexpr std::string_view suffix = ".isolume";

/// Throws InputError that names the entry, and for a session of a later version. Also reads sessions of
/// version 1, where each lab had one document, and contours saved by the Livewire lab, from which sessions
/// evolved. Remarks name entries that are not of the format.
Session read_session(const std::filesystem::path& path);
/// The same for a text; `path` is for errors.
Session session_of_text(std::string_view text, const std::filesystem::path& path);
/// Writes the complete file or nothing; the relative paths to its data are determined anew. Throws Error.
void write_session(const Session& session, const std::filesystem::path& path,
                   AtomicFile::Readers readers = AtomicFile::Readers::usual);

enum class Found { unchanged, changed, missing };
struct Located {
  Found found = Found::missing;
  std::filesystem::path path;  ///< the path found, or the expected one if the data are missing
};
/// Looks relative to the session first, then at the original path.
Located locate(const DataReference& data, const std::filesystem::path& session);

}  // namespace isolume::sessions
