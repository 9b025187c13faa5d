// Where the records of a launch go: to a file, to the client, or into a table.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "groma/launch/client.hpp"
#include "groma/mpi/handles.hpp"
#include "groma/record/recorder.hpp"
#include "groma/watchdog/watchdog.hpp"

namespace groma {

class Output {
 public:
  /// `recorder` is null but on rank 0; `watchdog` is null if there is none. All must outlive it.
  Output(const Comm& world, const Client& client, Recorder* recorder, const Watchdog* watchdog)
      : world_(world), client_(client), recorder_(recorder), watchdog_(watchdog) {}

  /// The record file, on rank 0; empty if there is none.
  [[nodiscard]] std::string records() const { return recorder_ == nullptr ? "" : recorder_->path(); }
  /// A record of a point, which is also told to the client or in the table. Collective.
  void write_point(const nlohmann::ordered_json& record) const;
  /// A record of a point whose time is known when MPI has ended.
  void keep_point(nlohmann::ordered_json record) const;
  /// The last record, which takes the recorder with it where such points wait. Collective.
  void write_end(nlohmann::ordered_json record, std::unique_ptr<Recorder> recorder) const;
  /// Any other record. Collective.
  void write(const nlohmann::ordered_json& record) const;
  /// A line of the table, if there is one. Collective.
  void tell(const std::string& line) const;

 private:
  /// True if the launch tells of its points in a table on standard output.
  [[nodiscard]] bool has_table() const { return recorder_ != nullptr && recorder_->file() < 0 && !client_.hear; }

  const Comm& world_;
  const Client& client_;
  Recorder* recorder_;
  const Watchdog* watchdog_;
};

}  // namespace groma
