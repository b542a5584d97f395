#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "app/slices/slice_model.h"
#include "core/base/remarks.h"
#include "core/contours/contour.h"
#include "core/images/document.h"

class QUndoStack;

namespace isolume::labs::livewire {

/// What the lab's views and docks look at and change: the image, the contours on it, and where the person is.
/// Lives on the GUI thread; the volume and the contours in it may be read by jobs, as they never change once
/// made.
class TracingModel : public slices::SliceModel {
  Q_OBJECT
 public:
  explicit TracingModel(QUndoStack& undo, QObject* parent = nullptr);

  /// A new image with its contours (none, or the ones of a saved session); clears the undo stack.
  void set_image(std::shared_ptr<const images::Document> image, contours::ContourSet contours);

  /// Another volume of the same grid and its slices in time: contours, places and the undo stack stay.
  void exchange_volume(std::shared_ptr<const images::Document> image);

  const contours::ContourSet& contours() const { return told_.contours; }
  /// On how the contours were read.
  const Remarks& remarks() const { return told_.remarks; }
  /// Puts the changed set in the place of the present one, as one undo entry with this text ("Move seed").
  /// Entries with the same `merge` (not 0), one after the other, become one: a drag. Remarks are undone with the
  /// change; without them those of before stay, as long as there are contours.
  void change(const QString& text, contours::ContourSet next, int merge = 0,
              const std::optional<Remarks>& remarks = std::nullopt);
  /// Whether the contour or its label is locked.
  bool locked(const contours::Contour& contour) const;

  /// The label that new contours get.
  int current_label() const { return current_label_; }
  void set_current_label(int value);
  /// The contour whose seeds are shown for editing.
  std::optional<std::uint64_t> selected() const { return selected_; }
  void select(std::optional<std::uint64_t> contour);

 Q_SIGNALS:
  void contours_changed();
  void remarks_changed();
  void current_label_changed();
  void selection_changed();

 private:
  class Change;
  struct Told {
    contours::ContourSet contours;
    Remarks remarks;
  };
  void put(Told told);

  QUndoStack& undo_;
  Told told_;
  int current_label_ = 1;
  std::optional<std::uint64_t> selected_;
};

}  // namespace isolume::labs::livewire
