#include "core/filters/chain.h"

#include <fstream>
#include <mutex>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/filters/label_statistics.h"
#include "tests/core/filters/images.h"
#include "tests/temporary_folder.h"

namespace isolume::filters {
namespace {

std::string error_of(const auto& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

bool holds(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST(Chain, TextAndJsonAreReadBack) {
  const testing::TemporaryFolder folder;
  Chain chain;
  chain.add(parse_filter("gaussian sigma=1.25"));
  chain.add(parse_filter("median"));
  chain.add(parse_filter(R"(match-histogram "reference=/a folder/b.nii" points=7 foreground=false)"));
  EXPECT_EQ(text_of(chain[0]), "gaussian sigma=1.25");
  EXPECT_EQ(text_of(chain[1]), "median");
  Chain again;
  for (std::size_t i = 0; i < chain.size(); ++i) again.add(parse_filter(text_of(chain[i])));
  EXPECT_TRUE(again == chain);
  EXPECT_EQ(std::get<std::string>(again[2].parameters().get("reference")), "/a folder/b.nii");
  EXPECT_FALSE(std::get<bool>(again[2].parameters().get("foreground")));

  write_chain(chain, folder.path() / "chain.json");
  Chain read = read_chain(folder.path() / "chain.json");
  EXPECT_TRUE(read == chain);
  read[0].parameters().set("sigma", 1.5);
  EXPECT_FALSE(read == chain) << "a chain has filters of its own";
  const Chain copy = read;
  read[0].parameters().set("sigma", 2.5);
  EXPECT_EQ(std::get<double>(copy[0].parameters().get("sigma")), 1.5);
}

/// Every filter's defaults are valid, and each is described.
TEST(Chain, ALineHoldsSeveralFilters) {
  const Chain chain =
      parse_chain(R"( gaussian sigma=1.25;match-histogram "reference=/a \"b\"; c/d.nii" points=7 ;median; )");
  ASSERT_EQ(chain.size(), 3U);
  EXPECT_EQ(std::get<std::string>(chain[1].parameters().get("reference")), "/a \"b\"; c/d.nii");
  EXPECT_EQ(text_of(chain[2]), "median");
  EXPECT_TRUE(parse_chain(text_of(chain)) == chain);
  Chain semicolon;
  semicolon.add(parse_filter(R"(match-histogram "reference=a;b.nii")"));
  EXPECT_TRUE(parse_chain(text_of(semicolon)) == semicolon);
  EXPECT_TRUE(parse_chain("  ").empty());
  EXPECT_TRUE(holds(error_of([] { parse_chain("median; blurr"); }), "blurr"));
}

TEST(Chain, FiltersAreMovedAndRemoved) {
  Chain chain = parse_chain("gaussian; median; bilateral; diffusion");
  chain.move(0, 2);
  EXPECT_EQ(text_of(chain), "median; bilateral; gaussian; diffusion");
  chain.move(3, 1);
  EXPECT_EQ(text_of(chain), "median; diffusion; bilateral; gaussian");
  chain.remove(2);
  EXPECT_EQ(text_of(chain), "median; diffusion; gaussian");
}

TEST(Chain, EveryFilterCanBeWrittenAndRead) {
  ASSERT_GE(filter_kinds().size(), 16U);
  for (const FilterKind& kind : filter_kinds()) {
    auto filter = make_filter(kind.name);
    EXPECT_FALSE(kind.help.empty());
    for (const auto& each : kind.parameters) {
      EXPECT_FALSE(each.help.empty()) << kind.name << each.key;
      filter->parameters().set(each.key, filter->parameters().get(each.key));
    }
    EXPECT_EQ(text_of(*filter), kind.name);
  }
}

TEST(Chain, TextThatIsWrongIsNamed) {
  const auto error = [](const std::string& text) { return error_of([&] { parse_filter(text); }); };
  EXPECT_TRUE(holds(error(""), "no name"));
  EXPECT_TRUE(holds(error("gausian"), R"(no filter named "gausian")")) << error("gausian");
  EXPECT_TRUE(holds(error("gausian"), "gaussian, median")) << "what is possible";
  EXPECT_TRUE(holds(error("gaussian width=2"), R"(gaussian has no parameter "width"; it has sigma)"));
  EXPECT_TRUE(holds(error("gaussian 2"), "expected PARAMETER=VALUE")) << error("gaussian 2");
  EXPECT_TRUE(holds(error("gaussian sigma=-1"), "from 0 to 1000 mm")) << error("gaussian sigma=-1");
  EXPECT_TRUE(holds(error("gaussian sigma=wide"), R"("wide")"));
}

TEST(Chain, FilesThatAreWrongAreNamedWithTheirEntry) {
  const testing::TemporaryFolder folder;
  const auto path = folder.path() / "chain.json";
  const auto error = [&](const std::string& text) {
    std::ofstream(path) << text;
    return error_of([&] { read_chain(path); });
  };
  const auto chain = [](const std::string& filters) {
    return R"({"isolume": "filter-chain", "version": 1, "filters": [)" + filters + "]}";
  };
  EXPECT_EQ(error(chain(R"({"filter": "median", "parameters": {"radius": 2}})")), "no error");
  EXPECT_TRUE(holds(error(chain(R"({"filter": "median"}, {"filter": "medium"})")), "filters[1].filter"))
      << error("{}");
  EXPECT_TRUE(holds(error(chain(R"({"filter": "median", "parameters": {"radius": -2}})")),
                    "filters[0].parameters.radius"));
  EXPECT_TRUE(
      holds(error(chain(R"({"filter": "median", "parameters": {"size": 2}})")), R"(no parameter "size")"));
  EXPECT_TRUE(
      holds(error(chain(R"({"filter": "median", "parameters": {"radius": [1]}})")), "expected a number"));
  EXPECT_TRUE(holds(error(chain(R"({"filter": "median", "parameter": {}})")), "filters[0].parameter"));
  EXPECT_TRUE(holds(error(R"({"isolume": "session", "version": 1, "filters": []})"), "filter-chain"));
  EXPECT_TRUE(holds(error(R"({"isolume": "filter-chain", "version": 2, "filters": []})"), "version"));
  EXPECT_TRUE(holds(error("nothing"), "chain.json:1")) << "the file and the line";
}

TEST(Chain, FiltersAreAppliedInTheirOrder) {
  const auto image = noise(mm_grid({9, 8, 7}));
  Chain chain;
  chain.add(parse_filter("median radius=1"));
  chain.add(parse_filter("threshold low=0.5"));
  const Filtered both = apply(chain, image);
  const Filtered expected = run_filter("threshold low=0.5", run_filter("median radius=1", image).image);
  EXPECT_TRUE(both.image.values == expected.image.values);
  ASSERT_EQ(both.report.size(), 2U);
  EXPECT_EQ(both.report[0].at("filter"), "median");
  EXPECT_EQ(both.report[0].at("radius_voxels"), nlohmann::json({1, 1, 1}));
  EXPECT_EQ(both.report[1].at("parameters").at("low"), 0.5);
  EXPECT_TRUE(apply(Chain(), image).image.values == image.values);
}

TEST(Chain, UnsuitableGridsAreRefused) {
  auto image = noise(mm_grid({6, 6, 6}));
  image.grid.step(0, 1) = 0.3;
  EXPECT_TRUE(holds(error_of([&] { run_filter("gaussian", image); }), "not at right angles"));
  EXPECT_EQ(error_of([&] { run_filter("threshold low=0.5", image); }), "no error");
  image.grid = mm_grid({6, 6, 6});
  image.grid.unit = grid::LengthUnit::bohr;
  EXPECT_TRUE(holds(error_of([&] { run_filter("threshold", image); }), "bohr"));
  Chain chain;
  chain.add(parse_filter("threshold"));
  chain.add(parse_filter("median radius=0.2"));
  image.grid.unit = grid::LengthUnit::millimetre;
  const std::string error = error_of([&] { apply(chain, image); });
  EXPECT_TRUE(holds(error, "Filter 2 of 2: median: radius: 0.2 mm is less than half a voxel")) << error;
}

TEST(Chain, CancelledWorkStops) {
  const auto image = noise(mm_grid({40, 40, 40}));
  std::stop_source stop;
  stop.request_stop();
  for (const FilterKind& kind : filter_kinds()) {
    EXPECT_THROW(make_filter(kind.name)->apply(image, jobs::Progress(stop.get_token(), {})), Cancelled)
        << kind.name;
  }
}

/// A person cancels while the filter runs: engines of our own, and ITK's with one step or several.
TEST(Chain, RunningWorkStops) {
  const auto image = noise(mm_grid({48, 48, 48}), 100);
  for (const char* text : {"gaussian sigma=0.7", "median radius=1", "median radius=2", "bilateral",
                           "diffusion", "total-variation gap=0", "gradient", "threshold", "bias",
                           "open radius=2", "components", "watershed"}) {
    std::stop_source stop;
    double last = 0;
    const jobs::Progress progress(stop.get_token(), [&](double fraction, std::string_view) {
      static std::mutex mutex;
      const std::lock_guard lock(mutex);
      last = std::max(last, fraction);
      if (fraction > 0.05) stop.request_stop();
    });
    EXPECT_THROW(parse_filter(text)->apply(image, progress), Cancelled) << text;
    EXPECT_LT(last, 0.9) << text;
  }
}

}  // namespace
}  // namespace isolume::filters
