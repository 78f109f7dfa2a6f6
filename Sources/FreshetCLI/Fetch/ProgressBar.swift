import Foundation
import Freshet

/// One line on standard error: bytes, rate and time left of all transfers together.
///
/// Without a terminal it shows nothing.
struct ProgressBar {
  private let width: Int?
  private let count: Int
  private let start = ContinuousClock.now
  private var transfers: [Int: TransferProgress] = [:]
  private var ended = 0
  private var lastShown: ContinuousClock.Instant?
  private var isVisible = false

  /// Twenty lines a second are enough for the eye.
  static let interval = Duration.milliseconds(50)

  init(count: Int, width: Int?) {
    self.count = count
    self.width = width
  }

  mutating func show(_ progress: TransferProgress, of index: Int, at now: ContinuousClock.Instant) {
    transfers[index] = progress
    guard let width else { return }
    if let lastShown, now - lastShown < Self.interval { return }
    lastShown = now
    isVisible = true
    let line = Self.line(total, ended: ended, count: count, elapsed: now - start, width: width)
    Console.write(Data("\r\(line)\u{1B}[K".utf8), to: .standardError)
  }

  mutating func end(_ index: Int) {
    ended += 1
  }

  mutating func clear() {
    guard isVisible else { return }
    isVisible = false
    Console.write(Data("\r\u{1B}[K".utf8), to: .standardError)
  }

  /// All transfers together; the total is known when each one's is.
  private var total: TransferProgress {
    let completed = transfers.values.reduce(0) { $0 + $1.completed }
    let totals = transfers.values.map(\.total)
    guard transfers.count == count, !totals.contains(nil) else {
      return TransferProgress(completed: completed)
    }
    return TransferProgress(completed: completed, total: totals.reduce(0) { $0 + ($1 ?? 0) })
  }
}

extension ProgressBar {
  /// The line for a progress, at most `width - 1` columns wide.
  static func line(
    _ progress: TransferProgress,
    ended: Int,
    count: Int,
    elapsed: Duration,
    width: Int
  ) -> String {
    let seconds = max(elapsed / .seconds(1), 0.001)
    let rate = Double(progress.completed) / seconds
    var parts = [bytes(Double(progress.completed))]
    if let total = progress.total {
      parts[0] += " of \(bytes(Double(total)))"
    }
    parts.append("\(bytes(rate))/s")
    if let total = progress.total, rate > 0 {
      let left = Int((Double(total - progress.completed) / rate).rounded(.up))
      parts.append("\(left / 60):\(left % 60 < 10 ? "0" : "")\(left % 60) left")
    }
    if count > 1 {
      parts.append("\(ended) of \(count) done")
    }
    let text = parts.joined(separator: "  ")
    return String((bar(progress.fraction, width: width - text.count - 12) + text).prefix(width - 1))
  }

  private static func bar(_ fraction: Double?, width: Int) -> String {
    guard let fraction, width >= 10 else { return "" }
    let length = min(width, 40)
    let filled = Int(fraction * Double(length))
    let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: length - filled)
    return "\(bar) \(Int(fraction * 100)) %  "
  }

  /// A number of bytes in the unit that suits it.
  static func bytes(_ count: Double) -> String {
    var count = count
    for unit in ["B", "KiB", "MiB", "GiB"] {
      if count < 1_000 || unit == "GiB" {
        let tenths = (count * 10).rounded() / 10
        return unit == "B" || tenths >= 100 ? "\(Int(count)) \(unit)" : "\(tenths) \(unit)"
      }
      count /= 1_024
    }
    return "\(Int(count)) TiB"
  }
}
