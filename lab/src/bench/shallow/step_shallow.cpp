#include "shallow/step_shallow.hpp"

#include <vector>

namespace lapwing::bench {

template <class Real>
typename StepShallow<Real>::Fields StepShallow<Real>::declared(Domain& domain, const std::string& mark) {
    const auto field = [&](const char* name, Location location) {
        return Field<Real>(domain, name + mark, {.location = location, .rows = RowLayout::on_lines});
    };
    return {field("h", Location::center), field("u", Location::xface), field("v", Location::yface)};
}

template <class Real>
DeclaredStage StepShallow<Real>::sweep(const Fields& from, const Fields& to) {
    const auto kernel = [this](Box box, View<const Real> h, View<const Real> u, View<const Real> v, View<Real> new_h,
                               View<Real> new_u, View<Real> new_v, View<Real> dh, View<Real> du, View<Real> dv) {
        step_shallow(state_.number(), box, {h, u, v, new_h, new_u, new_v, dh, du, dv});
    };
    return stage("sweep", kernel, reads(from[0], around(1)), reads(from[1], around(2)), reads(from[2], around(2)),
                 writes(to[0]), writes(to[1]), writes(to[2]), updates(tendencies_[0]), updates(tendencies_[1]),
                 updates(tendencies_[2]));
}

template <class Real>
StepShallow<Real>::StepShallow(Domain& domain, const ShallowModel& model, const std::string& strategy,
                               const std::string& transport)
    : state_(model), flow_{declared(domain, ""), declared(domain, "_next")}, tendencies_(declared(domain, "_change")) {
    const std::vector<std::vector<DeclaredStage>> cycle{{sweep(flow_[0], flow_[1])}, {sweep(flow_[1], flow_[0])}};
    step_.emplace(domain, cycle, StepOptions{.strategy = strategy, .transport = transport});
    for (std::size_t level = 0; level < 2; ++level) {
        const std::array<const AnyField*, 2> both{&flow_[level][1].memory(), &flow_[level][2].memory()};
        exchanges_[level].emplace(domain, std::span(both), ExchangeOptions{.transport = transport});
    }
}

template <class Real>
void StepShallow<Real>::begin(const Flow& flow) {
    state_.restart();
    step_->restart_at(0);
    const Box& box = flow_[0][0].memory().blocks()[0].owned;
    const std::array values{flow.h, flow.u, flow.v};
    for (std::size_t f = 0; f < 3; ++f) {
        store<Real>(values[f], box, flow_[0][f].memory().template view<Real>());
        flow_[0][f].modified();
        tendencies_[f].fill(Real{0});
    }
}

template <class Real>
void StepShallow<Real>::run(int steps) {
    const auto advance = [&](int some) {
        step_->run(some);
        for (int n = 0; n < some; ++n) state_.stepped();
    };
    const int alone = state_.begins() && steps > 0 ? 1 : 0;  // its numbers differ
    advance(alone);
    advance(steps - alone);
}

template <class Real>
void StepShallow<Real>::read(const Flow& flow) {
    const Fields& fields = flow_[state_.level()];
    exchanges_[state_.level()]->run();
    const Box& box = fields[0].memory().blocks()[0].owned;
    const std::array values{flow.h, flow.u, flow.v};
    load<Real>(box, fields[0].memory().template view<Real>(), values[0]);
    Fields& spare = flow_[1 - state_.level()];
    for (int f = 1; f < 3; ++f) {
        add_friction<Real>(state_.number(), box, f - 1, fields[f].memory().template view<Real>(),
                           spare[f].memory().template view<Real>());
        load<Real>(box, spare[f].memory().template view<Real>(), values[f]);
        spare[f].modified();
    }
}

template class StepShallow<float>;
template class StepShallow<double>;

}  // namespace lapwing::bench
