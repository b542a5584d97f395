#pragma once

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <Eigen/Core>

#include "core/molecules/line_reader.h"

namespace isolume::molecules {

/// A column of an XYZ file, or several adjacent ones, as named by Properties=name:type:width in lower case.
struct XyzColumn {
  std::string name;
  std::size_t first = 0, width = 1;
  char type = 's';  ///< r: real numbers, i: integers, s: words, l: T or F

  bool is_number() const { return type == 'r' || type == 'i'; }
};

/// What the lines of a frame describe.
struct XyzSubject {
  std::string_view one = "atom", many = "atoms";  ///< for display
  bool needs_elements = true;                     ///< each line must name one
};

/// The frames of an XYZ file, plain or extended (https://github.com/libAtoms/extxyz), one after the other.
class XyzFrames {
 public:
  explicit XyzFrames(LineReader& file, XyzSubject subject = {}) : file_(file), subject_(subject) {}

  /// Reads the number of atoms and the comment of the next frame; false at the end of the file. Throws InputError.
  bool next();
  std::size_t count() const { return count_; }
  const std::string& comment() const { return comment_; }
  /// Whether the comment names the columns; otherwise they are the element and the position.
  bool has_properties() const { return has_properties_; }
  /// Words of each line by Properties.
  std::size_t width() const;
  /// The first column with one of these names; null if there is none.
  const XyzColumn* find(std::initializer_list<std::string_view> names) const;
  const std::vector<XyzColumn>& columns() const { return columns_; }
  /// From Lattice="ax ay az bx by bz cx cy cz" in the comment; edges as columns, in angstrom.
  std::optional<Eigen::Matrix3d> cell() const;

  /// The value of KEY=VALUE in the comment, with or without quotes; empty if there is none. The key is in lower case.
  std::string_view value_of(std::string_view key) const;

  /// Words of the line of the next atom; valid until the next call.
  const std::vector<std::string_view>& next_atom();
  int element() const;
  Eigen::Vector3d place() const;  ///< in angstrom

 private:
  void read_columns();

  LineReader& file_;
  XyzSubject subject_;
  std::size_t count_ = 0, atom_ = 0;
  std::string comment_;
  std::vector<XyzColumn> columns_;
  std::size_t species_ = 0, position_ = 0;
  bool has_properties_ = false;
};

}  // namespace isolume::molecules
