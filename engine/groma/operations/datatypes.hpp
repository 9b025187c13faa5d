// What it costs to make a datatype, to commit it, to pack a message with it for the first time, and to free it. All of
// them describe the same message: every second element of an array.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "groma/clock/clocks.hpp"
#include "groma/errors.hpp"
#include "groma/operations/forms.hpp"
#include "groma/stopping/stop.hpp"

namespace groma {

/// What the calls are given. `count` elements, `stride` places apart.
struct Recipe {
  static constexpr int stride = 2;
  int count = 0;
  MPI_Aint element_bytes = 0;
  MPI_Datatype element = MPI_DATATYPE_NULL;
  MPI_Datatype spread = MPI_DATATYPE_NULL;  ///< one element and the place behind it
  MPI_Datatype whole = MPI_DATATYPE_NULL;   ///< all of them
  std::vector<int> ones;
  std::vector<int> starts;
  std::vector<MPI_Aint> start_bytes;
  std::vector<MPI_Datatype> elements;

  void fill(const Site& site) {
    count = site.count;
    element_bytes = static_cast<MPI_Aint>(site.element_bytes);
    element = site.type;
    MPI_Type_create_resized(element, 0, stride * element_bytes, &spread);
    MPI_Type_contiguous(count, spread, &whole);
    ones.assign(static_cast<std::size_t>(count), 1);
    elements.assign(static_cast<std::size_t>(count), element);
    for (int at = 0; at < count; ++at) {
      starts.push_back(stride * at);
      start_bytes.push_back(element_bytes * stride * at);
    }
  }
  void free() {
    MPI_Type_free(&whole);
    MPI_Type_free(&spread);
  }
};

template <class Of>
struct TypeMade : Placed {
  static constexpr Text name{"type_", Of::name};
  static constexpr Text summary{"A datatype is made of ", Of::from, ", committed, used once and freed."};
  static constexpr Text calls{Of::call, ", MPI_Type_commit, MPI_Pack, MPI_Type_free"};
  static constexpr Info info{.name = name,
                             .summary = summary,
                             .calls = calls,
                             .family = Family::harness,
                             .send = Size::stated,
                             .receive = Size::stated,
                             .result = Result::stated,
                             .in_parts = true,
                             .time = "one datatype made, committed, used and freed; see the phases",
                             .timing = "call",
                             .validation = "every element packed is the one that the datatype selects"};
  static constexpr std::array<std::string_view, 4> phases{"make", "commit", "pack", "free"};
  static constexpr std::int64_t bytes_moved(const Shape&) { return 0; }
  static Memory memory(const Shape& shape) {
    return {.send_bytes = Recipe::stride * shape.bytes, .receive_bytes = shape.bytes};
  }
  static void check(const Request& request) {
    constexpr std::int64_t most = std::numeric_limits<int>::max() / 8;
    if (request.datatype == "double_int") {
      throw InputError("datatype=double_int of " + std::string(request.operation) +
                       " can't be: its elements are packed without the gap that each has in memory; use 2int");
    }
    if (request.elements > 0 && request.bytes <= most) return;
    throw InputError("bytes=" + std::to_string(request.bytes) + " of " + std::string(request.operation) +
                     " can't be: a datatype is made of one element or more, here of " + std::to_string(most) +
                     " bytes at most; use bytes between them");
  }
  static Contents contents(const Site& site) {
    Contents all;
    for (std::int64_t at = 0; at < site.elements; ++at) {
      all.sent.push_back({Recipe::stride * at * site.element_bytes, 1, site.rank, at});
      all.received.push_back({at * site.element_bytes, 1, site.rank, at});
    }
    return all;
  }

  Recipe recipe;
  std::vector<std::int64_t> phase_ns;  ///< of every repetition since they were last taken
  std::int64_t taken = 0;

  void open() {
    recipe.fill(site);
    phase_ns.resize(phases.size() * static_cast<std::size_t>(longest_batch));
  }
  void close() { recipe.free(); }
  void step() noexcept {
    MPI_Datatype made;
    int position = 0;
    const std::int64_t begin = Monotonic::now();
    Of::make(recipe, &made);
    const std::int64_t ready = Monotonic::now();
    MPI_Type_commit(&made);
    const std::int64_t committed = Monotonic::now();
    MPI_Pack(buffers.send, Of::is_element ? site.count : 1, made, buffers.receive, static_cast<int>(site.message_bytes),
             &position, site.comm);
    const std::int64_t packed = Monotonic::now();
    MPI_Type_free(&made);
    const std::int64_t end = Monotonic::now();
    std::int64_t* own = &phase_ns[static_cast<std::size_t>(taken++) * phases.size()];
    own[0] = ready - begin;
    own[1] = committed - ready;
    own[2] = packed - committed;
    own[3] = end - packed;
  }
};

struct OfWholeMessage {
  static constexpr bool is_element = false;
};

struct ContiguousType : OfWholeMessage {
  static constexpr std::string_view name = "contiguous", call = "MPI_Type_contiguous", from = "a number of elements";
  static void make(const Recipe& r, MPI_Datatype* made) noexcept { MPI_Type_contiguous(r.count, r.spread, made); }
};
struct VectorType : OfWholeMessage {
  static constexpr std::string_view name = "vector", call = "MPI_Type_vector", from = "blocks a stride apart";
  static void make(const Recipe& r, MPI_Datatype* made) noexcept {
    MPI_Type_vector(r.count, 1, Recipe::stride, r.element, made);
  }
};
struct HvectorType : OfWholeMessage {
  static constexpr std::string_view name = "create_hvector", call = "MPI_Type_create_hvector",
                                    from = "blocks a stride of bytes apart";
  static void make(const Recipe& r, MPI_Datatype* made) noexcept {
    MPI_Type_create_hvector(r.count, 1, Recipe::stride * r.element_bytes, r.element, made);
  }
};
struct IndexedType : OfWholeMessage {
  static constexpr std::string_view name = "indexed", call = "MPI_Type_indexed", from = "lists of starts and lengths";
  static void make(const Recipe& r, MPI_Datatype* made) noexcept {
    MPI_Type_indexed(r.count, r.ones.data(), r.starts.data(), r.element, made);
  }
};
struct HindexedType : OfWholeMessage {
  static constexpr std::string_view name = "create_hindexed", call = "MPI_Type_create_hindexed",
                                    from = "lists of starts in bytes and lengths";
  static void make(const Recipe& r, MPI_Datatype* made) noexcept {
    MPI_Type_create_hindexed(r.count, r.ones.data(), r.start_bytes.data(), r.element, made);
  }
};
struct IndexedBlockType : OfWholeMessage {
  static constexpr std::string_view name = "create_indexed_block", call = "MPI_Type_create_indexed_block",
                                    from = "a list of starts";
  static void make(const Recipe& r, MPI_Datatype* made) noexcept {
    MPI_Type_create_indexed_block(r.count, 1, r.starts.data(), r.element, made);
  }
};
struct HindexedBlockType : OfWholeMessage {
  static constexpr std::string_view name = "create_hindexed_block", call = "MPI_Type_create_hindexed_block",
                                    from = "a list of starts in bytes";
  static void make(const Recipe& r, MPI_Datatype* made) noexcept {
    MPI_Type_create_hindexed_block(r.count, 1, r.start_bytes.data(), r.element, made);
  }
};
struct StructType : OfWholeMessage {
  static constexpr std::string_view name = "create_struct", call = "MPI_Type_create_struct",
                                    from = "lists of starts, lengths and types";
  static void make(const Recipe& r, MPI_Datatype* made) noexcept {
    MPI_Type_create_struct(r.count, r.ones.data(), r.start_bytes.data(), r.elements.data(), made);
  }
};
struct SubarrayType : OfWholeMessage {
  static constexpr std::string_view name = "create_subarray", call = "MPI_Type_create_subarray",
                                    from = "a column of a two-dimensional array";
  static void make(const Recipe& r, MPI_Datatype* made) noexcept {
    const std::array<int, 2> sizes{r.count, Recipe::stride};
    const std::array<int, 2> parts{r.count, 1};
    constexpr std::array<int, 2> starts{0, 0};
    MPI_Type_create_subarray(2, sizes.data(), parts.data(), starts.data(), MPI_ORDER_C, r.element, made);
  }
};
struct DarrayType : OfWholeMessage {
  static constexpr std::string_view name = "create_darray", call = "MPI_Type_create_darray",
                                    from = "an array distributed to two processes in turns";
  static void make(const Recipe& r, MPI_Datatype* made) noexcept {
    // Not const: SimGrid's declaration takes them so.
    std::array<int, 1> size{r.count * Recipe::stride}, cyclic{MPI_DISTRIBUTE_CYCLIC}, turns{1},
        processes{Recipe::stride};
    MPI_Type_create_darray(Recipe::stride, 0, 1, size.data(), cyclic.data(), turns.data(), processes.data(),
                           MPI_ORDER_C, r.element, made);
  }
};
struct ResizedType {
  static constexpr bool is_element = true;
  static constexpr std::string_view name = "create_resized", call = "MPI_Type_create_resized",
                                    from = "an element and the place behind it";
  static void make(const Recipe& r, MPI_Datatype* made) noexcept {
    MPI_Type_create_resized(r.element, 0, Recipe::stride * r.element_bytes, made);
  }
};
struct DuplicateType : OfWholeMessage {
  static constexpr std::string_view name = "dup", call = "MPI_Type_dup", from = "another one";
  static void make(const Recipe& r, MPI_Datatype* made) noexcept { MPI_Type_dup(r.whole, made); }
};

using DatatypeCalls =
    OperationList<TypeMade<ContiguousType>, TypeMade<VectorType>, TypeMade<HvectorType>, TypeMade<IndexedType>,
                  TypeMade<HindexedType>, TypeMade<IndexedBlockType>, TypeMade<HindexedBlockType>, TypeMade<StructType>,
                  TypeMade<SubarrayType>, TypeMade<DarrayType>, TypeMade<ResizedType>, TypeMade<DuplicateType>>;

}  // namespace groma
