// How much memory there is to take, as files of the system say.
#include <lapwing/node_memory.hpp>

#include <catch2/catch.hpp>

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

using namespace lapwing;
namespace fs = std::filesystem;

namespace {

// A folder with the files of a system, for one test.
struct System {
    fs::path root = fs::temp_directory_path() / ("lapwing_node_memory_" + std::to_string(::getpid()));

    System() { fs::remove_all(root); }
    ~System() { fs::remove_all(root); }

    void put(const fs::path& path, const std::string& text) const {
        fs::create_directories((root / path).parent_path());
        std::ofstream(root / path) << text;
    }
    void put_group(const std::string& group, const std::string& limit, Index used, Index unused_files) const {
        const fs::path folder = fs::path("sys/fs/cgroup") / group;
        put(folder / "memory.max", limit + "\n");
        put(folder / "memory.current", std::to_string(used) + "\n");
        put(folder / "memory.stat", "anon 5\ninactive_file " + std::to_string(unused_files) + "\n");
    }
};

}  // namespace

TEST_CASE("what is available is there") {
    CHECK(physical_memory() > Index{1} << 20);
    CHECK(available_memory() > 0);
    CHECK(available_memory() <= physical_memory());
}

TEST_CASE("the least of the node's memory and what the control groups leave") {
    const System system;
    CHECK(available_memory(system.root) == physical_memory());  // nothing says more
    system.put("proc/meminfo", "MemTotal: 9000 kB\nMemFree:  10 kB\nMemAvailable:    4000 kB\n");
    CHECK(available_memory(system.root) == 4000 * 1024);

    system.put_group("job/step", "1000000", 700000, 100000);
    CHECK(available_memory(system.root) == 4000 * 1024);  // not known to be in it
    system.put("proc/self/cgroup", "4:memory:/elsewhere\n0::/job/step\n");
    CHECK(available_memory(system.root) == 400000);
    system.put_group("job", "2000000", 1900000, 0);  // around it
    CHECK(available_memory(system.root) == 100000);
    system.put_group("job", "max", 1900000, 0);
    CHECK(available_memory(system.root) == 400000);
    system.put_group("", "500000", 600000, 0);  // of a container; more than allowed
    CHECK(available_memory(system.root) == 0);
}

TEST_CASE("more than the node has is not believed") {
    const System system;
    system.put("proc/meminfo", "MemAvailable: " + std::to_string(physical_memory() / 512) + " kB\n");
    CHECK(available_memory(system.root) == physical_memory());
}
