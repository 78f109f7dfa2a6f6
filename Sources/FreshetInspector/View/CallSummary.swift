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
