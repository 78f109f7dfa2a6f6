public import Freshet

extension LoopbackServer {
  /// The timing, the faults and the framing of a response.
  struct Delivery: Sendable {
    enum Wait: Sendable {
      case gate(Gate)
      case duration(Duration)
    }

    struct Drip: Sendable {
      let size: Int
      let wait: Wait
    }

    /// The position at which the body ends early, and the ending.
    struct Cut: Sendable {
      let position: Int64
      let ending: Ending
    }

    struct Hold: Sendable {
      let position: Int64
      let gate: Gate
    }

    var waits: [Wait] = []
    var drip: Drip?
    var cut: Cut?
    var holds: [Hold] = []
    var headers: HTTPHeaders = [:]
    var claimedLength: Int64?
    var endsWithConnection = false

    /// Returns this delivery, combined with that of an enclosing answer.
    func inside(_ outer: Delivery) -> Delivery {
      var merged = self
      merged.waits = outer.waits + waits
      merged.drip = outer.drip ?? drip
      merged.cut = outer.cut ?? cut
      merged.holds = outer.holds + holds
      merged.headers = headers.merging(outer.headers)
      merged.claimedLength = outer.claimedLength ?? claimedLength
      merged.endsWithConnection = outer.endsWithConnection || endsWithConnection
      return merged
    }
  }

  /// The state of the connection after a response.
  enum Ending: Sendable {
    case keepAlive
    case close
    case reset
    case stall
  }
}

extension LoopbackServer.Answer {
  private func with(_ change: (inout LoopbackServer.Delivery) -> Void) -> Self {
    var answer = self
    change(&answer.delivery)
    return answer
  }

  /// Waits at a gate before anything of the response is sent.
  ///
  /// If the client closes the connection in the meantime, the response leaves the gate immediately.
  public func delayed(until gate: Gate) -> Self {
    with { $0.waits.append(.gate(gate)) }
  }

  /// Waits in real time before anything of the response is sent; prefer a gate in tests.
  public func delayed(by duration: Duration) -> Self {
    with { $0.waits.append(.duration(duration)) }
  }

  /// Sends the body in small pieces with a pause in real time between them.
  ///
  /// - Parameters:
  ///   - size: The bytes of a piece, at least 1.
  ///   - pause: The time between two pieces.
  /// - Returns: An answer.
  public func dripped(_ size: Int, every pause: Duration) -> Self {
    precondition(size > 0, "a piece has at least one byte")
    return with { $0.drip = LoopbackServer.Delivery.Drip(size: size, wait: .duration(pause)) }
  }

  /// Sends the body in small pieces, each of which passes a gate, including the first.
  ///
  /// - Parameters:
  ///   - size: The bytes of a piece, at least 1.
  ///   - gate: The gate; each ``Gate/pass(_:)`` releases one piece.
  /// - Returns: An answer.
  public func dripped(_ size: Int, through gate: Gate) -> Self {
    precondition(size > 0, "a piece has at least one byte")
    return with { $0.drip = LoopbackServer.Delivery.Drip(size: size, wait: .gate(gate)) }
  }

  /// Waits at a gate after the head and a number of bytes of the body.
  ///
  /// - Parameters:
  ///   - count: The number of bytes that are sent before; past the end of the body there is no wait.
  ///   - gate: The gate that releases the rest.
  /// - Returns: An answer.
  public func held(after count: Int64, until gate: Gate) -> Self {
    with { $0.holds.append(LoopbackServer.Delivery.Hold(position: count, gate: gate)) }
  }

  /// Announces the whole body, sends this number of bytes of it and closes the connection.
  ///
  /// A response without a body, such as a 304, is only cut after 0.
  public func truncated(after count: Int64) -> Self {
    with { $0.cut = LoopbackServer.Delivery.Cut(position: count, ending: .close) }
  }

  /// Announces the whole body, sends this number of bytes of it and resets the connection.
  ///
  /// A reset may overtake bytes that the client has not read yet. A response without a body, such as a 304, is only
  /// cut after 0.
  public func reset(after count: Int64) -> Self {
    with { $0.cut = LoopbackServer.Delivery.Cut(position: count, ending: .reset) }
  }

  /// Announces the whole body, sends this number of bytes of it and then nothing more, until the
  /// client closes the connection.
  ///
  /// A response without a body, such as a 304, is only cut after 0.
  public func stalled(after count: Int64 = 0) -> Self {
    with { $0.cut = LoopbackServer.Delivery.Cut(position: count, ending: .stall) }
  }

  /// Announces a wrong `Content-Length`, sends the body unchanged and closes the connection.
  public func claiming(length: Int64) -> Self {
    with { $0.claimedLength = length }
  }

  /// Sends the body without framing: only the end of the connection ends it.
  public func endingWithConnection() -> Self {
    with { $0.endsWithConnection = true }
  }

  /// Sets header fields, and replaces those of the same name.
  public func headers(_ headers: HTTPHeaders) -> Self {
    with { $0.headers = $0.headers.merging(headers) }
  }

  /// Sets the handling of the requests' bodies; they are collected by default.
  ///
  /// For a ``sequence(_:)`` the setting of the sequence itself is used, not those of its members.
  public func upload(_ upload: LoopbackServer.Upload) -> Self {
    var answer = self
    answer.upload = upload
    return answer
  }
}
