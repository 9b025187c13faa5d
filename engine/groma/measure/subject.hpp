// The operation of one point on this rank: its datatype, its place among the ranks, the arrays it uses, its own state.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "groma/buffers/arena.hpp"
#include "groma/buffers/payload.hpp"
#include "groma/measure/party.hpp"
#include "groma/measure/thread_cpus.hpp"
#include "groma/measure/touching.hpp"
#include "groma/mpi/handles.hpp"
#include "groma/plan/point.hpp"
#include "groma/timed/entry.hpp"

namespace groma {

/// What one set of the arrays of a point takes on this rank.
Needs own_needs(const Configured& operation, const Point& point, const Party& party);

class Subject {
 public:
  /// Makes the operation, on the point's own arrays in `arena`; `filled` are the arrays that the host fills and reads
  /// in place of those on a device. Point, party and arena must outlive it. Collective over the party.
  Subject(const Configured& configured, const Point& point, const Party& party, const Arena& arena,
          const Arrays& filled);

  [[nodiscard]] const Configured& configured() const { return configured_; }
  [[nodiscard]] const Entry& entry() const { return configured_.entry(); }
  [[nodiscard]] const Info& info() const { return configured_.info(); }
  [[nodiscard]] const Site& site() const { return site_; }
  [[nodiscard]] void* operation() const { return operation_.get(); }
  [[nodiscard]] const Arena& arena() const { return arena_; }
  [[nodiscard]] Payload payload() const;
  [[nodiscard]] const Touching& touching() const { return touching_; }

  /// Which node of its graph the operation has made this rank; -1 if ranks keep their numbers.
  [[nodiscard]] int new_rank() const { return entry().new_rank == nullptr ? -1 : entry().new_rank(operation_.get()); }

  /// Where its threads stay; empty if it has none.
  [[nodiscard]] const ThreadCpus& thread_cpus() const { return thread_cpus_; }
  /// While one lives the threads of the operation, if it has any, are ready for their next turn.
  class Gathered {
   public:
    explicit Gathered(const Subject& subject) : subject_(subject) { gather(true); }
    ~Gathered() { gather(false); }
    Gathered(const Gathered&) = delete;
    Gathered& operator=(const Gathered&) = delete;

   private:
    void gather(bool at_work) const {
      if (subject_.entry().gather != nullptr) subject_.entry().gather(subject_.operation(), at_work);
    }
    const Subject& subject_;
  };

  /// The operation uses these arrays from now on.
  void place(const Arrays& arrays) const;
  /// It begins with the point's own arrays as they lie: some operations exchange them between calls.
  void place() const { place(lay_out(arena_, point_)); }

  /// Of one-sided operations, around what is done with the arrays outside the calls: after they were filled, and before
  /// they are looked at or filled again. Collective.
  void expose() const;
  void deliver() const;

  /// Of operations on files: their state before a repetition, what went wrong on this rank (empty: nothing), and where
  /// the file is.
  [[nodiscard]] bool on_file() const { return entry().ready != nullptr; }
  void ready() const;
  [[nodiscard]] bool can_fail() const { return entry().trouble != nullptr; }
  [[nodiscard]] std::string trouble() const { return can_fail() ? entry().trouble(operation_.get()) : ""; }
  [[nodiscard]] std::optional<FileFacts> file() const;

  /// What the operation timed in these repetitions, in ns and by repetition, since it was last asked; empty if it
  /// times no phases.
  std::vector<std::int64_t> take_phases(const std::vector<std::size_t>& repetitions) const;

 private:
  Configured configured_;
  const Point& point_;
  const Arena& arena_;
  Arrays filled_;
  Datatype layout_type_;
  ThreadCpus thread_cpus_;
  Site site_;
  Touching touching_;
  std::shared_ptr<void> operation_;
};

}  // namespace groma
