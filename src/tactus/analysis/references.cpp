#include "tactus/analysis/references.hpp"

#include <algorithm>
#include <array>
#include <iterator>

namespace tactus::analysis {

std::span<const Reference> references() {
  static constexpr std::array<Reference, 16> all{{
      {"PRUDA",
       "H.-E. Zahaf and G. Lipari: Design and Analysis of Programming Platform for Accelerated GPU-Like "
       "Architectures. 28th International Conference on Real-Time Networks and Systems (RTNS), 2020",
       "10.1145/3394810.3394826"},
      {"RTGPU",
       "A. Zou, J. Li, C. D. Gill and X. Zhang: RTGPU: Real-Time GPU Scheduling of Hard Deadline Parallel "
       "Tasks With Fine-Grain Utilization. IEEE Transactions on Parallel and Distributed Systems 34(5), 2023",
       "10.1109/TPDS.2023.3235439"},
      {"Paredes Zevallos",
       "D. L. Paredes Zevallos: AMALTHEA-based GPU Response Time Analysis for NVidia's Jetson TX2. Thesis, "
       "Fachhochschule Dortmund, 2019",
       ""},
      {"George, Rivierre and Spuri",
       "L. George, N. Rivierre and M. Spuri: Preemptive and Non-Preemptive Real-Time UniProcessor "
       "Scheduling. "
       "INRIA research report, 1996",
       ""},
      {"Leung and Merrill",
       "J. Y.-T. Leung and M. L. Merrill: A Note on Preemptive Scheduling of Periodic, Real-Time Tasks. "
       "Information Processing Letters 11(3), 1980",
       "10.1016/0020-0190(80)90123-4"},
      {"Jeffay, Stanat and Martel",
       "K. Jeffay, D. F. Stanat and C. U. Martel: On Non-Preemptive Scheduling of Periodic and Sporadic "
       "Tasks. IEEE Real-Time Systems Symposium (RTSS), 1991",
       "10.1109/REAL.1991.160366"},
      {"Davis et al.",
       "R. I. Davis, A. Burns, R. J. Bril and J. J. Lukkien: Controller Area Network (CAN) schedulability "
       "analysis: Refuted, revisited and revised. Real-Time Systems 35(3), 2007",
       "10.1007/s11241-007-9012-7"},
      {"Shin and Lee",
       "I. Shin and I. Lee: Periodic Resource Model for Compositional Real-Time Guarantees. IEEE Real-Time "
       "Systems Symposium (RTSS), 2003",
       "10.1109/REAL.2003.1253249"},
      {"self-suspension",
       "K. Bletsas, N. Audsley, W.-H. Huang, J.-J. Chen and G. Nelissen: Errata for Three Papers (2004-05) "
       "on "
       "Fixed-Priority Scheduling with Self-Suspensions. Technical report, CISTER, 2015",
       ""},
      {"STGM",
       "S. K. Saha, Y. Xiang and H. Kim: STGM: Spatio-Temporal GPU Management for Real-Time Tasks. IEEE "
       "International Conference on Embedded and Real-Time Computing Systems and Applications (RTCSA), 2019",
       ""},
      {"MPCP",
       "P. Patel, I. Baek, H. Kim and R. Rajkumar: Analytical Enhancements and Practical Insights for MPCP "
       "with Self-Suspensions. IEEE Real-Time and Embedded Technology and Applications Symposium (RTAS), "
       "2018",
       ""},
      {"GPU server",
       "H. Kim, P. Patel, S. Wang and R. Rajkumar: A Server-based Approach for Predictable GPU Access with "
       "Improved Analysis. Journal of Systems Architecture 88, 2018; first at IEEE International Conference "
       "on Embedded and Real-Time Computing Systems and Applications (RTCSA), 2017",
       ""},
      {"GCAPS",
       "Y. Wang, C. Liu, D. Wong and H. Kim: GCAPS: GPU Context-Aware Preemptive Priority-based Scheduling "
       "for Real-Time Tasks. 36th Euromicro Conference on Real-Time Systems (ECRTS), 2024",
       "10.4230/LIPIcs.ECRTS.2024.14"},
      {"MSRP",
       "P. Gai, G. Lipari and M. Di Natale: Minimizing Memory Utilization of Real-Time Task Sets in Single "
       "and Multi-Processor Systems-on-a-Chip. IEEE Real-Time Systems Symposium (RTSS), 2001",
       ""},
      {"real-time OpenVX",
       "M. Yang, T. Amert, K. Yang, N. Otterness, J. H. Anderson, F. D. Smith and S. Wang: Making OpenVX "
       "Really "
       "\"Real Time\". IEEE Real-Time Systems Symposium (RTSS), 2018",
       "10.1109/RTSS.2018.00018"},
      {"Amert et al.",
       "T. Amert, N. Otterness, M. Yang, J. H. Anderson and F. D. Smith: GPU Scheduling on the NVIDIA TX2: "
       "Hidden Details Revealed. IEEE Real-Time Systems Symposium (RTSS), 2017",
       ""},
  }};
  return all;
}

std::vector<Reference> references_of(const Analysis& analysis) {
  std::vector<Reference> named;
  const std::string_view source = analysis.source;
  std::copy_if(references().begin(), references().end(), std::back_inserter(named),
               [&](const Reference& one) { return source.find(one.name) != std::string_view::npos; });
  return named;
}

}  // namespace tactus::analysis
