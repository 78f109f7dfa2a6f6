import Freshet

extension LoopbackServer {
  /// The requests so far in the order of their arrival, at most the newest
  /// ``Configuration/requestLimit``.
  ///
  /// A request is included as soon as its body is complete, before its answer begins.
  public var requests: [ReceivedRequest] { log.read(\.newestRequests) }

  /// The number of requests so far.
  public var requestCount: Int { log.read(\.requestCount) }

  /// Returns the number of requests so far for a path, as in ``url(_:)``.
  public func requestCount(path: String) -> Int {
    let paths = spellings(of: path)
    return log.read { $0.count(of: paths) }
  }

  /// The number of connections that were ever accepted.
  public var connectionCount: Int { log.read(\.connectionCount) }

  /// The number of connections that are open.
  public var openConnectionCount: Int { log.read(\.openCount) }

  /// Returns the number of bytes that were passed to the system for a path, heads and framing included.
  ///
  /// It does not grow while a slow reader's buffers are full.
  public func bytesWritten(path: String) -> Int64 {
    let paths = spellings(of: path)
    return log.read { $0.bytes(of: paths) }
  }

  /// Returns the number of bytes that were passed to the system for a connection.
  ///
  /// - Parameter connection: Its number, as in ``ReceivedRequest/connection``.
  /// - Returns: The bytes, heads and framing included; 0 for a connection that does not exist.
  public func bytesWritten(connection: Int) -> Int64 {
    log.read { log in
      log.bytesByConnection.indices.contains(connection - 1)
        ? log.bytesByConnection[connection - 1] : 0
    }
  }
}

// MARK: - Waiting

extension LoopbackServer {
  /// Waits until at least `count` requests for a path have been received since the start.
  ///
  /// It returns early, with the requests so far, when the task is cancelled or the server has stopped.
  ///
  /// - Parameters:
  ///   - path: The path as in ``url(_:)``, without a query.
  ///   - count: The number of requests; 1 by default.
  ///   - fileID: The file of the caller, which standard error gets if the wait is cancelled.
  ///   - line: The line of the caller.
  /// - Returns: The requests for the path, the newest ones if there are very many.
  @discardableResult
  public func received(
    path: String,
    count: Int = 1,
    fileID: StaticString = #fileID,
    line: Int = #line
  ) async -> [ReceivedRequest] {
    let paths = spellings(of: path)
    _ = await log.wait(at: WaitPlace(fileID: fileID, line: line)) { log in
      "request \(count) for \(path); \(log.words)"
    } until: { log in
      log.isStopped || log.count(of: paths) >= count
    }
    return requests.filter { paths.contains($0.path) }
  }

  /// Waits until at least `count` connections have been closed since the start.
  ///
  /// - Parameters:
  ///   - count: The number of connections, or `nil`, the default, for all that have been accepted until then.
  ///   - fileID: The file of the caller, which standard error gets if the wait is cancelled.
  ///   - line: The line of the caller.
  /// - Returns: A Boolean value that indicates whether they were: `false` when the task was
  ///   cancelled before.
  @discardableResult
  public func connectionsClosed(
    _ count: Int? = nil,
    fileID: StaticString = #fileID,
    line: Int = #line
  ) async -> Bool {
    await holds(WaitPlace(fileID: fileID, line: line)) { log in
      let all = log.connectionCount
      return "the end of \(count ?? all) connections; \(log.openCount) of \(all) are open"
    } _: { log in
      log.hasClosed(count)
    }
  }

  /// Waits until at least `count` bytes have been passed to the system for a path.
  ///
  /// - Parameters:
  ///   - count: The number of bytes, heads and framing included.
  ///   - path: The path as in ``url(_:)``, without a query.
  ///   - fileID: The file of the caller, which standard error gets if the wait is cancelled.
  ///   - line: The line of the caller.
  /// - Returns: A Boolean value that indicates whether they were: `false` when the task was
  ///   cancelled before, or the server stopped without them.
  @discardableResult
  public func wrote(
    _ count: Int64,
    path: String,
    fileID: StaticString = #fileID,
    line: Int = #line
  ) async -> Bool {
    let paths = spellings(of: path)
    return await holds(WaitPlace(fileID: fileID, line: line)) { log in
      "\(count) bytes for \(path), where \(log.bytes(of: paths)) are written; \(log.words)"
    } _: { log in
      log.bytes(of: paths) >= count
    }
  }

  /// Waits until a response for a path is blocked because its reader's buffers are full.
  ///
  /// - Parameters:
  ///   - path: The path as in ``url(_:)``, without a query.
  ///   - fileID: The file of the caller, which standard error gets if the wait is cancelled.
  ///   - line: The line of the caller.
  /// - Returns: A Boolean value that indicates whether that happened: `false` when the task was
  ///   cancelled before.
  @discardableResult
  public func blocked(
    path: String,
    fileID: StaticString = #fileID,
    line: Int = #line
  ) async -> Bool {
    let paths = spellings(of: path)
    return await holds(WaitPlace(fileID: fileID, line: line)) { log in
      "a blocked response for \(path); \(log.words)"
    } _: { log in
      log.isBlocked(paths)
    }
  }

  /// Waits until a condition holds, which is decided once: a moment later it may no longer hold.
  ///
  /// - Returns: `false` if the task was cancelled or the server stopped before.
  private func holds(
    _ place: WaitPlace,
    for words: @Sendable (ServerLog) -> String,
    _ condition: @escaping @Sendable (ServerLog) -> Bool
  ) async -> Bool {
    await log.first(at: place, for: words) { log in
      condition(log) ? true : log.isStopped ? false : nil
    } ?? false
  }
}
