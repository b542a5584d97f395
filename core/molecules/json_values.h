#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/base/remarks.h"
#include "core/molecules/line_reader.h"
#include "core/molecules/readers.h"

namespace isolume::molecules {

using Json = nlohmann::json;

/// Throws InputError if the text is not JSON, and Cancelled.
Json parse_json(const Source& source, const LineReader& reader);

/// The value at a path such as "basisSet/shellTypes"; null if there is none.
const Json& at(const Json& json, std::string_view path);

/// A list of finite numbers, or of whole ones. Throws InputError that names the path.
std::vector<double> reals(const Json& json, std::string_view path, const LineReader& reader);
std::vector<long> integers(const Json& json, std::string_view path, const LineReader& reader);

/// The nearest integer; nothing if the value is not a number.
std::optional<int> whole(const Json& value);

/// The whole number at a path; nothing if there is none, or another value, which a remark then names.
std::optional<int> whole(const Json& json, std::string_view path, Remarks& remarks);

/// The text at a path; empty if there is none.
std::string text_at(const Json& json, std::string_view path);

}  // namespace isolume::molecules
