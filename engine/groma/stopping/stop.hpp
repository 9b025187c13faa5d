// When a point has enough samples, and how many to draw next. Decided on the first member, told to the others.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "groma/plan/point.hpp"

namespace groma {

enum class Stopped { no, precision, repetitions, slot, retries };
std::string_view stopped_by(Stopped reason);

/// Most samples drawn between two decisions.
inline constexpr std::int64_t longest_batch = 1000;

/// True if `samples`, drawn in `elapsed_s`, are enough; `invalid` more were dropped.
Stopped enough(const Point& point, const std::vector<std::int64_t>& samples, std::int64_t invalid, double elapsed_s);

/// How many samples to draw next, at least one, so that neither the slot nor the maximum is overrun.
std::int64_t next_batch(const Point& point, std::int64_t drawn, double elapsed_s, double expected_sample_s);

}  // namespace groma
