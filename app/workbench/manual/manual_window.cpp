#include "app/workbench/manual/manual_window.h"

#include <QAction>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QSplitter>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/workbench/look/icons.h"
#include "app/workbench/manual/manual_browser.h"

namespace isolume::workbench {

ManualWindow::ManualWindow(const std::filesystem::path& folder,
                           const std::vector<std::filesystem::path>& of_elsewhere, QWidget* parent)
    : QDialog(parent),
      sections_(manual_sections(folder, of_elsewhere)),
      browser_(new ManualBrowser),
      words_(new QLineEdit),
      list_(new QListWidget) {
  setObjectName("manual");
  setWindowTitle(tr("Manual"));
  browser_->setObjectName("manual.page");
  browser_->setAccessibleName(tr("Page"));
  list_->setObjectName("manual.hits");
  list_->setAccessibleName(tr("Sections found"));
  list_->setWordWrap(true);
  list_->setAlternatingRowColors(true);
  list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  list_->hide();
  auto* parts = new QSplitter;
  parts->addWidget(list_);
  parts->addWidget(browser_);
  parts->setStretchFactor(1, 1);
  parts->setChildrenCollapsible(false);
  auto* column = new QVBoxLayout(this);
  column->addWidget(make_bar());
  column->addWidget(parts, 1);
  const int em = fontMetrics().height();
  parts->setSizes({16 * em, 40 * em});
  resize(56 * em, 44 * em);
  connect(words_, &QLineEdit::textChanged, this, &ManualWindow::search);
  connect(words_, &QLineEdit::returnPressed, this, &ManualWindow::go_to_next);
  connect(list_, &QListWidget::currentRowChanged, this, &ManualWindow::go_to);
  show_page(folder / "index.md");
  words_->setFocus();
}

QWidget* ManualWindow::make_bar() {
  const auto button = [this](const QString& text, void (QTextBrowser::*go)(), const QKeySequence& keys) {
    auto* made = new QPushButton(text);
    made->setAutoDefault(false);  // Enter belongs to the search
    made->setShortcut(keys);
    connect(made, &QPushButton::clicked, browser_, go);
    return made;
  };
  words_->setObjectName("manual.search");
  words_->setPlaceholderText(tr("Search the manual"));
  words_->setAccessibleName(tr("Search the manual"));
  words_->setClearButtonEnabled(true);
  words_->addAction(icon("search"), QLineEdit::LeadingPosition);
  auto* find = new QAction(this);
  find->setShortcut(QKeySequence::Find);
  connect(find, &QAction::triggered, this, [this] {
    words_->setFocus(Qt::ShortcutFocusReason);
    words_->selectAll();
  });
  addAction(find);
  auto* contents = button(tr("&Contents"), &QTextBrowser::home, Qt::ALT | Qt::Key_Home);
  auto* back = button(tr("&Back"), &QTextBrowser::backward, QKeySequence::Back);
  back->setEnabled(false);
  connect(browser_, &QTextBrowser::backwardAvailable, back, &QWidget::setEnabled);
  auto* bar = new QWidget;
  auto* line = new QHBoxLayout(bar);
  line->setContentsMargins(0, 0, 0, 0);
  line->addWidget(contents);
  line->addWidget(back);
  line->addWidget(words_, 1);
  return bar;
}

void ManualWindow::search(const QString& text) {
  const QStringList words = text.split(' ', Qt::SkipEmptyParts);
  hits_ = search_manual(sections_, words);
  list_->clear();
  for (const ManualHit& hit : hits_) {
    const ManualSection& section = *hit.section;
    const QString where = section.heading == section.page_title
                              ? section.page_title
                              : section.page_title + QStringLiteral(" \u203a ") + section.heading;
    auto* item = new QListWidgetItem(hit.line.isEmpty() ? where : where + "\n" + hit.line, list_);
    item->setToolTip(where);
  }
  if (hits_.empty() && !words.isEmpty()) {
    auto* none = new QListWidgetItem(tr("Nothing found."), list_);
    none->setFlags(Qt::NoItemFlags);
  }
  list_->setVisible(!words.isEmpty());
}

void ManualWindow::show_page(const std::filesystem::path& page) {
  browser_->setSource(QUrl::fromLocalFile(QString::fromStdString(page.string())));
}

void ManualWindow::look_up(const QString& words) {
  words_->setText(words);
  go_to_next();
}

void ManualWindow::go_to_next() {
  if (!hits_.empty()) list_->setCurrentRow((list_->currentRow() + 1) % list_->count());
}

void ManualWindow::go_to(int row) {
  if (row < 0 || row >= static_cast<int>(hits_.size())) return;
  const ManualSection& section = *hits_[static_cast<std::size_t>(row)].section;
  show_page(section.page);
  browser_->mark(words_->text().split(' ', Qt::SkipEmptyParts), section.heading);
}

}  // namespace isolume::workbench

#include "moc_manual_window.cpp"
