// LBW over PVM 3 (the last table of the NAS page): the same options and report, no MPI. Started once; it has PVM start
// its partner, which does as it is told until it is told to end.
#include <fcntl.h>
#include <pvm3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>

#include "groma/record/recorder.hpp"
#include "lbw_pvm_record.hpp"
#include "lbw_report.hpp"

namespace {

using namespace groma;
using namespace groma::programs;

const Syntax syntax{.letters = lbw_letters,
                    .words = {"best-of", "min-seconds", "check", "direct", "out"},
                    .usage =
                        "usage: lbw-pvm -n num_times [-B|-L] [-b buff_size] [-s sync|async] [-h] [-a]\n"
                        "               [--best-of K] [--min-seconds T] [--check] [--direct]\n"
                        "               [--out FILE]\n" +
                        lbw_usage +
                        "  --direct         messages from task to task, not through the daemons (PvmRouteDirect)\n"
                        "  --out FILE       append Groma's records to FILE; RUN/pvm.jsonl stands in the study of a nas "
                        "RUN\n"
                        "A PVM daemon must run; it starts the second process, on whatever host it likes.\n"};

constexpr const char* partner_word = "--partner";
enum Tag : int { order_tag = 1, data_tag, answer_tag, seat_tag };
using Text = std::array<char, 256>;

/// Where a process is.
struct Seat {
  Text host;
  Text place;
};

/// Wrong bytes on one of the two processes.
struct WrongData : OutputError {
  WrongData(int where, long offset)
      : OutputError("wrong data on the " + std::string(where == 0 ? "first" : "second") + " process at offset " +
                    std::to_string(offset)),
        rank(where) {}
  int rank;
};

/// Leads a descriptor nowhere.
void silence(int descriptor) {
  const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere < 0) return;
  dup2(nowhere, descriptor);
  close(nowhere);
}

/// Standard error is closed to PVM's own lines as long as this lives: what failed is told in a sentence afterwards.
class Quiet {
 public:
  Quiet() : kept_(dup(STDERR_FILENO)) { silence(STDERR_FILENO); }
  ~Quiet() {
    if (kept_ < 0) return;
    dup2(kept_, STDERR_FILENO);
    close(kept_);
  }
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;

 private:
  int kept_;
};

/// True if a process can join the virtual machine. Asked in a process of its own: where it can't, PVM prints pages and
/// may end the process.
bool can_join() {
  const pid_t child = fork();
  if (child == 0) {
    silence(STDOUT_FILENO);
    silence(STDERR_FILENO);
    const bool joined = pvm_mytid() >= 0;
    if (joined) pvm_exit();
    _exit(joined ? 0 : 1);
  }
  int status = 1;
  return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

/// What the partner is to do next; no times: to end.
struct Order {
  long times;
  long bytes;
  long async;
  long direct;
  long check;
};

int must(int result, const std::string& what) {
  if (result < 0) throw OutputError("PVM can't " + what + " (error " + std::to_string(result) + ")");
  return result;
}

template <class Value>
void send(int to, Tag tag, const Value& value) {
  must(pvm_psend(to, tag, reinterpret_cast<char*>(const_cast<Value*>(&value)), sizeof value, PVM_BYTE), "send");
}

template <class Value>
Value receive(int from, Tag tag) {
  Value value{};
  must(pvm_precv(from, tag, reinterpret_cast<char*>(&value), sizeof value, PVM_BYTE, nullptr, nullptr, nullptr),
       "receive");
  return value;
}

constexpr char element(long index, bool source) { return static_cast<char>(64 + (index * 7 + (source ? 3 : 0)) % 61); }

/// One side of the exchange, with arrays of its own.
class Side {
 public:
  Side(int partner, bool source) : partner_(partner), source_(source) {}

  /// All messages of a run; seconds.
  double run(const Order& order) {
    prepare(order);
    const std::int64_t begin_ns = monotonic_ns();
    for (long i = 0; i < order.times; ++i) {
      const bool send_first = source_ || order.async != 0;
      if (send_first) put();
      get();
      if (!send_first) put();
    }
    return 1e-9 * static_cast<double>(monotonic_ns() - begin_ns);
  }

  /// Where the last message that arrived is wrong; -1 if it is right.
  [[nodiscard]] long wrong() const {
    for (std::size_t i = 0; i < in_.size(); ++i) {
      if (in_[i] != element(static_cast<long>(i), !source_)) return static_cast<long>(i);
    }
    return -1;
  }

 private:
  void prepare(const Order& order) {
    pvm_setopt(PvmRoute, order.direct != 0 ? PvmRouteDirect : PvmAllowDirect);
    if (order.check == 0 && out_.size() == static_cast<std::size_t>(order.bytes)) return;
    out_.resize(static_cast<std::size_t>(order.bytes));
    in_.assign(out_.size(), 0);
    for (std::size_t i = 0; i < out_.size(); ++i) out_[i] = element(static_cast<long>(i), source_);
  }
  void put() { must(pvm_psend(partner_, data_tag, out_.data(), static_cast<int>(out_.size()), PVM_BYTE), "send"); }
  void get() {
    must(pvm_precv(partner_, data_tag, in_.data(), static_cast<int>(in_.size()), PVM_BYTE, nullptr, nullptr, nullptr),
         "receive");
  }

  int partner_;
  bool source_;
  std::vector<char> out_;
  std::vector<char> in_;
};

Seat own_seat() {
  Seat seat{};
  gethostname(seat.host.data(), seat.host.size() - 1);
  own_place(seat.host.data()).copy(seat.place.data(), seat.place.size() - 1);
  return seat;
}

int partner() {
  const int source = pvm_parent();
  send(source, seat_tag, own_seat());
  Side side(source, false);
  while (true) {
    const auto order = receive<Order>(source, order_tag);
    if (order.times == 0) return 0;
    side.run(order);
    send(source, answer_tag, order.check == 0 ? -1L : side.wrong());
  }
}

/// The partner's process, ended with this object.
class Partner {
 public:
  Partner() {
    const std::string program = std::filesystem::read_symlink("/proc/self/exe");
    std::string word = partner_word;
    char* arguments[] = {word.data(), nullptr};
    std::string task = program;
    if (pvm_spawn(task.data(), arguments, PvmTaskDefault, nullptr, 1, &tid_) != 1) {
      throw OutputError("PVM can't start the second process, " + program + " (error " + std::to_string(tid_) +
                        "); the program must lie at this path on every host of the virtual machine");
    }
  }
  ~Partner() { pvm_kill(tid_); }
  Partner(const Partner&) = delete;
  Partner& operator=(const Partner&) = delete;
  [[nodiscard]] int tid() const { return tid_; }

 private:
  int tid_ = 0;
};

/// Both sides' run; throws where wrong data arrived.
double run(Side& side, int partner, const Order& order) {
  send(partner, order_tag, order);
  const double took_s = side.run(order);
  const long elsewhere = receive<long>(partner, answer_tag);
  const long here = order.check == 0 ? -1 : side.wrong();
  if (elsewhere < 0 && here < 0) return took_s;
  throw here < 0 ? WrongData(1, elsewhere) : WrongData(0, here);
}

/// As many messages as last so long, found by growing the run as the engine does: the shorter of two counts, and of a
/// long run a tenth tells.
long times_for(double seconds, const std::function<double(long)>& run_of) {
  constexpr double looked_at_s = 0.05;
  const double telling_s = seconds > looked_at_s ? std::max(looked_at_s, seconds / 10) : seconds;
  constexpr long growth = 8;
  for (long times = 1;; times *= growth) {
    const double took_s = std::min(run_of(times), run_of(times));
    if (took_s < telling_s) continue;
    return std::max(times, static_cast<long>(std::ceil(1.1 * seconds / took_s * static_cast<double>(times))));
  }
}

/// Every run, two checked passes made first, as over MPI; and nothing more for the partner to do.
Runs measured(const Options& options, Side& side, int partner) {
  Order order{.times = 2,
              .bytes = static_cast<long>(lbw_bytes(options)),
              .async = options.style == "async" ? 1 : 0,
              .direct = options.direct ? 1 : 0,
              .check = 1};
  run(side, partner, order);
  order.check = options.check ? 1 : 0;
  const auto run_of = [&](long times) {
    order.times = times;
    return run(side, partner, order);
  };
  Runs runs{.times = options.times > 0 ? options.times : times_for(options.min_seconds, run_of), .ns = {}};
  for (std::int64_t i = 0; i < options.best_of; ++i) {
    runs.ns.push_back(std::llround(1e9 * run_of(static_cast<long>(runs.times))));
  }
  order.times = 0;
  send(partner, order_tag, order);
  return runs;
}

int measure(const Options& options, const std::vector<std::string>& arguments) {
  Recorder recorder = options.out.empty() ? Recorder() : Recorder(options.out);
  const Partner partner;
  const auto there = receive<Seat>(partner.tid(), seat_tag);
  const Seat here = own_seat();
  const PvmRun run{.version = pvm_version(), .hosts = here.host == there.host ? 1 : 2, .began_ns = monotonic_ns()};
  recorder.write(start_record(run, arguments));
  Side side(partner.tid(), true);
  try {
    const Runs runs = measured(options, side, partner.tid());
    recorder.write(point_record(run, options, runs));
    recorder.write(end_record(run, 0));
    print(lbw_report(options, runs, "PVM", {here.place.data(), there.place.data()}));
  } catch (const WrongData& error) {
    recorder.write(failure_record(error.what(), error.rank));
    recorder.write(end_record(run, 1));
    throw;
  }
  return 0;
}

/// From the first word with the daemon to the last.
int measure_over_pvm(const Options& options, const std::vector<std::string>& arguments) {
  if (!can_join()) {
    const bool refuses_root = geteuid() == 0 && std::getenv("PVM_ALLOW_ROOT") == nullptr;
    throw InputError(refuses_root ? "PVM refuses root; use another account, or set PVM_ALLOW_ROOT=1"
                                  : "no PVM daemon runs here; start one with: echo quit | pvm");
  }
  const Quiet quiet;
  pvm_setopt(PvmAutoErr, 0);
  must(pvm_mytid(), "join the virtual machine");
  struct Session {
    ~Session() { pvm_exit(); }
  } const session;
  return measure(options, arguments);
}

int measure_or_complain(int argc, char** argv) {
  try {
    const Options options = read_options(argc, argv, syntax);
    if (options.help) {
      print(syntax.usage);
      return 0;
    }
    return measure_over_pvm(options, {argv + 1, argv + argc});
  } catch (const InputError& error) {
    complain(error.what());
    return 2;
  } catch (const std::exception& error) {
    complain(error.what());
    return 1;
  }
}

}  // namespace

int main(int argc, char** argv) {
  program_name = "lbw-pvm";
  if (argc == 2 && std::strcmp(argv[1], partner_word) == 0) {
    try {
      return partner();
    } catch (const std::exception& error) {
      complain(error.what());
      return 1;
    }
  }
  return measure_or_complain(argc, argv);
}
