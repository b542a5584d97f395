#pragma once

#include <QWidget>

namespace isolume::slices {

class SliceView;
class ViewTitle;

/// A slice view with its title ("Coronal") above and its slider beside it.
class SliceFrame : public QWidget {
  Q_OBJECT
 public:
  explicit SliceFrame(QWidget* parent = nullptr);
  SliceView& view() { return *view_; }
  /// What `title_activated` is for, as a tool tip; without it, the title takes no focus.
  void set_title_help(const QString& help);

 Q_SIGNALS:
  /// A double click on the title, or Enter while it has the focus.
  void title_activated();

 private:
  void update_title();

  SliceView* view_;
  ViewTitle* title_;
};

}  // namespace isolume::slices
