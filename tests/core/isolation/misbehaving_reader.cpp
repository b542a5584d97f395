// Stands in for isolume-reader: does what libraries do with damaged files.
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <sys/resource.h>
#include <unistd.h>

#include "core/base/error.h"
#include "core/isolation/served_reader.h"

namespace {

class Misbehaving final : public isolume::isolation::ServedReader {
 public:
  nlohmann::json answer(const nlohmann::json& request, isolume::isolation::NumberSink& numbers) override {
    const std::string wanted = request.at("do");
    if (wanted == "crash") {
      std::signal(SIGSEGV, SIG_DFL);  // the address sanitizer's handler would end it with an exit status
      std::raise(SIGSEGV);
    }
    if (wanted == "leave") ::_exit(3);
    if (wanted == "loop") loop();
    if (wanted == "sleep") ::pause();
    if (wanted == "refuse") throw isolume::Error("it is not what it should be");
    if (wanted == "take memory") return std::vector<char>(std::size_t{1} << 46).size();
    if (wanted == "numbers" || wanted == "break off") count(request, numbers, wanted == "break off");
    if (wanted == "signals") return ::getpgrp() == ::getpid();
    if (wanted == "descriptors") return open_descriptors();
    return request;
  }

 private:
  static void loop() {
    // As the limit does after some seconds.
    const rlimit soon{1, RLIM_INFINITY};
    ::setrlimit(RLIMIT_CPU, &soon);
    for (std::atomic<int> i = 0;; ++i) {
    }
  }
  static void count(const nlohmann::json& request, isolume::isolation::NumberSink& numbers, bool breaks_off) {
    const auto all = request.at("count").get<std::uint64_t>(),
               window = request.at("window").get<std::uint64_t>();
    numbers.put(all * sizeof(double), window * sizeof(double),
                [&](std::uint64_t begin, std::span<std::byte> to) {
                  if (breaks_off && begin > 0) throw isolume::Error("it breaks off");
                  for (std::size_t i = 0; i < to.size(); i += sizeof(double)) {
                    const auto value = static_cast<double>(begin + i) / sizeof(double);
                    std::memcpy(to.data() + i, &value, sizeof value);
                  }
                });
  }
  static int open_descriptors() {
    int count = 0;
    for (int i = 0; i < 100; ++i) count += ::lseek(i, 0, SEEK_CUR) >= 0 || errno != EBADF ? 1 : 0;
    return count;
  }
};

}  // namespace

int main() {
  return isolume::isolation::serve([] { return std::make_unique<Misbehaving>(); });
}
