#include "app/labs/orbitals/level_diagram.h"

#include <QImage>
#include <QPainter>
#include <QSignalSpy>
#include <QTest>
#include <QWheelEvent>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "app/workbench/look/theme.h"
#include "core/base/resources.h"
#include "core/molecules/document.h"

namespace isolume::labs::orbitals {
namespace {

std::shared_ptr<const molecules::Wavefunction> sample(const char* name) {
  return molecules::read_document(resource(name)).wavefunction;
}

molecules::OrbitalSet set_of_energies(std::initializer_list<double> energies) {
  molecules::OrbitalSet set;
  for (const double each : energies) set.orbitals.push_back({molecules::Spin::alpha, 0, each, ""});
  return set;
}

TEST(GroupLevels, GathersNeighboursWithinTheTolerance) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto set = set_of_energies({0.5, -1.0, -0.99995, 0.50011, nan});
  const auto levels = group_levels(set, molecules::Spin::alpha);
  ASSERT_EQ(levels.size(), 3U);
  EXPECT_EQ(levels[0].orbitals, (std::vector{1, 2}));
  EXPECT_NEAR(levels[0].energy_hartree, -0.999975, 1e-12);
  EXPECT_EQ(levels[1].orbitals, (std::vector{0}));
  EXPECT_EQ(levels[2].orbitals, (std::vector{3}));
}

TEST(GroupLevels, BenzeneHasDegenerateFrontierOrbitals) {
  const auto benzene = sample("samples/benzene.fchk.gz");
  const auto levels = group_levels(benzene->sets.front(), molecules::Spin::alpha);
  const auto with = [&](int orbital) {
    for (const auto& level : levels) {
      if (std::find(level.orbitals.begin(), level.orbitals.end(), orbital) != level.orbitals.end())
        return level.orbitals;
    }
    return std::vector<int>{};
  };
  EXPECT_EQ(with(20), (std::vector{19, 20}));  // e1g, occupied
  EXPECT_EQ(with(21), (std::vector{21, 22}));  // e2u, empty
  EXPECT_EQ(with(16), (std::vector{16}));      // a2u
}

class LevelDiagramTest : public testing::Test {
 protected:
  void show(const char* name) {
    wavefunction = sample(name);
    diagram.set_orbitals(wavefunction, 0);
    diagram.resize(320, 480);
    diagram.show();
    ASSERT_TRUE(QTest::qWaitForWindowExposed(&diagram));
  }
  std::shared_ptr<const molecules::Wavefunction> wavefunction;
  LevelDiagram diagram;
};

TEST_F(LevelDiagramTest, DegenerateLevelsStandSideBySideAndAHigherEnergyIsHigher) {
  show("samples/benzene.fchk.gz");
  const QRectF homo = diagram.bar(20), partner = diagram.bar(19), lumo = diagram.bar(21);
  EXPECT_DOUBLE_EQ(homo.top(), partner.top());
  EXPECT_GT(homo.left(), partner.right());
  EXPECT_LT(lumo.bottom(), homo.top());
  EXPECT_TRUE(diagram.rect().contains(homo.toRect()));
  EXPECT_TRUE(diagram.rect().contains(lumo.toRect()));
}

TEST_F(LevelDiagramTest, ClickChoosesTheBarUnderTheMouse) {
  show("samples/benzene.fchk.gz");
  QSignalSpy chosen(&diagram, &LevelDiagram::orbital_chosen);
  for (const int orbital : {19, 20, 21, 22}) {
    QTest::mouseClick(&diagram, Qt::LeftButton, {}, diagram.bar(orbital).center().toPoint());
    ASSERT_EQ(chosen.count(), 1) << orbital;
    EXPECT_EQ(chosen.takeFirst().first().toInt(), orbital);
  }
  QTest::mouseClick(&diagram, Qt::LeftButton, {}, QPoint(2, 2));
  EXPECT_EQ(chosen.count(), 0);
}

TEST_F(LevelDiagramTest, KeysStepThroughLevelsAndAlongDegenerateOnes) {
  show("samples/benzene.fchk.gz");
  QSignalSpy chosen(&diagram, &LevelDiagram::orbital_chosen);
  diagram.set_chosen(20);
  EXPECT_EQ(chosen.count(), 0);
  QTest::keyClick(&diagram, Qt::Key_Up);
  EXPECT_EQ(chosen.takeFirst().first().toInt(), 22);
  QTest::keyClick(&diagram, Qt::Key_Left);
  EXPECT_EQ(chosen.takeFirst().first().toInt(), 19);
  QTest::keyClick(&diagram, Qt::Key_Right);  // nothing stands further right
  EXPECT_EQ(chosen.count(), 0);
}

TEST_F(LevelDiagramTest, AlphaAndBetaHaveColumnsOfTheirOwn) {
  show("samples/oxygen-triplet.fchk.gz");
  const int alpha_homo = 8, beta_homo = 36 + 6;
  EXPECT_LT(diagram.bar(alpha_homo).right(), diagram.bar(beta_homo).left());
  // beta lies above alpha for the same orbital: -0.574 and -0.556 Eh are the HOMOs, but pi_u of alpha is at
  // -0.843.
  EXPECT_LT(diagram.bar(36 + 5).top(), diagram.bar(4).top());
  EXPECT_EQ(diagram.orbital_at(diagram.bar(beta_homo).center()), beta_homo);
}

TEST_F(LevelDiagramTest, WheelZoomsAboutTheMouse) {
  show("samples/benzene.fchk.gz");
  const QPointF place = diagram.bar(20).center();
  const double before = diagram.bar(21).top() - diagram.bar(20).top();
  QWheelEvent wheel(place, diagram.mapToGlobal(place), {}, {0, 240}, Qt::NoButton, Qt::NoModifier,
                    Qt::NoScrollPhase, false);
  QCoreApplication::sendEvent(&diagram, &wheel);
  EXPECT_NEAR(diagram.bar(20).center().y(), place.y(), 1e-6);
  EXPECT_NEAR(diagram.bar(21).top() - diagram.bar(20).top(), before * 1.44, 1e-6);
}

TEST_F(LevelDiagramTest, AnOrbitalOutOfSightIsMovedIntoView) {
  show("samples/benzene.fchk.gz");
  EXPECT_FALSE(diagram.rect().contains(diagram.bar(0).toRect()));
  diagram.set_chosen(0);
  EXPECT_TRUE(diagram.rect().contains(diagram.bar(0).toRect()));
}

TEST_F(LevelDiagramTest, OccupiedBarsAreFilledAndVirtualOnesOpen) {
  show("samples/benzene.fchk.gz");
  diagram.set_chosen(-1);
  const QImage image = diagram.grab().toImage();
  const auto colour_at = [&](QPointF place) {
    return image.pixelColor((place * image.devicePixelRatio()).toPoint());
  };
  const auto base = diagram.palette().color(QPalette::Base);
  const QPointF beside(10, 0);  // clear of the arrows in the middle
  EXPECT_EQ(colour_at(diagram.bar(22).center() + beside), base);
  EXPECT_NE(colour_at(diagram.bar(20).center() + beside), base);
}

/// Relative luminance as the Web Content Accessibility Guidelines define it.
double luminance(const QColor& colour) {
  const auto linear = [](double part) {
    return part <= 0.03928 ? part / 12.92 : std::pow((part + 0.055) / 1.055, 2.4);
  };
  return 0.2126 * linear(colour.redF()) + 0.7152 * linear(colour.greenF()) + 0.0722 * linear(colour.blueF());
}

TEST_F(LevelDiagramTest, TheChosenLevelIsClearInBothThemes) {
  for (const auto theme : {workbench::Theme::dark, workbench::Theme::light}) {
    workbench::apply_theme(theme);
    show("samples/benzene.fchk.gz");
    diagram.set_chosen(20);
    const QImage image = diagram.grab().toImage();
    const QPointF place = diagram.bar(20).center() + QPointF(10, 0);
    const double bar = luminance(image.pixelColor((place * image.devicePixelRatio()).toPoint()));
    const double base = luminance(diagram.palette().color(QPalette::Base));
    EXPECT_GT((std::max(bar, base) + 0.05) / (std::min(bar, base) + 0.05), 4.5);
    EXPECT_NE(image.pixelColor((place * image.devicePixelRatio()).toPoint()),
              diagram.palette().color(QPalette::Text));
  }
}

/// Two orbitals of a superposition look as one that is chosen does.
TEST_F(LevelDiagramTest, OrbitalsOfASuperpositionAreMarked) {
  show("samples/water-631gs.fchk.gz");
  diagram.set_chosen(4);
  const auto halo = [&](int orbital) {
    const QImage picture = diagram.grab().toImage();
    const auto bar = diagram.bar(orbital);
    return picture.pixelColor(qRound(bar.left() - 2), qRound(bar.center().y()));
  };
  const QColor marked = halo(4), plain = halo(5);
  ASSERT_GT(std::abs(marked.red() - plain.red()), 40);
  // Bars lie differently between the pixels.
  const auto is_marked = [&](int orbital) {
    return 2 * std::abs(halo(orbital).red() - marked.red()) < std::abs(marked.red() - plain.red());
  };
  diagram.set_members({4, 5});
  EXPECT_TRUE(is_marked(4));
  EXPECT_TRUE(is_marked(5));
  diagram.set_members({});
  EXPECT_FALSE(is_marked(5));
}

TEST_F(LevelDiagramTest, OrbitalsWithoutEnergiesGiveNoBars) {
  auto without = std::make_shared<molecules::Wavefunction>();
  without->sets.push_back(set_of_energies({std::numeric_limits<double>::quiet_NaN()}));
  diagram.set_orbitals(without, 0);
  diagram.show();
  EXPECT_TRUE(diagram.bar(0).isEmpty());
  EXPECT_FALSE(diagram.grab().isNull());
}

}  // namespace
}  // namespace isolume::labs::orbitals
