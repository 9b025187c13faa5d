#include "groma/launch/output.hpp"

#include <nlohmann/json.hpp>

#include "groma/mpi/together.hpp"

namespace groma {

using Json = nlohmann::ordered_json;

void Output::write(const Json& record) const {
  together(world_, [&] {
    if (recorder_ == nullptr) return;
    const Watchdog::Undisturbed whole(watchdog_);
    recorder_->write(record);
  });
}

void Output::write_point(const Json& record) const {
  together(world_, [&] {
    if (recorder_ == nullptr) return;
    const Watchdog::Undisturbed whole(watchdog_);
    recorder_->write(record);
    if (client_.hear) client_.hear(record);
    if (has_table()) print(table_row(record));
  });
}

void Output::keep_point(Json record) const {
  client_.last->due = true;
  if (recorder_ != nullptr) client_.last->points.push_back(std::move(record));
}

void Output::write_end(Json record, std::unique_ptr<Recorder> recorder) const {
  if (client_.last == nullptr || !client_.last->due) return write(record);
  client_.last->recorder = std::move(recorder);
  client_.last->end = std::move(record);
}

void Output::tell(const std::string& line) const {
  together(world_, [&] {
    if (has_table()) print(line);
  });
}

}  // namespace groma
