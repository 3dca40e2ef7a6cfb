// Ranks by MPI. Only the calling thread calls MPI.
#include <mpi.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <thread>

#include "tactus/sweep/ranks.hpp"

namespace tactus::sweep {

namespace {

/// MPI waits busily, so messages are polled at this interval instead.
constexpr std::chrono::milliseconds between_looks{1};

/// Where a rank runs.
struct RankHost {
  std::array<char, 256> host{};
  pid_t process = 0;
};

}  // namespace

struct Ranks::World {
  [[nodiscard]] const RankHost& place(int other) const { return places[static_cast<std::size_t>(other)]; }
  [[nodiscard]] bool is_here(int other) const { return place(other).host == place(rank).host; }
  [[nodiscard]] bool is_alive(int other) const {
    return ::kill(place(other).process, 0) == 0 || errno != ESRCH;
  }

  int rank = 0;
  int count = 1;
  std::vector<RankHost> places{};
  std::vector<int> watched{};  // ranks on this machine
};

Ranks::Ranks() {
  if (!launched_by_mpirun()) return;
  world_ = std::make_unique<World>();
  int provided = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &world_->rank);
  MPI_Comm_size(MPI_COMM_WORLD, &world_->count);
  RankHost here;
  ::gethostname(here.host.data(), here.host.size() - 1);
  here.process = ::getpid();
  world_->places.resize(static_cast<std::size_t>(count()));
  MPI_Allgather(&here, sizeof here, MPI_BYTE, world_->places.data(), sizeof here, MPI_BYTE, MPI_COMM_WORLD);
  // All ranks are alive now: a process that cannot be seen is in another namespace, such as a container.
  for (int other = 0; other < count(); ++other) {
    if (world_->is_here(other) && world_->is_alive(other)) world_->watched.push_back(other);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

Ranks::~Ranks() {
  // If a rank has died, the others cannot finalise together; mpirun ends them.
  if (!world_ || !dead().empty()) return;
  if (rank() == 0) {
    for (int other = 1; other < count(); ++other) send(other, {});
    // Receives all messages, so that no rank blocks in a send.
    int left = count() - 1;
    while (left > 0) {
      const std::optional<Message> message = receive();
      if (message && message->text.empty()) --left;
      if (message) continue;
      if (!dead().empty()) return;
      std::this_thread::sleep_for(between_looks);
    }
  } else {
    send(0, {});
  }
  MPI_Finalize();
}

int Ranks::rank() const { return world_ ? world_->rank : 0; }

int Ranks::count() const { return world_ ? world_->count : 1; }

unsigned Ranks::neighbours() const {
  unsigned number = 0;
  for (int other = 0; other < count(); ++other) {
    if (other != rank() && world_->is_here(other)) ++number;
  }
  return number;
}

std::vector<int> Ranks::dead() const {
  std::vector<int> all = world_ ? world_->watched : std::vector<int>{};
  std::erase_if(all, [&](int other) { return world_->is_alive(other); });
  return all;
}

void Ranks::send(int rank, const std::string& text) {
  if (!world_) return;
  MPI_Send(text.data(), static_cast<int>(text.size()), MPI_CHAR, rank, 0, MPI_COMM_WORLD);
}

std::optional<Ranks::Message> Ranks::receive() {
  if (!world_) return std::nullopt;
  int is_there = 0;
  MPI_Status status;
  MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &is_there, &status);
  if (is_there == 0) return std::nullopt;
  int size = 0;
  MPI_Get_count(&status, MPI_CHAR, &size);
  Message message{status.MPI_SOURCE, std::string(static_cast<std::size_t>(size), ' ')};
  MPI_Recv(message.text.data(), size, MPI_CHAR, message.from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return message;
}

Ranks::Message Ranks::wait() {
  while (world_) {
    if (std::optional<Message> message = receive()) return *std::move(message);
    std::this_thread::sleep_for(between_looks);
  }
  return {};
}

}  // namespace tactus::sweep
