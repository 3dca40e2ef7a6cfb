// How long a model's runnables take.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tactus/import/model.hpp"
#include "tactus/import/span.hpp"

namespace tactus::import {

/// Of an activity on a processing unit, split by where the time goes.
struct ExecutionTime {
  Span ticks;
  Span accesses;

  [[nodiscard]] Span together() const { return ticks + accesses; }
};

class TimeTable {
 public:
  TimeTable(const Model& model, const Options& options, Notes& notes)
      : model_{&model}, options_{&options}, notes_{&notes} {}

  /// Missing ticks, bounds and the like are problems, told once.
  ExecutionTime time_of(const Step& step, const ProcessingUnit& unit);
  ExecutionTime time_of(const Runnable& runnable, const ProcessingUnit& unit);

  /// What accesses take when they are copies between host and device.
  Span copy_time(const Step& step, const ProcessingUnit& unit);

  /// Whether it has ticks at all, and whether it has them for this unit wherever it has some.
  [[nodiscard]] bool has_ticks(const Step& step) const;
  bool can_run(const Step& step, const ProcessingUnit& unit);
  bool can_run(const Runnable& runnable, const ProcessingUnit& unit);

 private:
  /// Bytes and lines at one memory, at most.
  struct Amount {
    Rational bytes;
    std::int64_t lines = 0;
    bool may_be_none = false;  // or fewer
  };
  using Amounts = std::map<std::pair<const Element*, bool>, Amount>;  // by memory, and whether it is read

  /// `accesses`: whether those to labels count.
  ExecutionTime time_at(Steps steps, const ProcessingUnit& unit, bool accesses);
  Span ticks_time(const Step& step, const ProcessingUnit& unit);
  ExecutionTime choice_time(const Step& step, const ProcessingUnit& unit, bool accesses);
  ExecutionTime call_time(const Step& step, const ProcessingUnit& unit, bool accesses);
  ExecutionTime time_of(const Runnable& runnable, const ProcessingUnit& unit, bool accesses);
  [[nodiscard]] bool counts_accesses() const;
  void collect_access(const Step& step, const ProcessingUnit& unit, Amounts& amounts);
  [[nodiscard]] bool can_run(Steps steps, const ProcessingUnit& unit, const std::vector<bool>& able) const;
  const std::vector<bool>& able_on(const ProcessingUnit& unit);
  [[nodiscard]] std::size_t index_of(const Runnable& runnable) const;
  Rational size_of(const Element& label);
  const Element* memory_of(const Element& label, const ProcessingUnit& unit);
  Span access_time(const Amounts& amounts, const ProcessingUnit& unit);
  Span access_time(const MemoryAccess& access, bool reads, Rational bytes, std::int64_t lines,
                   const ProcessingUnit& unit);
  Span bounded(const Distribution& found, const Element& where, bool are_ticks);
  void note_missing_latency(const MemoryAccess& access, bool reads, const ProcessingUnit& unit);
  void note_without_size(const Element& label);
  [[nodiscard]] std::int64_t line_size() const;

  const Model* model_;
  const Options* options_;
  Notes* notes_;

  std::map<std::tuple<const Runnable*, const ProcessingUnit*, bool>, ExecutionTime> known_;
  std::map<const Element*, std::vector<bool>> able_;    // by definition: which runnables have ticks for it
  std::unordered_map<const Element*, Rational> sizes_;  // of labels
  using Ways = std::vector<const MemoryAccess*>;
  std::map<const ProcessingUnit*, std::unordered_map<const Element*, Ways>> ways_to_;  // null: any memory
  std::set<std::pair<const MemoryAccess*, bool>> told_;
  std::set<std::pair<const Element*, const ProcessingUnit*>> without_access_;  // a memory, and who uses it
  std::set<const Element*> without_size_;                                      // labels
};

}  // namespace tactus::import
