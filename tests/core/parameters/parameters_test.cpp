#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/parameters/narrowed.h"
#include "core/parameters/relevance.h"
#include "core/parameters/schema.h"

namespace isolume::parameters {
namespace {

enum class Mode { coarse, fine };
struct Settings {
  double isovalue = 0.03;
  int threads = 2;
  bool labels = false;
  Mode mode = Mode::fine;
  std::string colour = "#0072b2";
};
struct Others {
  double opacity = 1;
};

const Schema<Settings>& schema() {
  using S = Settings;
  static const Schema<S> instance(std::vector<Field<S>>{
      field("isovalue", &S::isovalue, "Isovalue")
          .unit("bohr^-3/2")
          .range(1e-6, 10)
          .logarithmic()
          .help("surface at"),
      field("threads", &S::threads, "Threads").range(0, 64).special(0, "All processors"),
      field("labels", &S::labels, "Labels"),
      field("mode", &S::mode, "Mode", {{"coarse", "Coarse"}, {"fine", "Fine"}}),
      field("colour", &S::colour, "Colour").colour().only_when("mode", {"coarse"}),
  });
  return instance;
}

std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

class Parameters : public ::testing::Test {
 protected:
  Settings settings;
  StructParameters<Settings> set{schema(), settings};
};

TEST_F(Parameters, DefaultsComeFromTheStruct) {
  EXPECT_EQ(std::get<double>(set.description("isovalue").default_value), 0.03);
  EXPECT_EQ(std::get<std::string>(set.description("mode").default_value), "fine");
}

TEST_F(Parameters, TextReachesTheMember) {
  set.set_text("isovalue", "5e-2");
  set.set_text("threads", "7");
  set.set_text("labels", "on");
  set.set_text("mode", "coarse");
  EXPECT_EQ(settings.isovalue, 0.05);
  EXPECT_EQ(settings.threads, 7);
  EXPECT_TRUE(settings.labels);
  EXPECT_EQ(settings.mode, Mode::coarse);
}

TEST_F(Parameters, SpecialValuesHaveLabels) {
  const auto threads = set.description("threads");
  EXPECT_EQ(special_label(threads, std::int64_t{0}), "All processors");
  EXPECT_EQ(special_label(threads, std::int64_t{2}), "");
  EXPECT_EQ(special_label(set.description("isovalue"), 0.03), "");
}

TEST_F(Parameters, EveryValueSurvivesBeingText) {
  settings.isovalue = 0.1 + 0.2;  // not a short decimal
  for (const auto& each : set.descriptions()) {
    EXPECT_EQ(parse(each, to_text(set.get(each.key))), set.get(each.key)) << each.key;
  }
}

TEST_F(Parameters, RefusalsSayWhatIsAllowedAndChangeNothing) {
  EXPECT_NE(error_of([&] { set.set_text("isovalue", "0"); }).find("from 1e-6 to 10 bohr^-3/2"),
            std::string::npos);
  EXPECT_NE(error_of([&] { set.set_text("isovalue", "nan"); }).find("isovalue"), std::string::npos);
  EXPECT_NE(error_of([&] { set.set_text("isovalue", "0.1x"); }).find("\"0.1x\""), std::string::npos);
  EXPECT_NE(error_of([&] { set.set_text("threads", "2.5"); }).find("whole number"), std::string::npos);
  EXPECT_NE(error_of([&] { set.set_text("threads", "99999999999999999999"); }).find("threads"),
            std::string::npos);
  EXPECT_NE(error_of([&] { set.set_text("mode", "finest"); }).find("coarse, fine"), std::string::npos);
  EXPECT_NE(error_of([&] { set.set_text("labels", "maybe"); }).find("true or false"), std::string::npos);
  EXPECT_NE(error_of([&] { set.set_text("colour", "#12"); }).find("colour"), std::string::npos);
  EXPECT_NE(error_of([&] { set.set_text("colours", "x"); }).find("\"colours\""), std::string::npos);
  EXPECT_EQ(settings.isovalue, 0.03);
  EXPECT_EQ(settings.mode, Mode::fine);
}

TEST_F(Parameters, ColoursAreTakenByTheirNamesInCss) {
  for (const auto& [name, colour] : {std::pair("black", "#000000"), std::pair("RebeccaPurple", "#663399"),
                                     std::pair("aliceblue", "#f0f8ff"), std::pair("yellowgreen", "#9acd32"),
                                     std::pair("dimgrey", "#696969"), std::pair("DimGray", "#696969")}) {
    set.set_text("colour", name);
    EXPECT_EQ(settings.colour, colour) << name;
  }
  for (const char* unknown : {"", "bla", "blackk", "zzz"})
    EXPECT_NE(error_of([&] { set.set_text("colour", unknown); }).find("steelblue"), std::string::npos);
}

TEST_F(Parameters, SomeMatterOnlyWhileAnotherHasCertainValues) {
  const auto colour = set.description("colour");
  EXPECT_FALSE(relevant(colour, set));
  set.set_text("mode", "coarse");
  EXPECT_TRUE(relevant(colour, set));
  EXPECT_TRUE(relevant(set.description("mode"), set));
  EXPECT_EQ(relevance_text(colour), "Only when mode is coarse.");
  EXPECT_EQ(relevance_text(set.description("mode")), "");
  Description several;
  several.relevant_when = {"field", {"a", "b", "c"}};
  EXPECT_EQ(relevance_text(several), "Only when field is a, b or c.");
  several.relevant_when = {"slice", {"true"}};
  EXPECT_EQ(relevance_text(several), "Only with slice.");
}

TEST(RelevantParameters, DependOnOthersOnlyWhereTheseMatterThemselves) {
  struct Choices {
    bool first = true, second = true, third = true;
  };
  using C = Choices;
  const Schema<C> schema({field("first", &C::first, "First"),
                          field("second", &C::second, "Second").only_when("first", {"true"}),
                          field("third", &C::third, "Third").only_when("second", {"true"})});
  Choices choices;
  StructParameters<C> set(schema, choices);
  using Keys = std::set<std::string, std::less<>>;
  EXPECT_EQ(relevant_keys(set), (Keys{"first", "second", "third"}));
  choices.first = false;  // the second is still true, and no longer matters
  EXPECT_FALSE(relevant(set.description("third"), set));
  EXPECT_EQ(relevant_keys(set), (Keys{"first"}));
}

TEST_F(Parameters, JsonRoundTrip) {
  settings = {0.5, 3, true, Mode::coarse, "#112233"};
  Settings copy;
  StructParameters<Settings> target(schema(), copy);
  from_json(nlohmann::json::parse(to_json(set).dump()), target);
  EXPECT_EQ(copy.isovalue, 0.5);
  EXPECT_EQ(copy.threads, 3);
  EXPECT_TRUE(copy.labels);
  EXPECT_EQ(copy.mode, Mode::coarse);
  EXPECT_EQ(copy.colour, "#112233");
}

TEST_F(Parameters, JsonWithOneBadValueChangesNothing) {
  EXPECT_THROW(from_json({{"threads", 5}, {"isovalue", -1}}, set), Error);
  EXPECT_THROW(from_json({{"threads", 5}, {"unknown", 1}}, set), Error);
  EXPECT_THROW(from_json({{"threads", nlohmann::json::array()}}, set), Error);
  EXPECT_THROW(from_json(nlohmann::json::array(), set), Error);
  EXPECT_EQ(settings.threads, 2);
}

TEST_F(Parameters, CombinedSetsActAsOne) {
  using O = Others;
  const Schema<O> other_schema(std::vector<Field<O>>{field("opacity", &O::opacity, "Opacity").range(0, 1)});
  Others others;
  StructParameters<O> second(other_schema, others);
  CombinedParameters both({&set, &second});
  both.set_text("opacity", "0.25");
  both.set_text("threads", "1");
  EXPECT_EQ(others.opacity, 0.25);
  EXPECT_EQ(settings.threads, 1);
  EXPECT_EQ(both.descriptions().size(), 6u);
  EXPECT_FALSE(both.has("nothing"));
}

struct Extended : Others {
  bool wide = false;
};

TEST_F(Parameters, OneIsDescribedWithoutTheOthers) {
  std::vector<std::string> narrowed_keys;
  NarrowedParameters narrowed(set, {}, [&](Description& each) {
    narrowed_keys.push_back(each.key);
    if (each.key == "threads") each.high = 4;
  });
  EXPECT_EQ(narrowed.description("threads").high, 4);
  EXPECT_EQ(narrowed_keys, std::vector<std::string>{"threads"});
  const auto all = narrowed.descriptions();
  EXPECT_EQ(all.size(), 5U);
  for (const auto& each : all) EXPECT_EQ(narrowed.description(each.key), each) << each.key;
  EXPECT_NE(error_of([&] { (void)narrowed.description("nothing"); }).find("nothing"), std::string::npos);
}

TEST_F(Parameters, AValueIsValidatedOnce) {
  NarrowedParameters narrowed(set, {}, [](Description& each) {
    if (each.key == "threads") each.high = 4;
  });
  CombinedParameters combined({&narrowed});
  auto before = validations();
  combined.set("threads", std::int64_t{3});
  EXPECT_EQ(validations() - before, 1U);
  EXPECT_EQ(settings.threads, 3);
  before = validations();
  combined.set_text("threads", "2");
  EXPECT_EQ(validations() - before, 1U);
  EXPECT_EQ(settings.threads, 2);
  EXPECT_NE(error_of([&] { combined.set("threads", std::int64_t{5}); }), "");
  EXPECT_EQ(settings.threads, 2);
  before = validations();
  combined.assign("threads", std::int64_t{1});
  EXPECT_EQ(validations() - before, 0U);
  EXPECT_EQ(settings.threads, 1);
}

TEST(Schema, IncludesThatOfItsBase) {
  const Schema<Others> base(
      std::vector<Field<Others>>{field("opacity", &Others::opacity, "Opacity").range(0, 1).help("Shared.")});
  const Schema<Extended> schema({field("wide", &Extended::wide, "Wide")}, base);
  ASSERT_EQ(schema.fields().size(), 2U);
  EXPECT_EQ(schema.fields()[0].description.key, "wide") << "its own come first";
  EXPECT_EQ(schema.at("opacity").description.help, "Shared.");
  EXPECT_EQ(schema.at("opacity").description.default_value, Value(1.0));
  Extended extended;
  StructParameters<Extended> both(schema, extended);
  both.set_text("opacity", "0.25");
  both.set_text("wide", "true");
  EXPECT_EQ(extended.opacity, 0.25);
  EXPECT_TRUE(extended.wide);
  EXPECT_THROW(both.set_text("opacity", "2"), Error);
  EXPECT_TRUE(both.has("opacity"));
  EXPECT_FALSE(both.has("isovalue"));
}

}  // namespace
}  // namespace isolume::parameters
