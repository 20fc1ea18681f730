/* The shared-memory protocol of cpp/src/transport/shared, for spin; README.md next to this file says what it leaves out.
 *
 * Set from outside (spin -D): RANKS, TOPOLOGY (ONE_WAY, PAIR, RING), SLOTS, MESSAGES, IN_PLACE, ABANDON, and one fault
 * (FAULT=...) that the check must find.
 *
 * Memory is weaker than x86: a store waits in a buffer of its writer until the process `memory` makes it visible, in
 * any order between locations. A release store waits for the stores before it. Loads happen in the order of the
 * program; a fault moves a load where a relaxed order would allow it.
 */
#define ONE_WAY 1
#define PAIR 2
#define RING 3

#define FLAG_BEFORE_DATA 1    /* publish() with relaxed order, or before pack() */
#define DATA_BEFORE_FLAG 2    /* arrived() with relaxed order: the slot is read before the count */
#define CREDIT_BEFORE_READ 3  /* consume() with relaxed order, or before unpack() */
#define NO_CREDIT 4           /* post() does not ask for credit */
#define ONE_SLOT_TOO_MANY 5   /* credit() compares with <= */
#define NOT_DRAINED 6         /* sent() does not wait until what is read in place was read */
#define FORGETS_WAITING 7     /* poll() does not post what start() found no credit for */
#define CONSUMES_TWICE 8      /* deliver() counts twice */
#define FREED_BY_SENDER 9     /* the edge goes with its sender, mapped by the receiver or not */
#define WRITES_AFTER_ABANDON 10 /* the program changes a field that is read in place, after it dropped the exchange */

#ifndef FAULT
#define FAULT 0
#endif

#if TOPOLOGY == ONE_WAY
#define EDGES 1
#else
#define EDGES RANKS
#endif
#define WORDS 2
#define NONE 255
#define AT(edge, slot, word) ((edge) * SLOTS * WORDS + (slot) * WORDS + (word))

/* EdgeMemory: what everybody sees; message n (from 1) fills its words with n */
byte published[EDGES], consumed[EDGES];
byte words[EDGES * SLOTS * WORDS];
bool mapped[EDGES] = true;

/* store buffers: values on their way, 0 for none */
byte publishing[EDGES], consuming[EDGES];
byte writing[EDGES * SLOTS * WORDS];
byte writes[EDGES]; /* data on its way: what a release store waits for */

/* for the assertions only */
byte read_slot[EDGES] = NONE; /* the slot that a receiver is reading */
byte received[EDGES];
bool gone[RANKS]; /* dropped its exchange unfinished */
byte first_to_go;

#if FAULT == FLAG_BEFORE_DATA
#define MAY_PUBLISH(edge) true
#else
#define MAY_PUBLISH(edge) (writes[edge] == 0)
#endif

/* Makes the stores of counters of an edge visible. */
proctype memory(byte edge) {
end:
    do
    :: atomic { publishing[edge] != 0 && MAY_PUBLISH(edge) -> published[edge] = publishing[edge]; publishing[edge] = 0 }
    :: atomic { consuming[edge] != 0 -> consumed[edge] = consuming[edge]; consuming[edge] = 0 }
    od
}

/* Makes the stores of one word visible. */
proctype memory_of_word(byte edge; byte at) {
end:
    do
    :: atomic { writing[at] != 0 -> words[at] = writing[at]; writing[at] = 0; writes[edge]-- }
    od
}

/* A store of data; one to the same place that is still on its way becomes visible first. */
inline store(edge, slot, word, value) {
    atomic {
        assert(read_slot[edge] != slot);
        if
        :: writing[AT(edge, slot, word)] != 0 -> words[AT(edge, slot, word)] = writing[AT(edge, slot, word)]
        :: else -> writes[edge]++
        fi;
        writing[AT(edge, slot, word)] = value
    }
}

/* PackedMessage::pack, or a kernel that writes a field which is read in place */
inline fill(edge, slot, value) {
    store(edge, slot, 0, value);
    store(edge, slot, 1, value)
}

/* A load of data: of a message that is whole, from memory that is there, with no store on its way. */
inline load(edge, slot, word, into) {
    atomic {
        assert(mapped[edge]);
        assert(writing[AT(edge, slot, word)] == 0);
        into = words[AT(edge, slot, word)]
    }
}

/* SendingEnd::credit: asks `consumed` only when the last answer does not do */
#if FAULT == ONE_SLOT_TOO_MANY
#define ROOM(count) (sent_count - (count) <= SLOTS)
#elif FAULT == NO_CREDIT
#define ROOM(count) true
#else
#define ROOM(count) (sent_count - (count) < SLOTS)
#endif

/* SharedLeg::post with credit: PackedMessage::pack, SendingEnd::publish */
inline post() {
    if
    :: ROOM(seen) -> skip
    :: else -> seen = consumed[out]
    fi;
#if IN_PLACE == 0
    fill(out, sent_count % SLOTS, sent_count + 1);
#endif
    d_step { sent_count++; publishing[out] = sent_count; waits = false }
}

/* SharedLeg::deliver: unpack, or copies->run() in place, and ReceivingEnd::consume */
inline deliver() {
    d_step { read_slot[in] = taken % SLOTS }
#if FAULT == CREDIT_BEFORE_READ
    d_step { read_slot[in] = NONE; consuming[in] = taken + 1 }
#endif
#if FAULT != DATA_BEFORE_FLAG
    load(in, taken % SLOTS, 0, first);
    load(in, taken % SLOTS, 1, second);
#endif
    atomic {
        taken++;
        assert(first == taken && second == taken);
        received[in] = taken;
        first = 0; second = 0; read_slot[in] = NONE;
#if FAULT == CONSUMES_TWICE
        consuming[in] = taken + 1;
#elif FAULT != CREDIT_BEFORE_READ
        consuming[in] = taken;
#endif
        awaited = false
    }
}

/* SharedLeg::sent: `waits`, and for what is read in place SendingEnd::drained */
#if IN_PLACE == 1 && FAULT != NOT_DRAINED
#define SENT (!waits && (out == NONE || sent_count == consumed[out]))
#else
#define SENT (!waits)
#endif

/* Exchange::start, ::wait and, of an unfinished one, ::~Exchange, MESSAGES times. */
proctype rank(byte me; byte in; byte out; byte before; byte after) {
    byte sent_count, seen, taken; /* SendingEnd::published_, ::seen_, ReceivingEnd::consumed_ */
    byte exchanges, first, second;
    bool waits, awaited;
    do
    :: exchanges == MESSAGES -> break
    :: exchanges < MESSAGES ->
        exchanges++;
#if IN_PLACE == 1
        /* the kernel before the exchange */
        if
        :: out != NONE -> fill(out, 0, exchanges)
        :: else
        fi;
#endif
        /* SharedLeg::start */
        awaited = (in != NONE);
        if
        :: out == NONE
        :: out != NONE && (ROOM(seen) || ROOM(consumed[out])) -> post()
        :: out != NONE && !(ROOM(seen) || ROOM(consumed[out])) -> waits = true
        fi;
#if FAULT == DATA_BEFORE_FLAG
        if
        :: in != NONE -> load(in, taken % SLOTS, 0, first); load(in, taken % SLOTS, 1, second)
        :: else
        fi;
#endif
        /* Exchange::wait: SharedLeg::poll, ::deliver, ::sent */
        do
        :: awaited && published[in] > taken -> deliver()
#if FAULT != FORGETS_WAITING
        :: waits && ROOM(consumed[out]) -> post()
#endif
        :: !awaited && SENT -> break
#if ABANDON == 1
        /* the program drops it, which one rank begins; or the watchdog of one that waits for a rank that did */
        :: me == first_to_go || gone[before] || gone[after] -> goto abandoned
#endif
        od
    od;
    goto over;
abandoned:
    gone[me] = true;
#if FAULT == FREED_BY_SENDER
    if
    :: out != NONE -> mapped[out] = false
    :: else
    fi;
#endif
#if FAULT == WRITES_AFTER_ABANDON
    if
    :: out != NONE -> fill(out, 0, NONE)
    :: else
    fi;
#endif
over:
    skip
}

/* Everything sent was received, once: the counts of all edges at the end. */
active proctype judge() {
    byte edge;
end:
    timeout ->
    do
    :: edge < EDGES ->
        assert(ABANDON == 1 || (received[edge] == MESSAGES && published[edge] == MESSAGES && consumed[edge] == MESSAGES));
        edge++
    :: else -> break
    od
}

init {
    byte edge, at;
    atomic {
        do
        :: edge < EDGES ->
            run memory(edge);
            at = AT(edge, 0, 0);
            do
            :: at < AT(edge, SLOTS, 0) -> run memory_of_word(edge, at); at++
            :: else -> break
            od;
            edge++
        :: else -> break
        od;
        edge = 0; at = 0;
#if ABANDON == 1
        select(first_to_go : 0 .. RANKS - 1);
#endif
#if TOPOLOGY == ONE_WAY
        run rank(0, NONE, 0, 1, 1);
        run rank(1, 0, NONE, 0, 0)
#elif TOPOLOGY == PAIR
        run rank(0, 1, 0, 1, 1);
        run rank(1, 0, 1, 0, 0)
#else
        run rank(0, 2, 0, 2, 1);
        run rank(1, 0, 1, 0, 2);
        run rank(2, 1, 2, 1, 0)
#endif
    }
}
