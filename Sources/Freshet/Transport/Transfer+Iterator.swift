extension Transfer {
  /// Pulls the events of one transfer.
  public struct Iterator: AsyncIteratorProtocol {
    let request: Request
    let exchange: @Sendable (Request) -> any Exchange

    /// The next event, or `nil` after `finished`.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(FreshetError) -> TransferEvent? {
      nil
    }
  }
}

@available(*, unavailable)
extension Transfer.Iterator: Sendable {}
