#include "store/store_folder.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <iterator>
#include <system_error>

#include "lapwing/base/error.hpp"
#include "store/chunks/chunk_file.hpp"

namespace lapwing {

namespace fs = std::filesystem;

namespace {

void require(const fs::path& path, const std::error_code& code) {
    if (code) unwritable(path, code.message());
}

void replace_text(const fs::path& file, const std::string& text) {
    const fs::path part = part_of(file);
    errno = 0;
    std::ofstream out(part, std::ios::binary | std::ios::trunc);
    out << text;
    out.close();
    if (!out) unwritable(part, std::generic_category().message(errno != 0 ? errno : EIO));
    rename_folder(part, file);
}

[[noreturn]] void no_store(const fs::path& path, const std::string& got) {
    user_error(path.string(), got, "a store that lapwing has written", "correct the name, or move the folder away");
}

std::string text_of(const fs::path& file) {
    errno = 0;
    std::ifstream in(file, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(in), {}};
    if (!in.good() && !in.eof()) no_store(file.parent_path(), std::generic_category().message(errno));
    return text;
}

}  // namespace

fs::path part_of(const fs::path& path) { return fs::path(path) += ".part"; }
fs::path former_of(const fs::path& path) { return fs::path(path) += ".former"; }

void check_store_name(const fs::path& path) {
    if (path.extension() == ".zarr") return;
    user_error("name " + path.string(), concat("the ending '", path.extension().string(), "'"),
               "a name that ends in .zarr", "rename it; lapwing.Records in Python writes .nc too");
}

bool is_store(const fs::path& path) {
    std::error_code unknown;
    return fs::is_regular_file(path / metadata_name, unknown);
}

bool is_complete(const fs::path& path) {
    if (!is_store(path)) return false;
    try {
        static_cast<void>(read_store(path));
        return true;
    } catch (const UserError&) {  // a machine that went down has left an empty file
        return false;
    }
}

StoreContent read_store(const fs::path& path) {
    const std::string text = text_of(path / metadata_name);
    try {
        const Json group = Json::parse(text);
        StoreContent content{group.at("attributes"), group.at("consolidated_metadata").at("metadata")};
        static_cast<void>(content.owner().members());
        static_cast<void>(content.arrays.members());
        return content;
    } catch (const UserError& problem) {
        no_store(path, concat(metadata_name, " with ", problem.what()));
    }
}

void publish_group(const fs::path& path, const Json& metadata) {
    replace_text(path / metadata_name, metadata.pretty() + "\n");
}

void publish_array(const fs::path& path, const std::string& name, const Json& metadata) {
    make_folder(path / name);
    replace_text(path / name / metadata_name, metadata.pretty() + "\n");
}

void make_folder(const fs::path& folder) {
    std::error_code code;
    fs::create_directory(folder, code);
    require(folder, code);
}

void remove_folder(const fs::path& folder) {
    std::error_code code;
    fs::remove_all(folder, code);
    require(folder, code);
}

void rename_folder(const fs::path& from, const fs::path& to) {
    std::error_code code;
    fs::rename(from, to, code);
    require(to, code);
}

void flush(const fs::path& path) {
    const std::string name = path.empty() ? "." : path.string();
    const int handle = ::open(name.c_str(), O_RDONLY | O_CLOEXEC);
    const bool flushed = handle >= 0 && ::fsync(handle) == 0;
    const int problem = errno;
    if (handle >= 0) ::close(handle);
    if (!flushed) unwritable(path, std::generic_category().message(problem));
}

}  // namespace lapwing
