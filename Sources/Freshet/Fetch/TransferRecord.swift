/// A transfer, in a shared object that keeps steps small.
package final class TransferRecord: Sendable {
  package let metrics: TransferMetrics
  /// The exchange that confirmed a copy; `nil` if the response is that of the transfer.
  package let confirmation: Confirmation?
  /// A Boolean value that indicates whether the response is not for other fetches that share the transfer.
  let isPersonal: Bool

  package init(
    _ metrics: TransferMetrics,
    _ confirmation: Confirmation? = nil,
    isPersonal: Bool = false
  ) {
    self.metrics = metrics
    self.confirmation = confirmation
    self.isPersonal = isPersonal
  }
}

/// A request about a copy, and the head of the response that confirmed it, as they were sent.
package struct Confirmation: Sendable {
  /// The conditional `GET`, or the `HEAD`.
  package let request: Request
  /// The head of the 304, or of the response to the `HEAD`.
  package let head: ResponseHead
}
