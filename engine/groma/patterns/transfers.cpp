#include "groma/patterns/transfers.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace groma {

Pcg32::Pcg32(std::uint64_t seed, std::uint64_t stream) : increment_(2 * stream + 1) {
  next();
  state_ += seed;
  next();
}

std::uint32_t Pcg32::next() {
  const std::uint64_t old = state_;
  state_ = old * 6364136223846793005U + increment_;
  const auto mixed = static_cast<std::uint32_t>(((old >> 18U) ^ old) >> 27U);
  return std::rotr(mixed, static_cast<int>(old >> 59U));
}

std::uint32_t Pcg32::below(std::uint32_t bound) {
  const std::uint32_t incomplete = -bound % bound;  // 2^32 modulo bound
  while (true) {
    const std::uint32_t drawn = next();
    if (drawn >= incomplete) return drawn % bound;
  }
}

std::vector<Transfer> draw_transfers(const TransferRules& rules) {
  if (rules.ranks < 2) return {};       // nobody to send to
  constexpr std::uint64_t stream = 54;  // that of the generator's own demonstration
  Pcg32 random(rules.seed, stream);
  const auto ranks = static_cast<std::uint32_t>(rules.ranks);
  const auto length = [&] {
    return rules.longest == 0 ? 0 : static_cast<int>(1 + random.below(static_cast<std::uint32_t>(rules.longest)));
  };
  std::vector<Transfer> transfers;
  const std::size_t pairs = static_cast<std::size_t>(rules.ranks) * static_cast<std::size_t>(rules.messages);
  transfers.reserve((rules.both_ways ? 2 : 1) * pairs);
  for (std::size_t i = 0; i < pairs; ++i) {
    const auto source = static_cast<int>(random.below(ranks));
    auto destination = static_cast<int>(random.below(ranks - 1));
    if (destination >= source) ++destination;
    transfers.push_back({source, destination, length()});
  }
  for (std::size_t i = 0; i < pairs && rules.both_ways; ++i) {
    transfers.push_back({transfers[i].destination, transfers[i].source, length()});
  }
  return transfers;
}

std::int64_t total_length(std::span<const Transfer> transfers) {
  std::int64_t total = 0;
  for (const Transfer& transfer : transfers) total += transfer.length;
  return total;
}

Heaviest heaviest(std::span<const Transfer> transfers, int ranks) {
  std::vector<std::int64_t> sent(static_cast<std::size_t>(ranks));
  std::vector<std::int64_t> received(static_cast<std::size_t>(ranks));
  for (const Transfer& transfer : transfers) {
    sent[static_cast<std::size_t>(transfer.source)] += transfer.length;
    received[static_cast<std::size_t>(transfer.destination)] += transfer.length;
  }
  return {*std::max_element(sent.begin(), sent.end()), *std::max_element(received.begin(), received.end())};
}

std::vector<Part> parts_of(std::span<const Transfer> transfers, int rank, SendFrom from) {
  std::vector<Part> parts;
  std::int64_t sent = 0;
  std::int64_t received = 0;
  for (std::size_t number = 0; number < transfers.size(); ++number) {
    const auto [source, destination, length] = transfers[number];
    const auto place = static_cast<std::int64_t>(number);
    if (source == rank) {
      const std::int64_t start = from == SendFrom::places ? std::exchange(sent, sent + length) : 0;
      parts.push_back({true, destination, length, start, place});
    }
    if (destination == rank)
      parts.push_back({false, source, length, std::exchange(received, received + length), place});
  }
  return parts;
}

}  // namespace groma
