#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace isolume {

/// A tag of an XML file. Views are into the file's text.
struct XmlTag {
  std::string_view name;        ///< without a prefix such as "cml:"; "/name" at the end of an element
  std::string_view attributes;  ///< all of them, with the "/" of an element that ends where it begins
  std::string_view text;        ///< the text before the tag
  std::size_t line = 0;         ///< line of its end, counted from 1
  std::size_t end = 0;          ///< position of its end in the file

  /// The value of `name="..."` in raw form; empty if there is none.
  std::string_view attribute(std::string_view name) const;
  bool is_empty_element() const { return attributes.ends_with('/'); }
};

/// The tags of a file one after the other, at any depth: comments and declarations are skipped, and entities
/// are not expanded. A tag that does not end is the end of the file. The text must outlive this object.
class XmlTags {
 public:
  explicit XmlTags(std::string_view text) : text_(text) {}
  /// Empty at the end of the file.
  std::optional<XmlTag> next();

 private:
  std::size_t end_of_tag(std::size_t open) const;
  void count_lines(std::size_t to);

  std::string_view text_;
  std::size_t position_ = 0;
  std::size_t counted_ = 0;
  std::size_t line_ = 1;
};

/// An attribute's value with its character references and the five entities of XML replaced; others stay
/// unchanged.
std::string xml_text(std::string_view value);

}  // namespace isolume
