// Neurons in the window: marks, followed centre lines, undo, files, session, tubes.
#include <QImage>
#include <QTableWidget>
#include <QTest>
#include <fstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "app/scene/view/view_widget.h"
#include "app/slices/linked_slices.h"
#include "core/anatomy/image.h"
#include "core/anatomy/labels.h"
#include "core/neurons/neuron_phantom.h"
#include "tests/app/lab_window_test.h"

namespace isolume::labs::anatomy {

workbench::LabEntry lab_entry();

namespace {

class AnatomyNeuronsLabTest : public LabWindowTest {
 protected:
  AnatomyNeuronsLabTest() : LabWindowTest({lab_entry()}) {}
  void SetUp() override {
    phantom = neurons::neuron_phantom(96, slices);
    isolume::anatomy::write_image(phantom.grid, phantom.values, path("stack.nrrd"));
    ASSERT_EQ(run({"anatomy.fixed.open " + path("stack.nrrd"), "parameter.set surfaces none"}), "");
  }
  /// The centre of a fibre in a slice, as arguments.
  std::string at(std::size_t fibre, int slice) const {
    const Eigen::Vector2d& centre = phantom.axons[fibre].centres[static_cast<std::size_t>(slice)];
    const Eigen::Vector3d p = phantom.grid.position(centre.x(), centre.y(), slice);
    return fmt::format("{:.9g} {:.9g} {:.9g}", p.x(), p.y(), p.z());
  }
  static constexpr int slices = 12;
  neurons::NeuronPhantom phantom;
};

TEST_F(AnatomyNeuronsLabTest, AMarkFollowsANeuron) {
  EXPECT_NE(run({"anatomy.neurons.result"}).find("Mark one first"), std::string::npos);
  ASSERT_EQ(run({"anatomy.neuron.mark third " + at(0, 4), "anatomy.neuron.mark third " + at(1, 7)}), "");
  const auto neurons = answer("anatomy.neurons.result")["neurons"];
  ASSERT_EQ(neurons.size(), 2U);
  for (const auto& each : neurons) {
    EXPECT_EQ(each["sections"], slices);
    EXPECT_TRUE(each["ends"].empty()) << each.dump();
    EXPECT_NEAR(each["mean_width_mm"], 2e-5 * 9, 1e-5 * 5);
  }
  const auto* table = window->findChild<QTableWidget*>("anatomy.neurons.table");
  EXPECT_EQ(table->rowCount(), 2);
  EXPECT_TRUE(table->item(0, 1)->text().contains("µm")) << table->item(0, 1)->text().toStdString();

  auto& view = *window->findChild<scene::ViewWidget*>();
  const auto coloured = [&] {
    const QImage image = view.grabFramebuffer();
    int count = 0;
    for (int y = 0; y < image.height(); ++y) {
      for (int x = 0; x < image.width(); ++x) {
        const QColor colour = image.pixelColor(x, y);
        count += colour.value() > 90 && colour.saturation() > 90 ? 1 : 0;
      }
    }
    return count;
  };
  QTRY_VERIFY_WITH_TIMEOUT(coloured() > 500, patience_ms);

  ASSERT_EQ(run({"anatomy.neurons.save " + path("found.swc"), "anatomy.neurons.save " + path("found.csv"),
                 "anatomy.neurons.save " + path("found.nrrd")}),
            "");
  std::ifstream swc(path("found.swc")), csv(path("found.csv"));
  std::string line;
  int roots = 0, rows = 0;
  while (std::getline(swc, line)) roots += line.ends_with(" -1") ? 1 : 0;
  while (std::getline(csv, line)) ++rows;
  EXPECT_EQ(roots, 2);
  EXPECT_EQ(rows, 3);
  const auto labels = isolume::anatomy::read_labels(path("found.nrrd"));
  EXPECT_EQ(isolume::anatomy::label_volumes(labels).size(), 2U);

  // One step of undo for each mark; sessions hold them.
  ASSERT_EQ(run({"session.save-as " + path("neurons.isolume"), "edit.undo"}), "");
  EXPECT_EQ(answer("anatomy.neurons.result")["neurons"].size(), 1U);
  ASSERT_EQ(run({"anatomy.neurons.clear"}), "");
  EXPECT_EQ(table->rowCount(), 0);
  ASSERT_EQ(run({"file.open " + path("neurons.isolume")}), "");
  EXPECT_EQ(answer("anatomy.neurons.result")["neurons"], neurons);
  ASSERT_EQ(run({"parameter.set neuron-tubes false"}), "");
  QTRY_COMPARE_WITH_TIMEOUT(coloured(), 0, patience_ms);
}

TEST_F(AnatomyNeuronsLabTest, ACorrectionMovesTheFollowingSlices) {
  // The second mark lies in the neighbour: a neuron takes it over from there on, which shows where corrections count.
  ASSERT_EQ(run({"anatomy.neuron.mark third " + at(0, 0), "anatomy.neuron.correct 1 " + at(1, 6),
                 "anatomy.neurons.save " + path("corrected.nrrd")}),
            "");
  const auto labels = isolume::anatomy::read_labels(path("corrected.nrrd"));
  const auto label_at = [&](std::size_t fibre, int slice) {
    const Eigen::Vector2d& centre = phantom.axons[fibre].centres[static_cast<std::size_t>(slice)];
    const auto x = static_cast<std::size_t>(centre.x() + 0.5), y = static_cast<std::size_t>(centre.y() + 0.5);
    return labels.values[labels.indices[(static_cast<std::size_t>(slice) * 96 + y) * 96 + x]];
  };
  for (int slice = 0; slice < slices; ++slice) {
    EXPECT_EQ(label_at(0, slice), slice < 6 ? 1 : 0) << slice;
    EXPECT_EQ(label_at(1, slice), slice < 6 ? 0 : 1) << slice;
  }
  EXPECT_NE(run({"anatomy.neuron.correct 3 0 0 0"}).find("There is no neuron 3"), std::string::npos);
  EXPECT_NE(run({"anatomy.neuron.mark third 0 0 9"}).find("outside of the image"), std::string::npos);
  // A click without a selected row.
  window->findChild<QTableWidget*>("anatomy.neurons.table")->clearSelection();
  ASSERT_EQ(run({"parameter.set neuron-tool correct"}), "");
  slices::SliceView& large = window->findChild<slices::LinkedSlices*>()->large();
  QTest::mouseClick(&large, Qt::LeftButton, {}, large.rect().center());
  EXPECT_EQ(warning(), "Select a neuron in the table first.");
  for (const std::string command : {"anatomy.neuron.mark third ", "anatomy.neuron.correct 1 "}) {
    EXPECT_NE(run({command + at(0, 3) + " 1000"}).find("half of the diagonal of the slices"),
              std::string::npos);
  }
}

TEST_F(AnatomyNeuronsLabTest, ABadMarkAloneOnItsAxisLeavesTheOtherNeurons) {
  // Background: the slices across the first axis have no closed membrane around it.
  const Eigen::Vector3d p = phantom.grid.position(1, 1, 6);
  ASSERT_EQ(run({"anatomy.neuron.mark third " + at(0, 4), "anatomy.neuron.mark third " + at(1, 7),
                 fmt::format("anatomy.neuron.mark first {:.9g} {:.9g} {:.9g}", p.x(), p.y(), p.z())}),
            "");
  const auto neurons = answer("anatomy.neurons.result")["neurons"];
  ASSERT_EQ(neurons.size(), 3U);
  EXPECT_EQ(neurons[0]["sections"], slices);
  EXPECT_EQ(neurons[1]["sections"], slices);
  EXPECT_EQ(neurons[2]["sections"], 0);
  EXPECT_NE(warning().find("Neuron 3 was left out"), std::string::npos) << warning();
}

}  // namespace
}  // namespace isolume::labs::anatomy
