import Freshet
public import FreshetEssentials

/// The changes of an inspector as server-sent events, each in the form in which it is sent.
///
/// An event contains what has changed since the one before: at most ten a second, and at most a hundred rows in one, the
/// newest; the others follow when there is room, in their newest state. It never ends by itself.
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
    private var hasBegun = false

    fileprivate init(changes: Changes, interval: Duration) {
      self.changes = changes
      self.interval = interval
    }

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
    private var version: Int?
    /// The rows that have changed, and that no event had room for.
    private var behind: Set<Int> = []
    private var pauses = 0

    /// The number of times without a change after which a comment keeps the connection open.
    private static let maximumPauses = 100
    private static let maximumRows = 100

    init(snapshot: Snapshot) {
      self.snapshot = snapshot
    }

    /// Returns everything the first time, and later the changes since the last time; `nil` without changes.
    mutating func next() -> Data? {
      let current = snapshot.recorder.version
      let earlier = version
      guard current != earlier || !behind.isEmpty else {
        pauses += 1
        guard pauses >= Self.maximumPauses else { return nil }
        pauses = 0
        return Data(":\n\n".utf8)
      }
      pauses = 0
      version = current
      let json = snapshot.json(
        after: earlier,
        behind: &behind,
        maximumRows: earlier == nil ? .max : Self.maximumRows
      )
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

  /// Returns everything.
  func json() -> [UInt8] {
    var behind: Set<Int> = []
    return json(after: nil, behind: &behind, maximumRows: .max)
  }

  /// Returns what has changed after a version; everything for `nil`.
  ///
  /// - Parameters:
  ///   - version: The version.
  ///   - behind: The rows that have changed before it, and that there was no room for; it is replaced by those that there
  ///     is no room for now. It never has more than the recorder keeps.
  ///   - maximumRows: The largest number of rows, of which the newest come first.
  /// - Returns: An object.
  func json(after version: Int?, behind: inout Set<Int>, maximumRows: Int) -> [UInt8] {
    let since = version ?? -1
    // A row that changes meanwhile is in the next event again, which is harmless.
    let totals = recorder.totals
    let changed = recorder.rows.filter { $0.version > since || behind.contains($0.id) }
    behind = Set(changed.dropLast(maximumRows).map(\.id))
    let waiting = behind.count
    return JSONText.object { text in
      text.add("isWhole", version == nil)
      text.object("totals") { text in
        text.add("began", totals.began)
        text.add("succeeded", totals.succeeded)
        text.add("failed", totals.failed)
        text.add("abandoned", totals.abandoned)
        text.add("bytes", totals.bytes)
        text.array("origins") { text in for count in totals.origins { text.add(nil, count) } }
      }
      text.add("skipped", waiting)
      text.array("calls") { text in
        for row in changed.suffix(maximumRows) { row.add(to: &text) }
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
