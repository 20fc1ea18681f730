#include "lapwing_simulate/request.hpp"

#include <fstream>

#include "lapwing/base/error.hpp"

namespace lapwing_simulate {

Request read_request(const std::string& path) try {
    std::ifstream file(path);
    nlohmann::json document = nlohmann::json::parse(file);
    nlohmann::json settings = std::move(document.at(document.at("work").get<std::string>()));
    document.erase(document.at("work").get<std::string>());
    auto request = document.get<Request>();
    request.settings = std::move(settings);
    return request;
} catch (const nlohmann::json::exception& problem) {
    lapwing::user_error("request of the simulation", path + ": " + problem.what(), "a JSON document with its work",
                        "let `lapwing simulate` write it");
}

}  // namespace lapwing_simulate
