#pragma once

#include <cstddef>
#include <functional>
#include <optional>

#include <nlohmann/json.hpp>

/// Libraries that are not safe with damaged files read them in a process of their own, isolume-reader, which may crash,
/// hang or run out of memory without harm: the program says a sentence then. Two processes talk through a socket;
/// numbers go through shared memory.
namespace isolume::isolation {

/// Closes what it holds.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  ~Descriptor() { reset(); }
  Descriptor(Descriptor&& other) noexcept : number_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    reset(other.release());
    return *this;
  }
  int get() const { return number_; }
  int release();
  void reset(int number = -1);

 private:
  int number_;
};

/// Memory that two processes see.
class SharedMemory {
 public:
  /// New, or that of the other process. Throws Error.
  explicit SharedMemory(std::size_t bytes);
  SharedMemory(const Descriptor& descriptor, std::size_t bytes);
  ~SharedMemory();
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  std::byte* data() { return data_; }
  const Descriptor& descriptor() const { return own_; }

 private:
  void map(int descriptor);

  Descriptor own_;
  std::size_t bytes_;
  std::byte* data_ = nullptr;
};

/// Whether it is shared memory of so many bytes, which nobody can take away.
bool holds(const Descriptor& descriptor, std::size_t bytes);

struct Message {
  nlohmann::json text;
  Descriptor descriptor = Descriptor();  ///< that came with it
};

/// One end of the socket.
class Channel {
 public:
  explicit Channel(Descriptor socket) : socket_(std::move(socket)) {}

  /// False where nobody listens any more.
  bool send(const nlohmann::json& text, const Descriptor* descriptor = nullptr);
  /// Nothing where nobody sends any more, or what came is no message. `waiting` is called every 20 ms until something
  /// comes, and may throw.
  std::optional<Message> receive(const std::function<void()>& waiting = nullptr);
  void close() { socket_.reset(); }

 private:
  Descriptor socket_;
};

}  // namespace isolume::isolation
