#include "lapwing/exchange/exchange.hpp"

#include "c/handles.hpp"
#include "lapwing/mpi/agreement.hpp"

using namespace lapwing;
using namespace lapwing::c;

int lapwing_exchange_create(lapwing_domain* domain, lapwing_field* const* fields, int count, const char* transport,
                            lapwing_exchange** exchange) {
    return coded([&] {
        auto made = std::make_unique<lapwing_exchange>(needed(domain, "domain").domain);
        std::vector<const AnyField*> memory;
        together(made->domain->comm(), [&] {
            static_cast<void>(needed(exchange, "place for the exchange"));
            for (int f = 0; f < count; ++f) {
                made->fields.push_back(needed((&needed(fields, "fields"))[f], "field of an exchange").field);
                memory.push_back(made->fields.back().get());
            }
        });
        ExchangeOptions options;
        if (transport != nullptr) options.transport = transport;
        made->exchange = std::make_unique<Exchange>(*made->domain, memory, options);
        *exchange = made.release();
    });
}

int lapwing_exchange_start(lapwing_exchange* exchange) {
    return coded([&] {
        Exchange& made = *needed(exchange, "exchange").exchange;
        require_running_mpi();
        static_cast<void>(made.start());
    });
}

int lapwing_exchange_test(lapwing_exchange* exchange, int* complete) {
    return coded([&] {
        Exchange& made = *needed(exchange, "exchange").exchange;
        needed(complete, "place for the answer") = made.active() ? static_cast<int>(made.pending().test()) : 1;
    });
}

int lapwing_exchange_wait(lapwing_exchange* exchange) {
    return coded([&] {
        Exchange& made = *needed(exchange, "exchange").exchange;
        if (made.active()) made.pending().wait();
    });
}

int lapwing_exchange_run(lapwing_exchange* exchange) {
    return coded([&] {
        Exchange& made = *needed(exchange, "exchange").exchange;
        require_running_mpi();
        made.run();
    });
}

const char* lapwing_exchange_transport(const lapwing_exchange* exchange) {
    return exchange == nullptr ? "" : exchange->exchange->transport().c_str();
}

void lapwing_exchange_free(lapwing_exchange* exchange) { delete exchange; }
