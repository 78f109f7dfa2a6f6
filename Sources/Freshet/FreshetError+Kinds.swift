extension FreshetError {
  /// A Boolean value that indicates whether the task or the handle was cancelled.
  public var isCancelled: Bool { self == .cancelled }

  /// A Boolean value that indicates whether no connection could be made, so that the request
  /// reached no server: an unknown or unreachable host, a refused connection, a proxy that does not answer, or
  /// ``Request/Timeouts/connect``, or no network within ``Request/Timeouts/connectivity``.
  public var isOffline: Bool {
    switch self {
    case .connection(let failure, _):
      [.unknownHost, .refused, .unreachable, .proxy].contains(failure)
    case .timedOut(.connect, _), .timedOut(.connectivity, _): true
    default: false
    }
  }

  /// A Boolean value that indicates whether the request may succeed a little later: a connection
  /// that failed, a timeout other than ``Request/Timeouts/total``, or a transient status (408, 425,
  /// 429, 500, 502, 503, 504).
  public var isTransient: Bool {
    switch self {
    case .timedOut(.total, _): false
    case .connection, .timedOut: true
    case .status(let head, _): head.status.isTransient
    default: false
    }
  }
}

extension CallError {
  /// A Boolean value that indicates whether the task or the handle was cancelled.
  public var isCancelled: Bool {
    if case .failed(let error) = self { error.isCancelled } else { false }
  }

  /// A Boolean value that indicates whether no connection could be made, see
  /// ``FreshetError/isOffline``.
  public var isOffline: Bool {
    if case .failed(let error) = self { error.isOffline } else { false }
  }

  /// A Boolean value that indicates whether the call may succeed a little later, see
  /// ``FreshetError/isTransient``.
  public var isTransient: Bool {
    switch self {
    case .rejected(let rejection): rejection.status.isTransient
    case .failed(let error): error.isTransient
    }
  }
}

extension HTTPStatus {
  fileprivate var isTransient: Bool { [408, 425, 429, 500, 502, 503, 504].contains(rawValue) }
}
