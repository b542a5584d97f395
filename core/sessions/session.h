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

namespace isolume {
class JsonEntry;
}

namespace isolume::sessions {

/// Data that a session works on and does not hold: a file, or a folder of files.
struct DataReference {
  std::filesystem::path path;
  /// From the session's folder, so that both can be moved together; empty where there is no way.
  std::filesystem::path beside = {};
  /// Of the file, or of all files in the folder.
  std::uint64_t bytes = 0;
  /// XXH3 (128 bits, hexadecimal) of the file's content, beyond 16 MiB of its first and last 8 MiB; of a
  /// folder the names and sizes of its files.
  std::string hash = {};
};

/// Throws Error where there is no such file or folder.
DataReference reference_to(const std::filesystem::path& data);

/// For a lab that keeps further references in its state; `beside` is for the caller to fill. data_of throws InputError.
nlohmann::json json_of(const DataReference& data);
DataReference data_of(const JsonEntry& entry);

/// One document as it was left.
struct DocumentSession {
  std::string lab;                         ///< whose it is: "orbitals"
  bool front = true;                       ///< of the lab's documents, the one that is shown with it
  std::optional<DataReference> data = {};  ///< nothing where it lives without a file
  std::vector<std::pair<std::string, std::string>> parameters = {};  ///< key and value as text, all of them
  std::string camera = {};                          ///< as for scene::set_camera; may be empty
  nlohmann::json state = nlohmann::json::object();  ///< the lab's own
};

/// All that is needed to go on with one's work: a file with the suffix .isolume.
struct Session {
  std::string shown;  ///< the lab in front
  /// Of a lab in the order of its tabs.
  std::vector<DocumentSession> documents;
  std::string layout = {};  ///< of the window, in base64; may be empty
};

inline constexpr std::string_view suffix = ".isolume";

/// Throws InputError that names the entry, and for a session of a later version. Takes sessions of version 1,
/// where each lab had one document, and contours that were saved by the Livewire lab, which is how sessions
/// began.
Session read_session(const std::filesystem::path& path);
/// The same of a text; `path` is for errors.
Session session_of_text(std::string_view text, const std::filesystem::path& path);
/// Whole or not at all; the ways from the session to its data are found anew. Throws Error.
void write_session(const Session& session, const std::filesystem::path& path,
                   AtomicFile::Readers readers = AtomicFile::Readers::usual);

enum class Found { unchanged, changed, missing };
struct Located {
  Found found = Found::missing;
  std::filesystem::path path;  ///< where it is; where it was expected if it is missing
};
/// Looks beside the session first, then where the data were.
Located locate(const DataReference& data, const std::filesystem::path& session);

}  // namespace isolume::sessions
