// The check of a device, CUDA's or the fake one: exchanges have the bits of the host, and how long they take. One line
// of JSON from rank 0: tests/device/run.sh runs it where there is a device, CTest on the fake one.
#include <mpi.h>

#include <chrono>
#include <cstring>
#include <iostream>
#include <string>
#include <vector>

#include "fake/device_fields.hpp"
#include "fake/fake_device.hpp"
#include "global_cells.hpp"
#include "lapwing/lapwing.hpp"
#include "lapwing/mpi/agreement.hpp"

using namespace lapwing;
using namespace lapwing::testing;

namespace {

// A field of the host and its array on a device, brought there and back by way of pinned memory.
struct Pair {
    Pair(const Device& used, const Domain& domain, const FieldSpec& spec)
        : device(used),
          field(AnyField::with_own_pages(domain.partition(), domain.rank(), spec)),
          block(field.blocks()[0]),
          bytes(bytes_of(block, spec)),
          memory(device.allocate(bytes)),
          pinned(device.allocate_pinned(bytes)),
          stream(device.make_stream(false)),
          event(device.make_event()) {
        block.data = memory.get();
    }
    void write(const Grid& grid, int number) {
        fill_with_codes(field, grid, number);
        std::memcpy(pinned.get(), field.blocks()[0].data, bytes);
        device.copy(memory.get(), pinned.get(), bytes, stream.get());
    }
    void read() {
        device.copy(pinned.get(), memory.get(), bytes, stream.get());
        finish();
        std::memcpy(field.blocks()[0].data, pinned.get(), bytes);
    }
    void finish() {
        device.record(event, stream.get());
        device.wait_for(event);
    }

    const Device& device;
    AnyField field;
    Block block;
    std::size_t bytes;
    DeviceMemory memory, pinned;
    DeviceStream stream;
    DeviceEvent event;
};

// Cells of the wrong value on all ranks after some exchanges.
int wrong_cells(Domain& domain, const std::shared_ptr<const Device>& device, const FieldSpec& spec) {
    Pair pair(*device, domain, spec);
    DeviceExchange exchange(domain, device, {&spec, 1});
    int wrong = 0;
    for (int turn = 0; turn < 5; ++turn) {
        pair.write(domain.partition().grid(), turn);
        exchange.run({&pair.block, 1}, pair.stream.get());
        pair.read();
        wrong += static_cast<int>(misplaced(pair.field, domain.partition(), turn).size());
    }
    return reduced(domain.comm(), wrong, MPI_SUM, "wrong cells of other ranks");
}

// Mean seconds of an exchange on the slowest rank, the last one carried out.
double seconds_of(Domain& domain, const std::shared_ptr<const Device>& device, const FieldSpec& spec, int rounds) {
    Pair pair(*device, domain, spec);
    DeviceExchange exchange(domain, device, {&spec, 1});
    exchange.run({&pair.block, 1}, pair.stream.get());
    pair.finish();
    MPI_Barrier(domain.comm());
    const auto begin = std::chrono::steady_clock::now();
    for (int round = 0; round < rounds; ++round) exchange.start(pair.stream.get()).wait();
    pair.finish();
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() / rounds;
    return reduced(domain.comm(), seconds, MPI_MAX, "the slowest rank");
}

std::shared_ptr<const Device> opened(const std::string& kind) {
    return kind == "cuda" ? open_cuda() : FakeLibrary(1).device;
}

}  // namespace

int main(int argc, char** argv) {
    return run_main(argc, argv, [&] {
        const MPI_Comm comm = MPI_COMM_WORLD;
        const std::string kind = argc > 1 ? argv[1] : "fake";
        const Index size = kind == "cuda" ? 256 : 8;
        const auto device = opened(kind);
        Domain small(comm, {13, 9, 11}, {true, false, true}),
            large(comm, {size * size_of(comm), size, size}, {true, true, true});
        int wrong = 0;
        std::string times;
        for (const ElementType type :
             {ElementType::float32, ElementType::float64, ElementType::int32, ElementType::int64}) {
            for (const int width : {1, 2}) {
                FieldSpec spec;
                spec.name = "u";
                spec.type = type;
                spec.extents = {Extent::cross(width)};
                wrong += wrong_cells(small, device, spec);
                const double seconds = seconds_of(large, device, spec, kind == "cuda" ? 50 : 3);
                times += concat(times.empty() ? "" : ", ", "{\"work\": \"3d-", size, " ", type, " width ", width,
                                "\", \"method\": \"staged\", \"mean\": ", std::to_string(1e6 * seconds), "e-6}");
            }
        }
        if (small.rank() == 0) {
            std::cout << "{\"schema\": \"lapwing-device-1\", \"device\": \"" << device->name()
                      << "\", \"ranks\": " << size_of(comm) << ", \"wrong_cells\": " << wrong << ", \"results\": ["
                      << times << "]}" << std::endl;
        }
        small.close();
        large.close();
        if (wrong > 0) throw OutsideError("check of the device: cells have other values than on the host");
    });
}
