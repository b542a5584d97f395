#include "core/base/xml_tags.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace isolume {
namespace {

/// The code point in UTF-8; empty if there is no such code point.
std::string utf8(unsigned long code) {
  const auto trail = [&](unsigned shift) { return static_cast<char>(0x80U | (code >> shift & 0x3FU)); };
  if (code == 0 || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) return {};
  if (code < 0x80) return {static_cast<char>(code)};
  if (code < 0x800) return {static_cast<char>(0xC0U | code >> 6U), trail(0)};
  if (code < 0x10000) return {static_cast<char>(0xE0U | code >> 12U), trail(6), trail(0)};
  return {static_cast<char>(0xF0U | code >> 18U), trail(12), trail(6), trail(0)};
}

/// The character of an entity between "&" and ";"; empty if it is unknown.
std::string meant_by(std::string_view entity) {
  constexpr std::array<std::pair<std::string_view, char>, 5> known{
      {{"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"quot", '"'}, {"apos", '\''}}};
  for (const auto& [name, character] : known)
    if (entity == name) return {character};
  if (!entity.starts_with('#')) return {};
  entity.remove_prefix(1);
  const bool hexadecimal = entity.starts_with('x');
  if (hexadecimal) entity.remove_prefix(1);
  unsigned long code = 0;
  const char* const end = entity.data() + entity.size();
  const auto [behind, problem] = std::from_chars(entity.data(), end, code, hexadecimal ? 16 : 10);
  return problem == std::errc() && behind == end ? utf8(code) : std::string();
}

}  // namespace

std::string_view XmlTag::attribute(std::string_view wanted) const {
  for (std::size_t at = 0; (at = attributes.find(wanted, at)) != std::string_view::npos;
       at += wanted.size()) {
    const bool begins = at > 0 && static_cast<unsigned char>(attributes[at - 1]) <= ' ';
    const std::size_t equals = at + wanted.size();
    if (!begins || equals + 1 >= attributes.size() || attributes[equals] != '=') continue;
    const char quote = attributes[equals + 1];
    const std::size_t close = attributes.find(quote, equals + 2);
    if ((quote == '"' || quote == '\'') && close != std::string_view::npos)
      return attributes.substr(equals + 2, close - equals - 2);
  }
  return {};
}

std::optional<XmlTag> XmlTags::next() {
  std::size_t from = position_;
  for (;;) {
    const std::size_t open = text_.find('<', position_);
    if (open == std::string_view::npos) return std::nullopt;
    const bool comment = text_.substr(open).starts_with("<!--");
    const std::size_t close = comment ? text_.find("-->", open) : end_of_tag(open);
    if (close == std::string_view::npos) return std::nullopt;
    const std::string_view before = text_.substr(from, open - from);
    count_lines(comment ? close + 2 : close);
    position_ = comment ? close + 3 : close + 1;
    if (comment || text_[open + 1] == '?' || text_[open + 1] == '!') {
      from = position_;
      continue;
    }
    XmlTag tag;
    const std::string_view inner = text_.substr(open + 1, close - open - 1);
    const std::size_t name_end = std::min(inner.find_first_of(" \t\r\n"), inner.size());
    tag.name = inner.substr(0, name_end);
    const bool closing = tag.name.starts_with('/');
    if (const std::size_t colon = tag.name.find(':'); colon != std::string_view::npos && !closing)
      tag.name.remove_prefix(colon + 1);
    tag.attributes = inner.substr(name_end);
    tag.text = before;
    tag.line = line_;
    tag.end = position_;
    return tag;
  }
}

std::size_t XmlTags::end_of_tag(std::size_t open) const {
  char quote = 0;
  for (std::size_t i = open + 1; i < text_.size(); ++i) {
    const char c = text_[i];
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '>') {
      return i;
    }
  }
  return std::string_view::npos;
}

void XmlTags::count_lines(std::size_t to) {
  line_ += static_cast<std::size_t>(std::count(text_.begin() + static_cast<std::ptrdiff_t>(counted_),
                                               text_.begin() + static_cast<std::ptrdiff_t>(to), '\n'));
  counted_ = to;
}

std::string xml_text(std::string_view value) {
  std::string result;
  for (std::size_t at = 0; at < value.size();) {
    constexpr std::size_t longest = 10;  // "&#x10FFFF;"
    const std::string_view entity = value.substr(at, longest);
    const std::size_t end = entity.starts_with('&') ? entity.find(';') : std::string_view::npos;
    const std::string meant =
        end == std::string_view::npos ? std::string() : meant_by(entity.substr(1, end - 1));
    result += meant.empty() ? std::string(1, value[at]) : meant;
    at += meant.empty() ? 1 : end + 1;
  }
  return result;
}

}  // namespace isolume
