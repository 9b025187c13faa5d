// A TCP connection between two ranks of different hosts, which gives up when it takes too long.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "groma/mpi/handles.hpp"

namespace groma {

/// An open file that closes itself.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept;
  Descriptor& operator=(Descriptor&& other) noexcept;
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor();
  [[nodiscard]] int get() const { return number_; }
  [[nodiscard]] bool open() const { return number_ >= 0; }

 private:
  int number_;
};

/// Bytes both ways. Once a call has failed or has taken longer than `patience_ns`, all later ones do nothing.
class Connection {
 public:
  explicit Connection(Descriptor socket) : socket_(std::move(socket)) {}
  void send(const std::byte* from, std::size_t bytes);
  void receive(std::byte* to, std::size_t bytes);
  /// The deadline for all messages that follow.
  void until(std::int64_t deadline_ns) { deadline_ns_ = deadline_ns; }
  [[nodiscard]] bool good() const { return good_; }

 private:
  template <class Move>
  void move_all(std::size_t bytes, Move move);

  Descriptor socket_;
  std::int64_t deadline_ns_ = 0;
  bool good_ = true;
};

/// A connection of the two ranks of `pair`, over the first address of rank 0's host that rank 1 reaches; none if
/// that took longer than a second. Collective; the same answer on both.
std::optional<Connection> connected(const Comm& pair);

}  // namespace groma
