#include "core/isolation/channel.h"

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/error.h"

namespace isolume::isolation {
namespace {

/// Of requests and of answers; numbers go through shared memory.
constexpr std::size_t most_bytes = 160 << 10;

[[noreturn]] void fail_to_share(std::size_t bytes) {
  throw Error(fmt::format("{} of memory could not be shared with isolume-reader ({}). Free some memory.",
                          format_bytes(bytes), std::strerror(errno)));
}

}  // namespace

int Descriptor::release() {
  return std::exchange(number_, -1);
}

void Descriptor::reset(int number) {
  if (number_ >= 0) ::close(number_);
  number_ = number;
}

SharedMemory::SharedMemory(std::size_t bytes)
    : own_(::memfd_create("isolume-reader", MFD_CLOEXEC | MFD_ALLOW_SEALING)), bytes_(bytes) {
  if (own_.get() < 0 || ::ftruncate(own_.get(), static_cast<off_t>(bytes)) != 0 ||
      ::fcntl(own_.get(), F_ADD_SEALS, F_SEAL_SHRINK) != 0) {
    fail_to_share(bytes);
  }
  map(own_.get());
}

SharedMemory::SharedMemory(const Descriptor& descriptor, std::size_t bytes) : bytes_(bytes) {
  map(descriptor.get());
}

void SharedMemory::map(int descriptor) {
  void* const mapped = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (mapped == MAP_FAILED) fail_to_share(bytes_);
  data_ = static_cast<std::byte*>(mapped);
}

SharedMemory::~SharedMemory() {
  ::munmap(data_, bytes_);
}

bool holds(const Descriptor& descriptor, std::size_t bytes) {
  struct stat found = {};
  const int seals = ::fcntl(descriptor.get(), F_GET_SEALS);
  return seals >= 0 && (seals & F_SEAL_SHRINK) != 0 && ::fstat(descriptor.get(), &found) == 0 &&
         static_cast<std::size_t>(found.st_size) == bytes;
}

bool Channel::send(const nlohmann::json& text, const Descriptor* descriptor) {
  // Not as text, which holds neither NaN nor every byte.
  std::vector<std::uint8_t> bytes = nlohmann::json::to_cbor(text);
  if (bytes.size() > most_bytes) return false;
  iovec part{bytes.data(), bytes.size()};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control = {};
  msghdr header = {};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  if (descriptor != nullptr) {
    header.msg_control = control.data();
    header.msg_controllen = control.size();
    cmsghdr* const with = CMSG_FIRSTHDR(&header);
    with->cmsg_level = SOL_SOCKET;
    with->cmsg_type = SCM_RIGHTS;
    with->cmsg_len = CMSG_LEN(sizeof(int));
    const int number = descriptor->get();
    std::memcpy(CMSG_DATA(with), &number, sizeof number);
  }
  for (;;) {
    if (::sendmsg(socket_.get(), &header, MSG_NOSIGNAL) >= 0) return true;
    if (errno != EINTR) return false;
  }
}

std::optional<Message> Channel::receive(const std::function<void()>& waiting) {
  if (waiting) {
    constexpr int milliseconds = 20;
    pollfd wanted{socket_.get(), POLLIN, 0};
    while (::poll(&wanted, 1, milliseconds) <= 0) waiting();
  }
  std::array<std::uint8_t, most_bytes> bytes;  // not cleared: most messages are a few bytes long
  iovec part{bytes.data(), bytes.size()};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control = {};
  msghdr header = {};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  header.msg_control = control.data();
  header.msg_controllen = control.size();
  ssize_t count = 0;
  do {
    count = ::recvmsg(socket_.get(), &header, MSG_CMSG_CLOEXEC);
  } while (count < 0 && errno == EINTR);
  if (count <= 0) return std::nullopt;
  Message message;
  const cmsghdr* const with = CMSG_FIRSTHDR(&header);
  if (with != nullptr && with->cmsg_level == SOL_SOCKET && with->cmsg_type == SCM_RIGHTS) {
    int number = -1;
    std::memcpy(&number, CMSG_DATA(with), sizeof number);
    message.descriptor.reset(number);
  }
  message.text = nlohmann::json::from_cbor(bytes.begin(), bytes.begin() + count, true, false);
  if (message.text.is_discarded() || (header.msg_flags & MSG_TRUNC) != 0) return std::nullopt;
  return message;
}

}  // namespace isolume::isolation
