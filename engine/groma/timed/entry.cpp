#include "groma/timed/entry.hpp"

namespace groma {

Configured::Configured(const Entry& entry, const Settings& settings, bool touched)
    : entry_(touched && !entry.touched.empty() ? &entry.touched.front() : &entry), options_(entry.resolve(settings)) {
  for (const Entry& form : entry_->forms) {
    if (!form.is_form_for(options_.get())) continue;
    entry_ = &form;
    return;
  }
}

Memory Configured::memory(const Shape& shape) const {
  const Memory one = memory_of_thread(shape);
  const std::int64_t others = lanes() - 1;
  return {.send_bytes = others * thread_stride(one.send_bytes) + one.send_bytes,
          .receive_bytes = others * thread_stride(one.receive_bytes) + one.receive_bytes};
}

std::int64_t array_bytes(Size size, const Shape& shape) {
  switch (size) {
    case Size::none:
    case Size::stated:
      return 0;
    case Size::message:
      return shape.bytes;
    case Size::per_rank:
      return shape.ranks * shape.bytes;
  }
  return 0;
}

std::shared_ptr<void> hold(void* object, void (*close)(void*)) { return {object, close}; }

}  // namespace groma
