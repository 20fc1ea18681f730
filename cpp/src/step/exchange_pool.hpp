#pragma once
// The exchanges of a step, each made once, and those on demand in all their widths.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "lapwing/base/concat.hpp"
#include "lapwing/exchange/exchange.hpp"
#include "lapwing/step/step_stages.hpp"

namespace lapwing {

// What an entry of a schedule exchanges: one exchange, or several widths of it, of which each start takes one.
class StepExchange {
  public:
    StepExchange(Exchange& exchange, int number)
        : name_("halo of " + listed(exchange.plan().fields, ", ", &FieldSpec::name)), ways_{{0.0, &exchange, number}} {}

    // Of what it moves: "halo of u, v". Local.
    [[nodiscard]] const std::string& name() const { return name_; }

    // The number that a start looks at, where there are narrower ways; they are added in ascending order. Local.
    void serve(const double* cells) { cells_ = cells; }
    void add_narrower(int width, Exchange& exchange, int number) {
        ways_.insert(ways_.end() - 1, {static_cast<double>(width), &exchange, number});
        current_ = ways_.size() - 1;
    }

    // Makes the narrowest way that serves the one in use, the widest where none does: its number in the pool. All ranks
    // know the same number, so that they take the same. Local.
    int choose();
    [[nodiscard]] Exchange& current() const { return *ways_[current_].exchange; }
    // What plans and reports know it by.
    [[nodiscard]] Exchange& widest() const { return *ways_.back().exchange; }

  private:
    struct Way {
        double width;  // cells; of the last, which serves all, none
        Exchange* exchange;
        int number;
    };
    std::string name_;
    std::vector<Way> ways_;
    std::size_t current_ = 0;
    const double* cells_ = nullptr;
};

// Exchanges of a step by what they move; equal ones are made once, however many programs and nodes use them.
class ExchangePool {
  public:
    ExchangePool(Domain& domain, const StepStages& stages, std::string transport)
        : domain_(domain), stages_(stages), transport_(std::move(transport)) {}

    // Number of the exchange of these halos; on demand, of the widest. Collective where there is none yet.
    int number_of(const std::vector<Read>& halos, bool ordered_corners);
    [[nodiscard]] StepExchange& exchange(int number) { return *steps_[number]; }
    // All widths of all of them, by number.
    [[nodiscard]] const std::vector<std::unique_ptr<Exchange>>& exchanges() const { return exchanges_; }
    // Of all of them since they were made: packing and posting, or waiting. Local.
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
        friend bool operator==(const Key&, const Key&) = default;
    };
    int add(const Key& key, const ExchangeOptions& options);
    int add_alike(const Key& key, ExchangeOptions options);
    void add_narrower(const Key& key, int number);

    Domain& domain_;
    const StepStages& stages_;
    std::string transport_;
    std::vector<Key> keys_;
    std::vector<std::unique_ptr<Exchange>> exchanges_;  // of each key
    std::vector<std::unique_ptr<StepExchange>> steps_;  // of each key; null: only a width of another
};

}  // namespace lapwing
