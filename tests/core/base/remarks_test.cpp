#include "core/base/remarks.h"

#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace isolume {
namespace {

TEST(Remarks, AreKeptInOrderAndOnce) {
  Remarks remarks;
  remarks.dropped("2 atoms were left out.", 2);
  remarks.assumed("Lengths are taken to be in ångström.");
  remarks.dropped("2 atoms were left out.", 2);
  ASSERT_EQ(remarks.size(), 2u);
  EXPECT_EQ(remarks[0].kind, RemarkKind::dropped);
  EXPECT_EQ(remarks[0].count, 2u);
  EXPECT_EQ(remarks.text(), "2 atoms were left out.\nLengths are taken to be in ångström.");
}

TEST(Remarks, OfSeveralReadersAreJoined) {
  Remarks first, second;
  first.warn("a");
  second.warn("a");
  second.converted("b", 1);
  first.add(second);
  ASSERT_EQ(first.size(), 2u);
  EXPECT_EQ(first[1].text, "b");
}

TEST(Remarks, AreObjectsInJson) {
  Remarks remarks;
  remarks.corrected("One.", 1);
  remarks.warn("Two.");
  EXPECT_EQ(json_of(remarks).dump(),
            R"([{"kind":"corrected","count":1,"text":"One."},{"kind":"warning","text":"Two."}])");
}

TEST(Remarks, NameTheFirstAndCountTheRest) {
  const std::vector<std::string> names = {"A", "B", "C"};
  EXPECT_EQ(first_names(names), "A, B, C");
  EXPECT_EQ(first_names(names, 2), "A, B and 1 more");
}

}  // namespace
}  // namespace isolume
