// The submissions in the streams of a device whose ends are not known yet.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "tactus/device/cuda/segment_work.hpp"

namespace tactus::cuda {

inline constexpr std::uint32_t nothing = ~std::uint32_t{0};

/// The largest number of submissions with a loop in a stream; further ones wait on the host. Two, so that the
/// device does not wait for the next.
inline constexpr std::size_t loops_in_stream = 2;

/// One submission of a segment.
struct StreamEntry {
  device::Request request;
  const SegmentWork* work = nullptr;
  Time called{};
  Time launched{};  // the latest launch; pinned work may be launched again
  Part part;
  unsigned signal = 0;           // value of its completion word when it has ended; increases with every use
  unsigned signals = 0;          // signals enqueued; one for each chunk of a copy
  std::uint32_t loop = nothing;  // the loop that makes it stoppable
  bool ends_with_loop = false;   // it ends when its loop does
  bool is_sent = false;          // false: it waits for an earlier copy in its stream, or for a loop
  MemoryCopy copy;               // of a bound copy
  std::int64_t bytes_sent = 0;   // of a copy: enqueued or copied so far
  std::int64_t bytes_left = 0;   // of a copy: not enqueued yet
  std::int64_t chunk = 0;        // of a copy: the largest chunk
  bool cut = false;              // what was not enqueued has been given up
  bool failed = false;
  bool told = false;  // its failure was reported; kept until the stream has passed it
  bool stopping = false;
  std::uint32_t launch = nothing;        // slot of its call, while a launcher has it
  std::uint32_t offered_loop = nothing;  // to that call, if it was taken for it
  bool stop_when_launched = false;       // it was asked to stop meanwhile
  std::uint32_t queue = nothing;
  std::uint32_t next = nothing;  // the next in its stream, or in the list of free entries

  /// Whether all of it is in the stream.
  [[nodiscard]] bool is_enqueued() const { return is_sent && bytes_left == 0 && launch == nothing; }
  /// The progress made by earlier submissions of the segment.
  [[nodiscard]] const sched::SegmentProgress& before() const { return request.stretch.done; }
};

/// What is kept of a segment of a job from one submission to the next.
struct SegmentRow {
  std::uint32_t entry = nothing;
  std::uint32_t loop = nothing;      // of bound work that can be stopped
  std::optional<MemoryCopy> copy{};  // of a bound copy that has started
};

/// A stream runs its submissions in order, so only the first of each can have ended. Fixed size.
class StreamQueues {
 public:
  StreamQueues(std::size_t capacity, std::size_t queues) : entries_(capacity), queues_(queues) {
    busy_.reserve(queues);
    for (std::size_t i = capacity; i > 0; --i) close(static_cast<std::uint32_t>(i - 1));
    open_ = 0;
  }

  [[nodiscard]] std::size_t capacity() const { return entries_.size(); }
  [[nodiscard]] std::size_t size() const { return open_; }
  [[nodiscard]] StreamEntry& operator[](std::uint32_t index) { return entries_[index]; }
  [[nodiscard]] const StreamEntry& operator[](std::uint32_t index) const { return entries_[index]; }

  /// A free entry; `nothing` when there is none. Its signal is a value that its word never had.
  std::uint32_t open() {
    const std::uint32_t index = first_free_;
    if (index == nothing) return nothing;
    StreamEntry& entry = entries_[index];
    first_free_ = entry.next;
    ++open_;
    const unsigned signal = entry.signal + 1;
    entry = {};
    entry.signal = signal == 0 ? 1 : signal;
    return index;
  }
  /// Frees an entry that is in no queue.
  void close(std::uint32_t index) {
    entries_[index].next = first_free_;
    first_free_ = index;
    --open_;
  }

  /// The number of its signals that the word has not reached yet.
  static unsigned signals_ahead(const StreamEntry& entry, unsigned word) {
    // A word that is far behind still holds a value of an earlier use.
    return std::min(entry.signal - word, entry.signals);
  }

  void enqueue(std::uint32_t index, std::uint32_t queue) {
    entries_[index].queue = queue;
    entries_[index].next = nothing;
    Queue& line = queues_[queue];
    if (line.first == nothing) {
      line.first = index;
      line.place = static_cast<std::uint32_t>(busy_.size());
      busy_.push_back(queue);
    } else {
      entries_[line.last].next = index;
    }
    line.last = index;
  }
  /// The submission that runs; `nothing` when the queue is empty.
  [[nodiscard]] std::uint32_t first(std::uint32_t queue) const { return queues_[queue].first; }
  /// The latest submission.
  [[nodiscard]] std::uint32_t last(std::uint32_t queue) const {
    return queues_[queue].first == nothing ? nothing : queues_[queue].last;
  }
  /// How many entries before it in its queue have a loop.
  [[nodiscard]] std::size_t loops_before(std::uint32_t index) const {
    std::size_t count = 0;
    for (std::uint32_t i = first(entries_[index].queue); i != index && i != nothing; i = entries_[i].next) {
      if (entries_[i].loop != nothing) ++count;
    }
    return count;
  }
  void pop(std::uint32_t queue) {
    Queue& line = queues_[queue];
    line.first = entries_[line.first].next;
    if (line.first != nothing) return;
    busy_[line.place] = busy_.back();
    queues_[busy_.back()].place = line.place;
    busy_.pop_back();
  }
  /// Calls `visit(entry)` for all submissions.
  template <class Visit>
  void for_each(Visit&& visit) {
    for (const std::uint32_t queue : busy_) {
      for (std::uint32_t index = first(queue); index != nothing; index = entries_[index].next) {
        visit(entries_[index]);
      }
    }
  }
  /// The non-empty queues, in no particular order. Popping may change it.
  [[nodiscard]] const std::vector<std::uint32_t>& busy() const { return busy_; }

 private:
  struct Queue {
    std::uint32_t first = nothing;
    std::uint32_t last = nothing;
    std::uint32_t place = 0;  // index in `busy_`
  };

  std::vector<StreamEntry> entries_;
  std::vector<Queue> queues_;
  std::vector<std::uint32_t> busy_;
  std::uint32_t first_free_ = nothing;
  std::size_t open_ = 0;
};

}  // namespace tactus::cuda
