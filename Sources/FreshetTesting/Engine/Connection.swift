import Freshet

/// One connection of a server, as its event loop sees it; belongs to the loop's thread.
final class Connection {
  /// What it waits for before it sends more.
  enum Waiting {
    case nothing
    case gate(Gate, Gate.Ticket)
    case timer
    /// For the client to go.
    case client
  }

  let id: Int
  let socket: Int32
  var parser: RequestParser
  var head: RequestHead?
  var plan: ResponsePlan?
  var output: [UInt8] = []
  var sent = 0
  var waiting = Waiting.nothing
  /// Tells one wait from the next, for answers that come late.
  var wait = 0
  /// What it has to wait for as soon as the output is sent.
  var nextWait: LoopbackServer.Delivery.Wait?
  /// How it ends as soon as the output is sent.
  var ending: LoopbackServer.Ending?
  var interest: Interest = .reading
  var hasEnded = false
  /// Whether input is thrown away, since the connection only waits for the client to close it.
  var isLingering = false
  var isBlocked = false

  init(id: Int, socket: Int32, parser: RequestParser) {
    self.id = id
    self.socket = socket
    self.parser = parser
  }

  /// The path of the request that is being answered.
  var path: String { head?.path ?? "" }

  var isWaiting: Bool {
    if case .nothing = waiting { false } else { true }
  }

  /// Whether the response may add to the output.
  var mayFill: Bool { !isWaiting && nextWait == nil && ending == nil }

  /// Whether more input is wanted: not while a response is on its way and enough is buffered.
  var wantsInput: Bool {
    !hasEnded && (isLingering || plan == nil || parser.bufferedCount < 1 << 16)
  }
}
