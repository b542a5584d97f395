// Files of other programs, our own, and hostile ones.
#include "core/flames/flame_file.h"

#include <cmath>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/flames/evolve.h"
#include "core/flames/variations.h"

namespace isolume::flames {
namespace {

bool mentions(const Remarks& remarks, const std::string& text) {
  return remarks.text().find(text) != std::string::npos;
}

constexpr const char* of_another_program = R"(<flames name="pack">
<flame name="Two" version="Other 1.0" size="640 480" center="0.5 -0.25" scale="120" zoom="1" rotate="30"
  oversample="2" filter="0.4" quality="80" background="0 0.5 1" brightness="6" gamma="3.5" vibrancy="0.75"
  estimator_radius="9" estimator_minimum="1" estimator_curve="0.6" highlight_power="2" nick="someone">
 <xform weight="0.5" color="0.25" symmetry="-0.5" linear3D="0.5" julian="0.75" julian_power="-3" julian_dist="1.5"
  glynnsim3="0.4" coefs="1 2 3 4 5 6" post="2 0 0 2 0.5 0" opacity="0.5" chaos="1 0 "/>
 <xform weight="1.5" color="1" color_speed="0.1" animate="0" swirl="1" blob_low="0.1" coefs="0.5 0 0 0.5 0 0"/>
 <finalxform color="0" spherical="1" coefs="1 0 0 1 0 0"/>
 <symmetry kind="3"/>
 <color index="0" rgb="10 20 30"/><color index="255" rgb="255 254 253"/>
 <mystery/>
</flame></flames>)";

TEST(FlameFile, ReadsWhatOtherProgramsWriteAndNamesWhatItLeavesOut) {
  const auto file = parse_flames(of_another_program, "two.flame");
  ASSERT_EQ(file.flames.size(), 1U);
  const Flame& flame = file.flames[0];
  EXPECT_EQ(flame.name, "Two");
  EXPECT_EQ(flame.view, (View{640, 480, 0.5, -0.25, 120, 1, 30}));
  EXPECT_EQ(flame.tone.background, (std::array{0.0, 0.5, 1.0}));
  EXPECT_EQ(flame.tone.gamma, 3.5);
  EXPECT_EQ(flame.tone.vibrancy, 0.75);
  EXPECT_EQ(flame.tone.estimator_curve, 0.6);
  EXPECT_EQ(flame.quality, 80);
  ASSERT_EQ(flame.functions.size(), 4U) << "two rotations of the symmetry";
  const Function& first = flame.functions[0];
  EXPECT_EQ(first.affine, (Affine{1, 3, 5, 2, 4, 6})) << "coefs stand column by column";
  EXPECT_EQ(first.post, (Affine{2, 0, 0.5, 0, 2, 0}));
  EXPECT_EQ(first.colour_speed, 0.75) << "symmetry -0.5";
  EXPECT_TRUE(first.animated);
  EXPECT_EQ(first.opacity, 0.5);
  ASSERT_EQ(first.terms.size(), 2U);
  EXPECT_EQ(first.terms[0], (Term{Variation::linear, 0.5}));
  EXPECT_EQ(first.terms[1], (Term{Variation::julian, 0.75, {-3, 1.5}}));
  EXPECT_EQ(flame.functions[1].colour_speed, 0.1);
  EXPECT_FALSE(flame.functions[1].animated);
  const Affine& third = flame.functions[2].affine;  // a rotation by 120 degrees
  EXPECT_NEAR(third.a, -0.5, 1e-12);
  EXPECT_NEAR(third.d, std::sqrt(0.75), 1e-12);
  ASSERT_TRUE(flame.final_transform.has_value());
  EXPECT_EQ(flame.final_transform->colour_speed, 0);
  EXPECT_EQ(flame.palette[0], (Rgb{10, 20, 30}));
  EXPECT_EQ(flame.palette[255], (Rgb{255, 254, 253}));
  for (const char* text : {"\"glynnsim3\" of 1 element", "chaos", "highlight_power", "linear3D", "oversample",
                           "filter", "nick", "symmetry of kind 3", "<\"mystery\">"})
    EXPECT_TRUE(mentions(file.remarks, text)) << text << " in:\n" << file.remarks.text();
  EXPECT_FALSE(mentions(file.remarks, "blob_low")) << "an unused parameter of a variation that is known";
}

TEST(FlameFile, WritesWhatItReadsBackExactly) {
  Flame flame = random_flame(5);
  flame.name = "A \"name\" with <signs> & more";
  flame.functions[0].post = {0.5, 0.1, 0.25, -0.1, 0.5, 1.0 / 3};
  flame.functions[0].name = "first";
  flame.functions[0].animated = false;
  flame.functions[1].opacity = 0.125;
  flame.final_transform = Function{.colour_speed = 0.2, .terms = {term_of(Variation::ngon, 0.7)}};
  flame.view.zoom = 0.3;
  flame.view.rotation = -17;
  flame.tone.estimator_radius = 7;
  flame.tone.background = {0.1, 0.2, 0.3};
  const std::array both{flame, gasket()};
  const auto file = parse_flames(flame_text(both), "own.flame");
  ASSERT_EQ(file.flames.size(), 2U);
  EXPECT_EQ(file.flames[0], flame);
  EXPECT_EQ(file.flames[1], gasket());
  EXPECT_TRUE(file.remarks.empty()) << file.remarks.text();
}

TEST(FlameFile, ReadsPalettesOfAllForms) {
  const auto with = [](const std::string& palette) {
    return parse_flames("<flame><xform linear=\"1\" coefs=\"1 0 0 1 0 0\"/>" + palette + "</flame>", "x");
  };
  std::string digits, eight;
  for (int i = 0; i < 256; ++i) {
    digits += "0102" + std::string(i % 2 == 0 ? "FF\n" : "fe\n");
    eight += "00010203";
  }
  EXPECT_EQ(with("<palette count=\"256\" format=\"RGB\">" + digits + "</palette>").flames[0].palette[3],
            (Rgb{1, 2, 254}));
  EXPECT_EQ(with("<colors count=\"256\" data=\"" + eight + "\"/>").flames[0].palette[9], (Rgb{1, 2, 3}));
  EXPECT_TRUE(mentions(with("").remarks, "default palette"));
}

struct Refused {
  const char* text;
  const char* message;
};

TEST(FlameFile, RefusesHostileFilesWithPlaceAndReason) {
  const std::string xform = "<xform linear=\"1\" coefs=\"1 0 0 1 0 0\"/>";
  const std::pair<std::string, std::string> cases[] = {
      {"", "not valid XML"},
      {"<flame", "bad.flame:1: not valid XML"},
      {"<html><p/></html>", "expected an element <flame>"},
      {"<flame>\n</flame>", "bad.flame:1: The flame has no function"},
      {"<flame>\n<xform linear=\"1\"/></flame>", "bad.flame:2: <xform> has no coefs"},
      {"<flame>\n\n<xform linear=\"1\" coefs=\"1 0 0 1 0\"/></flame>",
       "bad.flame:3: coefs of <xform>: expected 6 numbers, found 5"},
      {"<flame>\n<xform linear=\"x\" coefs=\"1 0 0 1 0 0\"/></flame>",
       "bad.flame:2: linear of <xform>: expected numbers"},
      {"<flame>\n<xform linear=\"nan\" coefs=\"1 0 0 1 0 0\"/></flame>", "found \"nan\""},
      {"<flame>\n<xform linear=\"1\" coefs=\"1e300 0 0 1 0 0\"/></flame>", "expected numbers up to 1e9"},
      {"<flame>\n<xform weight=\"-1\" linear=\"1\" coefs=\"1 0 0 1 0 0\"/></flame>",
       "expected a number from 0"},
      {"<flame>\n<xform weight=\"0\" linear=\"1\" coefs=\"1 0 0 1 0 0\"/></flame>", "weight 0"},
      {"<flame size=\"99999999 1\">" + xform + "</flame>", "expected 1 to 32768 pixels"},
      {"<flame size=\"0 0\">" + xform + "</flame>", "expected 1 to 32768 pixels"},
      {"<flame scale=\"0\">" + xform + "</flame>", "scale of <flame>"},
      {"<flame gamma=\"0\">" + xform + "</flame>", "gamma of <flame>"},
      {"<flame>" + xform + "<symmetry kind=\"1000000000\"/></flame>", "kind of <symmetry>"},
      {"<flame>" + xform + "<palette>12345</palette></flame>", "hexadecimal digits"},
      {"<flame>" + xform + "<palette>zz</palette></flame>", "found \"z\""},
      {"<flame>" + xform + "<color index=\"256\" rgb=\"1 2 3\"/></flame>", "<color>"},
  };
  for (const auto& [text, message] : cases) {
    try {
      parse_flames(text, "bad.flame");
      ADD_FAILURE() << "accepted: " << text;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(message), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find("bad.flame"), std::string::npos);
    }
  }
  std::string many = "<flame>";
  for (int i = 0; i < 200; ++i) many += xform;
  EXPECT_THROW(parse_flames(many + "</flame>", "bad.flame"), InputError);
  std::string deep;
  for (int i = 0; i < 200'000; ++i) deep += "<a>";
  EXPECT_THROW(parse_flames(deep, "bad.flame"), InputError);
}

TEST(FlameFile, EveryTruncationOfAFileIsReadOrRefused) {
  const std::string text = flame_text(std::array{random_flame(2)});
  for (std::size_t length = 0; length < text.size(); length += 7) {
    try {
      parse_flames(text.substr(0, length), "cut.flame");
    } catch (const InputError&) {
    }
  }
}

}  // namespace
}  // namespace isolume::flames
