#include "app/labs/nbody/branch_panel.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>
#include <utility>

namespace isolume::labs::nbody {

BranchPanel::BranchPanel(std::function<void(const char* command)> ask, workbench::ParameterActions actions,
                         QWidget* parent)
    : QWidget(parent),
      ask_(std::move(ask)),
      what_(new QLabel),
      parameters_(new workbench::ParameterPanel(std::move(actions))) {
  setObjectName(QStringLiteral("nbody.branch"));
  what_->setWordWrap(true);
  auto* buttons = new QHBoxLayout;
  buttons->addWidget(
      add_button("nbody.branch", tr("Branch from here"),
                 tr("Starts a second run from the shown snapshot and shows both next to each other.")));
  keep_ = add_button("nbody.branch-keep", tr("Keep only this"),
                     tr("Keeps the branch and discards the first run."));
  close_ = add_button("nbody.branch-close", tr("Close"), tr("Ends the branch and keeps the first run."));
  buttons->addWidget(keep_);
  buttons->addWidget(close_);
  buttons->addStretch();
  auto* column = new QVBoxLayout(this);
  column->addLayout(buttons);
  column->addWidget(what_);
  column->addWidget(parameters_, 1);
  show_branch({}, nullptr);
}

QPushButton* BranchPanel::add_button(const char* command, const QString& text, const QString& tip) {
  auto* button = new QPushButton(text);
  button->setObjectName(QLatin1String(command) + QStringLiteral(".button"));
  button->setToolTip(tip);
  connect(button, &QPushButton::clicked, this, [this, command] { ask_(command); });
  return button;
}

void BranchPanel::show_branch(const QString& what, const parameters::ParameterSet* parameters) {
  what_->setText(parameters != nullptr
                     ? what
                     : tr("Start a second run from the shown snapshot with different parameters. Both runs "
                          "are shown side by side at the same time."));
  keep_->setEnabled(parameters != nullptr);
  close_->setEnabled(parameters != nullptr);
  parameters_->setVisible(parameters != nullptr);
  parameters_->show_parameters(parameters);
}

}  // namespace isolume::labs::nbody

#include "moc_branch_panel.cpp"
