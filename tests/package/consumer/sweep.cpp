// Runs an experiment with the part of the installed library that may need MPI.
#include <exception>
#include <iostream>

#include <tactus/sweep.hpp>

int main() {
  try {
    const auto read = tactus::sweep::read_experiment(
        "tactus-experiment: 1\ngenerator: {kind: gpu-jobs, tasks: 2, periods: [1ms, 2ms]}\n"
        "vary: {parameter: utilisation, values: [0.1, 0.9]}\nanalyses: [np-edf]\nsystems: 20\n",
        "experiment.yaml");
    const auto result = tactus::sweep::run(*read.experiment, {.threads = 2});
    std::cout << tactus::sweep::to_csv(*read.experiment, result);
    return result.complete() ? 0 : 1;
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
