// The record file: one JSON line at a time, written when it is known. And the table for people who run the engine
// alone.
#pragma once

#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <stdexcept>
#include <string>

namespace groma {

/// What was measured could not be written. Ends the engine with exit code 1.
struct OutputError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Recorder {
 public:
  Recorder() = default;
  /// Creates or extends `path`; throws InputError when that is not allowed.
  explicit Recorder(const std::string& path);
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  /// Writes one line in full, or throws OutputError. Nothing without a path. Safe from the watchdog's thread.
  void write(const nlohmann::ordered_json& record);

 private:
  std::string path_;
  int file_ = -1;
  std::mutex mutex_;
};

/// Writes a whole small file; throws InputError when it can't be created, OutputError when it can't be written.
void write_file(const std::string& path, const std::string& text);

/// Text for standard output, flushed; throws OutputError when it did not get there.
void print(const std::string& text);

/// The heading of the engine's own table, and a row of it for one record.
std::string table_heading();
std::string table_row(const nlohmann::ordered_json& record);

}  // namespace groma
