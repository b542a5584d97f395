#include "app/labs/livewire/panels/tool_row.h"

#include <QHBoxLayout>
#include <QToolButton>

#include "app/labs/livewire/workspace/workspace.h"

namespace isolume::labs::livewire {

ToolRow::ToolRow(Workspace& workspace) : workspace_(workspace) {
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(2);
  trace_ = add(tr("Trace"), tr("Trace contours with the live wire (Esc)"), "livewire.tool.trace");
  paint_ =
      add(tr("Paint"), tr("Paint into the current label with the brush (B held)"), "livewire.label.paint");
  erase_ =
      add(tr("Erase"), tr("Erase from the current label with the brush (E held)"), "livewire.label.erase");
  fill_ =
      add(tr("Fill"), tr("Fill the region of similar values around a click (G held)"), "livewire.label.fill");
  for (QToolButton* each : {trace_, paint_, erase_, fill_}) each->setCheckable(true);
  row->addSpacing(fontMetrics().height());
  add(tr("Threshold..."), tr("Add the pixels within a range of values to the current label"),
      "livewire.label.threshold");
  row->addStretch();
  connect(&workspace_.brush(), &BrushTool::changed, this, &ToolRow::follow);
  follow();
}

QToolButton* ToolRow::add(const QString& title, const QString& help, const char* command) {
  auto* button = new QToolButton;
  button->setObjectName(QString("tool-row.") + command);
  button->setText(title);
  button->setToolTip(help);
  button->setAutoRaise(true);
  button->setFocusPolicy(Qt::TabFocus);  // a click leaves the keys to the view
  layout()->addWidget(button);
  connect(button, &QToolButton::clicked, this, [this, command] {
    workspace_.run(command);
    follow();
  });
  return button;
}

void ToolRow::follow() {
  const auto active = workspace_.brush().active();
  trace_->setChecked(!active);
  paint_->setChecked(active == PaintingTool::paint);
  erase_->setChecked(active == PaintingTool::erase);
  fill_->setChecked(active == PaintingTool::fill);
}

}  // namespace isolume::labs::livewire

#include "moc_tool_row.cpp"
