import Freshet
import FreshetEssentials

/// The bytes of one response in the order in which they are sent, with the waits between them.
struct ResponsePlan {
  enum Step {
    /// Bytes were added.
    case bytes
    /// Nothing more is sent before the end of the wait.
    case wait(LoopbackServer.Delivery.Wait)
    /// Everything was added.
    case done(LoopbackServer.Ending)
  }

  private var waits: ArraySlice<LoopbackServer.Delivery.Wait>
  private var head: [UInt8]
  private var isHeadSent = false
  private var body: BodyCursor?
  private var ending: LoopbackServer.Ending

  init(
    waits: [LoopbackServer.Delivery.Wait] = [],
    head: [UInt8] = [],
    body: BodyCursor?,
    ending: LoopbackServer.Ending
  ) {
    self.waits = waits[...]
    self.head = head
    self.body = body
    self.ending = ending
  }

  /// Adds the next bytes to the output, at most `limit` of the body.
  mutating func next(into output: inout [UInt8], limit: Int) -> Step {
    if let wait = waits.popFirst() {
      return .wait(wait)
    }
    if !isHeadSent {
      isHeadSent = true
      output.append(contentsOf: head)
      return .bytes
    }
    return body?.next(into: &output, limit: limit, ending: ending) ?? .done(ending)
  }
}

extension ResponsePlan {
  /// The properties of a request that its response depends on.
  struct Context {
    let method: HTTPMethod
    let minorVersion: Int
    let keepsAlive: Bool
    /// The value of the `Date` field.
    let date: String
  }

  /// Plans an answer after handlers and sequences have been resolved.
  init(
    _ answer: LoopbackServer.Answer,
    to request: LoopbackServer.ReceivedRequest,
    in context: Context
  ) {
    let delivery = answer.delivery
    switch answer.source {
    case .content(let content):
      let message = content.response(method: request.method, headers: request.headers)
      self.init(message, delivery, context)
    case .message(let message):
      self.init(message, delivery, context)
    case .echo:
      self.init(.echo(request), delivery, context)
    case .socket(let socket):
      self.init(socket.response(to: request), delivery, context)
    case .raw(let bytes):
      self.init(
        waits: delivery.waits,
        body: BodyCursor(.bytes(bytes), framing: .none, delivery: delivery),
        ending: .close
      )
    case .silence, .handler, .sequence, .uploads:
      self.init(
        waits: delivery.waits,
        body: nil,
        ending: delivery.cut?.ending ?? .close
      )
    }
  }

  /// Plans a message.
  init(
    _ message: LoopbackServer.Message,
    _ delivery: LoopbackServer.Delivery,
    _ context: Context
  ) {
    let framing = Framing(message, delivery, context)
    let hasBody = context.method != .head && !framing.forbidsBody
    // Without a body, its holds and its cut at the start apply all the same.
    var bare = delivery
    if let cut = bare.cut, cut.position > 0 { bare.cut = nil }
    let body =
      hasBody
      ? BodyCursor(message.body, framing: framing.coding, delivery: delivery, message.trailers)
      : BodyCursor(.bytes(Data()), framing: .none, delivery: bare)
    self.init(
      waits: delivery.waits,
      head: Self.head(message, delivery, context, framing),
      body: message.status.isInformational ? nil : body,
      ending: framing.closes ? .close : .keepAlive
    )
  }

  private static func head(
    _ message: LoopbackServer.Message,
    _ delivery: LoopbackServer.Delivery,
    _ context: Context,
    _ framing: Framing
  ) -> [UInt8] {
    var output: [UInt8] = []
    output.reserveCapacity(512)
    output.append(contentsOf: "HTTP/1.1 \(message.status) \(message.status.phrase)\r\n".utf8)
    let headers = message.headers.merging(delivery.headers)
    if !headers.contains(.date) {
      Self.append("Date", context.date, to: &output)
    }
    for field in headers where framing.length == nil || field.name != .contentLength {
      Self.append(field.name.rawValue, field.value, to: &output)
    }
    if let length = framing.length {
      Self.append("Content-Length", String(length), to: &output)
    }
    if framing.coding == .chunked {
      Self.append("Transfer-Encoding", "chunked", to: &output)
    }
    if !context.keepsAlive, !framing.announcesClose {
      Self.append("Connection", "close", to: &output)
    } else if context.minorVersion == 0, !framing.closes {
      Self.append("Connection", "keep-alive", to: &output)
    }
    output.append(contentsOf: "\r\n".utf8)
    return output
  }

  private static func append(_ name: String, _ value: String, to output: inout [UInt8]) {
    output.append(contentsOf: name.utf8)
    output.append(0x3A)
    output.append(0x20)
    output.append(contentsOf: value.utf8)
    output.append(0x0D)
    output.append(0x0A)
  }
}

extension ResponsePlan {
  /// The way in which the end of a body is indicated (RFC 9112 section 6).
  struct Framing {
    enum Coding {
      case none
      case chunked
    }

    let forbidsBody: Bool
    let coding: Coding
    let length: Int64?
    let closes: Bool
    /// A Boolean value that indicates whether the response itself says that the connection is closed after it.
    let announcesClose: Bool

    init(
      _ message: LoopbackServer.Message,
      _ delivery: LoopbackServer.Delivery,
      _ context: Context
    ) {
      let status = message.status
      forbidsBody = status.isInformational || status == .noContent || status == .notModified
      let announced = message.body.announcedLength
      let claimed = delivery.claimedLength ?? announced
      let isUnframed =
        delivery.endsWithConnection || (claimed == nil && context.minorVersion == 0)
      coding = claimed == nil && !isUnframed && !forbidsBody ? .chunked : .none
      length = forbidsBody || isUnframed ? nil : claimed
      announcesClose = message.headers.merging(delivery.headers).members(of: .connection)
        .contains { $0.lowercased() == "close" }
      closes =
        !context.keepsAlive || announcesClose || (isUnframed && !forbidsBody)
        || (length != nil && length != announced)
    }
  }
}
