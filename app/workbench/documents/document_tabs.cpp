#include "app/workbench/documents/document_tabs.h"

#include <QMouseEvent>
#include <QSignalBlocker>
#include <algorithm>
#include <map>

namespace isolume::workbench {
namespace {

constexpr qsizetype letters_of_shortened = 18;

/// Its last folders, "second/first" for two.
QString last_folders(const std::filesystem::path& path, int count) {
  QString folders;
  std::filesystem::path folder = path.parent_path();
  for (int i = 0; i < count && folder.has_filename(); ++i, folder = folder.parent_path()) {
    const QString name = QString::fromStdString(folder.filename().string());
    folders = folders.isEmpty() ? name : name + "/" + folders;
  }
  return folders;
}

qsizetype common_letters(const QString& a, const QString& b) {
  return std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin();
}

}  // namespace

std::vector<QString> distinct_names(const std::vector<DocumentTabs::Tab>& tabs) {
  constexpr int most_folders = 8;
  std::map<QString, std::vector<std::size_t>> alike;
  for (std::size_t i = 0; i < tabs.size(); ++i) alike[tabs[i].caption].push_back(i);
  std::vector<QString> names;
  for (const auto& tab : tabs) names.push_back(tab.caption);
  for (const auto& [caption, members] : alike) {
    if (members.size() == 1) continue;
    const auto differ = [&tabs, &members = members](int folders) {
      return std::ranges::all_of(members, [&](std::size_t a) {
        return std::ranges::all_of(members, [&](std::size_t b) {
          return tabs[a].path == tabs[b].path ||
                 last_folders(tabs[a].path, folders) != last_folders(tabs[b].path, folders);
        });
      });
    };
    int folders = 0;
    while (folders < most_folders && !differ(folders)) ++folders;
    std::map<QString, int> used;
    for (const std::size_t i : members) {
      if (const QString where = last_folders(tabs[i].path, folders); !where.isEmpty())
        names[i] += " (" + where + ")";
      if (const int number = ++used[names[i]]; number > 1) names[i] += QString(" (%1)").arg(number);
    }
  }
  return names;
}

std::vector<QString> shortened(const std::vector<QString>& names, qsizetype most_letters) {
  const QString dots("…");
  const auto without_middle = [&](const QString& name) {
    if (name.size() <= most_letters) return name;
    const qsizetype tail = most_letters / 2;
    return name.left(most_letters - 1 - tail) + dots + name.right(tail);
  };
  std::vector<QString> result;
  for (const QString& name : names) {
    const QString text = without_middle(name);
    qsizetype common = 0;
    for (const QString& other : names) {
      if (other != name && without_middle(other) == text)
        common = std::max(common, common_letters(name, other));
    }
    if (common == 0) {
      result.push_back(text);
    } else if (name.size() - common < most_letters - 1) {
      result.push_back(dots + name.right(most_letters - 1));
    } else {
      result.push_back(dots + name.mid(common, most_letters - 2) + dots);
    }
  }
  return result;
}

DocumentTabs::DocumentTabs(QWidget* parent) : QTabBar(parent) {
  setObjectName("document-tabs");
  setAccessibleName(tr("Open documents"));
  setDocumentMode(true);
  setExpanding(false);
  setTabsClosable(true);
  setElideMode(Qt::ElideNone);
  setUsesScrollButtons(true);
  hide();
  connect(this, &QTabBar::currentChanged, this, [this](int index) { Q_EMIT chosen(index + 1); });
  connect(this, &QTabBar::tabCloseRequested, this, [this](int index) { Q_EMIT close_wanted(index + 1); });
}

void DocumentTabs::show_tabs(const std::vector<Tab>& tabs, int shown) {
  const QSignalBlocker quiet(this);
  while (count() > static_cast<int>(tabs.size())) removeTab(count() - 1);
  while (count() < static_cast<int>(tabs.size())) addTab(QString());
  names_ = distinct_names(tabs);
  for (int i = 0; i < count(); ++i) {
    setTabToolTip(i, QString::fromStdString(tabs[static_cast<std::size_t>(i)].path.string()));
    for (const auto side : {LeftSide, RightSide}) {  // the style decides which side has the button
      if (QWidget* button = tabButton(i, side)) button->setToolTip(tr("Close tab"));
    }
  }
  fit_names();
  setCurrentIndex(shown);
  setVisible(count() > 1);
}

void DocumentTabs::fit_names() {
  const auto set = [this](const std::vector<QString>& names) {
    for (int i = 0; i < count(); ++i) {
      const QString text = QString(names[static_cast<std::size_t>(i)]).replace('&', "&&");
      if (tabText(i) != text) setTabText(i, text);
    }
  };
  set(names_);
  int together = 0;
  for (int i = 0; i < count(); ++i) together += tabSizeHint(i).width();
  if (together > width()) set(shortened(names_, letters_of_shortened));
}

void DocumentTabs::resizeEvent(QResizeEvent* event) {
  fit_names();
  QTabBar::resizeEvent(event);
}

void DocumentTabs::mouseReleaseEvent(QMouseEvent* event) {
  QTabBar::mouseReleaseEvent(event);
  if (event->button() != Qt::MiddleButton) return;
  if (const int index = tabAt(event->position().toPoint()); index >= 0) Q_EMIT close_wanted(index + 1);
}

}  // namespace isolume::workbench

#include "moc_document_tabs.cpp"
