#include "tactus/sched/precedence.hpp"

#include <algorithm>
#include <cstddef>

namespace tactus::sched {

namespace {

std::vector<Edge> edges_of(const Work& work) {
  if (work.form == WorkForm::graph) return edges_within_job(work);
  std::vector<Edge> edges;
  for (std::size_t node = 1; node < work.nodes.size(); ++node) edges.push_back({node - 1, node});
  return edges;
}

}  // namespace

Precedence::Precedence(const Work& work) : predecessors_(work.nodes.size()), first_{0} {
  std::vector<Edge> edges = edges_of(work);
  std::stable_sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) { return a.from < b.from; });
  auto edge = edges.begin();
  for (std::size_t node = 0; node < work.nodes.size(); ++node) {
    for (; edge != edges.end() && edge->from == node; ++edge) {
      successors_.push_back(static_cast<std::uint32_t>(edge->to));
      ++predecessors_[edge->to];
    }
    first_.push_back(static_cast<std::uint32_t>(successors_.size()));
  }
}

}  // namespace tactus::sched
