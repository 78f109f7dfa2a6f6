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

  private let snapshot: Snapshot
  let interval: Duration

  init(_ snapshot: Snapshot, every interval: Duration) {
    self.snapshot = snapshot
    self.interval = interval
  }

  /// The events for a thread that may block.
  var changes: Changes { Changes(snapshot: snapshot) }

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

  /// The events as they are when they are asked for.
  struct Changes {
    let snapshot: Snapshot
    private var progress: Snapshot.Progress
    private var version: Int?
    private var pauses = 0

    /// The number of times without a change after which a comment keeps the connection open.
    private static let maximumPauses = 100

    init(snapshot: Snapshot) {
      self.snapshot = snapshot
      progress = Snapshot.Progress(snapshot)
    }

    /// Returns everything the first time, and later the changes since the last time; `nil` without changes.
    mutating func next() -> Data? {
      let current = snapshot.recorder.version
      let earlier = version
      guard current != earlier || progress.waiting > 0 else {
        pauses += 1
        guard pauses >= Self.maximumPauses else { return nil }
        pauses = 0
        return Data(":\n\n".utf8)
      }
      pauses = 0
      version = current
      let json = snapshot.json(after: earlier, &progress)
      return Data("data: ".utf8) + json + Data("\n\n".utf8)
    }
  }
}

@available(*, unavailable)
extension InspectorEvents.Iterator: Sendable {}

/// The calls, batches and values for the page.
struct Snapshot: Sendable {
  let recorder: Recorder
  let shows: LiveShows

  private static let maximumRows = 100
  private static let callsInRush = 10
  private static let rowsInRush = 5

  /// The rows that a reader has got.
  struct Progress {
    /// The version of the row that was sent last from each place.
    fileprivate var sent: [Int]
    /// The number of calls that had begun.
    fileprivate var began = 0
    /// The number of rows that have changed, and that there was no room for.
    fileprivate(set) var waiting = 0

    init(_ snapshot: Snapshot) {
      sent = Array(repeating: 0, count: snapshot.recorder.capacity)
    }
  }

  func json() -> [UInt8] {
    var progress = Progress(self)
    return json(after: nil, &progress)
  }

  /// Returns what has changed after a version; everything for `nil`.
  ///
  /// - Parameters:
  ///   - version: The version.
  ///   - progress: The rows that the reader has got, which is brought up to date.
  /// - Returns: An object.
  func json(after version: Int?, _ progress: inout Progress) -> [UInt8] {
    let since = version ?? -1
    // A row that changes meanwhile is in the next event again, which is harmless.
    let totals = recorder.totals
    // Nobody reads a hundred rows ten times a second, and the client would pay for them.
    let isRush = totals.began - progress.began > Self.callsInRush
    let room = version == nil ? .max : isRush ? Self.rowsInRush : Self.maximumRows
    let (rows, waiting) = recorder.changes(since: &progress.sent, room: room)
    progress.began = totals.began
    progress.waiting = waiting
    return JSONText.object { text in
      text.add("isWhole", version == nil)
      text.object("totals") { text in
        text.add("began", totals.began)
        text.add("succeeded", totals.succeeded)
        text.add("failed", totals.failed)
        text.add("abandoned", totals.abandoned)
        text.add("bytes", totals.bytes)
        text.array("sources") { text in
          for (source, count) in zip(Resource.Source.allCases, totals.sources) {
            text.array { text in
              text.add(nil, source.rawValue)
              text.add(nil, count)
            }
          }
        }
      }
      text.add("skipped", waiting)
      text.array("calls") { text in
        for row in rows { row.add(to: &text) }
      }
      text.array("batches") { text in
        for batch in recorder.batches where batch.version > since { batch.add(to: &text) }
      }
      if shows.version > since {
        text.array("live") { text in
          for value in shows.values {
            text.object { text in
              text.add("name", value.name)
              text.add("count", value.count)
              text.add("text", value.text)
              text.add("hasEnded", value.hasEnded)
            }
          }
        }
      }
    }
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
