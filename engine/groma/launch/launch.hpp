// One launch of the engine: everything between MPI_Init and MPI_Finalize.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "groma/clock/keeper.hpp"
#include "groma/clock/readings.hpp"
#include "groma/launch/command_line.hpp"
#include "groma/machine/handoff.hpp"
#include "groma/machine/limits.hpp"
#include "groma/machine/placement.hpp"
#include "groma/measure/entry.hpp"
#include "groma/measure/session.hpp"
#include "groma/mpi/handles.hpp"
#include "groma/mpi/launcher.hpp"
#include "groma/patterns/groups.hpp"
#include "groma/patterns/search.hpp"
#include "groma/record/recorder.hpp"

namespace groma {

/// Who has a launch made: says what is to be measured, and hears of every point that was. Both on rank 0 alone.
struct Client {
  std::function<Command()> ask;
  std::function<void(const nlohmann::ordered_json&)> hear = {};  ///< empty: a table, unless records are written
  Beforehand beforehand = {};                                    ///< with which this process started MPI
  std::string unbound = {};                                      ///< why it is not on its CPU; empty where it is
};

class Launch {
 public:
  Launch(const std::vector<Entry>& entries, Client client, std::vector<std::string> arguments,
         const Launcher& launcher);

  /// Measures everything that was asked; returns the exit code. Collective over all ranks, as is everything here.
  int measure();

 private:
  /// Where one point of the plan has got to.
  struct Progress {
    std::size_t index = 0;
    std::int64_t sequence = 0;
    std::unique_ptr<Session> session;  ///< on members only
    ClockError clock_error = {};
    bool done = false;
  };
  enum Status : int { going_on, finished, failed, unwritable };

  void read_plan();
  void check_beforehand() const;
  void check_clocks();
  void settle_methods();
  void form_parties();
  [[nodiscard]] std::string unfit(const Point& point, std::span<const int> node_of_rank) const;
  void check_memory();
  void open_outputs();
  void make_watchdog();
  void write_start();
  void enter(const char* stage) const;
  void measure_one_by_one(const std::vector<std::size_t>& order);
  void measure_interleaved();
  void revisit(const std::vector<std::size_t>& order);
  bool revisit(std::size_t index, std::int64_t visits, bool last);
  void start(Progress& progress);
  void leave_out(Progress& progress);
  void advance(Progress& progress, std::int64_t most);
  void finish(Progress& progress, Status status);
  Status meet(const Party& party, Status mine) const;
  void write(const nlohmann::ordered_json& record, bool of_point);
  [[nodiscard]] std::vector<std::size_t> shuffled() const;
  [[nodiscard]] schema::Start start_record() const;
  void measure_machine(schema::Start& record) const;
  [[nodiscard]] std::vector<HandoffRequest> handoffs(bool between_hosts) const;
  [[nodiscard]] const GlobalClock* global_of(std::size_t index) const;
  void close_clock(Progress& progress);
  [[nodiscard]] nlohmann::ordered_json collect(const Party& party, const Session* session) const;
  [[nodiscard]] nlohmann::ordered_json at_rank_zero(const Party& party, nlohmann::ordered_json record) const;
  [[nodiscard]] const Info& info(std::size_t index) const { return operations_[index].info(); }

  [[nodiscard]] bool tells_by_table() const { return world_.rank() == 0 && command_.out.empty() && !client_.hear; }

  const std::vector<Entry>& entries_;
  Client client_;
  std::vector<std::string> arguments_;
  Launcher launcher_;
  Comm world_;
  Comm node_;
  Command command_;
  Plan plan_;
  std::vector<Configured> operations_;  ///< of the points
  std::array<ClockFacts, clock_count> clocks_;
  Placement placement_;
  std::unique_ptr<PairFinder> pairs_;
  std::vector<std::string> left_out_;            ///< why each point is left out; empty where it is not
  std::vector<std::shared_ptr<Party>> parties_;  ///< one a point; points with the same members share
  Needs needs_;
  std::int64_t node_needs_bytes_ = 0;
  std::int64_t node_available_bytes_ = 0;
  Arena arena_;
  std::unique_ptr<TimeKeeper> keeper_;
  std::unique_ptr<Recorder> recorder_;
  std::unique_ptr<Watchdog> watchdog_;
  std::int64_t begin_ns_ = 0;
  std::vector<FirstVisit> first_visits_;  ///< what each point that was measured leaves for a second visit
  std::int64_t recorded_ = 0;
  std::int64_t failures_ = 0;
  std::int64_t current_ = 0;  ///< index of the point being measured
};

}  // namespace groma
