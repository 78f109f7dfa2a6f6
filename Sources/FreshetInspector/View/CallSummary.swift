import Foundation
import Freshet

/// A call as a native list shows it.
struct CallSummary: Identifiable, Hashable, Sendable {
  let id: Int
  /// The method, the host and the path.
  let title: String
  /// The status or the state, the source, the size and the time.
  let details: String
}

extension Inspector {
  /// The newest calls, the newest first.
  var summaries: [CallSummary] { recorder.rows.reversed().map(CallSummary.init) }

  /// Waits until the calls have changed since a version, at least as long as between two updates of the page.
  ///
  /// - Parameter version: The version that is shown, which is brought up to date; `nil` for none, which waits for nothing.
  /// - Returns: The newest calls; `nil` once the task is cancelled.
  func summaries(since version: inout Int?) async -> [CallSummary]? {
    if let version {
      repeat {
        guard (try? await Task.sleep(for: configuration.interval)) != nil else { return nil }
      } while recorder.version == version
    }
    if Task.isCancelled { return nil }
    version = recorder.version
    return summaries
  }

  /// Returns the explanation of a call; a line for one that is not kept any more.
  func sentences(of id: Int) -> [String] {
    guard let row = recorder.row(id) else { return ["Call \(id) is no longer kept."] }
    let sentences = row.now.sentences
    return sentences.isEmpty ? ["There is no explanation yet."] : sentences
  }
}

extension CallSummary {
  init(_ row: RecordedCall) {
    let state = row.now
    let time = (state.ended ?? row.elapsed)
      .formatted(
        .units(
          allowed: [.seconds, .milliseconds, .microseconds],
          width: .narrow,
          maximumUnitCount: 1
        )
      )
    let status = state.outcome == .succeeded ? state.head.map { "\($0.status.rawValue)" } : nil
    let size = state.received.formatted(.byteCount(style: .file))
    id = row.id
    title = Printable.line("\(row.request.method.rawValue) \(Redaction.shown(row.request.url))")
    details = [status ?? "\(state.outcome)", state.source?.rawValue, size, time]
      .compactMap(\.self)
      .joined(separator: " · ")
  }
}
