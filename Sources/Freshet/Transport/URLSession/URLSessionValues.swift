#if canImport(Darwin)
import FreshetEssentials

extension Request {
  /// The timeout of tasks, in seconds: the exchange enforces the request's timeouts, for each phase.
  static let sessionTimeout = 60.0 * 60 * 24 * 7

  /// Returns the request for `URLSession`, without a body from a file or a stream.
  func message(userAgent: String) -> URLRequest {
    var message = URLRequest(url: url)
    message.httpMethod = method.rawValue
    message.httpShouldHandleCookies = false
    message.allow(networks)
    message.timeoutInterval = Self.sessionTimeout
    if !headers.contains(.userAgent) {
      message.setValue(userAgent, forHTTPHeaderField: "User-Agent")
    }
    for field in headers where field.name != .contentLength && field.name != .transferEncoding {
      // The session answers proxies by itself, and would send this to the server.
      if field.name == .proxyAuthorization { continue }
      message.addValue(field.value, forHTTPHeaderField: field.name.rawValue)
    }
    // Cookies are not joined with commas, as other fields are (RFC 9110 section 5.3).
    let cookies = headers[values: .cookie]
    if cookies.count > 1 {
      message.setValue(cookies.joined(separator: "; "), forHTTPHeaderField: "Cookie")
    }
    // A range refers to the encoded form, of which a part cannot be decoded alone.
    if headers.contains(.range), !headers.contains(.acceptEncoding) {
      message.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
    }
    if let body, body.length != 0, !isUpgrade, !headers.contains(.contentType) {
      // Without a type, the session would call the body a form (RFC 9110 section 8.3 has this one).
      let type = body.contentType?.description ?? "application/octet-stream"
      message.setValue(type, forHTTPHeaderField: "Content-Type")
    }
    if let data = body?.bytes {
      // Even an empty one would fail a GET.
      if method != .get { message.httpBody = data }
    } else if let length = body?.length {
      message.setValue(String(length), forHTTPHeaderField: "Content-Length")
    }
    return message
  }
}

extension Request {
  /// The reason why `URLSession` would not send the request, or `nil`.
  var sessionProblem: String? {
    guard method == .get, !isUpgrade, let body, body.length != 0 else { return nil }
    return "URLSession sends no body with a GET"
  }
}

extension ResponseHead {
  init(_ response: HTTPURLResponse, of request: Request) {
    self.init(
      status: response.statusCode,
      joinedFields: response.allHeaderFields,
      url: request.url
    )
  }
}

extension Request.Priority {
  /// The priority in the scale of `URLSession`.
  var share: Float {
    switch self {
    case .low: URLSessionTask.lowPriority
    case .normal: URLSessionTask.defaultPriority
    case .high: URLSessionTask.highPriority
    }
  }
}

extension TransferMetrics {
  init?(_ metrics: URLSessionTaskMetrics, of task: URLSessionTask) {
    guard let hop = metrics.transactionMetrics.last, let start = hop.fetchStartDate else {
      return nil
    }
    let since: (Date?) -> Duration = { date in
      .seconds(max(0, date?.timeIntervalSince(start) ?? 0))
    }
    self.init(
      nameLookup: since(hop.domainLookupEndDate),
      connect: since(hop.connectEndDate),
      tls: hop.secureConnectionEndDate.map { since($0) },
      firstByte: since(hop.responseStartDate),
      total: since(hop.responseEndDate),
      bytesSent: task.countOfBytesSent,
      bytesReceived: hop.countOfResponseBodyBytesReceived,
      networkProtocol: hop.networkProtocolName ?? "http/1.1",
      reusedConnection: hop.isReusedConnection
    )
  }
}

extension FreshetError {
  /// Creates an error from one of `URLSession` for the request to `url`, which must not contain secrets.
  ///
  /// If `isUnsent`, nothing of the request has left the device.
  init(_ error: any Error, isUnsent: Bool, url: String) {
    guard let code = (error as? URLError)?.code else {
      let lost: [POSIXErrorCode] = [.ECONNRESET, .ECONNABORTED, .ENOTCONN, .EPIPE]
      if let code = (error as? POSIXError)?.code, lost.contains(code) {
        self = .connection(.lost, url: url)
        return
      }
      self = .connection(.other("it failed with \(type(of: error))"), url: url)
      return
    }
    if (error as? URLError)?.networkUnavailableReason != nil {
      self = .connection(.other("there is no network that the request may use"), url: url)
      return
    }
    switch code {
    case .cancelled: self = .cancelled
    case .cannotFindHost, .dnsLookupFailed: self = .connection(.unknownHost, url: url)
    case .cannotConnectToHost: self = .connection(.refused, url: url)
    case .networkConnectionLost: self = .connection(.lost, url: url)
    case .notConnectedToInternet, .internationalRoamingOff, .callIsActive, .dataNotAllowed:
      self = .connection(isUnsent ? .unreachable : .lost, url: url)
    // The timeouts of the request are the exchange's: this one is the system's.
    case .timedOut: self = isUnsent ? .timedOut(.connect, url: url) : .connection(.lost, url: url)
    case .badURL, .unsupportedURL: self = .invalidRequest("it is not a valid URL", url: url)
    case .secureConnectionFailed, .serverCertificateHasBadDate, .serverCertificateUntrusted,
      .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid, .clientCertificateRejected,
      .clientCertificateRequired:
      self = .insecure("\(code.rawValue)", url: url)
    case .appTransportSecurityRequiresSecureConnection:
      self = .insecure("App Transport Security needs an exception in Info.plist for it", url: url)
    case .badServerResponse, .cannotParseResponse, .cannotDecodeContentData,
      .cannotDecodeRawData, .zeroByteResource:
      self = .invalidResponse("URLSession's code is \(code.rawValue)", url: url)
    default: self = .connection(.other("URLSession's code is \(code.rawValue)"), url: url)
    }
  }
}
#endif
