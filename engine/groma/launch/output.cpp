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

void Output::tell(const std::string& line) const {
  together(world_, [&] {
    if (has_table()) print(line);
  });
}

}  // namespace groma
