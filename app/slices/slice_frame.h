#pragma once

#include <QWidget>

namespace isolume::slices {

class SliceView;
class ViewTitle;

/// A slice view with its title ("Coronal") above and its slider next to it.
class SliceFrame : public QWidget {
  Q_OBJECT
 public:
  explicit SliceFrame(QWidget* parent = nullptr);
  SliceView& view() { return *view_; }
  /// Tool tip that explains `title_activated`; without it, the title takes no focus.
  void set_title_help(const QString& help);

 Q_SIGNALS:
  /// Emitted by a double click on the title, or by Enter while it has the focus.
  void title_activated();

 private:
  void update_title();

  SliceView* view_;
  ViewTitle* title_;
};

}  // namespace isolume::slices
