// JSON as Python's json module writes it, and the reader of the metadata of stores.
#include "store/json.hpp"

#include <catch2/catch.hpp>

#include <string>

#include "lapwing/base/error.hpp"
#include "lapwing/store/crc32c.hpp"

using namespace lapwing;

namespace {

const Json value = Json::Members{{"list", Json::List{1, 2.0, -3}},
                                 {"none", Json::List{}},
                                 {"empty", Json::Members{}},
                                 {"large", 0x1.ep+122},
                                 {"text", "\u00e9\x7f\x01\U0001F600/\"\\\n"},
                                 {"yes", true},
                                 {"null", Json()}};

// Printed by json.dumps(value, indent=1) of Python 3.11.
const std::string pretty = R"({
 "list": [
  1,
  2.0,
  -3
 ],
 "none": [],
 "empty": {},
 "large": 9.969209968386869e+36,
 "text": "\u00e9\u007f\u0001\ud83d\ude00/\"\\\n",
 "yes": true,
 "null": null
})";

std::uint32_t crc_of(std::string_view text) { return crc32c(std::as_bytes(std::span(text))); }

}  // namespace

TEST_CASE("JSON is written as Python writes it") {
    REQUIRE(value.pretty() == pretty);
    REQUIRE((Json(Json::Members{{"a", Json::List{1, "b"}}}).line()) == R"({"a": [1, "b"]})");
}

TEST_CASE("JSON that was written is read again") {
    REQUIRE(Json::parse(value.pretty()) == value);
    REQUIRE(Json::parse(value.line()) == value);
    REQUIRE(Json::parse(" [1e3 , -0.5]\n") == Json(Json::List{1000.0, -0.5}));
}

TEST_CASE("numbers without an end have the words of Python") {
    const char* text = "{\"a\":[Infinity,-Infinity,NaN]}";
    REQUIRE(Json::parse(text).line() == Json::parse(Json::parse(text).line()).line());
    REQUIRE(Json(Json::List{1 / 0.0, -1 / 0.0}).line() == Json::parse("[Infinity, -Infinity]").line());
    REQUIRE(Json::parse("[NaN]").line().find("NaN") != std::string::npos);
}

TEST_CASE("text that is no JSON is an error with its place") {
    for (const char* text : {"", "{", "[1,]", "{\"a\" 1}", "\"a", "tru", "[1] 2", "\"\\u12\"", "--1", "1.2.3", "nan"}) {
        CAPTURE(text);
        REQUIRE_THROWS_AS(Json::parse(text), UserError);
    }
    REQUIRE_THROWS_WITH(Json::parse("[1, x]"), Catch::Contains("JSON at byte 4: got 'x]'; expected a value"));
    REQUIRE_THROWS_WITH(Json::parse(std::string(5000, '[')), Catch::Contains("at most 100 levels"));
}

TEST_CASE("members of JSON are looked up") {
    REQUIRE(value.at("list").list().at(0).number() == 1);
    REQUIRE(value.find("other") == nullptr);
    REQUIRE_THROWS_WITH(value.at("other"), Catch::Contains("no other"));
    REQUIRE_THROWS_WITH(value.at("yes").text(), Catch::Contains("JSON: got true; expected a text"));
}

TEST_CASE("the checksum of chunks is CRC-32C") {
    REQUIRE(crc_of("") == 0);
    REQUIRE(crc_of("123456789") == 0xe3069283);            // the check value of the catalogue of CRCs
    REQUIRE(crc_of(std::string(32, '\0')) == 0x8a9136aa);  // RFC 3720, B.4
    REQUIRE(crc_of(std::string(32, '\xff')) == 0x62a8ab43);
}
