#pragma once

#include <QString>
#include <QStringList>
#include <filesystem>
#include <vector>

namespace isolume::workbench {

/// A part of the manual, from one heading to the next.
struct ManualSection {
  std::filesystem::path page;
  QString page_title;  ///< the page's first heading
  QString heading;     ///< as it is read; the page's title for what stands before the others
  QStringList lines;   ///< without the marks of Markdown
};

struct ManualHit {
  const ManualSection* section;
  QString line;  ///< where the first of the words stands
};

/// The Markdown pages of a folder, in the order in which `index.md` names them; its others after that, then those of
/// elsewhere.
std::vector<ManualSection> manual_sections(const std::filesystem::path& folder,
                                           const std::vector<std::filesystem::path>& of_elsewhere = {});

/// The sections that hold all words, whatever their case; those with all of them in the heading first.
std::vector<ManualHit> search_manual(const std::vector<ManualSection>& sections, const QStringList& words);

}  // namespace isolume::workbench
