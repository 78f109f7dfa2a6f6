import Freshet
public import FreshetEssentials

/// The changes of an inspector as server-sent events, each in the form in which it is sent.
///
/// An event contains what has changed since the one before: at most ten a second, and at most a hundred rows in one, the
/// newest, or five while more than ten calls begin between two events. The others follow when there is room, in their newest
/// state. It never ends by itself.
public struct InspectorEvents: AsyncSequence, Sendable {
  /// An event, as text of the format `text/event-stream`.
  public typealias Element = Data
  /// It never fails.
  public typealias Failure = Never

  private let recorder: Recorder
  private let shows: LiveShows
  let interval: Duration

  init(_ recorder: Recorder, _ shows: LiveShows, every interval: Duration) {
    self.recorder = recorder
    self.shows = shows
    self.interval = interval
  }

  /// The events for a thread that may block.
  var changes: Changes { Changes(recorder, shows) }

  /// Creates an iterator; its first event contains everything.
  public func makeAsyncIterator() -> Iterator {
    Iterator(changes: changes, interval: interval)
  }

  /// Waits for the events.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate var changes: Changes
    fileprivate let interval: Duration
    fileprivate var hasBegun = false

    /// Waits for the next event; `nil` once the task is cancelled.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async -> Data? {
      while true {
        if hasBegun { guard (try? await Task.sleep(for: interval)) != nil else { return nil } }
        hasBegun = true
        if let event = changes.next() { return event }
      }
    }
  }
}

@available(*, unavailable)
extension InspectorEvents.Iterator: Sendable {}

// MARK: - Changes

extension InspectorEvents {
  /// The events as they are when they are asked for.
  struct Changes {
    private let recorder: Recorder
    private let shows: LiveShows
    /// The version at the last event; `nil` before the first one.
    private var version: Int?
    /// The version of the row that was sent last from each place.
    private var sent: [Int]
    /// The number of calls that had begun.
    private var began = 0
    /// The number of rows that have changed, and that there was no room for.
    private var waiting = 0
    private var pauses = 0

    /// The number of times without a change after which a comment keeps the connection open.
    private static let maximumPauses = 100
    private static let maximumRows = 100
    private static let callsInRush = 10
    private static let rowsInRush = 5

    init(_ recorder: Recorder, _ shows: LiveShows) {
      self.recorder = recorder
      self.shows = shows
      sent = Array(repeating: 0, count: recorder.capacity)
    }

    /// Returns everything the first time, and later the changes since the last time; `nil` without changes.
    mutating func next() -> Data? {
      guard recorder.version != version || waiting > 0 else {
        pauses += 1
        guard pauses >= Self.maximumPauses else { return nil }
        pauses = 0
        return Data(":\n\n".utf8)
      }
      pauses = 0
      return Data("data: ".utf8) + json() + Data("\n\n".utf8)
    }

    /// Returns an object with everything the first time, and later with the changes since the last time.
    mutating func json() -> [UInt8] {
      let earlier = version
      // A row that changes meanwhile is in the next event again, which is harmless.
      version = recorder.version
      let totals = recorder.totals
      // Nobody reads a hundred rows ten times a second, and the client would pay for them.
      let isRush = totals.began - began > Self.callsInRush
      let room = earlier == nil ? .max : isRush ? Self.rowsInRush : Self.maximumRows
      let rows: [RecordedCall]
      (rows, waiting) = recorder.changes(since: &sent, room: room)
      began = totals.began
      return JSONText.object { text in
        text.add("isWhole", earlier == nil)
        text.object("totals") { totals.add(to: &$0) }
        text.add("skipped", waiting)
        text.array("calls") { text in
          for row in rows { row.add(to: &text) }
        }
        text.array("batches") { text in
          for batch in recorder.batches where batch.version > earlier ?? -1 {
            batch.add(to: &text)
          }
        }
        if shows.version > earlier ?? -1 {
          text.array("live") { text in
            for value in shows.values { text.object { value.add(to: &$0) } }
          }
        }
      }
    }
  }
}

extension Recorder.Totals {
  fileprivate func add(to text: inout JSONText) {
    text.add("began", began)
    text.add("succeeded", succeeded)
    text.add("failed", failed)
    text.add("abandoned", abandoned)
    text.add("bytes", bytes)
    text.array("sources") { text in
      for (source, count) in zip(Resource.Source.allCases, sources) {
        text.array { text in
          text.add(nil, source.rawValue)
          text.add(nil, count)
        }
      }
    }
  }
}

extension LiveShows.Value {
  fileprivate func add(to text: inout JSONText) {
    text.add("name", name)
    text.add("count", count)
    text.add("text", self.text)
    text.add("hasEnded", hasEnded)
  }
}

extension RecordedBatch {
  func add(to text: inout JSONText) {
    let state = now
    let progress = state.progress
    text.object { text in
      text.add("id", id)
      text.add("client", client)
      text.add("words", description)
      text.add("began", date.timeIntervalSince1970 * 1_000)
      text.add("state", "\(state.outcome)")
      text.add("reason", state.reason)
      text.add("ended", progress.endedItems)
      text.add("failed", progress.failedItems)
      text.add("items", progress.totalItems)
      text.add("bytes", progress.completedBytes)
      if let total = progress.totalBytes { text.add("total", total) }
      text.add("fraction", progress.fraction)
      text.add("timeLeft", progress.timeLeft.map { $0 / .seconds(1) })
      text.array("rates") { text in
        for rate in state.rates {
          text.array { text in
            text.add(nil, rate.at)
            text.add(nil, rate.bytes)
            text.add(nil, rate.items)
          }
        }
      }
      text.array("failures") { text in
        for failure in state.failures {
          text.array { text in
            text.add(nil, failure.url)
            text.add(nil, failure.reason)
          }
        }
      }
    }
  }
}
