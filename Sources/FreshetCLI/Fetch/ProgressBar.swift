import Foundation
import Freshet

/// A line of progress: fraction, bytes, rate, time left, items.
enum ProgressBar {
  /// Returns the line for a batch, at most `width - 1` columns wide.
  static func line(_ progress: BatchProgress, width: Int) -> String {
    var parts = parts(progress.transfer, progress)
    parts.append("\(progress.endedItems) of \(progress.totalItems) done")
    if progress.failedItems > 0 { parts.append("\(progress.failedItems) failed") }
    return line(progress.fraction, parts, width: width)
  }

  /// Returns the line for one transfer, with the rates of its batch.
  static func line(_ progress: TransferProgress, _ whole: BatchProgress?, width: Int) -> String {
    line(progress.fraction, parts(progress, whole), width: width)
  }

  private static func parts(_ progress: TransferProgress, _ whole: BatchProgress?) -> [String] {
    var parts = [amount(progress)]
    guard let whole else { return parts }
    parts.append("\(bytes(whole.bytesPerSecond))/s")
    if let left = whole.timeLeft { parts.append("\(time(left)) left") }
    return parts
  }

  /// Returns the bytes that are complete, and their total if it is known.
  static func amount(_ progress: TransferProgress) -> String {
    let total = progress.total.map { " of \(bytes(Double($0)))" } ?? ""
    return bytes(Double(progress.completed)) + total
  }

  private static func line(_ fraction: Double?, _ parts: [String], width: Int) -> String {
    let text = parts.joined(separator: "  ")
    return String((bar(fraction, width: width - text.count - 12) + text).prefix(width - 1))
  }

  private static func bar(_ fraction: Double?, width: Int) -> String {
    guard let fraction, width >= 10 else { return "" }
    let length = min(width, 40)
    let filled = Int(fraction * Double(length))
    let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: length - filled)
    return "\(bar) \(Int(fraction * 100)) %  "
  }

  /// Returns minutes and seconds, rounded up, with hours if there are any.
  static func time(_ duration: Duration) -> String {
    let seconds = Int(min((duration / .seconds(1)).rounded(.up), 1e9))
    let parts = [seconds / 3_600, seconds / 60 % 60, seconds % 60]
    let shown = parts[0] > 0 ? parts[...] : parts[1...]
    return shown.enumerated()
      .map { $0 > 0 && $1 < 10 ? "0\($1)" : "\($1)" }
      .joined(separator: ":")
  }

  /// Returns a number of bytes in a suitable unit.
  static func bytes(_ count: Double) -> String {
    guard count >= 1_000 else { return "\(Int(count)) B" }
    var (count, unit) = (count / 1_024, "KiB")
    for larger in ["MiB", "GiB"] where count >= 1_000 { (count, unit) = (count / 1_024, larger) }
    let tenths = (count * 10).rounded() / 10
    return tenths >= 100 ? "\(Int(count)) \(unit)" : "\(tenths) \(unit)"
  }
}
