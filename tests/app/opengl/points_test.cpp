#include "app/opengl/points.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "app/opengl/colours.h"
#include "app/opengl/egl_context.h"
#include "app/opengl/hdr_target.h"

namespace isolume::opengl {
namespace {

constexpr int width = 200, height = 120;

/// An eye at (0, 0, distance) that looks down the z axis; a right angle from the picture's lower to its upper edge.
Eye looking_down(double distance) {
  Eye eye;
  eye.view = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, static_cast<float>(-distance), 1};
  constexpr float near = 0.01F, far = 100;
  eye.projection = {
      static_cast<float>(height) / width, 0, 0, 0, 0, 1, 0, 0, 0, 0, -(far + near) / (far - near), -1, 0, 0,
      -2 * far * near / (far - near),     0};
  eye.height = height;
  return eye;
}

struct Body {
  double x, y, z, mass;
};

/// Where such an eye sees it, in pixels from the lower left corner, and how many pixels a unit is wide there.
struct Seen {
  double x, y, pixels;
};
Seen seen(const Body& body, double distance) {
  const double pixels = 0.5 * height / (distance - body.z);
  return {0.5 * width + pixels * body.x, 0.5 * height + pixels * body.y, pixels};
}

/// Of one channel.
struct Light {
  double sum = 0, x = 0, y = 0;  ///< and its centre, in pixels
};
Light light_in(const HdrTarget& target, std::size_t channel) {
  const std::vector<float> pixels = target.read();
  Light light;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const double here = pixels[3 * static_cast<std::size_t>(y * width + x) + channel];
      light.sum += here;
      light.x += here * (x + 0.5);
      light.y += here * (y + 0.5);
    }
  }
  light.x /= light.sum;
  light.y /= light.sum;
  return light;
}

class PointsTest : public testing::Test {
 protected:
  void set(const std::vector<Body>& bodies) {
    std::vector<float> places, masses;
    for (const Body& body : bodies) {
      for (const double c : {body.x, body.y, body.z}) places.push_back(static_cast<float>(c));
      masses.push_back(static_cast<float>(body.mass));
    }
    points.set_positions(places);
    points.set_masses(masses);
  }
  void draw(double distance) {
    target.bind(width, height);
    target.fade(0);
    points.draw(looking_down(distance), look);
  }
  void TearDown() override { EXPECT_EQ(glGetError(), static_cast<GLenum>(GL_NO_ERROR)); }

  EglContext context;
  HdrTarget target;
  Points points;
  PointLook look;
};

TEST_F(PointsTest, AddTheLightOfTheirMassAtTheirPlace) {
  const std::vector<Body> bodies{
      {0.3, -0.2, 0, 1}, {-0.7, 0.4, 0.8, 3}, {1.1, 0.6, -1.5, 0.5}, {-0.1, -0.9, 0.2, 0}};
  set(bodies);
  look.luminosity = 2;
  look.radius = 0.12F;
  draw(2.5);
  Light expected;
  for (const Body& body : bodies) {
    const Seen at = seen(body, 2.5);
    const double light = 2 * body.mass / 4.5 * at.pixels * at.pixels;
    expected.sum += light;
    expected.x += light * at.x;
    expected.y += light * at.y;
  }
  const Light found = light_in(target, 0);
  EXPECT_NEAR(found.sum, expected.sum, 0.02 * expected.sum);
  EXPECT_NEAR(found.x, expected.x / expected.sum, 0.1);
  EXPECT_NEAR(found.y, expected.y / expected.sum, 0.1);
}

TEST_F(PointsTest, KeepTheirLightWhereTheirSizeIsLimited) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> place(-0.8, 0.8);
  std::vector<Body> bodies(300);
  double expected = 0;
  for (Body& body : bodies) {
    body = {place(random), place(random), place(random), 1};
    const double pixels = seen(body, 2.5).pixels;
    expected += pixels * pixels / 300;
  }
  set(bodies);
  look.radius = 1e-5F;  // far below a pixel
  draw(2.5);
  EXPECT_NEAR(light_in(target, 0).sum, expected, 0.03 * expected);
  look.radius = 1;
  look.diameters = {3, 12};
  draw(2.5);
  EXPECT_NEAR(light_in(target, 0).sum, expected, 0.03 * expected);
}

TEST_F(PointsTest, AddUpBeyondWhite) {
  set({{0, 0, 0, 1}});
  look.radius = 0.2F;
  look.luminosity = 1;
  draw(2);
  const double one = light_in(target, 0).sum;
  set(std::vector<Body>(500, {0, 0, 0, 1}));
  look.luminosity = 500;
  draw(2);
  EXPECT_NEAR(light_in(target, 0).sum, 500 * one, 1e-4 * 500 * one);
}

TEST_F(PointsTest, AreColouredByTheirValues) {
  points.set_colours(std::array<Vector3, 3>{Vector3{1, 0, 0}, Vector3{0, 1, 0}, Vector3{0, 0, 1}});
  set({{-0.5, 0, 0, 1}, {0, 0, 0, 1}, {0.5, 0, 0, 1}, {0, 0.5, 0, 1}});
  look.radius = 0.1F;
  look.values = {10, 1000};
  const double light = std::pow(seen({0, 0, 0, 1}, 2).pixels, 2) / 4;
  const auto expect = [&](const std::array<double, 3>& parts) {
    draw(2);
    for (std::size_t c = 0; c < 3; ++c) EXPECT_NEAR(light_in(target, c).sum, parts[c] * light, 0.02 * light);
  };
  points.set_values(std::array<float, 4>{-5, 505, 1e9F, 257.5F});  // below, middle, above, a quarter
  expect({1.5, 1.5, 1});
  points.set_values(std::array<float, 4>{10, 100, 1000, 31.6228F});
  look.logarithmic = true;
  expect({1.5, 1.5, 1});
}

TEST_F(PointsTest, AreAMillion) {
  std::vector<float> places(3'000'000);
  std::mt19937 random(1);
  std::normal_distribution<float> place(0, 0.2F);
  for (float& each : places) each = place(random);
  points.set_positions(places);
  points.set_masses({});
  look.diameters = {1, 1};
  look.luminosity = 1000;
  draw(4);
  double expected = 0;
  for (std::size_t i = 0; i < places.size(); i += 3) {
    const double pixels = seen({0, 0, places[i + 2], 1}, 4).pixels;
    expected += 1e-3 * pixels * pixels;
  }
  // A point of one pixel may be off that pixel's middle: the light depends on where, 1/3 of the middle's in the mean.
  const double found = light_in(target, 0).sum;
  EXPECT_GT(found, 0.5 * expected);
  EXPECT_LT(found, 3.2 * expected);
  EXPECT_NEAR(light_in(target, 0).x, 0.5 * width, 0.5);
}

/// What a screen shows of a framebuffer with 8 bits a channel.
class Screen {
 public:
  Screen() {
    glBindTexture(GL_TEXTURE_2D, colours_.name());
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_.name());
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, colours_.name(), 0);
  }
  GLuint name() const { return framebuffer_.name(); }
  std::vector<std::uint8_t> pixels() const {
    std::vector<std::uint8_t> all(std::size_t{3} * width * height);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, framebuffer_.name());
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glReadPixels(0, 0, width, height, GL_RGB, GL_UNSIGNED_BYTE, all.data());
    return all;
  }

 private:
  Texture colours_;
  Framebuffer framebuffer_;
};

double srgb(double linear) {
  return linear <= 0.0031308 ? 12.92 * linear : 1.055 * std::pow(linear, 1 / 2.4) - 0.055;
}

TEST_F(PointsTest, LightBecomesColoursByTheExponential) {
  points.set_colours(std::array<Vector3, 1>{Vector3{1, 0.3F, 0.02F}});
  set({{0, 0, 0, 1}, {0.7, 0, 0, 40}});
  look.radius = 0.3F;
  look.luminosity = 4;
  draw(2);
  const std::vector<float> light = target.read();
  const Screen screen;
  target.tone_map(screen.name(), 1.7F);
  const auto colours = screen.pixels();
  int bright = 0;
  for (std::size_t i = 0; i < light.size(); ++i) {
    EXPECT_NEAR(colours[i], 255 * srgb(1 - std::exp(-1.7 * light[i])), 1.01) << i;
    if (colours[i] > 200) ++bright;
  }
  EXPECT_GT(bright, 100);
}

TEST_F(PointsTest, LightFades) {
  set({{0, 0, 0, 1}});
  look.radius = 0.3F;
  draw(2);
  const double before = light_in(target, 1).sum;
  target.fade(0.75F);
  EXPECT_NEAR(light_in(target, 1).sum, 0.75 * before, 0.002 * before);
  target.bind(width, height);
  EXPECT_NEAR(light_in(target, 1).sum, 0.75 * before, 0.002 * before);
}

TEST(Colours, OfViridisAreThoseOfItsTable) {
  const auto colours = sequential_colours();
  ASSERT_EQ(colours.size(), 256U);
  EXPECT_NEAR(srgb(colours.front()[2]), 0x54 / 255.0, 1e-6);
  EXPECT_NEAR(srgb(colours.back()[0]), 0xfd / 255.0, 1e-6);
  // 0x21918c stands in the middle, and the neighbours of the middle are less than a step of 1/255 away.
  EXPECT_NEAR(srgb(colours[127][1]), 0x91 / 255.0, 2 / 255.0);
  double before = 0;
  for (const Vector3& each : colours) {
    const double luminance = 0.2126 * each[0] + 0.7152 * each[1] + 0.0722 * each[2];
    EXPECT_GT(luminance, before);
    before = luminance;
  }
}

}  // namespace
}  // namespace isolume::opengl
