import Freshet

/// A part of the time of a call, in milliseconds since its beginning.
struct TimeBar: Sendable, Hashable {
  var name: String
  var start: Double
  var end: Double
}

extension RecordedCall.State {
  /// The parts of the time of the call, in order, of which none overlaps another.
  ///
  /// The measured transfer is the last hop of the last attempt. What lies between the stores and it is the queue, unless
  /// the explanation names a redirect or another attempt.
  func bars(isFetch: Bool, elapsed: Duration) -> [TimeBar] {
    let end = (ended ?? elapsed).inMilliseconds
    var bars: [TimeBar] = []
    var position = 0.0
    func add(_ name: String, until time: Double) {
      let time = min(max(time, position), end)
      if time - position > 0.000_5 { bars.append(TimeBar(name: name, start: position, end: time)) }
      position = time
    }
    if isFetch {
      guard let asked = replies.last(where: { $0.reply == .source })?.at.inMilliseconds else {
        let shared = replies.last { $0.reply == .shared }?.at.inMilliseconds
        if let shared { add("stores", until: shared) }
        add(shared == nil ? "stores" : "shared", until: end)
        return bars
      }
      add("stores", until: asked)
    }
    for detour in detours {
      let at = detour.at.inMilliseconds
      add(detour.name, until: at)
      if detour.pause > .zero { add("pause", until: at + detour.pause.inMilliseconds) }
    }
    guard let metrics, let last = metricsAt?.inMilliseconds else {
      add(outcome == .running ? "waiting" : "ended", until: end)
      return bars
    }
    let start = last - metrics.total.inMilliseconds
    add(isFetch ? detourName : "queue", until: start)
    let connected = metrics.tls ?? metrics.connect
    add("lookup", until: start + metrics.nameLookup.inMilliseconds)
    add("connect", until: start + metrics.connect.inMilliseconds)
    add("tls", until: start + connected.inMilliseconds)
    add(isRevalidation ? "revalidate" : "wait", until: start + metrics.firstByte.inMilliseconds)
    add("body", until: last)
    add("stores", until: end)
    return bars
  }

  /// The name of the phase before the measured transfer of a fetch.
  private var detourName: String {
    for decision in explanation {
      if case .retried = decision { return "retry" }
      if case .redirected = decision { return "redirect" }
    }
    return "queue"
  }

  private var isRevalidation: Bool {
    explanation.contains { if case .validating = $0 { true } else { false } }
  }
}

extension Duration {
  var inMilliseconds: Double { self / .milliseconds(1) }
}
