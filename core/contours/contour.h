#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <Eigen/Core>

#include "core/images/geometry.h"

namespace isolume::contours {

/// Positions in the pixels of a slice (images::SlicePlane), with pixel centres at integers.
using Polyline = std::vector<Eigen::Vector2d>;

enum class PieceKind { wire, freehand, straight };

/// The part of a contour between two seeds: its points, including both seeds. At least two points, unless both seeds
/// coincide.
struct Piece {
  PieceKind kind = PieceKind::wire;
  Polyline points;
};

/// The smoothed lines of consecutive pieces, with the same numbers of points. A wire is a path of pixels, with each
/// point on the edge within its pixel or, where there is none, at its centre. Its line is the wire after a binomial
/// filter, twiced so that curves do not shrink: of order 8, or 24 where the wire keeps to centres and is straight.
/// Smoothing continues across seeds, but not round corners and not into freehand and straight pieces: seeds there
/// stay fixed. No point moves by more than a pixel. Wires with points farther apart than neighbouring pixels are left
/// unchanged.
std::vector<Polyline> lines_of(const std::vector<Piece>& pieces, bool closed);

enum class Combination { add, subtract };

/// One traced outline on one slice. Piece i leads from seed i to seed i + 1; closed contours have one more,
/// back to seed 0.
struct Contour {
  std::uint64_t id = 0;  ///< assigned by ContourSet::add; 0 before
  std::string name;
  int label = 1;
  std::string colour;  ///< the contour's own, "#e69f00"; empty: its label's
  images::SliceId slice;
  bool closed = true;
  Combination combination =
      Combination::add;  ///< closed contours of a label are added to its area or subtracted from it
  bool locked = false;   ///< protected against editing
  bool visible = true;
  bool suggestion = false;  ///< made by interpolation, not yet accepted: not measured, not exported
  std::vector<Eigen::Vector2d> seeds;
  std::vector<Piece> pieces;

  /// Of its pieces.
  std::vector<Polyline> lines() const;
  /// The lines of all pieces in order, no point twice in a row; the first is not repeated at the end of a
  /// closed contour.
  Polyline outline() const;
};

/// A contour of one freehand or straight piece; for imports. `points` without the first repeated at the end.
Contour contour_from_outline(Polyline points, images::SliceId slice, bool closed, int label);

/// A segmented structure: "Liver".
struct Label {
  int value = 1;  ///< value in label maps; 1 to 65535
  std::string name;
  std::string colour = "#e6b800";
  bool visible = true;
  bool locked = false;
};

enum class RulerKind { distance, angle };

/// A distance between two points, or an angle at the middle one of three, on one slice.
struct Ruler {
  std::uint64_t id = 0;  ///< assigned by ContourSet::add_ruler; 0 before
  RulerKind kind = RulerKind::distance;
  images::SliceId slice;
  Polyline points;
};
/// Number of points of a ruler of this kind.
constexpr std::size_t points_of(RulerKind kind) {
  return kind == RulerKind::distance ? 2 : 3;
}

/// All labels, contours and rulers of an image. A value: copies share the contours, so an undo step is a copy.
class ContourSet {
 public:
  const std::vector<Label>& labels() const { return labels_; }
  /// Adds it, or replaces the label with the same value.
  void put_label(Label label);
  /// Removes it together with all its contours.
  void remove_label(int value);
  const Label* label(int value) const;  ///< null where there is none
  /// Renames a label and the contours named after it: "Label 1 3" becomes "Liver 3". Throws Error if there is
  /// no such label.
  void rename_label(int value, const std::string& name);
  int unused_label_value() const;
  /// Whether a label has this colour, or one that looks the same: files round colours.
  bool has_colour(std::string_view colour) const;
  /// The first of label_colour() that no label has; nothing if all are taken.
  std::optional<std::string> unused_colour() const;

  const std::vector<std::shared_ptr<const Contour>>& contours() const { return contours_; }
  const Contour* find(std::uint64_t id) const;  ///< null where there is none
  /// Gives it an id that this set has not used, a name ("Liver 3") if it has none, and its value a label if
  /// there is none. Returns the id.
  std::uint64_t add(Contour contour);
  /// Replaces the one with its id. Throws Error if there is none.
  void replace(Contour contour);
  void remove(std::uint64_t id);
  /// Its own colour or its label's.
  std::string colour_of(const Contour& contour) const;
  /// Whether a contour's name is its label's with a number, rather than one chosen by the user.
  bool is_numbered(const Contour& contour) const;
  /// "Liver 3": the name of the next contour of a label. Throws Error where there is no such label.
  std::string next_name(int label) const;
  std::vector<std::shared_ptr<const Contour>> on_slice(images::SliceId slice) const;

  const std::vector<Ruler>& rulers() const { return rulers_; }
  const Ruler* find_ruler(std::uint64_t id) const;  ///< null where there is none
  /// Returns the assigned id.
  std::uint64_t add_ruler(Ruler ruler);
  /// Replaces the one with its id, or removes it. Throw Error if there is none.
  void replace_ruler(const Ruler& ruler);
  void remove_ruler(std::uint64_t id);

 private:
  std::vector<Label> labels_;
  std::vector<std::shared_ptr<const Contour>> contours_;
  std::uint64_t next_id_ = 1;
  std::vector<Ruler> rulers_;
  std::uint64_t next_ruler_ = 1;
};

/// "#e69f00": the seven-character form, which SVG and Qt both understand.
bool is_colour(std::string_view text);

/// Colours for the n-th label, distinguishable with any colour vision (after Okabe and Ito); repeats.
std::string label_colour(int n);
/// Number of different ones.
inline constexpr int label_colours = 7;

}  // namespace isolume::contours
