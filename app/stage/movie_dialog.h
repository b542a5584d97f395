#pragma once

#include <string>

#include "app/stage/stage.h"

namespace isolume::stage {

/// Asks for a movie's name and length while Overlays::movie is set.
class MovieDialog {
 public:
  void lay_out(Stage& stage, float scale);

 private:
  std::string path_;  ///< empty: the dialog has not been opened
  float seconds_ = 10;
  bool shown_ = false;
};

}  // namespace isolume::stage
