#include "groma/record/recorder.hpp"

#include <fcntl.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "groma/text/checksum.hpp"

namespace groma {
namespace {

int open_or_throw(const std::string& path, int flags) {
  constexpr int readable_by_all = 0644;
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | flags, readable_by_all);
  if (file < 0) {
    throw InputError("can't write " + path + ": " + std::strerror(errno) +
                     "; choose a folder that exists and that you may write to");
  }
  return file;
}

double per_repetition_ns(const nlohmann::ordered_json& record) {
  return record["median_ns"].get<double>() * record["divisor"].get<double>();
}

}  // namespace

Recorder::Recorder(const std::string& path) : path_(path), file_(open_or_throw(path, O_APPEND)) {}

Recorder::~Recorder() {
  if (file_ >= 0) close(file_);
}

void Recorder::write(const nlohmann::ordered_json& record) {
  if (file_ < 0) return;
  std::string line = record.dump();
  line.pop_back();
  const Seal seal = seal_of(line);
  write_all(file_, path_, line.append(seal.data(), seal.size()));
}

RanksFile::RanksFile(const std::string& records) : path_(records + ".ranks"), file_(open_or_throw(path_, O_APPEND)) {}

RanksFile::~RanksFile() { close(file_); }

std::int64_t RanksFile::size() const { return lseek(file_, 0, SEEK_END); }

void RanksFile::append(std::span<const std::int64_t> times) {
  static_assert(std::endian::native == std::endian::little, "the file has little-endian integers");
  const auto bytes = std::as_bytes(times);
  write_all(file_, path_, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

void write_file(const std::string& path, const std::string& text) {
  const int file = open_or_throw(path, O_TRUNC);
  try {
    write_all(file, path, text);
  } catch (...) {
    close(file);
    throw;
  }
  close(file);
}

std::string table_heading() {
  char line[160];
  std::snprintf(line, sizeof line, "%-32s %10s %6s %14s %8s %14s %14s %8s  %s\n", "# operation", "bytes", "ranks",
                "time [us]", "+- [%]", "MB/s", "messages/s", "samples", "stopped by");
  return line;
}

std::string table_row(const nlohmann::ordered_json& record) {
  const double call_ns = per_repetition_ns(record);
  const auto rate = [&](const char* name, double scale) -> std::string {
    const auto amount = record[name].get<double>();
    if (amount == 0 || call_ns == 0) return "-";
    char text[32];
    std::snprintf(text, sizeof text, "%.1f", amount / call_ns * scale);
    return text;
  };
  const std::string width = record["half_width"].is_null() ? "-" : [&] {
    char text[32];
    std::snprintf(text, sizeof text, "%.2f", 100 * record["half_width"].get<double>());
    return std::string(text);
  }();
  const nlohmann::ordered_json& point = record["point"];
  char line[200];
  std::snprintf(line, sizeof line, "%-32s %10lld %6d %14.4f %8s %14s %14s %8zu  %s\n",
                point["operation"].get<std::string>().c_str(),
                static_cast<long long>(point["bytes"].get<std::int64_t>()), record["member_count"].get<int>(),
                record["median_ns"].get<double>() / 1000, width.c_str(), rate("bytes_moved", 1e3).c_str(),
                rate("messages", 1e9).c_str(), record["samples_ns"].size(),
                record["stopped_by"].get<std::string>().c_str());
  return line;
}

}  // namespace groma
