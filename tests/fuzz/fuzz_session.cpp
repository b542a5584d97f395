// A session may be refused with InputError; one that is read is written, and read again as the same.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include <unistd.h>

#include "core/base/error.h"
#include "core/base/text_file.h"
#include "core/sessions/session.h"

namespace {

/// In memory, where there is room for it.
std::filesystem::path written() {
  const std::filesystem::path memory = "/dev/shm";
  const auto folder = std::filesystem::exists(memory) ? memory : std::filesystem::temp_directory_path();
  return folder / ("fuzz_session." + std::to_string(getpid()) + ".isolume");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace isolume::sessions;
  static const std::filesystem::path path = written();
  constexpr std::size_t largest = std::size_t{64} << 20;
  try {
    const Session session = session_of_text({reinterpret_cast<const char*>(data), size}, "fuzzed");
    write_session(session, path);
    const std::string text = isolume::read_text_file(path, largest);
    const Session again = session_of_text(text, path);
    if (again.shown != session.shown || again.documents.size() != session.documents.size()) std::abort();
    for (std::size_t i = 0; i < session.documents.size(); ++i) {
      const DocumentSession &before = session.documents[i], &after = again.documents[i];
      const bool same = before.lab == after.lab && before.front == after.front &&
                        before.data.has_value() == after.data.has_value() &&
                        before.parameters == after.parameters && before.camera == after.camera &&
                        before.state == after.state;
      if (!same) std::abort();
    }
    write_session(again, path);
    if (isolume::read_text_file(path, largest) != text) std::abort();
  } catch (const isolume::InputError&) {
  }
  return 0;
}
