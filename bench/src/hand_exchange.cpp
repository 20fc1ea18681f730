#include "hand_exchange.hpp"

#include <algorithm>
#include <cstring>

namespace lapwing::bench {

HandExchange::HandExchange(MPI_Comm comm, const ExchangeWork& work, bool combined)
    : comm_(comm), work_(work), combined_(combined), stride_(work.nx + 2 * work.width) {
    MPI_Comm_rank(comm, &rank_);
    MPI_Comm_size(comm, &ranks_);
    const int levels = std::max(1, work.levels), rows = work.ny + 2 * work.width;
    fields_.assign(static_cast<std::size_t>(work.fields),
                   std::vector<double>(static_cast<std::size_t>(levels * rows * stride_)));
    const int below = (rank_ + ranks_ - 1) % ranks_, above = (rank_ + 1) % ranks_;
    // Lowest owned rows go below and arrive there above the highest, and the other way round.
    sides_ = {{below, work.width, 0}, {above, work.ny, work.ny + work.width}};
    const auto values = static_cast<std::size_t>(2 * work.fields * levels * work.width * stride_);
    send_.resize(values);
    receive_.resize(values);
}

double* HandExchange::rows(int field, int level, int row) {
    const int all = work_.ny + 2 * work_.width;
    return fields_[static_cast<std::size_t>(field)].data() + static_cast<std::ptrdiff_t>(level * all + row) * stride_;
}

double& HandExchange::at(int field, int i, int j, int level) {
    return rows(field, level, j + work_.width)[i + work_.width];
}

void HandExchange::touch() {
    const int levels = std::max(1, work_.levels), w = work_.width;
    for (int f = 0; f < work_.fields; ++f) {
        for (int k = 0; k < levels; ++k) {
            for (int j = 0; j < work_.ny; ++j) {
                double* row = rows(f, k, j + w) + w;
                const bool edge_row = j < w || j >= work_.ny - w;
                if (edge_row) {
                    for (int i = 0; i < work_.nx; ++i) row[i] += 1.0;
                } else {
                    for (int i = 0; i < w; ++i) row[i] += 1.0;
                    for (int i = work_.nx - w; i < work_.nx; ++i) row[i] += 1.0;
                }
            }
        }
    }
}

void HandExchange::wrap_x(double* level) const {
    const int w = work_.width;
    for (int j = w; j < work_.ny + w; ++j) {
        double* row = level + static_cast<std::ptrdiff_t>(j) * stride_;
        for (int i = 0; i < w; ++i) {
            row[i] = row[work_.nx + i];
            row[work_.nx + w + i] = row[w + i];
        }
    }
}

void HandExchange::run() {
    for (int f = 0; f < work_.fields; ++f) {
        for (int k = 0; k < std::max(1, work_.levels); ++k) wrap_x(rows(f, k, 0));
    }
    combined_ ? run_combined() : run_separate();
}

void HandExchange::pack_rows(int row, double*& to) {
    const auto values = static_cast<std::size_t>(work_.width * stride_);
    for (int f = 0; f < work_.fields; ++f) {
        for (int k = 0; k < std::max(1, work_.levels); ++k, to += values) {
            std::memcpy(to, rows(f, k, row), values * sizeof(double));
        }
    }
}

void HandExchange::unpack_rows(int row, const double*& from) {
    const auto values = static_cast<std::size_t>(work_.width * stride_);
    for (int f = 0; f < work_.fields; ++f) {
        for (int k = 0; k < std::max(1, work_.levels); ++k, from += values) {
            std::memcpy(rows(f, k, row), from, values * sizeof(double));
        }
    }
}

void HandExchange::run_combined() {
    const bool same = sides_[0].peer == sides_[1].peer;
    const int half = static_cast<int>(send_.size() / 2);
    MPI_Request requests[4];
    int n = 0;
    // What a peer sends downwards arrives at my upper side: with one peer, halves swap.
    double* out = send_.data();
    if (same) {
        MPI_Irecv(receive_.data(), 2 * half, MPI_DOUBLE, sides_[0].peer, 0, comm_, &requests[n++]);
        for (const Side& side : sides_) pack_rows(side.send_row, out);
        MPI_Isend(send_.data(), 2 * half, MPI_DOUBLE, sides_[0].peer, 0, comm_, &requests[n++]);
    } else {
        for (int s = 0; s < 2; ++s) {
            MPI_Irecv(receive_.data() + (1 - s) * half, half, MPI_DOUBLE, sides_[s].peer, 1 - s, comm_, &requests[n++]);
        }
        for (int s = 0; s < 2; ++s) {
            double* begin = out;
            pack_rows(sides_[s].send_row, out);
            MPI_Isend(begin, half, MPI_DOUBLE, sides_[s].peer, s, comm_, &requests[n++]);
        }
    }
    MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
    const double* in = receive_.data();
    unpack_rows(sides_[1].receive_row, in);  // sent downwards by the rank above
    unpack_rows(sides_[0].receive_row, in);
}

void HandExchange::run_separate() {
    const int levels = std::max(1, work_.levels);
    const std::size_t block = send_.size() / static_cast<std::size_t>(2 * work_.fields);
    std::vector<MPI_Request> requests(static_cast<std::size_t>(4 * work_.fields));
    std::size_t n = 0;
    for (int s = 0; s < 2; ++s) {
        for (int f = 0; f < work_.fields; ++f) {
            double* in = receive_.data() + static_cast<std::size_t>(s * work_.fields + f) * block;
            MPI_Irecv(in, static_cast<int>(block), MPI_DOUBLE, sides_[s].peer, 2 * f + 1 - s, comm_, &requests[n++]);
        }
    }
    const auto rows_of_level = static_cast<std::size_t>(work_.width * stride_);
    for (int s = 0; s < 2; ++s) {
        for (int f = 0; f < work_.fields; ++f) {
            double* out = send_.data() + static_cast<std::size_t>(s * work_.fields + f) * block;
            for (int k = 0; k < levels; ++k) {
                std::memcpy(out + static_cast<std::size_t>(k) * rows_of_level, rows(f, k, sides_[s].send_row),
                            rows_of_level * sizeof(double));
            }
            MPI_Isend(out, static_cast<int>(block), MPI_DOUBLE, sides_[s].peer, 2 * f + s, comm_, &requests[n++]);
        }
    }
    MPI_Waitall(static_cast<int>(n), requests.data(), MPI_STATUSES_IGNORE);
    const double* in = receive_.data();
    for (int s = 0; s < 2; ++s) {
        unpack_rows(sides_[s].receive_row, in);
    }
}

}  // namespace lapwing::bench
