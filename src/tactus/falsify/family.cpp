#include "tactus/falsify/family.hpp"

#include <algorithm>
#include <array>

namespace tactus::falsify {

namespace {

struct NamedFamily {
  std::string_view id;
  Family family;
};

constexpr Family single(Order order) { return {.strategy = "single-stream", .order = order}; }
/// Some of its systems have an engine that needs time.
constexpr Family timed(Family family) {
  family.engine = EngineNeeds::time_in_some;
  return family;
}
constexpr Family multi(Order order, Refill refill) {
  return {.strategy = "multi-stream", .order = order, .refill = refill};
}
constexpr Family windows(Order order, bool ideal) {
  return {.strategy = "sm-cores", .order = order, .ideal = ideal};
}
constexpr Family in_phase(bool harmonic, bool offsets) {
  return {.strategy = "sm-cores",
          .sporadic = false,
          .offsets = offsets,
          .ideal = true,
          .harmonic = harmonic,
          .kernels = false};
}
/// The family of a paper without overheads and best-effort work.
constexpr Family bare(Family family) {
  family.overheads = false;
  family.kernels = false;
  family.best_effort = false;
  family.mixed = false;
  return family;
}
constexpr Family phase_ignored() {
  Family family = bare(in_phase(false, false));
  family.sporadic = true;
  return family;
}

constexpr Family chains() { return {.strategy = "federated", .order = Order::fp}; }

constexpr Family servers(Order order) { return {.strategy = "federated", .order = order, .by_node = true}; }

constexpr std::array<NamedFamily, 34> families{{
    {"block-rta", {.strategy = "as-submitted", .sporadic = false, .best_effort = false}},
    {"gpu-fifo", {.strategy = "as-submitted", .best_effort = false}},
    {"gpu-fifo-multi", {.strategy = "as-submitted", .best_effort = false}},
    {"graph-edf", timed({.strategy = "graph", .dispatch = false, .best_effort = false})},
    {"graph-fl",
     timed({.strategy = "graph", .order = Order::fair_lateness, .dispatch = false, .best_effort = false})},
    {"np-edf", timed(single(Order::edf))},
    {"np-edf-as-published", bare(single(Order::edf))},
    {"np-fp", timed(single(Order::fp))},
    {"ms-edf", timed(multi(Order::edf, Refill::lazy))},
    {"ms-edf-as-published", bare(multi(Order::edf, Refill::lazy))},
    {"ms-fp", timed(multi(Order::fp, Refill::lazy))},
    {"ms-edf-immediate", multi(Order::edf, Refill::immediate)},
    {"ms-fp-immediate", multi(Order::fp, Refill::immediate)},
    {"window-necessary", windows(Order::edf, true)},
    {"window-sbf", timed(windows(Order::edf, true))},
    {"window-sbf-as-published", bare(windows(Order::edf, true))},
    {"window-linear", timed(windows(Order::edf, true))},
    {"window-chunks", in_phase(false, false)},
    {"window-chunks-as-published", phase_ignored()},
    {"window-harmonic", in_phase(true, false)},
    {"window-harmonic-as-published", bare(in_phase(true, false))},
    {"window-blocks", timed(windows(Order::edf, false))},
    {"window-fp", timed(windows(Order::fp, false))},
    {"window-exact", in_phase(false, true)},
    {"rtgpu", timed(chains())},
    {"rtgpu-paper", timed(chains())},
    {"rtgpu-as-published", bare(chains())},
    {"rtgpu-tight", timed(chains())},
    {"federated-necessary", chains()},
    {"server-necessary", servers(Order::edf)},
    {"chain-fp", timed(servers(Order::fp))},
    {"chain-edf", timed(servers(Order::edf))},
    {"plain-fp", timed(servers(Order::fp))},
    {"plain-edf", timed(servers(Order::edf))},
}};

}  // namespace

std::optional<Family> family_of(std::string_view id) {
  const auto found = std::find_if(families.begin(), families.end(),
                                  [&](const NamedFamily& named) { return named.id == id; });
  if (found == families.end()) return std::nullopt;
  return found->family;
}

Family exact_part(Family family) {
  family.overheads = false;
  family.engine = EngineNeeds::no_time;
  family.kernels = family.kernels && family.strategy == "single-stream";
  family.best_effort = false;
  family.mixed = false;
  family.distinct_deadlines = true;
  return family;
}

}  // namespace tactus::falsify
