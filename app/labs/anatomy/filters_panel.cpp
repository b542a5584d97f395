#include "app/labs/anatomy/filters_panel.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QListWidget>
#include <QMenu>
#include <QShortcut>
#include <QSignalBlocker>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/workbench/contract/translated.h"
#include "app/workbench/parameters/parameter_panel.h"
#include "core/base/error.h"

namespace isolume::labs::anatomy {
namespace {

using workbench::translated;

/// "Gaussian", and the parameters that differ from their defaults: "sigma=2".
QString line_of(const filters::Filter& filter) {
  QString line = translated(filter.kind().title);
  const std::string text = filters::text_of(filter);
  if (const auto blank = text.find(' '); blank != std::string::npos)
    line += QStringLiteral("   ") + QString::fromStdString(text.substr(blank + 1));
  return line;
}

}  // namespace

std::vector<parameters::Description> described_filters() {
  std::vector<parameters::Description> all;
  for (const filters::FilterKind& kind : filters::filter_kinds()) {
    parameters::Description itself;
    itself.key = kind.name;
    itself.label = kind.title;
    itself.help = kind.help;
    all.push_back(std::move(itself));
    all.insert(all.end(), kind.parameters.begin(), kind.parameters.end());
  }
  return all;
}

FiltersPanel::FiltersPanel()
    : image_(new QComboBox),
      list_(new QListWidget),
      report_(new QLabel),
      parameters_(new workbench::ParameterPanel(
          {.set = [this](const std::string& key, const std::string& value) { return set(key, value); },
           .reset =
               [this](const std::string& key) {
                 const filters::Filter& filter = chain()[static_cast<std::size_t>(chosen())];
                 set(key, parameters::to_text(filter.parameters().description(key).default_value));
               },
           .begin_gesture = [this] { Q_EMIT gesture_begun(); },
           .end_gesture = [this] { Q_EMIT gesture_ended(); }})) {
  setObjectName("anatomy.filters");
  image_->addItems({tr("Moving image"), tr("Fixed image")});
  image_->setObjectName("anatomy.filters.image");
  image_->setAccessibleName(tr("Image that is filtered"));
  list_->setObjectName("anatomy.filters.list");
  list_->setAccessibleName(tr("Filters, in the order in which they are applied"));
  list_->setDragDropMode(QAbstractItemView::InternalMove);
  report_->setObjectName("anatomy.filters.report");
  report_->setWordWrap(true);

  auto* buttons = new QHBoxLayout;
  const auto add_tool = [this, buttons](const char* name, const QString& text, const QString& tip) {
    QToolButton* button = add_button(name, text, tip);
    buttons->addWidget(button);
    return button;
  };
  add_ = add_tool("add", tr("Add"), tr("Adds a filter after the chosen one."));
  auto* menu = new QMenu(add_);
  menu->setToolTipsVisible(true);
  for (const filters::FilterKind& kind : filters::filter_kinds()) {
    QAction* action = menu->addAction(translated(kind.title));
    action->setObjectName(QString::fromStdString(kind.name));
    action->setToolTip(translated(kind.help));
    connect(action, &QAction::triggered, this, [this, name = kind.name] { add(name); });
  }
  add_->setMenu(menu);
  add_->setPopupMode(QToolButton::InstantPopup);
  remove_ = add_tool("remove", tr("Remove"), tr("Removes the chosen filter (Delete)."));
  connect(remove_, &QToolButton::clicked, this, &FiltersPanel::remove);
  up_ = add_tool("up", tr("Up"), tr("Applies the chosen filter before the one above it."));
  connect(up_, &QToolButton::clicked, this, [this] { move(chosen(), chosen() - 1); });
  down_ = add_tool("down", tr("Down"), tr("Applies the chosen filter after the one below it."));
  connect(down_, &QToolButton::clicked, this, [this] { move(chosen(), chosen() + 1); });
  buttons->addStretch();
  auto* open = add_tool("open", tr("Open..."), tr("Opens filters from a file."));
  connect(open, &QToolButton::clicked, this, [this] { Q_EMIT open_asked(side()); });
  save_ = add_tool("save", tr("Save..."), tr("Writes the filters to a file, also for isolume-batch."));
  connect(save_, &QToolButton::clicked, this, [this] { Q_EMIT save_asked(side()); });

  auto* column = new QVBoxLayout(this);
  column->addWidget(image_);
  column->addWidget(list_, 1);
  column->addLayout(buttons);
  column->addWidget(report_);
  column->addWidget(parameters_, 2);
  connect(image_, &QComboBox::currentIndexChanged, this, [this] { show_list(0); });
  connect(list_, &QListWidget::currentRowChanged, this, &FiltersPanel::show_chosen);
  // Of a drag within the list: the place of the moved row is before `row`, as it was before the move.
  connect(list_->model(), &QAbstractItemModel::rowsMoved, this,
          [this](const QModelIndex&, int from, int, const QModelIndex&, int row) {
            move(from, row > from ? row - 1 : row);
          });
  auto* delete_key = new QShortcut(QKeySequence::Delete, list_, nullptr, nullptr, Qt::WidgetShortcut);
  connect(delete_key, &QShortcut::activated, this, &FiltersPanel::remove);
  show_list(0);
}

QToolButton* FiltersPanel::add_button(const char* name, const QString& text, const QString& tip) {
  auto* button = new QToolButton;
  button->setObjectName(QStringLiteral("anatomy.filters.%1").arg(QLatin1String(name)));
  button->setText(text);
  button->setToolTip(tip);
  button->setFocusPolicy(Qt::StrongFocus);
  return button;
}

FiltersPanel::Side FiltersPanel::side() const {
  return static_cast<Side>(image_->currentIndex());
}

int FiltersPanel::chosen() const {
  return list_->currentRow();
}

void FiltersPanel::show_filters(Side which, const std::string& text) {
  filters::Chain& of = chains_[static_cast<std::size_t>(which)];
  filters::Chain next = filters::parse_chain(text);
  if (next == of) return;
  of = std::move(next);
  if (which == side()) show_list(chosen());
}

void FiltersPanel::show_report(Side which, const QString& text) {
  reports_[static_cast<std::size_t>(which)] = text;
  if (which == side()) show_chosen();
}

void FiltersPanel::add(const std::string& name) {
  const int at = chosen() + 1;
  auto filter = filters::make_filter(name);
  parameters::ParameterSet& set = filter->parameters();
  const double spacing_mm = spacings_mm_[static_cast<std::size_t>(side())];
  if (set.has("radius") && std::get<double>(set.get("radius")) < spacing_mm) set.set("radius", spacing_mm);
  chain().add(std::move(filter));
  chain().move(chain().size() - 1, static_cast<std::size_t>(at));
  report_change(at);
}

void FiltersPanel::remove() {
  if (chosen() < 0) return;
  const int at = chosen();
  chain().remove(static_cast<std::size_t>(at));
  report_change(at);
}

void FiltersPanel::move(int from, int to) {
  const int count = static_cast<int>(chain().size());
  if (from < 0 || to < 0 || from >= count || to >= count) return;
  chain().move(static_cast<std::size_t>(from), static_cast<std::size_t>(to));
  report_change(to);
}

bool FiltersPanel::set(const std::string& key, const std::string& value) {
  if (chosen() < 0) return false;
  try {
    chain()[static_cast<std::size_t>(chosen())].parameters().set_text(key, value);
  } catch (const Error& error) {
    report_->setText(QString::fromUtf8(error.what()));
    return false;
  }
  report_change(chosen());
  return true;
}

void FiltersPanel::report_change(int chosen) {
  show_list(chosen);
  Q_EMIT changed(side(), filters::text_of(chain()));
}

void FiltersPanel::show_list(int chosen) {
  const int count = static_cast<int>(chain().size());
  {
    const QSignalBlocker blocker(list_);
    while (list_->count() > count) delete list_->takeItem(list_->count() - 1);
    for (int row = 0; row < count; ++row) {
      const QString text = line_of(chain()[static_cast<std::size_t>(row)]);
      row < list_->count() ? list_->item(row)->setText(text) : list_->addItem(text);
    }
    list_->setCurrentRow(std::min(std::max(chosen, 0), count - 1));
  }
  show_chosen();
}

void FiltersPanel::show_chosen() {
  const int count = static_cast<int>(chain().size()), at = chosen();
  remove_->setEnabled(at >= 0);
  up_->setEnabled(at > 0);
  down_->setEnabled(at >= 0 && at + 1 < count);
  save_->setEnabled(count > 0);
  parameters_->show_parameters(at < 0 ? nullptr : &chain()[static_cast<std::size_t>(at)].parameters());
  const QString& report = reports_[static_cast<std::size_t>(side())];
  report_->setText(count == 0 ? tr("Add filters: they are applied to the image before it is registered.")
                              : report);
}

}  // namespace isolume::labs::anatomy

#include "moc_filters_panel.cpp"
