/* C++: handles that free themselves, failures that are exceptions, and predictions with their doubt. Two clouds of
 * points are told apart; where there were no points, the networks of the posterior disagree.
 *
 *     c++ -std=c++17 doubt.cpp $(pkg-config --cflags --libs kelvin) -o doubt
 *     ./doubt
 *
 * It prints:
 *
 *     in a cloud   class 0, certain
 *     in the other class 1, certain
 *     far away     class 0, in doubt
 */
#include <kelvin/kelvin.h>

#include <cmath>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <vector>

namespace
{

/* A handle, and the function that frees it. */
template <auto destroy> struct Free {
    template <typename T> void operator()(T *handle) const
    {
        destroy(handle);
    }
};
using Data = std::unique_ptr<kelvin_data, Free<kelvin_data_close>>;
using Config = std::unique_ptr<kelvin_config, Free<kelvin_config_destroy>>;
using Run = std::unique_ptr<kelvin_run, Free<kelvin_run_close>>;
using Samples = std::unique_ptr<kelvin_samples, Free<kelvin_samples_close>>;
using Inputs = std::unique_ptr<kelvin_inputs, Free<kelvin_inputs_close>>;
using Logits = std::unique_ptr<kelvin_logits, Free<kelvin_logits_close>>;

void check(kelvin_status status)
{
    if (status) throw std::runtime_error(kelvin_error());
}

/* make<Data>(kelvin_data_open, "digits"): what a function makes, owned. */
template <typename Handle, typename Function, typename... Arguments>
Handle make(Function function, Arguments... arguments)
{
    typename Handle::pointer handle = nullptr;
    check(function(&handle, arguments...));
    return Handle(handle);
}

/* Two half circles. */
Data moons()
{
    const int n = 100;
    std::vector<float> x;
    std::vector<std::int32_t> labels;
    for (int i = 0; i < n; i++) {
        const double angle = 3.14159 * (i / 2 + 0.5) / (n / 2), side = i % 2 ? -1 : 1;
        x.push_back(static_cast<float>(side * (std::cos(angle) + 0.5)));
        x.push_back(static_cast<float>(side * (std::sin(angle) - 0.25)));
        labels.push_back(i % 2);
    }
    kelvin_arrays arrays = {};
    arrays.rows = n;
    arrays.columns = 2;
    arrays.x = x.data();
    arrays.labels = labels.data();
    arrays.split = -1; /* all of them are for training */
    return make<Data>(kelvin_data_from_arrays, &arrays);
}

Run sample(const Data &data)
{
    const auto config = make<Config>(kelvin_config_create);
    check(kelvin_config_set(config.get(), "sampler", "mclmc"));
    check(kelvin_config_set(config.get(), "model", "mlp:10,10"));
    check(kelvin_config_set(config.get(), "chains", "2"));
    check(kelvin_config_set(config.get(), "iterations", "400"));
    auto run = make<Run>(kelvin_run_start_with, config.get(), data.get(), nullptr);
    kelvin_run *runs[] = {run.get()};
    check(kelvin_run_sample(runs, 1, nullptr, nullptr, nullptr));
    return run;
}

kelvin_status print(void *, const kelvin_verdict *verdict) noexcept
{
    static const char *const where[] = {"in a cloud", "in the other", "far away"};
    std::printf("%-12s class %d, %s\n", where[verdict->index], verdict->predicted,
                verdict->epistemic > 0.1 ? "in doubt" : "certain");
    return KELVIN_OK;
}

} // namespace

int main()
try {
    const auto data = moons();
    const auto run = sample(data);
    const auto samples = make<Samples>(kelvin_samples_of, run.get());
    const float points[] = {0.5f, 0.75f, -0.5f, -0.75f, 6, -5};
    auto inputs = make<Inputs>(kelvin_inputs_from_array, points, nullptr, nullptr, std::size_t{3}, data.get());
    const auto logits = make<Logits>(kelvin_logits_computed, samples.get(), inputs.release(), std::size_t{0});
    check(kelvin_judge(logits.get(), print, nullptr));
    return 0;
} catch (const std::exception &failure) {
    std::fprintf(stderr, "%s\n", failure.what());
    return 1;
}
