#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace isolume {

/// What happened to data that the user would otherwise have to find out.
enum class RemarkKind {
  dropped,    ///< in the file but not used: atoms, slices, columns, particle types
  assumed,    ///< missing or unreadable in the file, and chosen: units, charges, spacing
  converted,  ///< used in another form than in the file
  corrected,  ///< known to be wrong in the file, and corrected
  warning     ///< used unchanged, but doubtful
};

/// "dropped"
std::string_view name_of(RemarkKind kind);

/// Something that a reader or an engine did with data and that the user has to know.
struct Remark {
  RemarkKind kind = RemarkKind::warning;
  /// One or two complete sentences that name the subject, with its number: "3 slices were left out, because
  /// their orientation differs: IM0004, IM0005, IM0009."
  std::string text;
  /// Number of items (atoms, slices, columns ...) that the remark is about; 0 if counting makes no sense.
  std::size_t count = 0;

  bool operator==(const Remark&) const = default;
};

/// Every reader returns remarks with its data, in order of occurrence; window, batch and sessions show all of
/// them. The rule is that nothing is dropped, replaced or assumed silently.
class Remarks {
 public:
  /// Adds a remark; the same text twice is one remark.
  void add(RemarkKind kind, std::string text, std::size_t count = 0);
  void dropped(std::string text, std::size_t count = 0) { add(RemarkKind::dropped, std::move(text), count); }
  void assumed(std::string text, std::size_t count = 0) { add(RemarkKind::assumed, std::move(text), count); }
  void converted(std::string text, std::size_t count = 0) {
    add(RemarkKind::converted, std::move(text), count);
  }
  void corrected(std::string text, std::size_t count = 0) {
    add(RemarkKind::corrected, std::move(text), count);
  }
  void warn(std::string text) { add(RemarkKind::warning, std::move(text)); }
  void add(const Remarks& others);

  bool empty() const { return all_.empty(); }
  std::size_t size() const { return all_.size(); }
  auto begin() const { return all_.begin(); }
  auto end() const { return all_.end(); }
  const Remark& operator[](std::size_t index) const { return all_[index]; }

  /// All texts, one line each.
  std::string text() const;

  bool operator==(const Remarks&) const = default;

 private:
  std::vector<Remark> all_;
};

/// [{"kind": "dropped", "count": 3, "text": "..."}]; without a count where it is 0.
nlohmann::ordered_json json_of(const Remarks& remarks);

/// "IM0004, IM0005, IM0009 and 12 more": the first names of the items of a remark.
std::string first_names(std::span<const std::string> names, std::size_t limit = 6);

}  // namespace isolume
