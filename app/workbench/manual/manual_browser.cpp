#include "app/workbench/manual/manual_browser.h"

#include <QScrollBar>
#include <QStyle>
#include <QTextBlock>
#include <QTextTable>
#include <algorithm>
#include <memory>
#include <utility>

namespace isolume::workbench {
namespace {

/// Visits all tables within a frame, including nested ones.
void each_table(QTextFrame& frame, const std::function<void(QTextTable&)>& action) {
  for (QTextFrame* child : frame.childFrames()) {
    if (auto* table = qobject_cast<QTextTable*>(child)) action(*table);
    each_table(*child, action);
  }
}

/// Sets tables to the page's width and wraps their lines: code in a cell must not widen its column.
void fit_tables(QTextDocument& page) {
  QTextCursor cursor(&page);
  each_table(*page.rootFrame(), [](QTextTable& table) {
    QTextTableFormat format = table.format();
    format.setWidth(QTextLength(QTextLength::PercentageLength, 100));
    format.setBorderCollapse(true);
    format.setCellPadding(4);
    table.setFormat(format);
  });
  for (QTextBlock block = page.begin(); block.isValid(); block = block.next()) {
    QTextBlockFormat format = block.blockFormat();
    if (!format.nonBreakableLines()) continue;
    format.setNonBreakableLines(false);
    cursor.setPosition(block.position());
    cursor.setBlockFormat(format);
  }
}

}  // namespace

ManualBrowser::ManualBrowser(QWidget* parent) : QTextBrowser(parent) {
  setOpenExternalLinks(true);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOn);  // fitting a picture must not change the width
  setWordWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
  connect(this, &QTextBrowser::sourceChanged, this, &ManualBrowser::show_page);
}

/// A new document is used for the page: the present one would lay it out once on reading, and again with each
/// change of a table. The new one is laid out only when it is shown.
void ManualBrowser::show_page(const QUrl& source) {
  setExtraSelections({});
  if (text_.isNull()) return;  // an anchor on the same page
  auto* page = new QTextDocument(this);
  page->setUndoRedoEnabled(false);
  page->setBaseUrl(source);
  page->setDefaultFont(document()->defaultFont());
  page->setDefaultTextOption(document()->defaultTextOption());
  page->setPageSize(QSizeF(viewport()->width(), -1));
  page->setMarkdown(std::exchange(text_, {}));
  fit_tables(*page);
  const std::unique_ptr<QTextDocument> before(
      std::exchange(page_, page));  // the first one is owned by the browser
  setDocument(page);
  if (source.hasFragment()) scrollToAnchor(source.fragment());
}

void ManualBrowser::resizeEvent(QResizeEvent* event) {
  QTextBrowser::resizeEvent(event);
  if (event->size().width() != event->oldSize().width()) fit_pictures();
}

int ManualBrowser::picture_width() const {
  return std::max(1, viewport()->width() - 2 * static_cast<int>(document()->documentMargin()));
}

/// Pictures are scaled smoothly here: the document's own scaling drops lines of text. A page's text is stored
/// for `show_page`.
QVariant ManualBrowser::loadResource(int type, const QUrl& name) {
  if (type == QTextDocument::MarkdownResource) {
    const QVariant page = QTextBrowser::loadResource(type, name);
    if (!page.isValid()) return page;
    text_ = QString::fromUtf8(page.toByteArray());
    return QStringLiteral(" ");  // an empty text would be a missing page
  }
  if (type != QTextDocument::ImageResource) return QTextBrowser::loadResource(type, name);
  QImage& picture = pictures_[source().resolved(name)];
  if (picture.isNull()) picture.loadFromData(QTextBrowser::loadResource(type, name).toByteArray());
  if (picture.isNull()) return {};
  const double ratio = devicePixelRatioF();
  const int width = std::min(picture.width(), qRound(picture_width() * ratio));
  QImage scaled = picture.scaledToWidth(width, Qt::SmoothTransformation);
  scaled.setDevicePixelRatio(ratio);
  return scaled;
}

void ManualBrowser::fit_pictures() {
  for (QTextBlock block = document()->begin(); block.isValid(); block = block.next()) {
    for (auto it = block.begin(); !it.atEnd(); ++it) {
      const QTextFragment fragment = it.fragment();
      const QTextImageFormat format = fragment.charFormat().toImageFormat();
      if (!format.isValid()) continue;
      const QUrl name = source().resolved(QUrl(format.name()));
      document()->addResource(QTextDocument::ImageResource, name,
                              loadResource(QTextDocument::ImageResource, name));
      document()->markContentsDirty(fragment.position(), fragment.length());
    }
  }
}

void ManualBrowser::mark(const QStringList& words, const QString& heading) {
  QTextCursor from(document());
  for (QTextBlock block = document()->begin(); block.isValid(); block = block.next()) {
    if (block.blockFormat().headingLevel() == 0 || block.text() != heading) continue;
    from.setPosition(block.position());
    break;
  }
  QTextCursor first;
  QList<QTextEdit::ExtraSelection> selections;
  for (const QString& word : words) {
    for (QTextCursor at = document()->find(word); !at.isNull(); at = document()->find(word, at)) {
      QTextEdit::ExtraSelection selection;
      selection.cursor = at;
      selection.format.setBackground(palette().color(QPalette::Highlight));
      selection.format.setForeground(palette().color(QPalette::HighlightedText));
      selections << selection;
      const bool nearer = first.isNull() || at.selectionStart() < first.selectionStart();
      if (at.selectionStart() >= from.position() && nearer) first = at;
    }
  }
  setExtraSelections(selections);
  from.setPosition(first.isNull() ? from.position() : first.selectionStart());
  // Scrolls the line to a little below the top, so that its context is visible.
  setTextCursor(from);
  verticalScrollBar()->setValue(verticalScrollBar()->value() + cursorRect().top() - height() / 4);
}

}  // namespace isolume::workbench

#include "moc_manual_browser.cpp"
