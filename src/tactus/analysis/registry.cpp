#include "tactus/analysis/registry.hpp"

#include <algorithm>
#include <array>

#include "tactus/analysis/block_rta.hpp"
#include "tactus/analysis/federated_necessary.hpp"
#include "tactus/analysis/mpcp.hpp"
#include "tactus/analysis/ms_edf.hpp"
#include "tactus/analysis/ms_edf_as_published.hpp"
#include "tactus/analysis/ms_fp.hpp"
#include "tactus/analysis/np_edf.hpp"
#include "tactus/analysis/np_edf_as_published.hpp"
#include "tactus/analysis/np_fp.hpp"
#include "tactus/analysis/rtgpu.hpp"
#include "tactus/analysis/rtgpu_as_published.hpp"
#include "tactus/analysis/rtgpu_paper.hpp"
#include "tactus/analysis/rtgpu_tight.hpp"
#include "tactus/analysis/self_suspension.hpp"
#include "tactus/analysis/stgm.hpp"
#include "tactus/analysis/window_blocks.hpp"
#include "tactus/analysis/window_chunks.hpp"
#include "tactus/analysis/window_chunks_as_published.hpp"
#include "tactus/analysis/window_exact.hpp"
#include "tactus/analysis/window_fp.hpp"
#include "tactus/analysis/window_harmonic.hpp"
#include "tactus/analysis/window_harmonic_as_published.hpp"
#include "tactus/analysis/window_linear.hpp"
#include "tactus/analysis/window_necessary.hpp"
#include "tactus/analysis/window_sbf.hpp"
#include "tactus/analysis/window_sbf_as_published.hpp"

namespace tactus::analysis {

std::span<const Analysis> registry() {
  // clang-format off
  static const std::array all{
      block_rta_analysis(),
      np_edf_analysis(),
      np_edf_as_published_analysis(),
      np_fp_analysis(),
      ms_edf_analysis(),
      ms_edf_as_published_analysis(),
      ms_fp_analysis(),
      ms_edf_immediate_analysis(),
      ms_fp_immediate_analysis(),
      window_necessary_analysis(),
      window_sbf_analysis(),
      window_sbf_as_published_analysis(),
      window_linear_analysis(),
      window_chunks_analysis(),
      window_chunks_as_published_analysis(),
      window_harmonic_analysis(),
      window_harmonic_as_published_analysis(),
      window_blocks_analysis(),
      window_fp_analysis(),
      window_exact_analysis(),
      federated_necessary_analysis(),
      rtgpu_analysis(),
      rtgpu_tight_analysis(),
      rtgpu_paper_analysis(),
      rtgpu_as_published_analysis(),
      self_suspension_analysis(),
      stgm_analysis(),
      mpcp_analysis(),
  };
  // clang-format on
  return all;
}

const Analysis* find(std::string_view id) {
  const std::span<const Analysis> all = registry();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Analysis& entry) { return entry.id == id; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace tactus::analysis
