public import FreshetEssentials

extension FreshetError: CustomStringConvertible {
  /// One sentence: what failed, for which URL, and what to do about it.
  ///
  /// It never shows headers, bodies, queries, users or passwords, except for a short excerpt of a body
  /// that could not be decoded, in which the values of keys such as `token` are masked, and except for the
  /// query of a request that a recording or a script does not have, without its secrets.
  ///
  /// Control characters are escaped, so that it stays on one line.
  public var description: String { Printable.line(Self.ended(sentence)) }

  /// Returns the sentence with one full stop, where its last words came with one of their own.
  private static func ended(_ sentence: String) -> String {
    var sentence = sentence
    while sentence.hasSuffix("..") { sentence.removeLast() }
    return sentence
  }

  private var sentence: String {
    switch self {
    case .invalidRequest(let reason, let url):
      "The request\(on(url)) is not valid: \(reason)."
    case .cancelled:
      "The request was cancelled."
    case .connection(let failure, let url):
      "\(failure.sentence(on(url)))."
    case .insecure(let reason, let url):
      "The connection\(on(url)) is not secure: \(reason)."
    case .unauthenticated(let reason, let url):
      "The request\(on(url)) has no valid credentials: \(reason)."
    case .timedOut(let phase, let url):
      "The request\(on(url)) timed out: \(phase.explanation); try again, or raise the timeout."
    case .invalidResponse(let reason, let url):
      "The response\(from(url)) is not valid: \(reason)."
    case .limitExceeded(let limit, let url):
      "The response\(from(url)) is too large: it has more than \(limit.explanation)."
    case .redirect(let reason, let head):
      "The redirect\(from(head.url.absoluteString)) was not followed: \(reason)."
    case .status(let head, _):
      "The server answered\(request(for: head.url)) with status \(head.status)\(pause(in: head))."
    case .decoding(let failure, let head, _):
      "The body\(from(head?.url.absoluteString ?? "")) cannot be decoded as \(failure.target): \(failure)."
    case .corrupted(let expected, let actual, let url):
      "The body\(from(url)) is not the expected one: \(actual) instead of \(expected); fetch it again."
    case .notStored(let url):
      "Nothing is stored\(on(url)), and no request is allowed; fetch it while the network may be used."
    case .file(let reason, let path):
      "The file \(path) could not be used: \(reason)."
    case .store(let failure):
      "The store failed: \(failure)."
    case .closed(let close, let url):
      "The WebSocket\(on(url)) was closed with \(close)."
    case .shutDown(let url):
      "The client was shut down before the request\(on(url)); use another client."
    case .noValue:
      "The pipeline ended without a value."
    }
  }

  private func on(_ url: String) -> String {
    url.isEmpty ? "" : " for \(Redaction.shown(url))"
  }

  private func request(for url: URL) -> String {
    url.absoluteString.isEmpty ? "" : " the request for \(Redaction.shown(url.absoluteString))"
  }

  /// The pause that the server asks for, in whole seconds.
  private func pause(in head: ResponseHead) -> String {
    guard let pause = head.retryAfter(), pause > .zero else { return "" }
    return ", and asks to wait \(Int64((pause / .seconds(1)).rounded(.up))) s"
  }

  private func from(_ url: String) -> String {
    url.isEmpty ? "" : " from \(Redaction.shown(url))"
  }
}

extension FreshetError: LocalizedError {
  /// The sentence in ``description``.
  public var errorDescription: String? { description }
}

extension FreshetError.ConnectionFailure {
  fileprivate func sentence(_ place: String) -> String {
    switch self {
    case .unknownHost: "The host name could not be resolved\(place); check the name and the network"
    case .refused: "The connection\(place) was refused; check the port and that the server runs"
    case .unreachable: "The host\(place) cannot be reached; check the network"
    case .lost: "The connection\(place) was lost before the response was complete; try again"
    case .truncated: "The body\(place) broke off before its end; try again"
    case .proxy: "The proxy\(place) does not answer or refused the connection; check its settings"
    case .suspended(let pause):
      "The host\(place) failed too often or is at its shared limit, and is not contacted; try again "
        + (pause > .zero ? "in \(pause.rounded)" : "later")
    case .other(let reason): "The connection\(place) failed: \(reason)"
    }
  }
}

extension FreshetError.TimeoutPhase {
  fileprivate var explanation: String {
    switch self {
    case .connect: "no connection was made within timeouts.connect"
    case .firstByte: "no response arrived within timeouts.firstByte"
    case .idle: "no bytes arrived for timeouts.idle"
    case .keepAlive: "no bytes arrived within keepAlive.timeout after a ping of the socket"
    case .connectivity: "no network was available within timeouts.connectivity"
    case .total: "it was not complete within timeouts.total or the client's deadline"
    }
  }
}

extension FreshetError.Limit {
  fileprivate var explanation: String {
    switch self {
    case .headerCount(let count): "\(count) header fields; limits.headerCount can be raised"
    case .headerBytes(let count): "\(count) bytes of headers; limits.headerBytes can be raised"
    case .bodyBytes(let count):
      "\(count) bytes; limits.bodyBytes, or the call's own limit, can be raised"
    case .decompressionRatio(let ratio):
      "\(ratio) times the received bytes; limits.decompressionRatio can be raised"
    case .lineBytes(let count):
      "\(count) bytes in a line or an event; the reader's limit, or reconnection.limit, can be raised"
    case .messageBytes(let count): "\(count) bytes in a message; options.messageBytes can be raised"
    }
  }
}
