import FreshetEssentials

extension Transfer {
  /// Pulls the events of one transfer.
  ///
  /// - The first `next` validates and sends the request; an invalid one is never sent.
  /// - After `finished`, or after it has thrown, `next` returns `nil`.
  /// - In a cancelled task `next` throws ``FreshetError/cancelled`` and sends nothing more.
  /// - Releasing the last copy of the iterator cancels the exchange; copies share it.
  public struct Iterator: AsyncIteratorProtocol {
    private let course: Execution

    init(_ course: Execution) {
      self.course = course
    }

    // Inlined, because each async function between a reader and its exchange costs a frame.

    /// Waits for the next event; `nil` after `finished`.
    ///
    /// - Parameter actor: The caller's isolation; the events are delivered on it.
    /// - Returns: The event.
    /// - Throws: The error that ended the transfer, once. A status of 400 and above is not an error here.
    @inline(__always)
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(FreshetError) -> TransferEvent? {
      do {
        let exchange: any Exchange
        switch course.state {
        case .running(let current):
          // The end of a small response, for instance, has arrived with its head.
          if let event = try current.nextNow() { return try course.pass(event) }
          exchange = current
        case .ready, .leaving:
          if case .leaving(_, let next) = course.state {
            try await course.drain()
            try course.follow(next)
          } else {
            try course.begin()
          }
          if let started = try course.startAtOnce() {
            exchange = started
          } else {
            exchange = try await course.start()
          }
        case .ended:
          return nil
        }
        guard let event = try await exchange.next() else {
          course.finish()
          return nil
        }
        return try course.pass(event)
      } catch {
        throw course.abandon(error)
      }
    }

    /// Calls a closure when the call is cancelled by others than its reader, from any thread.
    ///
    /// The next step throws then, so that a reader that waits for something else can stop that wait.
    func onCancel(_ action: @escaping @Sendable () -> Void) {
      course.onCancel(action)
    }

    /// Reads the beginning of the body of a refusal, after its head.
    ///
    /// - Returns: The beginning, as much of it as arrives.
    /// - Throws: A cancellation, and the end of the time of the whole call.
    mutating func refusalBody() async throws(FreshetError) -> Data {
      var body = Data()
      do throws(FreshetError) {
        while body.count < RefusedResponse.bodyLimit, let event = try await next() {
          if case .body(let chunk) = event {
            body.append(chunk.prefix(RefusedResponse.bodyLimit - body.count))
          }
        }
      } catch {
        switch error {
        case .cancelled, .timedOut(.total, _): throw error
        default: break
        }
      }
      return body
    }

    /// Ends a response after its head; reads a short one to its end, so that its connection can be reused.
    mutating func leave(after head: ResponseHead) async throws(FreshetError) {
      guard case .running = course.state else { return }
      guard head.decodedLength ?? 0 <= Drain.limit else {
        course.abandon(.cancelled)
        return
      }
      do throws(FreshetError) {
        try await course.drain()
        course.finish()
      } catch {
        throw course.abandon(error)
      }
    }
  }
}

@available(*, unavailable)
extension Transfer.Iterator: Sendable {}
