#include "lapwing/exchange/device_exchange.hpp"

#include <cstdint>

#include "device/device_arrays.hpp"
#include "lapwing/base/error.hpp"
#include "lapwing/mpi/agreement.hpp"
#include "plan/own_messages.hpp"

namespace lapwing {

namespace {

void require_supported(const ExchangeOptions& options) {
    if (options.direction == Direction::fill) return;
    user_error("direction of an exchange of arrays of a device", "from halos to owners", "from owners to halos",
               "exchange arrays of the host, or read around a cell instead of writing around it");
}

// The box and the cells that each array of a field holds at least, without values.
AnyField shape_of(const Domain& domain, const FieldSpec& spec, DeviceArrays& arrays, std::size_t first) {
    std::vector<Block> blocks;
    for (const int subdomain : domain.partition().subdomains_of(domain.rank())) {
        Block block;
        block.owned = spec.with_levels(domain.partition().subdomain(subdomain).box);
        block.allocated = grow(block.owned, spec.largest_extent());
        block.data = arrays.begin_of(first + blocks.size());
        Index stride = static_cast<Index>(size_of(spec.type));
        for (const int axis : spec.order) {
            block.strides[axis] = stride;
            stride *= axis == 3 ? spec.components : block.allocated.size(axis);
        }
        blocks.push_back(block);
    }
    return {domain.partition(), domain.rank(), spec, std::move(blocks), nullptr};
}

}  // namespace

// The parts of an exchange that need no array yet.
struct DeviceExchange::Shapes {
    Shapes(Domain& domain, const std::shared_ptr<const Device>& device, std::span<const FieldSpec> specs,
           ExchangeOptions options) {
        if (options.transport == "auto") options.transport = "staged";
        together(domain.comm(), [&] {
            require_supported(options);
            const std::size_t boxes = domain.partition().subdomains_of(domain.rank()).size();
            arrays = std::make_shared<DeviceArrays>(device, specs.size() * boxes);
            for (const FieldSpec& spec : specs) {
                check(spec, domain.partition().grid());
                fields.push_back(shape_of(domain, spec, *arrays, fields.size() * boxes));
            }
        });
        for (const AnyField& field : fields) pointers.push_back(&field);
        route = halo_route(domain, pointers, specs, options);
        route.plan = with_own_messages(std::move(route.plan));
        route.device = arrays;
    }

    std::shared_ptr<DeviceArrays> arrays;
    std::vector<AnyField> fields;
    std::vector<const AnyField*> pointers;
    Route route;
};

DeviceExchange::DeviceExchange(Domain& domain, const std::shared_ptr<const Device>& device,
                               std::span<const FieldSpec> specs, const ExchangeOptions& options)
    : DeviceExchange(domain, Shapes(domain, device, specs, options)) {}

DeviceExchange::DeviceExchange(Domain& domain, const Shapes& shapes)
    : ArrayExchange(domain, shapes.route, shapes.pointers), arrays_(shapes.arrays) {}

void DeviceExchange::take(int number, const Block& memory) {
    static_cast<void>(array(number));  // throws for another number
    const FieldSpec& spec = spec_of(static_cast<std::size_t>(number));
    const std::string what = "array of field " + spec.name;
    if (memory.data != nullptr) require_on_device(arrays_->device(), memory.data, what);
    if (reinterpret_cast<std::uintptr_t>(memory.data) % size_of(spec.type) != 0) {
        user_error(what, "an address between values", concat("a multiple of ", size_of(spec.type), " bytes"),
                   "pass an array of whole values");
    }
    ArrayExchange::take(number, memory);
}

Pending DeviceExchange::start(StreamHandle stream) {
    require_idle("start");
    arrays_->order().follow(stream);
    return Exchange::start();
}

Pending DeviceExchange::start() {
    require_idle("start");
    arrays_->order().follow({});
    return Exchange::start();
}

void DeviceExchange::take_all(std::span<const Block> arrays) {
    require_count(arrays.size());
    for (std::size_t n = 0; n < arrays.size(); ++n) take(static_cast<int>(n), arrays[n]);
}

void DeviceExchange::run(std::span<const Block> arrays, StreamHandle stream) {
    take_all(arrays);
    start(stream).wait();
}

void DeviceExchange::run(std::span<const Block> arrays) {
    take_all(arrays);
    start().wait();
}

// Pieces count from where their arrays begin, so the begins come first.
void DeviceExchange::prepare() {
    for (int n = 0; n < this->arrays(); ++n) arrays_->place(n, array(n).data);
    ArrayExchange::prepare();
    arrays_->order().begin();
    arrays_->upload();
}

}  // namespace lapwing
