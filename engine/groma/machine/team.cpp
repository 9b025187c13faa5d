#include "groma/machine/team.hpp"

#include <stdexcept>
#include <string>

namespace groma {
namespace {

std::atomic<const Team*> gathered{nullptr};

void require_place(int number, int cpu, bool kept) {
  if (kept) return;
  throw std::runtime_error("thread " + std::to_string(number) + " can't stay on CPU " + std::to_string(cpu) +
                           ", which the system refuses");
}

bool is_on(int cpu) { return allowed_cpu_numbers() == std::vector<int>{cpu} && sched_getcpu() == cpu; }

}  // namespace

void Team::start(std::span<const int> cpus, Part part, void* owner) {
  const std::size_t made = cpus.size() - 1;
  part_ = part;
  owner_ = owner;
  own_cpu_ = cpus.front();
  members_ = std::make_unique<Member[]>(made);
  first_ = members_.get();
  last_ = first_ + made;
  for (std::size_t at = 0; at < made; ++at) {
    const int number = static_cast<int>(at) + 1;
    const int cpu = cpus[at + 1];
    threads_.emplace_back([this, number, cpu] { serve(number, cpu); });
  }
  gather();
  const bool kept = is_on(own_cpu_);
  dismiss();
  require_place(0, own_cpu_, kept);
  for (std::size_t at = 0; at < made; ++at) require_place(static_cast<int>(at) + 1, cpus[at + 1], first_[at].cpu >= 0);
}

void Team::stop() {
  state_ = over;
  state_.notify_all();
  for (std::thread& one : threads_) one.join();
  threads_.clear();
  stay_.reset();
}

void Team::gather() {
  stay_.emplace(own_cpu_);
  state_ = ready;
  state_.notify_all();
  int looks = 0;
  for (const Member* one = first_; one != last_; ++one) {
    while (!one->present) look_again(looks);
  }
  gathered = this;
}

void Team::dismiss() {
  gathered = nullptr;
  state_ = asleep;
  stay_.reset();
}

void Team::serve(int number, int cpu) {
  const StayOn stay(cpu);
  Member& own = first_[number - 1];
  own.cpu = is_on(cpu) ? cpu : -2;
  std::int64_t seen = 0;
  while (state_ != over) {
    state_.wait(asleep);
    own.present = true;
    int looks = 0;
    while (state_ == ready) {
      if (turn_.load(std::memory_order_acquire) == seen) {
        look_again(looks);
        continue;
      }
      part_(owner_, number);
      own.done.store(++seen, std::memory_order_release);
    }
    own.present = false;
  }
}

int Team::inside() {
  const Team* team = gathered;
  if (team == nullptr || team->first_ == team->last_) return -1;
  const std::int64_t turn = team->turn_;
  int count = 0;
  for (const Member* one = team->first_; one != team->last_; ++one) count += one->done != turn ? 1 : 0;
  return count;
}

}  // namespace groma
