public import Foundation
import Freshet

/// The changes of an inspector as server-sent events, each in the form in which it is sent.
///
/// An event contains the changes since the previous one: at most ten a second, and at most a hundred rows in one. It
/// never ends by itself.
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

  /// The same events, for a thread that may block.
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
    private var pauses = 0

    /// The number of times without a change after which a comment keeps the connection open.
    private static let maximumPauses = 100

    init(snapshot: Snapshot) {
      self.snapshot = snapshot
    }

    /// Returns everything the first time, and later the changes since the last time; `nil` without changes.
    mutating func next() -> Data? {
      let current = snapshot.recorder.version
      let earlier = version
      guard current != earlier else {
        pauses += 1
        guard pauses >= Self.maximumPauses else { return nil }
        pauses = 0
        return Data(":\n\n".utf8)
      }
      pauses = 0
      version = current
      let json = snapshot.json(after: earlier, maximumRows: earlier == nil ? .max : 100)
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

  /// Returns the changes after a version, with the newest rows; everything for `nil`.
  func json(after version: Int?, maximumRows: Int) -> [UInt8] {
    let since = version ?? -1
    // A row that changes meanwhile is in the next event again, which is harmless.
    let totals = recorder.totals
    let changed = recorder.rows.filter { $0.version > since }
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
      text.add("skipped", max(0, changed.count - maximumRows))
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
