extension Transport {
  /// Sends the cookies of a jar, and stores those that responses set.
  ///
  /// Each hop of a redirect sends and stores its own cookies. A request that has its own `Cookie` field
  /// keeps it, and gets no cookies from the jar.
  ///
  /// - Parameter jar: The cookies; several transports can share a jar.
  /// - Returns: A transport.
  public func storingCookies(in jar: CookieJar) -> some Transport {
    ObservedTransport(
      base: self,
      name: "storingCookies",
      scope: .hop,
      added: { request in jar.field(missingIn: request).map { [.cookie: $0] } ?? [:] },
      attend: { request in
        if let field = jar.field(missingIn: request) { request.headers[.cookie] = field }
        return CookieObserver(jar, sent: request.headers)
      }
    )
  }
}

extension CookieJar {
  /// Returns the field to add to a request; `nil` if it has its own.
  fileprivate func field(missingIn request: Request) -> String? {
    request.headers.contains(.cookie) ? nil : field(for: request.url)
  }
}

/// Stores the cookies that one response sets, and notes the headers that were sent for it.
private final class CookieObserver: TransferObserver {
  private let jar: CookieJar
  private let sent: HTTPHeaders

  init(_ jar: CookieJar, sent: HTTPHeaders) {
    self.jar = jar
    self.sent = sent
  }

  func note(_ event: TransferEvent) -> TransferEvent {
    guard case .head(var head) = event else { return event }
    jar.store(from: head)
    if head.notes.sent == nil { head.notes.sent = sent }
    if head.status.isRedirection { head.notes.cookies = { [jar] in jar.field(for: $0) } }
    return .head(head)
  }

  func end(_ error: FreshetError) {}
}
