#include "core/base/remarks.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace isolume {

std::string_view name_of(RemarkKind kind) {
  switch (kind) {
    case RemarkKind::dropped:
      return "dropped";
    case RemarkKind::assumed:
      return "assumed";
    case RemarkKind::converted:
      return "converted";
    case RemarkKind::corrected:
      return "corrected";
    case RemarkKind::warning:
      break;
  }
  return "warning";
}

void Remarks::add(RemarkKind kind, std::string text, std::size_t count) {
  Remark remark{kind, std::move(text), count};
  if (std::find(all_.begin(), all_.end(), remark) == all_.end()) all_.push_back(std::move(remark));
}

void Remarks::add(const Remarks& others) {
  for (const auto& remark : others.all_) add(remark.kind, remark.text, remark.count);
}

std::string Remarks::text() const {
  std::string lines;
  for (const auto& remark : all_) lines += (lines.empty() ? "" : "\n") + remark.text;
  return lines;
}

nlohmann::ordered_json json_of(const Remarks& remarks) {
  auto json = nlohmann::ordered_json::array();
  for (const auto& remark : remarks) {
    nlohmann::ordered_json entry{{"kind", name_of(remark.kind)}};
    if (remark.count != 0) entry["count"] = remark.count;
    entry["text"] = remark.text;
    json.push_back(std::move(entry));
  }
  return json;
}

std::string first_names(std::span<const std::string> names, std::size_t limit) {
  const auto shown = names.first(std::min(names.size(), limit));
  std::string text = fmt::format("{}", fmt::join(shown, ", "));
  if (shown.size() < names.size()) text += fmt::format(" and {} more", names.size() - shown.size());
  return text;
}

}  // namespace isolume
