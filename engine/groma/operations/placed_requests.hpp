// Persistent requests of an operation, which hold the addresses of its arrays: made once for each place of these.
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <map>
#include <vector>

#include "groma/info.hpp"

namespace groma {

class PlacedRequests {
 public:
  using Requests = std::vector<MPI_Request>;

  PlacedRequests() = default;
  PlacedRequests(const PlacedRequests&) = delete;
  PlacedRequests& operator=(const PlacedRequests&) = delete;

  /// Those for arrays at this place; `make` returns them if there are none. With `cache=rotate` a place comes again
  /// after all others: so many places are kept, then all are made again. Collective if `make` is.
  template <class Make>
  MPI_Request* at(const Buffers& buffers, Make make) {
    constexpr std::size_t most_places = 4096;
    const std::array<const void*, 2> place{buffers.send, buffers.receive};
    if (!places_.contains(place) && places_.size() == most_places) free();
    Requests& here = places_[place];
    if (here.empty()) here = make();
    return here.data();
  }
  void free() {
    for (auto& [place, requests] : places_) {
      for (MPI_Request& request : requests) MPI_Request_free(&request);
    }
    places_.clear();
  }

 private:
  std::map<std::array<const void*, 2>, Requests> places_;
};

}  // namespace groma
