#include "lapwing/device/cuda.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "device/cuda/driver.hpp"
#include "device/cuda/move_pieces_ptx.hpp"
#include "device/device_piece.hpp"
#include "lapwing/base/error.hpp"

namespace lapwing {

namespace {

constexpr unsigned threads_of_block = 256, most_blocks_of_piece = 1024, most_rows_of_blocks = 65535;

// A device of the driver: its context and the kernel.
class CudaDevice {
  public:
    explicit CudaDevice(int number);
    ~CudaDevice();
    CudaDevice(const CudaDevice&) = delete;
    CudaDevice& operator=(const CudaDevice&) = delete;

    [[nodiscard]] std::string name() const;
    [[nodiscard]] DeviceFunctions functions();

  private:
    struct Table;
    // Lets the calls of this thread be about the device while it lives.
    struct Current {
        explicit Current(const CudaDevice& device) : driver(*device.driver_) { driver.context_push(device.context_); }
        ~Current() {
            cuda::Context before = nullptr;
            driver.context_pop(&before);
        }
        const CudaDriver& driver;
    };

    int number_;
    std::shared_ptr<const CudaDriver> driver_;
    cuda::DeviceNumber device_ = 0;
    cuda::Context context_ = nullptr;
    cuda::Module module_ = nullptr;
    cuda::Function kernel_ = nullptr;
    int urgent_ = 0;  // priority of streams
};

CudaDevice::CudaDevice(int number) : number_(number), driver_(CudaDriver::load()) {
    int count = 0, least = 0;
    driver_->require(driver_->device_count(&count), "cuDeviceGetCount");
    if (number < 0 || number >= count) {
        throw OutsideError(concat("device of CUDA: got number ", number, "; expected one of ", count,
                                  " that the driver sees; see CUDA_VISIBLE_DEVICES"));
    }
    driver_->require(driver_->device_get(&device_, number), "cuDeviceGet");
    driver_->require(driver_->context_retain(&context_, device_), "cuDevicePrimaryCtxRetain");
    const Current current(*this);
    driver_->require(driver_->priority_range(&least, &urgent_), "cuCtxGetStreamPriorityRange");
    driver_->require(driver_->module_load(&module_, move_pieces_ptx), "cuModuleLoadData");
    driver_->require(driver_->module_function(&kernel_, module_, "lapwing_move_pieces"), "cuModuleGetFunction");
}

CudaDevice::~CudaDevice() {
    {
        const Current current(*this);
        driver_->module_unload(module_);
    }
    driver_->context_release(device_);
}

std::string CudaDevice::name() const {
    std::array<char, 128> text{};
    driver_->require(driver_->device_name(text.data(), text.size(), device_), "cuDeviceGetName");
    return concat("cuda:", number_, " (", text.data(), ")");
}

cuda::Address address_of(const void* pointer) { return reinterpret_cast<cuda::Address>(pointer); }
cuda::Stream driver_stream(StreamHandle stream) { return reinterpret_cast<cuda::Stream>(stream); }
cuda::Event driver_event(EventHandle event) { return reinterpret_cast<cuda::Event>(event); }

// ---- the table

struct CudaDevice::Table {
    static CudaDevice& of(void* self) { return *static_cast<CudaDevice*>(self); }

    static const char* text_of(void* self, int code) { return of(self).driver_->text_of(code); }
    static int allocate(void* self, std::size_t bytes, void** address) {
        const Current current(of(self));
        cuda::Address allocated = 0;
        const int code = current.driver.allocate(&allocated, bytes);
        *address = reinterpret_cast<void*>(allocated);
        return code;
    }
    static int release(void* self, void* address) {
        const Current current(of(self));
        return current.driver.release(address_of(address));
    }
    static int allocate_pinned(void* self, std::size_t bytes, void** address) {
        const Current current(of(self));
        return current.driver.allocate_host(address, bytes, 0);
    }
    static int release_pinned(void* self, void* address) {
        const Current current(of(self));
        return current.driver.release_host(address);
    }
    // Memory that the driver does not know is the host's.
    static int kind_of(void* self, const void* address, AddressKind* kind) {
        const Current current(of(self));
        unsigned type = 0;
        const int code = current.driver.pointer_attribute(&type, cuda::memory_type, address_of(address));
        *kind = {code == cuda::success && type == cuda::type_of_device, 0};
        if (code == cuda::invalid_value || !kind->on_device) return code == cuda::invalid_value ? cuda::success : code;
        return current.driver.pointer_attribute(&kind->number, cuda::device_ordinal, address_of(address));
    }
    static int make_stream(void* self, bool urgent, StreamHandle* stream) {
        const Current current(of(self));
        return current.driver.stream_create(reinterpret_cast<cuda::Stream*>(stream), cuda::non_blocking,
                                            urgent ? of(self).urgent_ : 0);
    }
    static int drop_stream(void* self, StreamHandle stream) {
        const Current current(of(self));
        return current.driver.stream_destroy(driver_stream(stream));
    }
    static int make_event(void* self, EventHandle* event) {
        const Current current(of(self));
        return current.driver.event_create(reinterpret_cast<cuda::Event*>(event), cuda::without_timing);
    }
    static int drop_event(void* self, EventHandle event) {
        const Current current(of(self));
        return current.driver.event_destroy(driver_event(event));
    }
    static int record(void* self, EventHandle event, StreamHandle stream) {
        const Current current(of(self));
        return current.driver.event_record(driver_event(event), driver_stream(stream));
    }
    static int await(void* self, StreamHandle stream, EventHandle event) {
        const Current current(of(self));
        return current.driver.stream_wait(driver_stream(stream), driver_event(event), 0);
    }
    static int has_happened(void* self, EventHandle event, bool* happened) {
        const Current current(of(self));
        const int code = current.driver.event_query(driver_event(event));
        *happened = code == cuda::success;
        return code == cuda::not_ready ? cuda::success : code;
    }
    static int copy(void* self, void* to, const void* from, std::size_t bytes, StreamHandle stream) {
        const Current current(of(self));
        return current.driver.copy(address_of(to), address_of(from), bytes, driver_stream(stream));
    }
    static int move(void* self, const DeviceMove& move, int pieces, unsigned most, StreamHandle stream) {
        const Current current(of(self));
        const unsigned needed = (most + threads_of_block - 1) / threads_of_block;
        const unsigned along = std::min(needed, most_blocks_of_piece);
        const unsigned rows = std::min(static_cast<unsigned>(pieces), most_rows_of_blocks);
        DeviceMove launched = move;
        void* arguments[] = {&launched, &pieces};
        return current.driver.launch(of(self).kernel_, along, rows, 1, threads_of_block, 1, 1, 0, driver_stream(stream),
                                     arguments, nullptr);
    }
};

DeviceFunctions CudaDevice::functions() {
    return {this,
            number_,
            Table::text_of,
            Table::allocate,
            Table::release,
            Table::allocate_pinned,
            Table::release_pinned,
            Table::kind_of,
            Table::make_stream,
            Table::drop_stream,
            Table::make_event,
            Table::drop_event,
            Table::record,
            Table::await,
            Table::has_happened,
            Table::copy,
            Table::move};
}

}  // namespace

std::shared_ptr<const Device> open_cuda(int number) {
    const auto device = std::make_shared<CudaDevice>(number);
    return std::make_shared<Device>(device->functions(), device->name(), device);
}

}  // namespace lapwing
