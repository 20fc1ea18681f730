// Runs a target on kept inputs, as its fuzzer did: replay FILE, with an input a line in hexadecimal digits.

#include <exception>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "input/fuzz_input.hpp"

int main(int count, char** words) try {
    if (count != 2) throw std::invalid_argument("a file of inputs is needed");
    std::ifstream file(words[1]);
    int inputs = 0;
    for (std::string line; std::getline(file, line); ++inputs) {
        std::vector<std::uint8_t> input;
        for (std::size_t n = 0; n + 1 < line.size(); n += 2)
            input.push_back(static_cast<std::uint8_t>(std::stoi(line.substr(n, 2), nullptr, 16)));
        std::cerr << line << '\n';  // the last one is at fault
        LLVMFuzzerTestOneInput(input.data(), input.size());
    }
    std::cout << inputs << " inputs\n";
    return inputs > 0 ? 0 : 1;
} catch (const std::exception& error) {
    std::cerr << "replay: " << error.what() << '\n';
    return 1;
}
