#pragma once
// The exchanges of a step, each made once, and those on demand in all their widths.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "lapwing/base/concat.hpp"
#include "lapwing/exchange/exchange.hpp"
#include "step/step_stages.hpp"

namespace lapwing {

// An exchange of the pool, and the same with its land if messages leave land out: it serves halos whose land has not
// come since a field was written from outside.
struct ExchangeWay {
    double width = 0;  // cells; of the last, which serves all, none
    Exchange* exchange = nullptr;
    int number = 0;
    Exchange* whole = nullptr;  // null: `exchange` is, always
    int whole_number = 0;
    bool lacks_land = true;
};

// The exchange of an entry of a schedule: one exchange, or several widths of it, of which each start takes one.
class StepExchange {
  public:
    explicit StepExchange(const ExchangeWay& way)
        : name_("halo of " + listed(way.exchange->plan().fields, ", ", &FieldSpec::name)), ways_{way} {}

    // Returns the name of what it moves: "halo of u, v". Local.
    [[nodiscard]] const std::string& name() const { return name_; }

    // The number that a start looks at, where there are narrower ways; they are added in ascending order. Local.
    void serve(const double* cells) { cells_ = cells; }
    void add_narrower(const ExchangeWay& way) {
        ways_.insert(ways_.end() - 1, way);
        current_ = ways_.size() - 1;
    }
    // The next exchange of each width has its land. Local.
    void require_land() {
        for (ExchangeWay& way : ways_) way.lacks_land = true;
    }

    // Selects the narrowest sufficient exchange, or the widest if none suffices, with land where that is due, and
    // returns its number in the pool. All ranks know the same number, so that they make the same choice. Local.
    int choose();
    // Starts what was chosen. Local.
    void start();
    [[nodiscard]] Exchange& current() const { return whole_ ? *ways_[current_].whole : *ways_[current_].exchange; }
    // The plan that tasks are made for: the widest, with its land, as tasks that read only land wait for it too.
    [[nodiscard]] const MessagePlan& plan() const {
        const ExchangeWay& widest = ways_.back();
        return (widest.whole != nullptr ? widest.whole : widest.exchange)->plan();
    }

  private:
    std::string name_;
    std::vector<ExchangeWay> ways_;
    std::size_t current_ = 0;
    bool whole_ = false;  // true if the exchange in use has its land, and another lacks it
    const double* cells_ = nullptr;
};

// Exchanges of a step by what they move; equal ones are made once, however many programs and nodes use them.
class ExchangePool {
  public:
    ExchangePool(Domain& domain, const StepStages& stages, std::string transport)
        : domain_(domain), stages_(stages), transport_(std::move(transport)) {}

    // Returns the number of the exchange of these halos; on demand, of the widest. Collective if there is none yet.
    int number_of(const std::vector<Read>& halos, bool ordered_corners);
    [[nodiscard]] StepExchange& exchange(int number) { return *steps_[number]; }
    // The next exchange of each has its land: a field was written from outside. Local.
    void require_land();
    // Every width of every exchange, by number.
    [[nodiscard]] const std::vector<std::unique_ptr<Exchange>>& exchanges() const { return exchanges_; }
    // The time of all exchanges since they were made: packing and posting, or waiting. Local.
    template <class Seconds>
    [[nodiscard]] double seconds_of(Seconds seconds) const {
        double sum = 0;
        for (const auto& exchange : exchanges_) sum += std::invoke(seconds, exchange->count());
        return sum;
    }

  private:
    struct Key {
        std::vector<Read> halos;
        bool ordered = false;
        bool whole = false;  // true if it carries its land, next to an exchange without land
        friend bool operator==(const Key&, const Key&) = default;
    };
    int add(const Key& key, ExchangeOptions options);
    int add_alike(const Key& key, ExchangeOptions options);
    int known_or_added(const Key& key, const ExchangeOptions& options);
    ExchangeWay way(int number, double width = 0);
    void add_narrower(const Key& key, int number);

    Domain& domain_;
    const StepStages& stages_;
    std::string transport_;
    std::vector<Key> keys_;
    std::vector<std::unique_ptr<Exchange>> exchanges_;  // one for each key
    std::vector<std::unique_ptr<StepExchange>> steps_;  // one for each key; null: only a transport of another exchange
};

}  // namespace lapwing
