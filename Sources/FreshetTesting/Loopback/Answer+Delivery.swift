public import Freshet

extension LoopbackServer {
  /// How a response gets on its way.
  struct Delivery: Sendable {
    enum Wait: Sendable {
      case gate(Gate)
      case duration(Duration)
    }

    struct Drip: Sendable {
      let size: Int
      let wait: Wait
    }

    /// Where the body ends early, and how.
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

    /// This delivery, with that of an answer around it.
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

  /// What becomes of the connection after a response.
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
  /// A client that goes in the meantime is noticed at once, and its place at the gate is free.
  public func delayed(until gate: Gate) -> Self {
    with { $0.waits.append(.gate(gate)) }
  }

  /// Waits in real time before anything of the response is sent; tests use a gate.
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

  /// Sends the body in small pieces, each of which goes through a gate, the first included.
  ///
  /// - Parameters:
  ///   - size: The bytes of a piece, at least 1.
  ///   - gate: What lets one piece through for each ``Gate/pass(_:)``.
  /// - Returns: An answer.
  public func dripped(_ size: Int, through gate: Gate) -> Self {
    precondition(size > 0, "a piece has at least one byte")
    return with { $0.drip = LoopbackServer.Delivery.Drip(size: size, wait: .gate(gate)) }
  }

  /// Waits at a gate after the head and so many bytes of the body.
  ///
  /// - Parameters:
  ///   - count: The bytes of the body that are sent before; past its end there is no wait.
  ///   - gate: What lets the rest go on.
  /// - Returns: An answer.
  public func held(after count: Int64, until gate: Gate) -> Self {
    with { delivery in
      delivery.holds.append(LoopbackServer.Delivery.Hold(position: count, gate: gate))
      delivery.holds.sort { $0.position < $1.position }
    }
  }

  /// Announces the whole body, sends so many bytes of it and closes the connection.
  public func truncated(after count: Int64) -> Self {
    with { $0.cut = LoopbackServer.Delivery.Cut(position: count, ending: .close) }
  }

  /// Announces the whole body, sends so many bytes of it and resets the connection.
  ///
  /// A reset may overtake bytes that the client has not read yet.
  public func reset(after count: Int64) -> Self {
    with { $0.cut = LoopbackServer.Delivery.Cut(position: count, ending: .reset) }
  }

  /// Announces the whole body, sends so many bytes of it and then nothing more, until the client
  /// goes.
  public func stalled(after count: Int64 = 0) -> Self {
    with { $0.cut = LoopbackServer.Delivery.Cut(position: count, ending: .stall) }
  }

  /// Announces a `Content-Length` that is wrong, sends the body as it is and closes the connection.
  public func claiming(length: Int64) -> Self {
    with { $0.claimedLength = length }
  }

  /// Sends the body without framing: only the end of the connection ends it.
  public func endingWithConnection() -> Self {
    with { $0.endsWithConnection = true }
  }

  /// Sets header fields, in place of those of the same name.
  public func headers(_ headers: HTTPHeaders) -> Self {
    with { $0.headers = $0.headers.merging(headers) }
  }

  /// Sets what becomes of the requests' bodies; they are kept by default.
  ///
  /// In a ``sequence(_:)`` that of the sequence itself counts, not that of its members.
  public func upload(_ upload: LoopbackServer.Upload) -> Self {
    var answer = self
    answer.upload = upload
    return answer
  }
}
