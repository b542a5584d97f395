#include "core/sessions/session.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <memory>
#include <system_error>

#include <fmt/format.h>
#include <xxhash.h>

#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/base/input_file.h"
#include "core/base/json_entry.h"
#include "core/base/text_file.h"

namespace isolume::sessions {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr int version = 2;
constexpr std::size_t largest_file = std::size_t{512} << 20;
constexpr int deepest_entry = 24;
constexpr std::uint64_t hashed_whole = 16 << 20;
constexpr std::uint64_t hashed_part = 8 << 20;
constexpr std::string_view remedy = "Open another session, or a copy of this one.";

class Hash {
 public:
  Hash() : state_(XXH3_createState(), XXH3_freeState) { XXH3_128bits_reset(state_.get()); }
  void add(std::string_view bytes) { XXH3_128bits_update(state_.get(), bytes.data(), bytes.size()); }
  std::string text() const {
    const XXH128_hash_t hash = XXH3_128bits_digest(state_.get());
    return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
  }

 private:
  std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state_;
};

void add_part(Hash& hash, std::ifstream& file, std::uint64_t begin, std::uint64_t count) {
  std::string block(std::size_t{1} << 20, '\0');
  file.seekg(static_cast<std::streamoff>(begin));
  while (count > 0 && file) {
    file.read(block.data(), static_cast<std::streamsize>(std::min<std::uint64_t>(block.size(), count)));
    hash.add({block.data(), static_cast<std::size_t>(file.gcount())});
    count -= static_cast<std::uint64_t>(file.gcount());
  }
}

std::string hash_of_file(const fs::path& path, std::uint64_t bytes) {
  std::ifstream file = open_input(path);
  Hash hash;
  if (bytes <= hashed_whole) {
    add_part(hash, file, 0, bytes);
  } else {
    add_part(hash, file, 0, hashed_part);
    add_part(hash, file, bytes - hashed_part, hashed_part);
  }
  return hash.text();
}

void refer_to_folder(DataReference& data) {
  std::vector<std::pair<std::string, std::uint64_t>> files;
  std::error_code failed;
  for (fs::recursive_directory_iterator
           entry(data.path, fs::directory_options::skip_permission_denied, failed),
       end;
       !failed && entry != end; entry.increment(failed)) {
    std::error_code vanished;
    if (!entry->is_regular_file(vanished)) continue;
    const auto bytes = entry->file_size(vanished);
    if (!vanished) files.emplace_back(entry->path().lexically_relative(data.path).generic_string(), bytes);
  }
  std::ranges::sort(files);
  Hash hash;
  for (const auto& [name, bytes] : files) {
    hash.add(fmt::format("{}\n{}\n", name, bytes));
    data.bytes += bytes;
  }
  data.hash = hash.text();
}

constexpr std::array<std::string_view, 4> data_keys{"path", "beside", "bytes", "xxh3"};
constexpr std::array<std::string_view, 6> document_keys{"lab",        "front",  "data",
                                                        "parameters", "camera", "state"};

DocumentSession document_of(const JsonEntry& entry, int its_version, std::vector<std::string>& unknown) {
  entry.add_unknown_keys(document_keys, unknown);
  if (entry.has("data")) entry.at("data").add_unknown_keys(data_keys, unknown);
  DocumentSession document{.lab = entry.at("lab").text()};
  document.front = its_version == 1 || entry.at("front").boolean();  // one per lab before
  if (entry.has("data")) document.data = data_of(entry.at("data"));
  const JsonEntry parameters = entry.at("parameters");
  for (const std::string& key : parameters.keys())
    document.parameters.emplace_back(key, parameters.at(key).text());
  document.camera = entry.at("camera").text();
  const JsonEntry state = entry.at("state");
  if (!state.json().is_object()) state.fail("expected an object");
  document.state = state.json();
  return document;
}

/// Contours saved by the Livewire lab, as a session of one lab with the image at its original path.
Session session_of_contours(const Json& contours, const JsonEntry& root) {
  const JsonEntry image = root.at("image");
  DocumentSession document{.lab = "livewire", .data = DataReference{.path = image.at("path").text()}};
  document.state = {{"contours", contours}, {"series_uid", image.at("series_uid").text()}};
  return {.shown = document.lab, .documents = {std::move(document)}, .layout = {}};
}

}  // namespace

Json json_of(const DataReference& data) {
  return {{"path", data.path.string()},
          {"beside", data.beside.generic_string()},
          {"bytes", data.bytes},
          {"xxh3", data.hash}};
}

DataReference data_of(const JsonEntry& entry) {
  constexpr double largest = 1e18;
  return {.path = entry.at("path").text(),
          .beside = entry.at("beside").text(),
          .bytes = static_cast<std::uint64_t>(entry.at("bytes").number(0, largest)),
          .hash = entry.at("xxh3").text()};
}

DataReference reference_to(const fs::path& data) {
  DataReference reference{.path = fs::absolute(data).lexically_normal()};
  std::error_code failed;
  const auto status = fs::status(reference.path, failed);
  if (fs::is_directory(status)) {
    refer_to_folder(reference);
    return reference;
  }
  if (!fs::is_regular_file(status)) throw Error(fmt::format("There is no file {}.", reference.path.string()));
  reference.bytes = fs::file_size(reference.path, failed);
  if (failed) throw Error(fmt::format("{} cannot be read: {}.", reference.path.string(), failed.message()));
  reference.hash = hash_of_file(reference.path, reference.bytes);
  return reference;
}

Session read_session(const fs::path& path) {
  return session_of_text(read_text_file(path, largest_file), path);
}

Session session_of_text(std::string_view text, const fs::path& path) {
  const Json json = parse_json(text, path, deepest_entry, remedy);
  const JsonEntry root(json, path, remedy);
  if (root.has("isolume-contours")) return session_of_contours(json, root);
  const int its_version = root.at("isolume-session").integer(1, 1'000'000);
  if (its_version > version) {
    throw InputError(path, 0, fmt::format("was saved by a later version of Isolume (format {})", its_version),
                     "Open it with that version.");
  }
  Session session{.shown = root.at("shown").text(), .documents = {}, .layout = root.at("layout").text()};
  const std::string_view list = its_version == 1 ? "labs" : "documents";
  const std::array<std::string_view, 4> root_keys{"isolume-session", "shown", "layout", list};
  std::vector<std::string> unknown;
  root.add_unknown_keys(root_keys, unknown);
  const JsonEntry documents = root.at(list);
  for (std::size_t i = 0; i < documents.size(); ++i) {
    session.documents.push_back(document_of(documents.at(i), its_version, unknown));
    session.documents.back().entry = fmt::format("{}[{}]", list, i);
  }
  if (!unknown.empty()) {
    session.remarks.dropped(fmt::format("{}: entries that sessions do not have are left out: {}.",
                                        path.filename().string(), first_names(unknown)),
                            unknown.size());
  }
  return session;
}

void write_session(const Session& session, const fs::path& path, AtomicFile::Readers readers) {
  const fs::path folder = fs::absolute(path).lexically_normal().parent_path();
  Json documents = Json::array();
  for (const DocumentSession& each : session.documents) {
    Json document{{"lab", each.lab},
                  {"front", each.front},
                  {"camera", each.camera},
                  {"state", each.state},
                  {"parameters", Json::object()}};
    for (const auto& [key, value] : each.parameters) document["parameters"][key] = value;
    if (each.data) {
      DataReference data = *each.data;
      data.beside = data.path.lexically_relative(folder);
      document["data"] = json_of(data);
    }
    documents.push_back(std::move(document));
  }
  const Json json{{"isolume-session", version},
                  {"shown", session.shown},
                  {"documents", std::move(documents)},
                  {"layout", session.layout}};
  AtomicFile file(path, readers);
  file.stream() << json.dump(1, ' ', false, Json::error_handler_t::replace) << '\n';
  file.commit();
}

Located locate(const DataReference& data, const fs::path& session) {
  Located result{Found::missing, data.path};
  std::vector<fs::path> places{data.path};
  if (!data.beside.empty()) {
    places.insert(places.begin(), (fs::absolute(session).parent_path() / data.beside).lexically_normal());
  }
  for (const fs::path& place : places) {
    std::error_code failed;
    if (!fs::exists(place, failed)) continue;
    const bool same = data.hash.empty() || reference_to(place).hash == data.hash;
    if (same) return {Found::unchanged, place};
    if (result.found == Found::missing) result = {Found::changed, place};
  }
  return result;
}

}  // namespace isolume::sessions
