/// The progress of a transfer in one direction.
///
/// A call whose request has a body first reports the bytes of that body as they are sent
/// (``isSent``), and then, from 0 again, those of the response. Without a request body, all
/// progress is that of the response.
///
/// ```swift
/// if case .progress(let progress) = event, progress.isSent { show(progress.fraction) }
/// ```
public struct TransferProgress: Sendable, Hashable {
  /// The bytes so far; those of a response after decoding.
  public var completed: Int64
  /// The total number of bytes, or `nil` while that is unknown (chunked or compressed bodies).
  public var total: Int64?
  /// The number of bytes that were available before, 0 by default.
  ///
  /// They are from an earlier fetch, or were received by other fetches before this one joined them.
  /// Subtract them from ``completed`` to compute the speed of a transfer. They are ignored by `==`.
  public var inherited: Int64
  /// The received bytes, if the fetch's policy asks for them; ignored by `==`.
  package var body: ArrivingBody?
  /// A Boolean value that indicates whether the bytes are those of the request's body, and not of
  /// the response.
  ///
  /// It is ignored by `==`.
  public internal(set) var isSent = false
  /// A Boolean value that indicates whether the response may be for one user only; ignored by `==`.
  var isPersonal = false

  /// Makes a progress of the response.
  public init(completed: Int64, total: Int64? = nil, inherited: Int64 = 0) {
    self.completed = completed
    self.total = total
    self.inherited = inherited
  }

  /// Makes a progress of the request's body, as a transport reports it.
  ///
  /// - Parameters:
  ///   - sent: The bytes that have been sent.
  ///   - total: The length of the body, or `nil` while that is unknown.
  ///   - inherited: The bytes that an earlier upload has sent, 0 by default.
  public init(sent: Int64, total: Int64? = nil, inherited: Int64 = 0) {
    self.init(completed: sent, total: total, inherited: inherited)
    isSent = true
  }

  /// The completed fraction, 0 to 1, or `nil` while the total is unknown.
  public var fraction: Double? {
    guard let total, total > 0 else { return total.map { _ in 1 } }
    return min(1, Double(completed) / Double(total))
  }
}

extension TransferProgress {
  /// Returns the progress with at least this number of inherited bytes.
  func inheriting(_ count: Int64) -> TransferProgress {
    guard count > inherited else { return self }
    var progress = self
    progress.inherited = min(count, completed)
    return progress
  }

  /// Returns a Boolean value that indicates whether both have the same completed and total bytes.
  public static func == (left: Self, right: Self) -> Bool {
    left.completed == right.completed && left.total == right.total
  }

  /// Hashes the completed and the total bytes.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(completed)
    hasher.combine(total)
  }
}

// MARK: - Description

extension TransferProgress: RedactedDescribable {
  /// The counts, such as `4096 of 65536 bytes`, or `4096 bytes sent` while the total is unknown.
  public var description: String {
    let count = total.map { "\(completed) of \($0)" } ?? "\(completed)"
    return "\(count) bytes" + (isSent ? " sent" : "")
      + (inherited > 0 ? ", \(inherited) of them inherited" : "")
  }
  /// The counts, and nothing of the received bytes.
  public var customMirror: Mirror {
    Mirror(
      self,
      children: [
        "completed": completed, "total": total as Any, "inherited": inherited, "isSent": isSent,
      ]
    )
  }
}
