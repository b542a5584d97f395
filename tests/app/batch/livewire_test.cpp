#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#ifdef ISOLUME_WITH_PICTURES
#include <QColor>
#include <QImage>
#endif

#include "core/base/text_file.h"
#include "tests/app/batch/program.h"
#include "tests/full_disk.h"
#include "tests/phantoms/phantoms.h"

namespace isolume {
namespace {

using nlohmann::json;
using test::run_batch;
using test::Scratch;

/// A NRRD file, written with nothing of the program's own: a bright square from 10 to 29 on a stack of three
/// slices, 40 x 30 pixels of 0.5 x 2 mm.
std::string write_square(const Scratch& scratch) {
  const std::string path = scratch.file("square.nrrd");
  std::ofstream file(path, std::ios::binary);
  file << "NRRD0004\ntype: int16\ndimension: 3\nsizes: 40 30 3\nspace: left-posterior-superior\n"
          "space directions: (0.5,0,0) (0,2,0) (0,0,3)\nspace origin: (0,0,0)\nendian: little\nencoding: "
          "raw\n\n";
  for (int k = 0; k < 3; ++k) {
    for (int y = 0; y < 30; ++y) {
      for (int x = 0; x < 40; ++x) {
        const bool inside = x >= 10 && x < 30 && y >= 10 && y < 20;
        const std::int16_t value = inside ? 1000 : -200;
        file.put(static_cast<char>(value & 0xff)).put(static_cast<char>((value >> 8) & 0xff));
      }
    }
  }
  return path;
}

const std::string corners = "10,10;29,10;29,19;10,19";

void expect_complaint(const test::Result& result, int code, const std::string& part) {
  EXPECT_EQ(result.code, code);
  EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << result.err;
  EXPECT_NE(result.err.find(part), std::string::npos) << result.err;
  EXPECT_EQ(result.out, "");
}

json traced(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "livewire");
  arguments.push_back("--json");
  const auto result = run_batch(arguments);
  EXPECT_EQ(result.code, 0) << result.err;
  return result.code == 0 ? json::parse(result.out) : json();
}

TEST(Livewire, MeasuresTheSquare) {
  const Scratch scratch;
  const json facts = traced({write_square(scratch), "--slice", "1", "--seeds", corners, "--close"});
  // Edges lie halfway between pixels, 20 and 10 of them apart; at its corners the wire goes through the seeds, half a
  // pixel further in.
  EXPECT_LE(facts["length_mm"], 2 * (20 * 0.5 + 10 * 2));
  EXPECT_GE(facts["length_mm"], 2 * (20 * 0.5 + 10 * 2) - 4 * 0.5 * (0.5 + 2));
  EXPECT_NEAR(facts["area_mm2"], 20 * 0.5 * 10 * 2, 4);
  const double count = facts["intensity"]["count"], square = 20 * 10;
  EXPECT_NEAR(count, square, 4);
  // The wire may cut off a corner pixel of the square; the others count, with whole pixels of the ground.
  const double mean = facts["intensity"]["mean"], inside = (mean + 200) * count / 1200;
  EXPECT_NEAR(inside, std::round(inside), 1e-9);
  EXPECT_GE(inside, square - 4 - 1e-9);
  EXPECT_LE(inside, square + 1e-9);
  EXPECT_EQ(facts["seeds_px"].size(), 4);
  EXPECT_EQ(facts["slice"], 1);
  EXPECT_EQ(facts["axis"], 2);
  EXPECT_EQ(facts["engine"], "cpu");
  EXPECT_GT(facts["path_cost"], 0);
}

TEST(Livewire, AllEnginesFindTheSamePath) {
  const Scratch scratch;
  const std::string image = write_square(scratch);
  const auto of = [&](const std::string& engine) {
    const std::string path = scratch.file(engine + ".csv");
    traced({image, "--seeds", corners, "--close", "--engine", engine, "-o", path});
    return read_text_file(path);
  };
  EXPECT_EQ(of("cpu"), of("cpu-delta"));
}

TEST(Livewire, FourNeighboursStepAlongTheAxes) {
  const Scratch scratch;
  const std::string image = write_square(scratch);
  const std::vector<std::string> open{image, "--seeds", " 2, 2; 9,6 "};
  const auto points = [&](const std::string& flag, const std::string& value) {
    auto arguments = open;
    arguments.insert(arguments.end(), {flag, value});
    return traced(arguments)["points"].get<int>();
  };
  EXPECT_EQ(points("--neighbours", "4"), 1 + 7 + 4);
  EXPECT_EQ(points("--cost", "thesis"), 1 + 7 + 4);
  EXPECT_LT(points("--neighbours", "8"), 1 + 7 + 4);
}

TEST(Livewire, WeightsInOneFlagAreTheSame) {
  const Scratch scratch;
  const std::string image = write_square(scratch);
  const auto cost = [&](const std::vector<std::string>& flags) {
    std::vector<std::string> arguments{image, "--seeds", corners, "--close"};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    return traced(arguments)["path_cost"].get<double>();
  };
  EXPECT_EQ(cost({"--weights", "gradient=0.9,zero-crossing=0.1,direction=0"}),
            cost({"--gradient-weight", "0.9", "--zero-crossing-weight", "0.1", "--direction-weight", "0"}));
  EXPECT_NE(cost({"--weights", "gradient=0.9,zero-crossing=0.1,direction=0"}), cost({}));
}

TEST(Livewire, TheWireKeepsToItsRegion) {
  const Scratch scratch;
  const std::string square = write_square(scratch);
  // Through the square's middle, where following its edge is cheaper; a strip one pixel high forbids that.
  const std::vector<std::string> across{square, "--seeds", "2,15;38,15"};
  EXPECT_GT(traced(across)["length_mm"].get<double>(), 1.2 * 36 * 0.5);
  const json strip = traced({square, "--seeds", "2,15;38,15", "--region", "0,15,40,1"});
  EXPECT_DOUBLE_EQ(strip["length_mm"], 36 * 0.5);
  expect_complaint(run_batch({"livewire", square, "--seeds", "2,15;38,20", "--region", "0,15,40,1"}), 1,
                   "region");
  expect_complaint(run_batch({"livewire", square, "--seeds", "2,15;38,15", "--region", "0,15,40"}), 2,
                   "--region");
}

TEST(Livewire, WarnsOfAContourThatEnclosesNextToNothing) {
  const Scratch scratch;
  // All on the upper side of the square, and the region leaves no way around it.
  const auto result = run_batch({"livewire", write_square(scratch), "--seeds", "10,10;20,10;29,10", "--close",
                                 "--region", "8,9,24,3", "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_NE(result.err.find("encloses next to nothing"), std::string::npos) << result.err;
  const auto remarks = json::parse(result.out)["remarks"];
  ASSERT_EQ(remarks.size(), 1u);
  EXPECT_NE(result.err.find(remarks[0]["text"].get<std::string>()), std::string::npos);
  EXPECT_TRUE(traced({write_square(scratch), "--seeds", corners, "--close"})["remarks"].empty());
}

TEST(Livewire, SeedsSnapToTheEdge) {
  const Scratch scratch;
  const json facts =
      traced({write_square(scratch), "--seeds", "6,15;20,6;33,15;20,23", "--snap", "5", "--close"});
  EXPECT_EQ(facts["seeds_px"].size(), 4);
  for (const auto& seed : facts["seeds_px"]) {
    const double x = seed[0], y = seed[1];
    EXPECT_TRUE(std::abs(x - 9.5) <= 1 || std::abs(x - 29.5) <= 1 || std::abs(y - 9.5) <= 1 ||
                std::abs(y - 19.5) <= 1)
        << seed;
  }
}

TEST(Livewire, SlicesAcrossOtherAxes) {
  const Scratch scratch;
  const std::string image = write_square(scratch);
  const json coronal = traced({image, "--axis", "coronal", "--slice", "15", "--seeds", "3,0;30,2"});
  EXPECT_EQ(coronal["axis"], 1);
  EXPECT_EQ(coronal["slice"], 15);
  EXPECT_EQ(traced({image, "--axis", "0", "--seeds", "3,0;20,2"})["slice"], 20);
}

TEST(Livewire, WritesEverythingThatIsAskedFor) {
  const Scratch scratch;
  const std::string image = write_square(scratch);
  const auto result =
      run_batch({"livewire", image, "--seeds", corners, "--close", "--label", "Liver", "-o",
                 scratch.file("c.csv"), "-o", scratch.file("c.json"), "-o", scratch.file("c.svg"), "-o",
                 scratch.file("m.nrrd"), "--output", scratch.file("m.nii.gz")});
  ASSERT_EQ(result.code, 0) << result.err;
  auto files = scratch.files();
  std::ranges::sort(files);
  EXPECT_EQ(files,
            (std::vector<std::string>{"c.csv", "c.json", "c.svg", "m.nii.gz", "m.nrrd", "square.nrrd"}));
  const std::string table = read_text_file(scratch.file("c.csv"));
  const json facts = traced({image, "--seeds", corners, "--close"});
  EXPECT_EQ(std::ranges::count(table, '\n'), 1 + facts["points"].get<int>());
  EXPECT_EQ(json::parse(read_text_file(scratch.file("c.json")))["labels"][0]["name"], "Liver");
  EXPECT_NE(read_text_file(scratch.file("c.svg")).find("<path"), std::string::npos);
  // The mask's own body: 200 bytes of 1 on the middle slice.
  const std::string mask = read_text_file(scratch.file("m.nrrd"));
  EXPECT_NE(mask.find("sizes: 40 30 3"), std::string::npos);
}

/// A label map on the grid of write_square, given at an origin.
std::string write_labels(const Scratch& scratch, const std::string& origin) {
  const std::string path = scratch.file("labels.nrrd");
  std::ofstream file(path, std::ios::binary);
  file << "NRRD0004\ntype: uint8\ndimension: 3\nsizes: 40 30 3\nspace: left-posterior-superior\n"
          "space directions: (0.5,0,0) (0,2,0) (0,0,3)\nspace origin: "
       << origin << "\nencoding: raw\n\n";
  for (int k = 0; k < 3; ++k) {
    for (int y = 0; y < 30; ++y) {
      for (int x = 0; x < 40; ++x) {
        const bool first = k == 1 && x >= 10 && x < 30 && y >= 10 && y < 20;
        const bool second = k == 2 && x < 5 && y < 4;
        file.put(static_cast<char>(first ? 1 : second ? 2 : 0));
      }
    }
  }
  return path;
}

TEST(Livewire, ImportsMeasuresAndWritesContours) {
  const Scratch scratch;
  const std::string image = write_square(scratch), labels = write_labels(scratch, "(0,0,0)");
  const auto result = run_batch({"livewire", "import", image, labels, "-o", scratch.file("c.json"), "-o",
                                 scratch.file("c.measures.csv"), "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const json facts = json::parse(result.out);
  EXPECT_TRUE(facts["remarks"].empty()) << facts["remarks"];
  ASSERT_EQ(facts["labels"].size(), 2);
  const double voxel_mm3 = 0.5 * 2 * 3;
  EXPECT_NEAR(facts["labels"][0]["volume_mm3"], 200 * voxel_mm3, 1e-9);
  EXPECT_NEAR(facts["labels"][1]["volume_mm3"], 20 * voxel_mm3, 1e-9);
  EXPECT_NEAR(facts["labels"][0]["intensity"]["mean"], 1000, 1e-9);
  EXPECT_NE(read_text_file(scratch.file("c.measures.csv")).find(",Label 1,,,,,,0.6,"), std::string::npos)
      << read_text_file(scratch.file("c.measures.csv"));
  // What was written is read again, and comes to the same.
  const auto again = run_batch({"livewire", "import", image, scratch.file("c.json"), "--json"});
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(json::parse(again.out)["labels"], facts["labels"]);
  EXPECT_EQ(json::parse(again.out)["contours"], facts["contours"]);
}

TEST(Livewire, ImportsLabelMapsAtTheirPlaceAndRefusesSlicesBetweenTheImages) {
  const Scratch scratch;
  const std::string image = write_square(scratch);
  const auto imported = [&](const char* origin) {
    const auto result = run_batch({"livewire", "import", image, write_labels(scratch, origin), "--json"});
    EXPECT_EQ(result.code, 0) << result.err;
    const json facts = json::parse(result.out);
    EXPECT_TRUE(facts["remarks"].empty()) << facts["remarks"];
    return facts["contours"][0]["centroid_mm"][1].get<double>();
  };
  EXPECT_NEAR(imported("(0,8,0)") - imported("(0,0,0)"), 8, 1e-9);

  const auto between = run_batch({"livewire", "import", image, write_labels(scratch, "(0,0,1.5)")});
  EXPECT_EQ(between.code, 1);
  EXPECT_NE(between.err.find("resample"), std::string::npos) << between.err;
}

TEST(Livewire, MasksOfAnImageWithoutSidesStateNone) {
  const Scratch scratch;
  std::string bytes = read_text_file(write_square(scratch));
  const std::string placed =
      "space: left-posterior-superior\nspace directions: (0.5,0,0) (0,2,0) (0,0,3)\nspace origin: (0,0,0)\n";
  ASSERT_NE(bytes.find(placed), std::string::npos);
  bytes.replace(bytes.find(placed), placed.size(), "spacings: 0.5 2 3\n");
  const std::string image = scratch.file("unknown.nrrd");
  std::ofstream(image, std::ios::binary) << bytes;
  std::vector<std::string> arguments{"livewire", image, "--seeds", corners, "--close", "--json"};
  for (const char* name : {"m.nrrd", "m.seg.nrrd", "m.nii.gz", "m.mha", "c.csv"}) {
    arguments.insert(arguments.end(), {"-o", scratch.file(name)});
  }
  const auto result = run_batch(arguments);
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_NE(result.err.find("m.nii.gz: The image does not say which side of the patient is left"),
            std::string::npos)
      << result.err;
  EXPECT_NE(result.err.find("c.csv: The image does not say how it lies"), std::string::npos) << result.err;
  const json facts = json::parse(result.out);
  EXPECT_EQ(facts["remarks"].size(), 3U) << facts["remarks"];  // the image's own, and these two
  for (const char* name : {"m.nrrd", "m.seg.nrrd", "m.nii.gz", "m.mha"}) {
    const auto read = run_batch({"livewire", "import", image, scratch.file(name), "--json"});
    ASSERT_EQ(read.code, 0) << name << read.err;
    const json again = json::parse(read.out);
    EXPECT_EQ(again["labels"][0]["volume_mm3"].get<double>(), facts["volume_mm3"].get<double>()) << name;
    EXPECT_NE(read.err.find(scratch.file(name) + ": "), std::string::npos)
        << read.err;  // its sides are assumed
  }
}

TEST(Livewire, ImportTellsOfVoxelsInTwoLabels) {
  const Scratch scratch;
  const std::string image = write_square(scratch);
  const auto written = run_batch({"livewire", image, "--slice", "1", "--seeds", corners, "--close", "--label",
                                  "Liver", "-o", scratch.file("one.json")});
  ASSERT_EQ(written.code, 0) << written.err;
  json document = json::parse(read_text_file(scratch.file("one.json")));
  json lesion = document["contours"][0];
  lesion["label"] = 2;
  lesion["name"] = "Lesion 1";
  document["contours"].push_back(lesion);
  json label = document["labels"][0];
  label["value"] = 2;
  label["name"] = "Lesion";
  document["labels"].push_back(label);
  std::ofstream(scratch.file("two.json")) << document;
  const auto both = run_batch(
      {"livewire", "import", image, scratch.file("two.json"), "-o", scratch.file("m.nrrd"), "--json"});
  ASSERT_EQ(both.code, 0) << both.err;
  const json facts = json::parse(both.out);
  EXPECT_EQ(facts["labels"][0]["volume_mm3"], facts["labels"][1]["volume_mm3"]);
  EXPECT_GT(facts["labels"][0]["volume_mm3"], 0);
  ASSERT_EQ(facts["remarks"].size(), 1) << facts["remarks"];
  EXPECT_EQ(facts["remarks"][0]["kind"], "dropped");
  EXPECT_EQ(facts["remarks"][0]["count"].get<double>() * 3, facts["labels"][0]["volume_mm3"].get<double>());
  EXPECT_NE(both.err.find("lie in Liver and in Lesion, and become Lesion"), std::string::npos) << both.err;
}

TEST(Livewire, StructureSetsAndSegmentationsOfASeries) {
  ISOLUME_NEEDS_PHANTOMS();
  const Scratch scratch;
  const json liver = phantoms::description("ct-abdomen")["objects"][0]["slices"][8];
  std::string seeds;
  for (const auto& seed : liver["seeds_px"]) {
    seeds += (seeds.empty() ? "" : ";") + std::to_string(seed[0].get<int>()) + "," +
             std::to_string(seed[1].get<int>());
  }
  const json facts = traced({(phantoms::folder() / "ct-abdomen-snr10").string(), "--slice",
                             std::to_string(liver["index"].get<int>()), "--seeds", seeds, "--close", "-o",
                             scratch.file("liver.rtstruct.dcm"), "-o", scratch.file("liver.seg.dcm")});
  EXPECT_NEAR(facts["area_mm2"].get<double>() / liver["area_mm2"].get<double>(), 1, 0.01);
  EXPECT_NEAR(facts["length_mm"].get<double>() / liver["perimeter_mm"].get<double>(), 1, 0.015);
  for (const char* name : {"liver.rtstruct.dcm", "liver.seg.dcm"}) {
    EXPECT_EQ(read_text_file(scratch.file(name)).substr(128, 4), "DICM") << name;
    const auto again = run_batch({"livewire", "import", (phantoms::folder() / "ct-abdomen-snr10").string(),
                                  scratch.file(name), "--json"});
    ASSERT_EQ(again.code, 0) << again.err;
    const json read = json::parse(again.out);
    EXPECT_TRUE(read["remarks"].empty()) << read["remarks"];
    EXPECT_EQ(read["labels"][0]["volume_mm3"], facts["volume_mm3"]) << name;
  }
}

TEST(Livewire, WhatIsWrittenBesideTheImagesIsNoSeries) {
  ISOLUME_NEEDS_PHANTOMS();
  const Scratch scratch;
  const std::string folder = scratch.file("series"), masked = scratch.file("series/liver.seg.dcm");
  std::filesystem::copy(phantoms::folder() / "ct-abdomen-snr10", folder);
  const std::vector<std::string> arguments{"livewire", folder, "--seeds", "93,100;63,114;41,98;49,73;78,68",
                                           "--close",  "-o",   masked};
  for (int time = 0; time < 2; ++time) {
    const auto result = run_batch(arguments);
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_EQ(result.err.find("liver.seg.dcm") != std::string::npos, time == 1) << result.err;
  }
  // An image that has such a name is not replaced.
  const auto image = std::filesystem::directory_iterator(phantoms::folder() / "ct-abdomen-snr10")->path();
  std::filesystem::copy_file(image, masked, std::filesystem::copy_options::overwrite_existing);
  const auto result = run_batch(arguments);
  EXPECT_EQ(result.code, 1);
  EXPECT_NE(result.err.find("liver.seg.dcm: this is"), std::string::npos) << result.err;
  EXPECT_EQ(std::filesystem::file_size(masked), std::filesystem::file_size(image));
}

TEST(Livewire, NothingIsWrittenWhereOneOfTheOutputsCannotBe) {
  const Scratch scratch;
  const std::string image = write_square(scratch);
  const auto run = [&](const std::string& output) {
    return run_batch({"livewire", image, "--seeds", corners, "--close", "-o", scratch.file("c.csv"), "-o",
                      output, "-o", scratch.file("m.nrrd")});
  };
  expect_complaint(run(scratch.file("nowhere/m.nrrd")), 1, "nowhere/m.nrrd: cannot be written");
  expect_complaint(run(image), 1, "this is the input file");
  std::filesystem::create_hard_link(image, scratch.file("same.nrrd"));
  expect_complaint(run(scratch.file("same.nrrd")), 1, "this is the input file");
  auto files = scratch.files();
  std::ranges::sort(files);
  EXPECT_EQ(files, (std::vector<std::string>{"same.nrrd", "square.nrrd"}));
  EXPECT_EQ(read_text_file(image).substr(0, 21), "NRRD0004\ntype: int16\n");
}

const std::vector<std::string> without_dicom{"c.csv", "c.json", "c.svg",   "m.nrrd",
                                             "m.nii", "m.mha",  "m.nii.gz"};

TEST(Livewire, AFullDiskLeavesTheOlderFiles) {
  const Scratch scratch;
  const std::string image = write_square(scratch);
  SMALL_DISK(disk);
  for (const auto& name : without_dicom) std::ofstream(disk.path() / name) << "old";
  disk.fill("filler");
  for (const auto& name : without_dicom) {
    const std::string path = disk.path() / name;
    expect_complaint(run_batch({"livewire", image, "--seeds", corners, "--close", "-o", path}), 1,
                     name + ": could not be written");
    EXPECT_EQ(read_text_file(path), "old") << name;
  }
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(disk.path()), {}),
            1 + std::ssize(without_dicom));
}

TEST(Livewire, FilesThatMayNotGrowLeaveTheOlderOnes) {
  const Scratch scratch;
  const std::string image = write_square(scratch);
  for (const auto& name : without_dicom) {
    const std::string path = scratch.file(name);
    std::ofstream(path) << "old";
    const isolume::testing::FileSizeLimit limit(50);
    EXPECT_EQ(run_batch({"livewire", image, "--seeds", corners, "--close", "-o", path}).code, 1) << name;
    EXPECT_EQ(read_text_file(path), "old") << name;
  }
  EXPECT_EQ(std::ssize(scratch.files()), 1 + std::ssize(without_dicom));
}

TEST(Livewire, SaysWhatIsWrong) {
  const Scratch scratch;
  const std::string image = write_square(scratch);
  const auto run = [&](std::vector<std::string> flags) {
    flags.insert(flags.begin(), {"livewire", image});
    flags.insert(flags.end(), {"-o", scratch.file("c.csv")});
    return run_batch(flags);
  };
  expect_complaint(run({"--seeds", "10,10"}), 1, "needs 2 seeds");
  expect_complaint(run({"--seeds", "10,10;10,10"}), 1, "there is 1");
  expect_complaint(run({"--seeds", "10,10;20,10", "--close"}), 1, "needs 3 seeds");
  expect_complaint(run({"--seeds", "10,10;40,10"}), 1, "40,10 lies outside the slice of 40 × 30 pixels");
  expect_complaint(run({"--seeds", "10,10;nan,3"}), 1, "\"nan\" is not a number");
  expect_complaint(run({"--seeds", "10,10;1e999,3"}), 1, "is not a number");
  expect_complaint(run({"--seeds", "10;20"}), 1, "expected \"x,y;x,y;...\"");
  expect_complaint(run({"--seeds", ""}), 1, "--seeds");
  expect_complaint(run({"--seeds", corners, "--slice", "3"}), 1, "slices 0 to 2");
  expect_complaint(run({"--seeds", corners, "--axis", "up"}), 2, "--axis");
  expect_complaint(run({"--seeds", corners, "--sigma", "0"}), 2, "0.3 to 10 px");
  expect_complaint(run({"--seeds", corners, "--weights", "gradients=1"}), 2,
                   "Names: gradient, zero-crossing");
  expect_complaint(run({"--seeds", corners, "--engine", "abacus"}), 1, "abacus");
  expect_complaint(run({"--seeds", corners, "-o", scratch.file("c.docx")}), 1,
                   "ends in .measures.csv, .nii.gz");
  expect_complaint(run({"--seeds", corners, "-o", scratch.file("m.nrrd")}), 1, "Add --close");
  expect_complaint(run({"--seeds", corners, "--close", "-o", scratch.file("c.rtstruct.dcm")}), 1,
                   "not a DICOM");
  expect_complaint(run({"--seeds", corners, "--close", "-o", scratch.file("c.seg.dcm")}), 1, "not a DICOM");
  expect_complaint(run({}), 2, "--seeds");
  expect_complaint(run_batch({"livewire", scratch.file("none.nrrd"), "--seeds", corners}), 1, "none.nrrd");
  EXPECT_EQ(scratch.files(), (std::vector<std::string>{"square.nrrd"})) << "nothing may be left of a failure";
}

#ifdef ISOLUME_WITH_PICTURES
/// A session of the square's image, its large view on `slice`, with a filled contour on slice 1 from pixel 10, 5 to 30,
/// 15, in the colour of its label.
std::string write_session(const Scratch& scratch, const std::string& image, int slice) {
  const std::string path = scratch.file("work.isolume");
  const json box = {{10.0, 5.0}, {30.0, 5.0}, {30.0, 15.0}, {10.0, 15.0}, {10.0, 5.0}};
  const json contour{{"axis", 2},
                     {"closed", true},
                     {"combination", "add"},
                     {"label", 1},
                     {"locked", false},
                     {"name", "Box"},
                     {"pieces", {{{"kind", "wire"}, {"points_px", box}}}},
                     {"seeds_px", {box[0]}},
                     {"slice", 1},
                     {"suggestion", false},
                     {"visible", true}};
  const json contours{
      {"isolume-contours", 1},
      {"image",
       {{"path", image},
        {"series_uid", ""},
        {"size", {40, 30, 3}},
        {"spacing_mm", {0.5, 2.0, 3.0}},
        {"origin_mm", {0.0, 0.0, 0.0}},
        {"direction", {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}}}},
      {"labels",
       {{{"colour", "#e69f00"}, {"locked", false}, {"name", "Label 1"}, {"value", 1}, {"visible", true}}}},
      {"contours", {contour}}};
  const json document{
      {"lab", "livewire"},
      {"front", true},
      {"camera", ""},
      {"data", {{"path", image}, {"beside", ""}, {"bytes", 1}, {"xxh3", ""}}},
      {"parameters",
       {{"fill-opacity", "1"}, {"wire-width", "0.5"}, {"window-centre", "400"}, {"window-width", "1200"}}},
      {"state", {{"axis", 2}, {"slice", slice}, {"contours", contours}}}};
  std::ofstream(path) << json{
      {"isolume-session", 2}, {"shown", "livewire"}, {"layout", ""}, {"documents", {document}}};
  return path;
}

TEST(LivewireRender, ASessionIsDrawnAsItWasLeft) {
  const Scratch scratch;
  const std::string image = write_square(scratch), drawn = scratch.file("drawn.png");
  const auto orange = [&](const std::vector<std::string>& more) {
    const std::string session = write_session(scratch, image, 1);
    std::vector<std::string> words{"render", session, "--size", "400x600", "-o", drawn};
    words.insert(words.end(), more.begin(), more.end());
    const auto result = run_batch(words);
    EXPECT_EQ(result.code, 0) << result.err;
    const QImage picture(QString::fromStdString(drawn));
    EXPECT_EQ(picture.size(), QSize(400, 600));
    QRect box;
    for (int y = 0; y < picture.height(); ++y) {
      for (int x = 0; x < picture.width(); ++x) {
        if (picture.pixelColor(x, y) == QColor("#e69f00")) box |= QRect(x, y, 1, 1);
      }
    }
    return box;
  };
  // 20 x 60 mm fill 200 x 600 pixels of the picture, so a pixel of the slice is 5 x 20: the path is 100 x 200 large
  // and lies 0.5 and -4.5 pixels of the slice from the middle.
  const QRect box = orange({});
  EXPECT_NEAR(box.width(), 100, 4);
  EXPECT_NEAR(box.height(), 200, 4);
  EXPECT_NEAR(box.center().x(), 202.5, 2);
  EXPECT_NEAR(box.center().y(), 210, 2);
  // The bright square through the session's window: 255 (1000 - 400) / 1200 + 127.5, in columns right of the box.
  EXPECT_EQ(QImage(QString::fromStdString(drawn)).pixelColor(200, 380).lightness(), 255);
  EXPECT_TRUE(orange({"--slice", "2"}).isNull()) << "the command line has the last word";
  EXPECT_TRUE(run_batch({"livewire", "render", image, "--size", "100x100", "-o", drawn}).code == 0);
  EXPECT_EQ(QImage(QString::fromStdString(drawn)).size(), QSize(100, 100));
}

TEST(LivewireRender, SaysWhyASessionCannotBeDrawn) {
  const Scratch scratch;
  const std::string image = write_square(scratch), drawn = scratch.file("drawn.png");
  const std::string session = write_session(scratch, image, 1);
  const auto complaint = [&](const std::vector<std::string>& words) {
    const auto result = run_batch(words);
    EXPECT_EQ(result.code, 1);
    return result.err;
  };
  EXPECT_NE(complaint({"orbitals", "render", session, "-o", drawn}).find("no file of the lab \"orbitals\""),
            std::string::npos);
  EXPECT_NE(complaint({"render", session, "-o", image}).find("the input file"), std::string::npos);
  EXPECT_NE(complaint({"render", session, "--slice", "3", "-o", drawn}).find("slices 0 to 2"),
            std::string::npos);
  std::filesystem::rename(image, scratch.file("moved.nrrd"));
  EXPECT_NE(complaint({"render", session, "-o", drawn}).find("which was not found"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(drawn));
}
#endif

}  // namespace
}  // namespace isolume
