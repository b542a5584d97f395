#include <iostream>
#include <stop_token>

#include <unistd.h>

#include "app/batch/batch.h"
#include "core/base/stop_signals.h"

int main(int argc, char** argv) {
  std::stop_source stop;
  const isolume::StopSignals signals([&stop] { stop.request_stop(); });
  return isolume::batch::run(isolume::batch::labs(), {argv + 1, argv + argc}, std::cout, std::cerr,
                             isatty(STDERR_FILENO) != 0, stop.get_token());
}
