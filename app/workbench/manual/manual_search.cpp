#include "app/workbench/manual/manual_search.h"

#include <QFile>
#include <QRegularExpression>
#include <algorithm>

namespace isolume::workbench {
namespace {

QString read_text(const std::filesystem::path& path) {
  QFile file(QString::fromStdString(path.string()));
  return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

/// The plain text of a line such as "the `--opacity` of [a page](page.md)".
QString plain(QString line) {
  static const QRegularExpression link(R"(!?\[([^\]]*)\]\([^)]*\))");
  static const QRegularExpression marks(R"([`*]+|^\s*[-+]\s+|^\s*\|[\s:|-]+\|\s*$|^```.*$)");
  static const QRegularExpression bars(R"(\s*\|\s*)");
  line.replace(link, QStringLiteral("\\1")).remove(marks);
  return line.replace(bars, QStringLiteral("  ")).trimmed();
}

void add_sections(const std::filesystem::path& page, std::vector<ManualSection>& sections) {
  static const QRegularExpression head(R"(^#+\s+(.*)$)");
  bool in_code = false;
  const std::size_t first = sections.size();
  for (const QString& line : read_text(page).split('\n')) {
    if (line.startsWith("```")) in_code = !in_code;
    const auto heading = head.match(line);
    if (heading.hasMatch() && !in_code) {
      const QString text = plain(heading.captured(1));
      const QString page_title = sections.size() > first ? sections[first].heading : text;
      sections.push_back({page, page_title, text, {}});
    } else if (const QString text = plain(line); !text.isEmpty() && sections.size() > first) {
      sections.back().lines << text;
    }
  }
}

bool holds_all(const QString& text, const QStringList& words) {
  return std::ranges::all_of(words,
                             [&](const QString& word) { return text.contains(word, Qt::CaseInsensitive); });
}

}  // namespace

std::vector<ManualSection> manual_sections(const std::filesystem::path& folder,
                                           const std::vector<std::filesystem::path>& of_elsewhere) {
  std::vector<std::filesystem::path> pages;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".md") pages.push_back(entry.path());
  }
  const QString index = read_text(folder / "index.md");
  const auto place = [&index](const std::filesystem::path& page) {
    const auto at = index.indexOf("(" + QString::fromStdString(page.filename().string()) + ")");
    return at < 0 ? index.size() : at;
  };
  std::ranges::sort(
      pages, [&](const auto& a, const auto& b) { return std::pair(place(a), a) < std::pair(place(b), b); });
  pages.insert(pages.end(), of_elsewhere.begin(), of_elsewhere.end());
  std::vector<ManualSection> sections;
  for (const auto& page : pages) add_sections(page, sections);
  return sections;
}

std::vector<ManualHit> search_manual(const std::vector<ManualSection>& sections, const QStringList& words) {
  std::vector<ManualHit> hits;
  if (words.isEmpty()) return hits;
  for (const ManualSection& section : sections) {
    if (!holds_all(section.heading + "\n" + section.lines.join('\n'), words)) continue;
    const auto line = std::ranges::find_if(section.lines, [&](const QString& each) {
      return each.contains(words.front(), Qt::CaseInsensitive);
    });
    hits.push_back({&section, line == section.lines.end() ? QString() : *line});
  }
  std::ranges::stable_partition(hits,
                                [&](const ManualHit& hit) { return holds_all(hit.section->heading, words); });
  return hits;
}

}  // namespace isolume::workbench
