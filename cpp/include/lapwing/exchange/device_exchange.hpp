#pragma once
// DeviceExchange: the halo exchange of arrays in memory of a device.

#include <memory>
#include <span>

#include "lapwing/device/device.hpp"
#include "lapwing/exchange/array_exchange.hpp"

namespace lapwing {

// An exchange of arrays that come and go, as ArrayExchange, in memory of a device. It runs on a stream of its own: what
// the caller's stream holds at `start` comes before it, what the caller puts there after `wait` comes after it, and
// what is put there in between runs meanwhile. The host waits for messages, and for no kernel.
class DeviceExchange final : public ArrayExchange {
  public:
    // Uses transport `staged`, which `auto` means here. Collective; throws what ArrayExchange throws, UserError for
    // another direction than `fill`, and OutsideError where the device refuses a call, on all ranks.
    DeviceExchange(Domain& domain, const std::shared_ptr<const Device>& device, std::span<const FieldSpec> specs,
                   const ExchangeOptions& options = {});

    // Does what ArrayExchange::take does, and throws UserError unless the memory lies on the device, on a multiple of
    // the value size. Local.
    void take(int number, const Block& memory);
    // Packs after all that is on the caller's stream. `wait` and `test` end once what fills the halos has been put on
    // a stream, and let later work on the caller's stream come after it. The null stream is the default stream. Local.
    Pending start(StreamHandle stream);
    // The same without a stream: the arrays hold their values already, and the halos theirs after `wait`. Local.
    Pending start();
    // `take` each array, start and wait.
    void run(std::span<const Block> arrays, StreamHandle stream);
    void run(std::span<const Block> arrays);

  private:
    struct Shapes;
    DeviceExchange(Domain& domain, const Shapes& shapes);
    void prepare() override;
    void take_all(std::span<const Block> arrays);

    std::shared_ptr<DeviceArrays> arrays_;
};

}  // namespace lapwing
