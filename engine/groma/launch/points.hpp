// The points of a launch, one after the other or in rounds, until each is recorded.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "groma/clock/keeper.hpp"
#include "groma/launch/agenda.hpp"
#include "groma/launch/output.hpp"
#include "groma/machine/line_gauge.hpp"
#include "groma/measure/launch_context.hpp"
#include "groma/measure/load.hpp"
#include "groma/measure/session.hpp"

namespace groma {

class PointRunner {
 public:
  /// All must outlive it.
  PointRunner(const Comm& world, const Agenda& agenda, const LaunchContext& context, TimeKeeper& keeper,
              const Output& output, LineGauge& gauge);

  /// Measures every point, and visits those that call for it a second time. Collective over the world, as is all here.
  void measure();
  [[nodiscard]] std::int64_t recorded() const { return recorded_; }
  [[nodiscard]] std::int64_t failures() const { return failures_; }

 private:
  /// Where one point has got to.
  struct Progress {
    std::size_t index = 0;
    std::int64_t sequence = 0;
    std::unique_ptr<Session> session = nullptr;  ///< on members only
    std::unique_ptr<Load> load = nullptr;        ///< on ranks that load only
    ClockError clock_error = {};
    bool begun = false;                ///< samples were drawn
    std::vector<double> line_ns = {};  ///< the least and the most reading, on rank 0
    bool done = false;
  };
  enum Status : int { going_on, finished, failed };
  class Limited;

  void measure_one_by_one(const std::vector<std::size_t>& order);
  void measure_interleaved();
  void revisit(const std::vector<std::size_t>& order);
  bool revisit(std::size_t index, std::int64_t visits, bool last);
  void start(Progress& progress);
  void leave_out(Progress& progress);
  void fail_for_lack(Progress& progress);
  void advance(Progress& progress, std::int64_t most);
  void gauge(Progress& progress) const;
  void finish(Progress& progress, Status status);
  void write_rank_times(const Progress& progress, nlohmann::ordered_json& record) const;
  [[nodiscard]] Status meet(const Progress& progress, Status mine) const;
  // Of a point with a load (points_load.cpp).
  [[nodiscard]] std::unique_ptr<Load> load_of(std::size_t index) const;
  void await_load(std::size_t index) const;
  void load_until_met(const Progress& progress) const;
  [[nodiscard]] schema::Load load_record(const Progress& progress) const;
  [[nodiscard]] const GlobalClock* global_of(std::size_t index) const;
  void close_clock(Progress& progress);
  [[nodiscard]] nlohmann::ordered_json collect(const Progress& progress) const;
  [[nodiscard]] nlohmann::ordered_json at_rank_zero(const Party& party, nlohmann::ordered_json record) const;

  const Comm& world_;
  const Agenda& agenda_;
  const LaunchContext& context_;
  TimeKeeper& keeper_;
  const Output& output_;
  LineGauge& gauge_;
  std::vector<FirstVisit> first_visits_;  ///< what each point that was measured leaves for a second visit
  std::int64_t recorded_ = 0;
  std::int64_t failures_ = 0;
};

}  // namespace groma
