#include "core/base/file_format.h"

#include <sstream>
#include <string>

#include <gtest/gtest.h>

namespace isolume {
namespace {

const FileFormats& letters() {
  static const FileFormats formats{"Letters",
                                   {{.title = "Long & short",
                                     .suffixes = {".long", ".short.*"},
                                     .gzipped = true,
                                     .mime_type = "text/x-long",
                                     .magic = {{3, "<L>"}}},
                                    {.title = "Anybody's", .suffixes = {".txt"}},
                                    {.title = "Picture of a letter",
                                     .suffixes = {".glyph"},
                                     .mime_type = "image/x-glyph",
                                     .is_text = false}}};
  return formats;
}

TEST(FileFormats, MatchNamesBySuffix) {
  EXPECT_EQ(letters().patterns(), "*.long *.long.gz *.short.* *.txt *.glyph");
  for (const char* name : {"a.long", "folder/A.LONG.gz", "a.short.old", "a.txt"})
    EXPECT_TRUE(letters().match(name)) << name;
  for (const char* name : {".long", "long", "a.long.bz2", "a.short", "a.txt.gz", "folder.long/a"})
    EXPECT_FALSE(letters().match(name)) << name;
}

TEST(FileFormats, AreMimeTypesOfDesktopsWhereTheirSuffixesAreTheirOwn) {
  const FileFormats others{"Others",
                           {{.title = "Long", .suffixes = {".l", ".long"}, .mime_type = "text/x-long"}}};
  const std::vector all{letters(), others};
  EXPECT_EQ(mime_type_list(all), "text/x-long;image/x-glyph;");
  std::ostringstream out;
  write_mime_types(out, all);
  EXPECT_EQ(out.str(), R"(<?xml version="1.0" encoding="UTF-8"?>
<mime-info xmlns="http://www.freedesktop.org/standards/shared-mime-info">
  <mime-type type="text/x-long">
    <comment>Long &amp; short</comment>
    <sub-class-of type="text/plain"/>
    <magic priority="60">
      <match type="string" value="&lt;L>" offset="3"/>
    </magic>
    <glob pattern="*.long"/>
    <glob pattern="*.long.gz"/>
    <glob pattern="*.l"/>
    <glob pattern="*.l.gz"/>
  </mime-type>
  <mime-type type="image/x-glyph">
    <comment>Picture of a letter</comment>
    <glob pattern="*.glyph"/>
  </mime-type>
</mime-info>
)");
}

}  // namespace
}  // namespace isolume
