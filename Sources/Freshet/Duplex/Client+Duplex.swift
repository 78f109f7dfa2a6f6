extension Client {
  /// Sends a request whose body is written while its response is read.
  ///
  /// ```swift
  /// let stream = client.duplex(.post("translate"))
  /// try await stream.send("Guten Morgen\n")
  /// for try await chunk in stream { print(String(decoding: chunk, as: UTF8.self)) }
  /// ```
  ///
  /// - The stores are not asked, and every status is a response. A successful one of an unsafe method removes the
  ///   stored responses for its URL.
  /// - Nothing is repeated: the body can be sent only once. Redirects are not followed for that reason; the
  ///   redirect itself is the response.
  /// - ``Request/Timeouts/firstByte`` and ``Request/Timeouts/idle`` do not count while the app has nothing to send
  ///   and has not finished, or does not read.
  /// - A limit on the number of requests counts an open stream as one.
  ///
  /// - Parameters:
  ///   - request: A request without a body, of a method that may have one; any other one, such as a `GET`, fails with
  ///     ``FreshetError/invalidRequest(_:url:)``.
  ///   - configure: A closure that changes the default options.
  /// - Returns: A stream, which sends the request when it is used.
  public func duplex(
    _ request: Request,
    _ configure: (inout DuplexStream.Options) -> Void = { _ in }
  ) -> DuplexStream {
    let options = DuplexStream.Options(configure)
    var prepared = prepared(request, isEndless: true)
    prepared.redirects.maximumCount = 0
    prepared.requiresHTTP2 = options.requiresHTTP2
    return DuplexStream(DuplexSession(prepared, over: settings.transport, buffer: options.buffer))
  }
}
