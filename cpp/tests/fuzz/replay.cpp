// Runs a target on the files of a folder, as its fuzzer did: replay FOLDER. Needs no fuzzer.

#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <vector>

#include "fuzz_input.hpp"

int main(int count, char** words) try {
    if (count != 2) throw std::invalid_argument("a folder of inputs is needed");
    int files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(words[1])) {
        std::ifstream file(entry.path(), std::ios::binary);
        const std::vector<char> input{std::istreambuf_iterator<char>(file), {}};
        std::cerr << entry.path().filename().string() << '\n';
        LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
        ++files;
    }
    std::cout << files << " inputs\n";
    return files > 0 ? 0 : 1;
} catch (const std::exception& error) {
    std::cerr << "replay: " << error.what() << '\n';
    return 1;
}
