#include "lapwing/exchange/array_exchange.hpp"

#include <algorithm>

#include "c/handles.hpp"
#include "lapwing/mpi/agreement.hpp"

using namespace lapwing;
using namespace lapwing::c;

namespace {

void require_new(const lapwing_field& field, const lapwing_exchange& made) {
    const std::string& name = field.field->spec().name;
    if (field.domain != made.domain) {
        user_error("exchange", concat("field ", name, " of another domain"), "fields of the exchange's domain",
                   "make the exchange on the domain of its fields");
    }
    if (std::ranges::find(made.fields, field.field) != made.fields.end()) {
        user_error("exchange", concat("field ", name, " twice"), "each field once", "leave one out");
    }
}

enum class Of { fields, arrays };  // arrays like the fields

int created(lapwing_domain* domain, lapwing_field* const* fields, int count, const char* transport,
            lapwing_exchange** exchange, Of of) {
    return coded([&] {
        auto made = std::make_unique<lapwing_exchange>(needed(domain, "domain").domain);
        std::vector<const AnyField*> memory;
        together(made->domain->comm(), [&] {
            static_cast<void>(needed(exchange, "place for the exchange"));
            for (int f = 0; f < count; ++f) {
                const lapwing_field& field = needed((&needed(fields, "fields"))[f], "field of an exchange");
                require_new(field, *made);
                made->fields.push_back(field.field);
                memory.push_back(made->fields.back().get());
            }
        });
        ExchangeOptions options;
        if (transport != nullptr) options.transport = transport;
        if (of == Of::arrays) {
            made->exchange = std::make_unique<ArrayExchange>(*made->domain, specs_of(memory), options);
        } else {
            made->exchange = std::make_unique<Exchange>(*made->domain, memory, options);
        }
        *exchange = made.release();
    });
}

}  // namespace

int lapwing_exchange_create(lapwing_domain* domain, lapwing_field* const* fields, int count, const char* transport,
                            lapwing_exchange** exchange) {
    return created(domain, fields, count, transport, exchange, Of::fields);
}

int lapwing_exchange_create_for_arrays(lapwing_domain* domain, lapwing_field* const* fields, int count,
                                       const char* transport, lapwing_exchange** exchange) {
    return created(domain, fields, count, transport, exchange, Of::arrays);
}

int lapwing_exchange_take(lapwing_exchange* exchange, int number, void* data, const lapwing_box* allocated,
                          const int64_t strides[4]) {
    return coded([&] {
        const lapwing_exchange& made = needed(exchange, "exchange");
        auto* const of_arrays = dynamic_cast<ArrayExchange*>(made.exchange.get());
        if (of_arrays == nullptr) {
            user_error("exchange of " + listed(made.exchange->plan().fields, " | "), "an array",
                       "none, as it was made for fields", "make an exchange for arrays, which come and go");
        }
        if (number < 0 || static_cast<std::size_t>(number) >= made.fields.size()) {
            user_error("number of an array", number, concat("0 to below ", made.fields.size(), ", the fields"),
                       "number arrays in the order of the fields");
        }
        const FieldSpec& spec = made.fields[static_cast<std::size_t>(number)]->spec();
        if (const std::optional<Block> block = block_of(*made.domain, spec, data, allocated, strides)) {
            of_arrays->take(number, *block);
        }
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

int lapwing_exchange_volume(const lapwing_exchange* exchange, int64_t* messages, int64_t* bytes) {
    return coded([&] {
        const MessagePlan& plan = needed(exchange, "exchange").exchange->plan();
        needed(messages, "place for the messages") = messages_sent(plan);
        needed(bytes, "place for the bytes") = bytes_sent(plan);
    });
}

const char* lapwing_exchange_transport(const lapwing_exchange* exchange) {
    return alive(exchange) ? exchange->exchange->transport().c_str() : "";
}

void lapwing_exchange_free(lapwing_exchange* exchange) { give_up(exchange); }
