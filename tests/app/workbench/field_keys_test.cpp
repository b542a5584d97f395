// Keys that people press while a field of the parameter panel has the keyboard.
#include <QAction>
#include <QColorDialog>
#include <QComboBox>
#include <QKeyEvent>
#include <QLineEdit>
#include <QSlider>
#include <QToolButton>
#include <QUndoStack>

#include "app/scene/view/view_widget.h"
#include "app/workbench/parameters/number_box.h"
#include "tests/app/workbench/two_labs_test.h"

namespace isolume::workbench {
namespace {

class FieldKeysTest : public TwoLabsTest {
 protected:
  void SetUp() override { ASSERT_EQ(run({"file.open " + file("a.word")}), ""); }
  template <class Widget>
  Widget* find(const char* name) {
    auto* found = window->findChild<Widget*>(name);
    EXPECT_NE(found, nullptr) << name;
    return found;
  }
  /// As with the mouse and the keys; Enter is not pressed.
  template <class Field>
  Field* type(const char* name, const QString& text) {
    auto* field = find<Field>(name);
    QTest::mouseClick(field, Qt::LeftButton, {}, QPoint(8, field->height() / 2));
    EXPECT_TRUE(field->hasFocus()) << name;
    field->selectAll();
    QTest::keyClicks(field, text);
    return field;
  }
  /// To whatever has the keyboard.
  void press(Qt::Key key, Qt::KeyboardModifiers modifiers = {}) {
    QTest::keyClick(QApplication::focusWidget(), key, modifiers);
    QCoreApplication::processEvents();
  }
  bool view_has_keyboard() { return QApplication::focusWidget() == &window->view(); }
};

TEST_F(FieldKeysTest, EnterTakesWhatWasTypedAndGivesTheKeyboardBackToTheView) {
  type<NumberBox>("opacity.number", "0.25");
  press(Qt::Key_Return);
  EXPECT_EQ(fake_made->values.opacity, 0.25);
  EXPECT_TRUE(view_has_keyboard());
  type<QLineEdit>("title.text", "two words");
  press(Qt::Key_Enter, Qt::KeypadModifier);
  EXPECT_EQ(fake_made->values.title, "two words");
  EXPECT_TRUE(view_has_keyboard());
  press(Qt::Key_Z, Qt::ControlModifier);
  press(Qt::Key_Z, Qt::ControlModifier);
  EXPECT_EQ(fake_made->values.title, "nothing");
  EXPECT_EQ(fake_made->values.opacity, 0.5);
  EXPECT_EQ(window->undo_stack().count(), 2);
  for (const char* name : {"style.choice", "opacity.slider", "atoms.flag"}) {
    find<QWidget>(name)->setFocus();
    press(Qt::Key_Return);
    EXPECT_TRUE(view_has_keyboard()) << name;
  }
}

TEST_F(FieldKeysTest, UndoAndRedoWorkFromEveryField) {
  ASSERT_EQ(run({"parameter.set steps 7"}), "");
  for (const char* name : {"opacity.number", "isovalue.number", "title.text", "colour.text", "style.choice",
                           "opacity.slider", "atoms.flag"}) {
    find<QWidget>(name)->setFocus();
    press(Qt::Key_Z, Qt::ControlModifier);
    EXPECT_EQ(fake_made->values.steps, 4) << name;
    press(Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
    EXPECT_EQ(fake_made->values.steps, 7) << name;
  }
}

TEST_F(FieldKeysTest, WhileANumberIsTypedUndoAndEscapeTakeBackWhatWasTyped) {
  ASSERT_EQ(run({"parameter.set steps 7"}), "");
  auto* number = type<NumberBox>("opacity.number", "0.3");
  press(Qt::Key_Z, Qt::ControlModifier);
  EXPECT_EQ(fake_made->values.steps, 7);
  EXPECT_EQ(number->text(), "0.5");
  type<NumberBox>("opacity.number", "0.3");
  press(Qt::Key_Escape);
  EXPECT_TRUE(view_has_keyboard());
  EXPECT_EQ(number->text(), "0.5");
  EXPECT_EQ(fake_made->values.opacity, 0.5);
  auto* title = type<QLineEdit>("title.text", "never meant");
  press(Qt::Key_Escape);
  EXPECT_TRUE(view_has_keyboard());
  EXPECT_EQ(title->text(), "nothing");
  EXPECT_EQ(fake_made->values.title, "nothing");
  EXPECT_EQ(window->undo_stack().count(), 1);
}

/// Values are shown with four digits, which are not typed.
TEST_F(FieldKeysTest, TypedTextThatIsTakenBackLeavesTheExactValue) {
  constexpr double exact = 0.123456789;
  ASSERT_EQ(run({"parameter.set opacity 0.123456789"}), "");
  for (const auto& [key, modifier] :
       {std::pair(Qt::Key_Escape, Qt::NoModifier), std::pair(Qt::Key_Z, Qt::ControlModifier)}) {
    auto* number = type<NumberBox>("opacity.number", "0.3");
    press(key, modifier);
    find<QWidget>("title.text")->setFocus();
    EXPECT_EQ(number->text(), "0.1235");
    EXPECT_EQ(fake_made->values.opacity, exact);
  }
  EXPECT_EQ(window->undo_stack().count(), 1);
}

TEST_F(FieldKeysTest, AChangeMayChangeTheRowItself) {
  auto* style = find<QComboBox>("style.choice");
  style->setFocus();
  press(Qt::Key_Down);
  EXPECT_EQ(find<QComboBox>("style.choice"), style);
  EXPECT_EQ(style->itemText(0), "Smooth, as before");
  press(Qt::Key_Up);
  EXPECT_EQ(style->itemText(0), "Smooth");
  // Another range of an integer makes all rows anew, also the one that is being left.
  type<QLineEdit>("title.text", "many");
  press(Qt::Key_Return);
  EXPECT_EQ(find<NumberBox>("steps.number")->maximum(), 99);
  EXPECT_EQ(find<QLineEdit>("title.text")->text(), "many");
}

TEST_F(FieldKeysTest, AWindowThatClosesTakesNoTypedText) {
  for (const char* text : {"forbidden", "never meant"}) {
    type<QLineEdit>("title.text", text);
    if (text == std::string("forbidden")) press(Qt::Key_Return);
    window->close();
    EXPECT_EQ(fake_made->values.title, "nothing") << text;
    window->show();
    QApplication::setActiveWindow(window.get());
  }
  type<QLineEdit>("title.text", "never meant");  // and the window is destroyed
}

TEST_F(FieldKeysTest, WhatIsRefusedStaysToBeCorrected) {
  auto* title = type<QLineEdit>("title.text", "forbidden");
  press(Qt::Key_Return);
  EXPECT_EQ(fake_made->values.title, "nothing");
  EXPECT_EQ(title->text(), "forbidden");
  ASSERT_TRUE(title->hasFocus());
  QTest::keyClick(title, Qt::Key_Backspace);
  press(Qt::Key_Return);
  EXPECT_EQ(fake_made->values.title, "forbidde");
  EXPECT_TRUE(view_has_keyboard());
  type<QLineEdit>("title.text", "forbidden");
  press(Qt::Key_Return);
  press(Qt::Key_Escape);
  EXPECT_TRUE(view_has_keyboard());
  EXPECT_EQ(title->text(), "forbidde");
}

TEST_F(FieldKeysTest, WhatIsTypedStaysWhenAValueArrives) {
  auto* title = type<QLineEdit>("title.text", "half a ti");
  ASSERT_EQ(run({"parameter.set title arrived", "parameter.set steps 7"}), "");
  EXPECT_EQ(title->text(), "half a ti");
  QTest::keyClicks(title, "tle");
  press(Qt::Key_Return);
  EXPECT_EQ(fake_made->values.title, "half a title");
  auto* number = type<NumberBox>("opacity.number", "0.3");
  ASSERT_EQ(run({"parameter.set opacity 0.9"}), "");
  EXPECT_EQ(number->text(), "0.3");
  press(Qt::Key_Return);
  EXPECT_EQ(fake_made->values.opacity, 0.3);
  type<QLineEdit>("title.text", "never meant");
  ASSERT_EQ(run({"parameter.set title later"}), "");
  press(Qt::Key_Escape);
  EXPECT_EQ(title->text(), "later") << "the present value, not that of before";
  EXPECT_EQ(fake_made->values.title, "later");
  type<QLineEdit>("title.text", "never meant either");
  find<QToolButton>("title.reset")->click();
  EXPECT_EQ(title->text(), "nothing");
}

TEST_F(FieldKeysTest, SpaceInANumberIsTheWindowsAndInATextALetter) {
  auto* action = new QAction(window.get());
  action->setShortcut(Qt::Key_Space);
  window->addAction(action);
  int played = 0;
  QObject::connect(action, &QAction::triggered, action, [&played] { ++played; });
  auto* number = type<NumberBox>("opacity.number", "0.3");
  press(Qt::Key_Space);
  EXPECT_EQ(played, 1);
  EXPECT_EQ(number->text(), "0.3");
  number->selectAll();
  action->setEnabled(false);
  press(Qt::Key_Space);
  EXPECT_EQ(number->text(), "0.3") << "it must not be blanked";
  action->setEnabled(true);
  auto* title = type<QLineEdit>("title.text", "a b");
  EXPECT_EQ(title->text(), "a b");
  EXPECT_EQ(played, 1);
  find<QWidget>("opacity.slider")->setFocus();
  press(Qt::Key_Space);
  EXPECT_EQ(played, 2);
}

TEST_F(FieldKeysTest, EscapeInAFieldEndsWhatIsComputed) {
  window->run("file.open", {file("slow.word", "slow")});
  ASSERT_TRUE(QTest::qWaitFor([&] { return window->busy(); }, patience_ms));
  find<QWidget>("opacity.number")->setFocus();
  press(Qt::Key_Escape);
  const auto* cancel = find<QAction>("job.cancel");
  EXPECT_TRUE(QTest::qWaitFor([&] { return !window->busy() && !cancel->isEnabled(); }, patience_ms));
  find<QWidget>("opacity.number")->setFocus();
  press(Qt::Key_Escape);
  EXPECT_TRUE(view_has_keyboard()) << "it means nothing else now";
}

/// Wants Esc and undo for itself, as a view does in which something is being traced.
class Tracing final : public QObject {
 public:
  bool eventFilter(QObject*, QEvent* event) override {
    if (event->type() != QEvent::ShortcutOverride && event->type() != QEvent::KeyPress) return false;
    const auto* key = static_cast<QKeyEvent*>(event);
    const bool wanted = key->key() == Qt::Key_Escape || key->matches(QKeySequence::Undo);
    if (wanted) event->accept();
    if (wanted && event->type() == QEvent::KeyPress) ++presses;
    return wanted;
  }
  int presses = 0;
};

TEST_F(FieldKeysTest, WhatTheViewTakesForItselfItGetsFromFields) {
  ASSERT_EQ(run({"parameter.set steps 7"}), "");
  Tracing tracing;
  window->view().installEventFilter(&tracing);
  find<QWidget>("opacity.number")->setFocus();
  press(Qt::Key_Z, Qt::ControlModifier);
  press(Qt::Key_Escape);
  EXPECT_EQ(tracing.presses, 2);
  EXPECT_EQ(fake_made->values.steps, 7);
}

TEST_F(FieldKeysTest, AColourIsTakenByItsNameAndByItsButtonAndRefusedAsAWhole) {
  auto* text = type<QLineEdit>("colour.text", "SteelBlue");
  press(Qt::Key_Return);
  EXPECT_EQ(fake_made->values.colour, "#4682b4");
  EXPECT_EQ(text->text(), "#4682b4");
  type<QLineEdit>("colour.text", "steel");
  press(Qt::Key_Return);
  EXPECT_EQ(fake_made->values.colour, "#4682b4");
  EXPECT_EQ(text->text(), "steel");
  find<QWidget>("opacity.slider")->setFocus();
  EXPECT_EQ(text->text(), "#4682b4") << "it was left as it was";
  EXPECT_EQ(window->undo_stack().count(), 1);

  const auto dialog = [&] {
    QTest::mouseClick(find<QToolButton>("colour.picker"), Qt::LeftButton);
    auto* opened = window->findChild<QColorDialog*>("colour-dialog");
    EXPECT_NE(opened, nullptr);
    return opened;
  };
  auto* cancelled = dialog();
  cancelled->setCurrentColor(Qt::red);
  QTest::qWait(900);  // longer than what the wheel does belongs together
  cancelled->setCurrentColor(Qt::green);
  EXPECT_EQ(fake_made->values.colour, "#00ff00") << "it follows while one chooses";
  cancelled->reject();
  EXPECT_EQ(fake_made->values.colour, "#4682b4");
  EXPECT_EQ(window->undo_stack().count(), 1) << "a dialog that was cancelled leaves nothing";
  QTest::qWait(0);  // it is deleted
  auto* chosen = dialog();
  chosen->setCurrentColor(Qt::red);
  QTest::qWait(900);
  chosen->setCurrentColor(Qt::blue);
  chosen->accept();
  EXPECT_EQ(fake_made->values.colour, "#0000ff");
  EXPECT_EQ(window->undo_stack().count(), 2) << "all that was tried out is one step";
  ASSERT_EQ(run({"edit.undo"}), "");
  EXPECT_EQ(fake_made->values.colour, "#4682b4");
}

TEST_F(FieldKeysTest, AValueThatTheLabTakesAndCannotShowIsTakenBack) {
  type<QLineEdit>("title.text", "poison");
  press(Qt::Key_Return);
  EXPECT_EQ(fake_made->values.title, "nothing");
  EXPECT_EQ(window->undo_stack().count(), 0);
  EXPECT_EQ(run({"parameter.set opacity 0.25", "edit.undo"}), "") << "later changes must go well";
  EXPECT_EQ(fake_made->values.opacity, 0.5);
}

}  // namespace
}  // namespace isolume::workbench
