#pragma once
// The same work through lapwing.

#include <memory>
#include <string>
#include <vector>

#include "exchange/method.hpp"
#include "lapwing/exchange/exchange.hpp"

namespace lapwing::bench {

class LapwingMethod final : public Method {
  public:
    struct Options {
        std::string transport = "p2p";
        bool wrapped = false;   // the caller's own memory, else memory that lapwing allocated
        bool separate = false;  // one exchange per field, all in flight together
    };

    // Collective over the domain, whose partition must be that of the work. Throws UserError where the transport
    // is not to be had.
    LapwingMethod(Domain& domain, const ExchangeWork& work, const Options& options);
    void exchange() override;
    [[nodiscard]] const WorkArrays& arrays() const override { return *arrays_; }

  private:
    std::unique_ptr<WorkArrays> arrays_;
    std::vector<Field> fields_;
    std::vector<std::unique_ptr<Exchange>> exchanges_;
    std::vector<Pending> pending_;
};

}  // namespace lapwing::bench
