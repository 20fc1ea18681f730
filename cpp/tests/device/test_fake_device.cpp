// The fake device does what drivers do, and late; what lapwing builds on it orders streams.
#include <catch2/catch.hpp>

#include <cstring>
#include <numeric>
#include <thread>
#include <vector>

#include "device/device_piece.hpp"
#include "device/stream_order.hpp"
#include "fake/fake_device.hpp"
#include "fake/fake_memory.hpp"
#include "lapwing/base/error.hpp"

using namespace lapwing;
using namespace lapwing::testing;
using Catch::Contains;

namespace {

constexpr int runs = 100;

// Numbers in device memory, written by a kernel on a stream.
struct Numbers {
    explicit Numbers(const FakeLibrary& library, int count)
        : fake(*library.fake), bytes(count * sizeof(int)), memory(library.device->allocate(bytes)) {}
    void write(StreamHandle stream, int first) {
        int* const seen = reinterpret_cast<int*>(FakeDevice::seen(memory.get(), bytes));
        fake.run(stream, [=, n = bytes / sizeof(int)] { std::iota(seen, seen + n, first); });
    }
    [[nodiscard]] int value(int n) const {
        return reinterpret_cast<const int*>(FakeDevice::seen(memory.get(), bytes))[n];
    }
    FakeDevice& fake;
    std::size_t bytes;
    DeviceMemory memory;
};

}  // namespace

TEST_CASE("memory of a device is poisoned, and the host cannot touch it") {
    const FakeLibrary library(1);
    const DeviceMemory memory = library.device->allocate(64);
    REQUIRE(static_cast<int>(*FakeDevice::seen(memory.get(), 64)) == poison);
    REQUIRE(FakeDevice::seen(memory.get(), 65) == nullptr);
    REQUIRE(library.device->kind_of(memory.get() + 63).on_device);
    int on_host = 0;
    REQUIRE_FALSE(library.device->kind_of(&on_host).on_device);
    REQUIRE_FALSE(library.device->kind_of(library.device->allocate_pinned(8).get()).on_device);
}

TEST_CASE("an address of elsewhere is named with its remedy") {
    const FakeLibrary one(1), other(2, 1);
    const DeviceMemory memory = one.device->allocate(8);
    require_on_device(*one.device, memory.get(), "array of field u");
    int on_host = 0;
    REQUIRE_THROWS_WITH(require_on_device(*one.device, &on_host, "array of field u"),
                        Contains("array of field u: got memory of the host; expected memory of device 0"));
    REQUIRE_THROWS_WITH(require_on_device(*other.device, memory.get(), "array of field u"),
                        Contains("got memory of device 0; expected memory of device 1"));
}

TEST_CASE("a stream carries out one after the other") {
    for (int seed = 0; seed < runs; ++seed) {
        const FakeLibrary library(seed);
        Numbers numbers(library, 10);
        const DeviceStream stream = library.device->make_stream(false);
        const DeviceMemory back = library.device->allocate_pinned(numbers.bytes);
        const DeviceEvent event = library.device->make_event();
        for (int first : {10, 20, 30}) numbers.write(stream.get(), first);
        library.device->copy(back.get(), numbers.memory.get(), numbers.bytes, stream.get());
        library.device->record(event, stream.get());
        library.device->wait_for(event);
        REQUIRE(reinterpret_cast<const int*>(back.get())[9] == 39);
    }
}

TEST_CASE("what is not waited for is seen in nearly every run") {
    int seen = 0;
    for (int seed = 0; seed < runs; ++seed) {
        const FakeLibrary library(seed);
        Numbers numbers(library, 10);
        const DeviceStream writer = library.device->make_stream(false), reader = library.device->make_stream(false);
        const DeviceMemory back = library.device->allocate_pinned(numbers.bytes);
        const DeviceEvent event = library.device->make_event();
        bool wrong = false;
        for (int turn = 0; turn < 20; ++turn) {  // a reader that forgets the writer
            numbers.write(writer.get(), turn);
            library.device->copy(back.get(), numbers.memory.get(), numbers.bytes, reader.get());
            library.device->record(event, reader.get());
            library.device->wait_for(event);
            wrong = wrong || reinterpret_cast<const int*>(back.get())[0] != turn;
        }
        seen += wrong ? 1 : 0;
    }
    REQUIRE(seen >= 99);
}

TEST_CASE("an order of streams lets the caller's stream and the exchange's follow each other") {
    for (int seed = 0; seed < runs; ++seed) {
        const FakeLibrary library(seed);
        Numbers numbers(library, 10), copied(library, 10);
        const DeviceStream caller = library.device->make_stream(false);
        StreamOrder order(library.device);
        order.follow(caller.get());
        for (int turn = 0; turn < 5; ++turn) {
            numbers.write(caller.get(), turn);
            order.begin();
            library.device->copy(copied.memory.get(), numbers.memory.get(), numbers.bytes, order.stream());
            order.end();
            REQUIRE(order.ended());
            int found = -1;
            library.fake->run(caller.get(), [&] { found = copied.value(0); });
            numbers.write(caller.get(), -5);  // must not overtake the copy
            library.fake->synchronize(caller.get());
            REQUIRE(found == turn);
        }
    }
}

TEST_CASE("without a stream the host is followed, and waits") {
    const FakeLibrary library(3);
    Numbers numbers(library, 4), copied(library, 4);
    StreamOrder order(library.device);
    numbers.write(nullptr, 7);
    library.fake->synchronize(nullptr);
    order.begin();
    library.device->copy(copied.memory.get(), numbers.memory.get(), numbers.bytes, order.stream());
    order.end();
    while (!order.ended()) std::this_thread::yield();
    REQUIRE(copied.value(3) == 10);
}

TEST_CASE("the kernel packs and unpacks every kind of piece") {
    const FakeLibrary library(5);
    const Device& device = *library.device;
    const DeviceMemory array = device.allocate(96), buffer = device.allocate(96), table = device.allocate(96),
                       arrays = device.allocate(8), lists = device.allocate(16);
    auto* const cells = reinterpret_cast<double*>(FakeDevice::seen(array.get(), 96));
    std::iota(cells, cells + 12, 0.0);
    // every other value of a row of 4 backwards, in rows 0 and 2 of three
    DevicePiece piece{24, 0, {-16, 0, 0, 0}, {2, 2, 1, 1}, 0, 8, 1, 0, 1, 0};
    std::memcpy(FakeDevice::seen(table.get(), 96), &piece, sizeof piece);
    *reinterpret_cast<std::byte**>(FakeDevice::seen(arrays.get(), 8)) = array.get();
    auto* const offsets = reinterpret_cast<DeviceInteger*>(FakeDevice::seen(lists.get(), 16));
    offsets[0] = 0;
    offsets[1] = 64;
    DeviceMove move{reinterpret_cast<const DevicePiece*>(table.get()),
                    reinterpret_cast<const DeviceInteger*>(lists.get()), reinterpret_cast<char* const*>(arrays.get()),
                    reinterpret_cast<char*>(buffer.get()), 1};
    device.move(move, 1, 4, nullptr);
    library.fake->synchronize(nullptr);
    const auto* const packed = reinterpret_cast<const double*>(FakeDevice::seen(buffer.get(), 96));
    REQUIRE(std::vector<double>(packed, packed + 4) == std::vector<double>{3, 1, 11, 9});
    move.packs = 0;
    device.move(move, 1, 4, nullptr);
    library.fake->synchronize(nullptr);
    REQUIRE(std::vector<double>(cells, cells + 12) == std::vector<double>{0, -1, 2, -3, 4, 5, 6, 7, 8, -9, 10, -11});
    REQUIRE(library.fake->launches() == 2);
}

TEST_CASE("what leaves its memory is told by the next call") {
    const FakeLibrary library(6);
    const DeviceMemory memory = library.device->allocate(8), pinned = library.device->allocate_pinned(8);
    REQUIRE_THROWS_WITH(library.device->copy(memory.get(), pinned.get(), 16, nullptr),
                        Contains("call copy of device fake: got copy outside device memory"));
}
