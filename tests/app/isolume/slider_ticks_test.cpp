// What one tick of a slider may cost in the window with all labs, by counts: times are measured by bench_slider_ticks.
#include <QDockWidget>
#include <QSlider>
#include <QTranslator>
#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "app/isolume/labs.h"
#include "tests/app/lab_window_test.h"

namespace isolume::workbench {
namespace {

/// Counts the texts that are asked for, and translates none.
class TextCounter final : public QTranslator {
 public:
  QString translate(const char* /*context*/, const char* /*text*/, const char* /*disambiguation*/,
                    int /*n*/) const override {
    ++texts;
    return {};
  }
  bool isEmpty() const override { return false; }
  mutable int texts = 0;
};

class SliderTicks : public LabWindowTest, public testing::WithParamInterface<std::vector<std::string>> {
 protected:
  SliderTicks() : LabWindowTest(labs()) {
    // A refresh of the actions asks each command once.
    window->commands().add({{.name = "test.count", .title = "Count", .help = "Counts."},
                            [](const Arguments&) {},
                            [this] { return ++refreshes_, std::string(); }});
    QCoreApplication::installTranslator(&texts_);
  }

  void rest() {
    bool rests = false;
    window->when_at_rest([&] { rests = true; });
    ASSERT_TRUE(QTest::qWaitFor([&] { return rests; }, patience_ms));
  }
  QDockWidget* panel() { return window->findChild<QDockWidget*>("panel.Parameters"); }
  std::set<QString> sliders() {
    std::set<QString> names;
    for (const auto* each : panel()->findChildren<QSlider*>()) {
      if (each->isVisibleTo(window.get())) names.insert(each->objectName());
    }
    return names;
  }
  /// Null where it is hidden.
  QSlider* slider(const QString& name) {
    auto* found = panel()->findChild<QSlider*>(name);
    return found != nullptr && found->isVisibleTo(window.get()) ? found : nullptr;
  }
  /// The second tick of a drag: the first one may change other parameters along.
  void drag(const QString& name) {
    const std::string key = name.toStdString();
    QSlider* dragged = slider(name);
    if (dragged == nullptr || dragged->maximum() < 4) return;
    dragged->setSliderDown(true);
    const int first = dragged->minimum() + (dragged->maximum() - dragged->minimum()) / 4;
    const int second = first + std::max(1, first / 8);
    dragged->setValue(first);
    rest();
    dragged = slider(name);
    if (dragged == nullptr || !dragged->isSliderDown()) return;  // the panel was built anew
    const auto validations = parameters::validations();
    const int steps = window->undo_stack().count();
    refreshes_ = texts_.texts = 0;
    dragged->setValue(second);
    EXPECT_EQ(refreshes_, 0) << key << ": the tick itself refreshes the menus";
    EXPECT_LE(parameters::validations() - validations, words_of_command + sets_) << key;
    EXPECT_LE(texts_.texts, most_texts) << key;
    EXPECT_EQ(window->undo_stack().count(), steps) << key;
    EXPECT_TRUE(window->recorder().empty()) << key;
    QCoreApplication::sendPostedEvents(window.get(), QEvent::MetaCall);
    EXPECT_LE(refreshes_, 1) << key;
    ++dragged_;
    if (QSlider* released = slider(name)) released->setSliderDown(false);
    (void)window->run("edit.undo");
  }

  static constexpr unsigned words_of_command = 2;  // parameter.set KEY VALUE
  /// Of the step of undo and of the lab's status: a panel has about ten for each parameter, the menus two for each
  /// command.
  static constexpr int most_texts = 25;
  TextCounter texts_;
  int refreshes_ = 0, dragged_ = 0;
  unsigned sets_ = 1;
};

TEST_P(SliderTicks, ValidateOnceMakeFewTextsAndRefreshTheMenusLater) {
  ASSERT_TRUE(window->run("lab.show livewire"));  // another lab's menus are filled with what is there by then
  ASSERT_EQ(run(GetParam()), "");
  if (GetParam().front() == "lab.show nbody") sets_ = 2;  // a running simulation has a set of its own
  panel()->show();
  panel()->raise();
  rest();
  refreshes_ = 0;
  ASSERT_TRUE(window->run("view.turn-left"));
  EXPECT_EQ(refreshes_, 1) << "the command that counts is not in the menus";
  for (const QString& name : sliders()) drag(name);
  EXPECT_GE(dragged_, 5);
}

INSTANTIATE_TEST_SUITE_P(
    InEachLab, SliderTicks,
    testing::Values(std::vector<std::string>{"lab.show orbitals", "file.open-sample water-631gs"},
                    std::vector<std::string>{"lab.show electrostatics", "file.open-sample fasciculin",
                                             "parameter.set method direct", "parameter.set spacing 2"},
                    std::vector<std::string>{"lab.show nbody", "nbody.scene plummer 300"},
                    std::vector<std::string>{"lab.show livewire", "file.open-sample vessels"},
                    std::vector<std::string>{"lab.show flames", "file.open-sample spheres",
                                             "parameter.set quality 1"}),
    [](const auto& each) {
      const std::string& first = each.param.front();
      return first.substr(first.rfind(' ') + 1);
    });

}  // namespace
}  // namespace isolume::workbench
