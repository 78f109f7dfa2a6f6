extension Transport {
  /// Tracks calls, so that they can be shown and cancelled from outside.
  ///
  /// A call runs from its first `next` until its end, or until its iterator is released. Each step of
  /// it runs in a task of its own, so that it can be cancelled while its reader waits.
  ///
  /// - Parameter activity: The registry of the calls.
  /// - Returns: A transport.
  public func tracked(by activity: Activity) -> some Transport {
    TrackedTransport(base: self, activity: activity)
  }
}

struct TrackedTransport: Transport {
  let base: any Transport
  let activity: Activity

  func send(_ request: Request) -> Transfer {
    Transfer(resolved: request) { Events(request: request, transport: self) }
  }

  func addedFields(for request: Request) -> HTTPHeaders {
    base.addedFields(for: request)
  }
}

extension TrackedTransport {
  struct Events: AsyncIteratorProtocol {
    let request: Request
    let transport: TrackedTransport
    var share: Share?

    init(request: Request, transport: TrackedTransport) {
      self.request = request
      self.transport = transport
    }

    mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(FreshetError) -> TransferEvent? {
      let share: Share
      if let current = self.share {
        share = current
      } else {
        share = Share(transport.activity.begin(request, over: transport.base), transport.activity)
        self.share = share
      }
      do {
        let event = try await share.call.next()
        if case .finished = event { share.end(nil) }
        return event
      } catch {
        share.end(error)
        throw error
      }
    }
  }

  /// The reader's reference to a call; releasing it cancels the call.
  final class Share {
    let call: TrackedCall
    private let activity: Activity
    private var isOver = false

    init(_ call: TrackedCall, _ activity: Activity) {
      self.call = call
      self.activity = activity
    }

    deinit {
      guard !isOver else { return }
      call.cancel()
      activity.end(call.call.id, .cancelled)
    }

    func end(_ error: FreshetError?) {
      isOver = true
      activity.end(call.call.id, error)
    }
  }
}
