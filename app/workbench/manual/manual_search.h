#pragma once

#include <QString>
#include <QStringList>
#include <filesystem>
#include <vector>

namespace isolume::workbench {

/// A section of the manual, from one heading to the next.
struct ManualSection {
  std::filesystem::path page;
  QString page_title;  ///< the page's first heading
  QString heading;     ///< plain text; the page's title for text before the first heading
  QStringList lines;   ///< without Markdown marks
};

struct ManualHit {
  const ManualSection* section;
  QString line;  ///< the line with the first of the words
};

/// The Markdown pages of a folder, in the order of the links in `index.md`, then its other pages, then those
/// outside it.
std::vector<ManualSection> manual_sections(const std::filesystem::path& folder,
                                           const std::vector<std::filesystem::path>& of_elsewhere = {});

/// The sections that contain all words, case-insensitive; those with all of them in the heading first.
std::vector<ManualHit> search_manual(const std::vector<ManualSection>& sections, const QStringList& words);

}  // namespace isolume::workbench
