#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/molecules/line_reader.h"
#include "core/molecules/readers.h"

namespace isolume::molecules {

using Json = nlohmann::json;

/// Throws InputError where the text is no JSON, and Cancelled.
Json parse_json(const Source& source, const LineReader& reader);

/// The value at a path as "basisSet/shellTypes"; null where there is none.
const Json& at(const Json& json, std::string_view path);

/// A list of finite numbers, or of whole ones. Throws InputError that names the path.
std::vector<double> reals(const Json& json, std::string_view path, const LineReader& reader);
std::vector<long> integers(const Json& json, std::string_view path, const LineReader& reader);

/// The nearest whole number; nothing where the value is no number.
std::optional<int> whole(const Json& value);

/// The text at a path; empty where there is none.
std::string text_at(const Json& json, std::string_view path);

}  // namespace isolume::molecules
