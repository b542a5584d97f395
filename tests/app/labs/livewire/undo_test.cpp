// Changes of contours and of parameters in one list of undo entries, whose numbers for merging meet.
#include <QUndoStack>
#include <array>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "app/labs/livewire/tools/tracing_model.h"
#include "app/workbench/contract/lab.h"
#include "app/workbench/parameters/parameter_history.h"

namespace isolume::labs::livewire {
namespace {

struct Values {
  int first = 0, second = 0;
};

const parameters::Schema<Values>& schema() {
  static const parameters::Schema<Values> schema({
      parameters::field("first", &Values::first, "First").range(-1000, 1000).help("A number."),
      parameters::field("second", &Values::second, "Second").range(-1000, 1000).help("Another one."),
  });
  return schema;
}

/// Nothing but its parameters.
class ParametersAlone final : public workbench::Lab {
 public:
  std::vector<workbench::LabPanel> panels() override { return {}; }
  void open(const std::filesystem::path&) override {}
  parameters::ParameterSet* parameters() override { return &set_; }
  void set_parameter(std::string_view key, const parameters::Value& value) override { set_.set(key, value); }
  void write_image(const std::filesystem::path&, int, int, bool, int) override {}
  Values values;

 private:
  parameters::StructParameters<Values> set_{schema(), values};
};

/// What the list should do, written anew: entries side by side, of which the last takes up the next one where
/// both are of one kind (0: contours, 1 and 2: the parameters) and one gesture.
class Expected {
 public:
  struct State {
    std::array<int, 3> numbers{};  ///< by kind
    bool operator==(const State&) const = default;
  };
  void change(int kind, int number, int gesture) {
    entries_.resize(at_);
    if (at_ > 0 && gesture != 0 && entries_.back().kind == kind && entries_.back().gesture == gesture) {
      entries_.back().after = number;
      // A parameter that is back where it was leaves no entry.
      if (kind != 0 && entries_.back().after == entries_.back().before) {
        entries_.pop_back();
        --at_;
      }
    } else {
      entries_.push_back({kind, gesture, state.numbers[static_cast<std::size_t>(kind)], number});
      ++at_;
    }
    state.numbers[static_cast<std::size_t>(kind)] = number;
  }
  void undo() {
    if (at_ == 0) return;
    --at_;
    state.numbers[static_cast<std::size_t>(entries_[at_].kind)] = entries_[at_].before;
  }
  void redo() {
    if (at_ == entries_.size()) return;
    state.numbers[static_cast<std::size_t>(entries_[at_].kind)] = entries_[at_].after;
    ++at_;
  }
  std::size_t count() const { return entries_.size(); }
  State state;

 private:
  struct Entry {
    int kind = 0, gesture = 0, before = 0, after = 0;
  };
  std::vector<Entry> entries_;
  std::size_t at_ = 0;
};

TEST(Undo, KindsOfEntriesAreNeverTakenForEachOther) {
  QUndoStack undo;
  ParametersAlone lab;
  workbench::ParameterHistory history(lab, undo);
  TracingModel model(undo);
  auto image = std::make_shared<images::Document>();
  image->volume.geometry.dimensions = {4, 4, 4};
  model.set_image(image, {});
  // The number of the contours' kind is the label with which a set was made.
  const auto number_of = [](const contours::ContourSet& set) {
    return set.labels().empty() ? 0 : set.labels().back().value;
  };
  const auto with_number = [](int number) {
    contours::ContourSet set;
    set.put_label({.value = number, .name = "L", .colour = "#ff0000"});
    return set;
  };
  Expected expected;
  expected.state.numbers[0] = number_of(model.contours());
  std::mt19937 random(7);
  const auto below = [&random](int count) {
    return static_cast<int>(random() % static_cast<unsigned>(count));
  };
  int gesture = 0, gestures = 0, drag = 1;
  for (int step = 0; step < 100'000; ++step) {
    const int what = below(20);
    if (what < 5) {
      const int number = 1 + below(5), merge = below(2) * drag;
      model.change("Move seed", with_number(number), merge);
      expected.change(0, number, merge);
    } else if (what < 10) {
      const int kind = 1 + below(2), number = below(4);
      history.set(kind == 1 ? "first" : "second", std::int64_t{number});
      if (number != expected.state.numbers[static_cast<std::size_t>(kind)])
        expected.change(kind, number, gesture);
    } else if (what < 14) {
      undo.undo();
      expected.undo();
    } else if (what < 17) {
      undo.redo();
      expected.redo();
    } else if (what == 17) {
      ++drag;
    } else if (what == 18) {
      history.begin_gesture();
      gesture = ++gestures;
    } else {
      history.end_gesture();
      gesture = 0;
    }
    const Expected::State is{{number_of(model.contours()), lab.values.first, lab.values.second}};
    ASSERT_EQ(is, expected.state) << "step " << step;
    ASSERT_EQ(static_cast<std::size_t>(undo.count()), expected.count()) << "step " << step;
  }
}

}  // namespace
}  // namespace isolume::labs::livewire
