/// One connection of a server, with the state of its event loop; it belongs to the loop's thread.
final class Connection {
  /// The event that must happen before more is sent.
  enum Waiting {
    case nothing
    case gate(Gate, Gate.Ticket)
    case timer
    /// The client closes the connection.
    case client
  }

  /// The answer to the request for a WebSocket that is being sent.
  struct Upgrade {
    let answer: LoopbackServer.SocketAnswer
    let request: LoopbackServer.ReceivedRequest
  }

  let id: Int
  let socket: Int32
  var parser: RequestParser
  var head: RequestHead?
  var plan: ResponsePlan?
  /// The request to a service of uploads whose content arrives.
  var upload: UploadExchange?
  var output: [UInt8] = []
  var sent = 0
  var waiting = Waiting.nothing
  /// The number of the wait, to ignore late events of earlier ones.
  var wait = 0
  /// The wait that begins as soon as the output is sent.
  var nextWait: LoopbackServer.Delivery.Wait?
  /// The ending that applies as soon as the output is sent.
  var ending: LoopbackServer.Ending?
  var interest: Interest = .reading
  var hasEnded = false
  /// A Boolean value that indicates whether the connection only waits until the client closes it.
  var isLingering = false
  /// A Boolean value that indicates whether the request is answered without its body.
  var leavesBody = false
  var isBlocked = false
  var upgrade: Upgrade?
  /// A Boolean value that indicates whether a WebSocket had nothing to send.
  var isDrained = false
  /// The messages of the connection, once it is a WebSocket, and the task that serves it.
  var peer: LoopbackServer.SocketPeer?
  var serving: Task<Void, Never>?

  init(id: Int, socket: Int32, parser: RequestParser) {
    self.id = id
    self.socket = socket
    self.parser = parser
  }

  /// The path of the current request.
  var path: String { head?.path ?? "" }

  var isWaiting: Bool {
    if case .nothing = waiting { false } else { true }
  }

  /// A Boolean value that indicates whether the response may add to the output.
  var mayFill: Bool { !isWaiting && nextWait == nil && ending == nil }

  /// A Boolean value that indicates whether input is discarded: it is read so that the end of the connection,
  /// which is behind it, is noticed.
  var discardsInput: Bool { isLingering || leavesBody }

  /// A Boolean value that indicates whether more input is read: not during a response while enough
  /// is buffered.
  var wantsInput: Bool {
    if let peer, !isLingering { return !hasEnded && peer.wantsInput }
    return !hasEnded && (discardsInput || plan == nil || parser.bufferedCount < 1 << 16)
  }
}
