// The plot of an experiment: a gnuplot script, and the pictures it makes where gnuplot is installed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "tactus/sweep/counts.hpp"
#include "tactus/sweep/experiment.hpp"

namespace tactus::sweep {

/// A script that holds its data and draws the acceptance ratio of every analysis over the varied parameter,
/// with 95 % intervals. It writes plot.svg and plot.png, or NAME.svg and NAME.png when called with
/// -e "name='NAME'".
std::string gnuplot_script(const Experiment& experiment, const SweepResult& result);

/// Text between single quotes, as gnuplot reads it.
std::string in_quotes(std::string_view text);

enum class PlotOutcome : std::uint8_t { drawn, no_gnuplot, gnuplot_failed };

/// Writes plot.gp into the folder and lets gnuplot draw plot.svg and plot.png from it. Pictures appear whole
/// or not at all. FailureError when the folder cannot be written.
PlotOutcome draw_plot(const Experiment& experiment, const SweepResult& result,
                      const std::filesystem::path& folder, const std::string& gnuplot = "gnuplot");

}  // namespace tactus::sweep
