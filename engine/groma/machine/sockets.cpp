#include "groma/machine/sockets.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sched.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <nlohmann/json.hpp>
#include <utility>

#include "groma/clock/clocks.hpp"
#include "groma/mpi/texts.hpp"

namespace groma {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t patience_ns = 1'000'000'000;

/// Addresses at which another host may reach this one.
std::vector<std::string> own_addresses() {
  std::vector<std::string> found;
  ifaddrs* first = nullptr;
  if (getifaddrs(&first) != 0) return found;
  for (const ifaddrs* one = first; one != nullptr; one = one->ifa_next) {
    const bool usable = (one->ifa_flags & IFF_UP) != 0 && (one->ifa_flags & IFF_LOOPBACK) == 0;
    if (!usable || one->ifa_addr == nullptr || one->ifa_addr->sa_family != AF_INET) continue;
    std::array<char, INET_ADDRSTRLEN> text{};
    const auto* address = reinterpret_cast<const sockaddr_in*>(one->ifa_addr);
    if (inet_ntop(AF_INET, &address->sin_addr, text.data(), text.size()) != nullptr) found.emplace_back(text.data());
  }
  freeifaddrs(first);
  return found;
}

sockaddr* general(sockaddr_in& address) { return reinterpret_cast<sockaddr*>(&address); }

bool ready(const Descriptor& socket, short what, std::int64_t deadline_ns) {
  pollfd one{.fd = socket.get(), .events = what, .revents = 0};
  const std::int64_t left_ms = (deadline_ns - Monotonic::now()) / 1'000'000;
  return poll(&one, 1, static_cast<int>(std::max(std::int64_t{0}, left_ms))) == 1;
}

Descriptor new_socket() { return Descriptor(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)); }

void send_at_once(const Descriptor& socket) {
  const int yes = 1;
  setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
}

/// Listens on every interface, on a port that the system chooses; 0 if that fails.
int listen_somewhere(const Descriptor& socket) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_ANY);
  socklen_t length = sizeof address;
  const bool listening = socket.open() && bind(socket.get(), general(address), length) == 0 &&
                         listen(socket.get(), 8) == 0 && getsockname(socket.get(), general(address), &length) == 0;
  return listening ? ntohs(address.sin_port) : 0;
}

/// The first connection that sends the token, because any process may connect to an open port.
std::optional<Connection> accepted(const Descriptor& listening, std::uint64_t token, std::int64_t deadline_ns) {
  while (Monotonic::now() < deadline_ns) {
    if (!ready(listening, POLLIN, deadline_ns)) continue;
    Descriptor socket(accept4(listening.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!socket.open()) continue;
    send_at_once(socket);
    Connection connection(std::move(socket));
    connection.until(std::min(deadline_ns, Monotonic::now() + patience_ns / 10));
    std::uint64_t heard = 0;
    connection.receive(reinterpret_cast<std::byte*>(&heard), sizeof heard);
    if (!connection.good() || heard != token) continue;
    connection.send(reinterpret_cast<const std::byte*>(&token), sizeof token);
    if (connection.good()) return connection;
  }
  return std::nullopt;
}

std::optional<Connection> reached(const std::string& host, int port, std::uint64_t token, std::int64_t deadline_ns) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  Descriptor socket = new_socket();
  if (!socket.open() || inet_pton(AF_INET, host.c_str(), &address.sin_addr) != 1) return std::nullopt;
  if (connect(socket.get(), general(address), sizeof address) != 0 && errno != EINPROGRESS) return std::nullopt;
  int error = 0;
  socklen_t length = sizeof error;
  if (!ready(socket, POLLOUT, deadline_ns)) return std::nullopt;
  if (getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &error, &length) != 0 || error != 0) return std::nullopt;
  send_at_once(socket);
  Connection connection(std::move(socket));
  connection.until(deadline_ns);
  std::uint64_t heard = 0;
  connection.send(reinterpret_cast<const std::byte*>(&token), sizeof token);
  connection.receive(reinterpret_cast<std::byte*>(&heard), sizeof heard);
  if (!connection.good() || heard != token) return std::nullopt;
  return connection;
}

}  // namespace

Descriptor::Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  std::swap(number_, other.number_);
  return *this;
}

Descriptor::~Descriptor() {
  if (number_ >= 0) close(number_);
}

/// Polls: a process that sleeps is woken late. `move` says how many bytes a system call moved.
template <class Move>
void Connection::move_all(std::size_t bytes, Move move) {
  std::size_t done = 0;
  while (good_ && done < bytes) {
    const ssize_t moved = move(done);
    if (moved > 0) {
      done += static_cast<std::size_t>(moved);
      continue;
    }
    const bool later = moved < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR);
    good_ = later && Monotonic::now() < deadline_ns_;
    sched_yield();
  }
}

void Connection::send(const std::byte* from, std::size_t bytes) {
  move_all(bytes, [&](std::size_t done) { return ::send(socket_.get(), from + done, bytes - done, MSG_NOSIGNAL); });
}

void Connection::receive(std::byte* to, std::size_t bytes) {
  move_all(bytes, [&](std::size_t done) { return ::recv(socket_.get(), to + done, bytes - done, 0); });
}

std::optional<Connection> connected(const Comm& pair) {
  const bool listens = pair.rank() == 0;
  Descriptor listening;
  Json meeting;
  if (listens) {
    listening = new_socket();
    const auto token = static_cast<std::uint64_t>(Monotonic::now()) * 0x9e3779b97f4a7c15U;
    meeting = {{"addresses", own_addresses()}, {"port", listen_somewhere(listening)}, {"token", token}};
  }
  meeting = Json::parse(broadcast_text(pair, listens ? meeting.dump() : std::string()));
  const std::int64_t deadline_ns = Monotonic::now() + patience_ns;
  const auto token = meeting["token"].get<std::uint64_t>();
  std::optional<Connection> found;
  if (listens) {
    found = accepted(listening, token, deadline_ns);
  } else {
    const auto addresses = meeting["addresses"].get<std::vector<std::string>>();
    auto left = static_cast<std::int64_t>(addresses.size());
    for (const std::string& address : addresses) {
      const std::int64_t now_ns = Monotonic::now();
      if (!found) found = reached(address, meeting["port"], token, now_ns + (deadline_ns - now_ns) / left);
      --left;
    }
  }
  int both = found.has_value() ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &both, 1, MPI_INT, MPI_MIN, pair.get());
  return both == 1 ? std::move(found) : std::nullopt;
}

}  // namespace groma
