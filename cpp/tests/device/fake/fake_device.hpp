#pragma once
// A device without hardware: the functions of a driver over memory of the host.

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <random>

#include "fake_streams.hpp"
#include "lapwing/device/device.hpp"

namespace lapwing::testing {

// A call that a fake device ignores, to try whether a test finds it missing: records or waits of event `event`, counted
// in the order in which events were made; questions about it, which are answered with yes; or the stream of copies from
// the device or to it, which go on the default stream.
struct Mutant {
    enum class Call { none, record, await, has_happened, copy_out, copy_in };
    Call call = Call::none;
    int event = 0;
};

// What it is given is carried out late (see FakeStreams) and poisons where it writes before it writes there. A call
// with a wrong address, or a task that leaves its memory, makes all later calls fail, as drivers do.
class FakeDevice {
  public:
    explicit FakeDevice(unsigned seed, int number = 0);
    ~FakeDevice();

    // The table of its functions. It must outlive the device that uses them.
    [[nodiscard]] DeviceFunctions functions();

    // A kernel of the caller: `work` is called when its turn comes. Addresses of the device are usable through `seen`.
    void run(StreamHandle stream, std::function<void()> work);
    [[nodiscard]] static std::byte* seen(const void* address, std::size_t bytes);
    // Blocks until all that is on the stream has been carried out.
    void synchronize(StreamHandle stream);
    // Ignores a call from now on.
    void ignore(Mutant mutant) { mutant_ = mutant; }
    [[nodiscard]] long launches() const { return launches_; }
    [[nodiscard]] long copies() const { return copies_; }

  private:
    struct Table;
    struct Move;
    int fail(const char* text);
    [[nodiscard]] bool ignores(Mutant::Call call, EventHandle event) const;
    FakeStreams::Stream* stream_of(StreamHandle stream);
    int put_copy(void* to, const void* from, std::size_t bytes, StreamHandle stream);
    int put_move(const DeviceMove& move, int pieces, StreamHandle stream);

    int number_;
    Mutant mutant_{};
    std::atomic<int> events_ = 0;
    std::mutex mutex_;
    std::mt19937 random_;
    std::atomic<const char*> failure_ = nullptr;  // of a former call, or null
    std::atomic<long> launches_ = 0, copies_ = 0;
    FakeStreams streams_;
    FakeStreams::Stream* default_stream_;
};

// A fake device as a library opens it.
struct FakeLibrary {
    std::shared_ptr<FakeDevice> fake;
    std::shared_ptr<const Device> device;
    explicit FakeLibrary(unsigned seed, int number = 0);
};

}  // namespace lapwing::testing
