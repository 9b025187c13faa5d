// The points of a plan as this launch can measure them.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "groma/clock/readings.hpp"
#include "groma/launch/client.hpp"
#include "groma/launch/loads.hpp"
#include "groma/launch/ranks.hpp"
#include "groma/measure/party.hpp"
#include "groma/patterns/search.hpp"
#include "groma/plan/point.hpp"
#include "groma/timed/entry.hpp"

namespace groma {

/// The plan that `command` has on rank 0, on every rank, after a check of each point. Collective.
Plan agreed_plan(const Comm& world, const Command& command, const std::vector<Entry>& entries);

/// Refuses a plan with which this process did not start MPI. Collective.
void check_beforehand(const Comm& world, const Plan& plan, const std::vector<Entry>& entries, const Client& client);

/// The clocks of this rank; refuses a plan that asks for one that can't be used. Collective.
std::array<ClockFacts, clock_count> usable_clocks(const Ranks& ranks, const Plan& plan);

/// Settles what depends on where the ranks run. Collective.
void settle_methods(Plan& plan, const std::vector<Entry>& entries, const Ranks& ranks);

class Agenda {
 public:
  /// `plan` is settled, and `ranks` know their placement. Collective over the world, as is the search of `pairs`.
  Agenda(Plan plan, const std::vector<Entry>& entries, const Ranks& ranks, PairFinder& pairs);

  [[nodiscard]] const Plan& plan() const { return plan_; }
  [[nodiscard]] std::size_t size() const { return plan_.points.size(); }
  [[nodiscard]] const Point& point(std::size_t index) const { return plan_.points[index]; }
  [[nodiscard]] const Configured& operation(std::size_t index) const { return operations_[index]; }
  [[nodiscard]] const Info& info(std::size_t index) const { return operations_[index].info(); }
  /// Nobody, for a point that is left out. Points with the same members share a party.
  [[nodiscard]] const Party& party(std::size_t index) const { return *parties_[index]; }
  /// Why the point is left out; empty if it is not.
  [[nodiscard]] const std::string& left_out(std::size_t index) const { return left_out_[index]; }
  /// What the library lacks for the point, in a sentence; empty if nothing.
  [[nodiscard]] const std::string& lacking(std::size_t index) const { return lacking_[index]; }
  /// What other ranks do while the point is measured.
  [[nodiscard]] const PlannedLoad& load(std::size_t index) const { return loads_[index]; }
  /// "bcast, 1 KiB, 4 ranks, load=incast"
  [[nodiscard]] std::string text(std::size_t index) const;

 private:
  void leave_out(const std::vector<Entry>& entries, const Ranks& ranks);
  void form_parties(const Ranks& ranks, PairFinder& pairs);
  void form_loads(const std::vector<Entry>& entries, const Ranks& ranks);

  Plan plan_;
  std::vector<Configured> operations_;
  std::vector<std::string> left_out_;
  std::vector<std::string> lacking_;
  std::vector<std::shared_ptr<const Party>> parties_;
  std::vector<PlannedLoad> loads_;
};

}  // namespace groma
