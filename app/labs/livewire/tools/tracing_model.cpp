#include "app/labs/livewire/tools/tracing_model.h"

#include <QUndoStack>
#include <algorithm>
#include <utility>

namespace isolume::labs::livewire {

/// Whole sets before and after: they share their contours, so an entry is small.
class TracingModel::Change : public QUndoCommand {
 public:
  Change(TracingModel& model, const QString& text, Told next, int merge)
      : QUndoCommand(text), model_(model), before_(model.told_), after_(std::move(next)), merge_(merge) {}

  void undo() override { model_.put(before_); }
  void redo() override { model_.put(after_); }
  int id() const override { return merge_ == 0 ? -1 : merge_; }
  bool mergeWith(const QUndoCommand* later) override {
    // Entries of other kinds stand on the same stack, and number what merges by themselves.
    const auto* const change = dynamic_cast<const Change*>(later);
    if (change == nullptr) return false;
    after_ = change->after_;
    return true;
  }

 private:
  TracingModel& model_;
  Told before_, after_;
  int merge_;
};

TracingModel::TracingModel(QUndoStack& undo, QObject* parent) : SliceModel(parent), undo_(undo) {}

void TracingModel::set_image(std::shared_ptr<const images::Document> image, contours::ContourSet contours) {
  put_image(std::move(image));
  told_ = {std::move(contours), {}};
  selected_.reset();
  undo_.clear();
  if (told_.contours.labels().empty())
    told_.contours.put_label(
        {.value = 1, .name = QObject::tr("Label 1").toStdString(), .colour = contours::label_colour(0)});
  current_label_ = told_.contours.labels().front().value;
  Q_EMIT image_changed();
  Q_EMIT contours_changed();
  Q_EMIT slice_changed();
  Q_EMIT cursor_changed();
  Q_EMIT current_label_changed();
  Q_EMIT selection_changed();
}

void TracingModel::exchange_volume(std::shared_ptr<const images::Document> image) {
  exchange_image(std::move(image));
  Q_EMIT image_changed();
  Q_EMIT contours_changed();  // their intensities
}

void TracingModel::change(const QString& text, contours::ContourSet next, int merge,
                          const std::optional<Remarks>& remarks) {
  Remarks about = remarks.value_or(next.contours().empty() ? Remarks() : told_.remarks);
  undo_.push(new Change(*this, text, {std::move(next), std::move(about)}, merge));
  if (remarks) Q_EMIT remarks_changed();  // the same ones again, too
}

bool TracingModel::locked(const contours::Contour& contour) const {
  const contours::Label* label = told_.contours.label(contour.label);
  return contour.locked || (label != nullptr && label->locked);
}

void TracingModel::put(Told told) {
  const bool told_otherwise = told.remarks != told_.remarks;
  told_ = std::move(told);
  Q_EMIT contours_changed();
  if (told_otherwise) Q_EMIT remarks_changed();
  if (selected_ && told_.contours.find(*selected_) == nullptr) select(std::nullopt);
  if (told_.contours.label(current_label_) == nullptr && !told_.contours.labels().empty()) {
    set_current_label(told_.contours.labels().front().value);
  }
}

void TracingModel::set_current_label(int value) {
  if (value == current_label_) return;
  current_label_ = value;
  Q_EMIT current_label_changed();
}

void TracingModel::select(std::optional<std::uint64_t> contour) {
  if (contour == selected_) return;
  selected_ = contour;
  Q_EMIT selection_changed();
}

}  // namespace isolume::labs::livewire

#include "moc_tracing_model.cpp"
