#pragma once
// Links that messages share, each as much as the others.

#include <queue>
#include <vector>

namespace lapwing::predict {

// A link whose messages share its bandwidth evenly: as if it worked on all of them a little at a time.
class SharedLink {
  public:
    explicit SharedLink(double bandwidth) : bandwidth_(bandwidth) {}

    // A message begins to cross. Local.
    void add(double now, int message, double bytes) {
        advance(now);
        crossing_.push({served_ + bytes, message});
    }
    // When the next message has crossed, if none begins before; infinity where there is none. Local.
    [[nodiscard]] double next() const;
    // Takes that message off. Local.
    int take(double now);
    // Only the last event that announces the next crossing counts. Local.
    int renew() { return ++version_; }
    [[nodiscard]] bool is_current(int version) const { return version == version_; }

  private:
    struct Crossing {
        double until;  // bytes that every message has been served by then
        int message;
        friend bool operator>(const Crossing& a, const Crossing& b) {
            return a.until != b.until ? a.until > b.until : a.message > b.message;
        }
    };
    void advance(double now);

    double bandwidth_;   // bytes/s
    double served_ = 0;  // bytes of each message that has been there all the time
    double moment_ = 0;  // of that, s
    int version_ = 0;
    std::priority_queue<Crossing, std::vector<Crossing>, std::greater<>> crossing_;
};

}  // namespace lapwing::predict
