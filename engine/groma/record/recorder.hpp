// The record file: one JSON line at a time, written when it is known. And the table for people who run the engine
// alone.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <span>
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

  /// Writes one line in full, with its checksum, or throws OutputError. Nothing without a path.
  void write(const nlohmann::ordered_json& record);
  /// Descriptor of the file, or -1: the watchdog's last words go there too.
  [[nodiscard]] int file() const { return file_; }
  /// Empty if there is none.
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
  int file_ = -1;
};

/// The file beside a record file that has the times of ranks where they are too many for a record (schema::RanksAt).
class RanksFile {
 public:
  /// Creates or extends the file of this record file; throws InputError when that is not allowed.
  explicit RanksFile(const std::string& records);
  ~RanksFile();
  RanksFile(const RanksFile&) = delete;
  RanksFile& operator=(const RanksFile&) = delete;

  /// Bytes in it.
  [[nodiscard]] std::int64_t size() const;
  /// Writes these times at its end, or throws OutputError.
  void append(std::span<const std::int64_t> times);

 private:
  std::string path_;
  int file_;
};

/// Writes a whole small file; throws InputError when it can't be created, OutputError when it can't be written.
void write_file(const std::string& path, const std::string& text);

/// The heading of the engine's own table, and a row of it for one record.
std::string table_heading();
std::string table_row(const nlohmann::ordered_json& record);

}  // namespace groma
