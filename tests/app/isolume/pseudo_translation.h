#pragma once

#include <QFile>
#include <QHash>
#include <QRegularExpression>
#include <QSet>
#include <QTranslator>
#include <QXmlStreamReader>

namespace isolume {

/// The text with an accent on every letter that translators would translate: what is left without was none of theirs.
inline QString accented(const QString& text) {
  static const QString plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  static const QString marked = "áƀçðéƒĝĥíĵķļɱñóþǫŕšţúṽŵẋýžÁƁÇÐÉƑĜĤÍĴĶĻṀÑÓÞǪŔŠŢÚṼŴẊÝŽ";
  static const QRegularExpression kept("%L?\\d+|%n|<[^>]*>|&[a-z]+;|\\*\\.[\\w.*]+");
  QString result = text;
  auto next = kept.globalMatch(text);
  QRegularExpressionMatch skipped = next.hasNext() ? next.next() : QRegularExpressionMatch();
  for (qsizetype i = 0; i < text.size(); ++i) {
    if (skipped.hasMatch() && i == skipped.capturedStart()) {
      i = skipped.capturedEnd() - 1;
      skipped = next.hasNext() ? next.next() : QRegularExpressionMatch();
      continue;
    }
    if (const auto at = plain.indexOf(text[i]); at >= 0) result[i] = marked[at];
  }
  return result;
}

/// Translates what is in a .ts file, whatever the language, into accented English; Qt's own texts as well.
class PseudoTranslation final : public QTranslator {
 public:
  explicit PseudoTranslation(const QString& ts_file) {
    QFile file(ts_file);
    if (!file.open(QIODevice::ReadOnly)) return;
    QXmlStreamReader xml(&file);
    QString context;
    bool counts = false;
    while (!xml.atEnd()) {
      if (xml.readNext() != QXmlStreamReader::StartElement) continue;
      if (xml.name() == QLatin1String("name")) context = xml.readElementText();
      if (xml.name() == QLatin1String("message")) counts = xml.attributes().hasAttribute("numerus");
      if (xml.name() != QLatin1String("source")) continue;
      const std::pair message(context, xml.readElementText());
      known_.insert(message);
      if (counts) plurals_.append(message);
    }
  }
  bool isEmpty() const override { return known_.isEmpty(); }
  QString translate(const char* context, const char* text, const char*, int) const override {
    const QString where = context, source = QString::fromUtf8(text);
    const bool of_qt = (where.startsWith('Q') && where != "QObject") || where == "CloseButton";
    if (of_qt || known_.contains({where, source})) return accented(source);
    if (where != "declared") missing_.insert(where + ": " + source);
    return {};
  }
  /// The messages, with their contexts, that have a number.
  const QList<std::pair<QString, QString>>& plurals() const { return plurals_; }
  qsizetype size() const { return known_.size(); }
  /// What was asked for and is not in the file: lupdate does not see it, or sees it in another class.
  QStringList missing() const { return missing_.values(); }

 private:
  QSet<std::pair<QString, QString>> known_;
  QList<std::pair<QString, QString>> plurals_;
  mutable QSet<QString> missing_;
};

}  // namespace isolume
