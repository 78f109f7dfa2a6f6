extension Transport {
  /// Sends the cookies of a jar, and keeps those that responses set.
  ///
  /// Each hop of a redirect sends and sets for itself. A request that has a `Cookie` field of its
  /// own keeps it, and gets none from the jar.
  ///
  /// - Parameter jar: The cookies, which other transports may share.
  /// - Returns: A transport.
  public func storingCookies(in jar: CookieJar) -> some Transport {
    CookieTransport(base: self, jar: jar)
  }
}

struct CookieTransport: Transport {
  let base: any Transport
  let jar: CookieJar

  func send(_ request: Request) -> Transfer {
    Transfer(hops: request) { Events(request: $0, transport: self) }
  }

  func addedFields(for request: Request) -> HTTPHeaders {
    var fields = base.addedFields(for: request)
    if !request.headers.contains(.cookie), let field = jar.field(for: request.url) {
      fields[.cookie] = field
    }
    return fields
  }
}

extension CookieTransport {
  struct Events: AsyncIteratorProtocol {
    var request: Request
    let transport: CookieTransport
    var events: Transfer.Iterator?

    init(request: Request, transport: CookieTransport) {
      self.request = request
      self.transport = transport
    }

    mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(FreshetError) -> TransferEvent? {
      if events == nil {
        if !request.headers.contains(.cookie) {
          request.headers[.cookie] = transport.jar.field(for: request.url)
        }
        events = transport.base.send(request).makeAsyncIterator()
      }
      let event = try await events?.next(isolation: actor)
      guard case .head(var head) = event else { return event }
      transport.jar.store(from: head)
      if head.notes.sent == nil { head.notes.sent = request.headers }
      return .head(head)
    }
  }
}
