// The record file: one JSON line at a time, written when it is known. And the table for people who run the engine
// alone.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "groma/errors.hpp"
#include "groma/text/output.hpp"

namespace groma {

class Recorder {
 public:
  Recorder() = default;
  /// Creates or extends `path`; throws InputError when that is not allowed.
  explicit Recorder(const std::string& path);
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  /// Writes one line in full, or throws OutputError. Nothing without a path.
  void write(const nlohmann::ordered_json& record);
  /// Descriptor of the file, or -1: the watchdog's last words go there too.
  [[nodiscard]] int file() const { return file_; }

 private:
  std::string path_;
  int file_ = -1;
};

/// Writes a whole small file; throws InputError when it can't be created, OutputError when it can't be written.
void write_file(const std::string& path, const std::string& text);

/// The heading of the engine's own table, and a row of it for one record.
std::string table_heading();
std::string table_row(const nlohmann::ordered_json& record);

}  // namespace groma
