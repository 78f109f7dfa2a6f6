import Freshet
import FreshetEssentials

extension EventLoop {
  /// Takes the next request from the input and plans its response; returns `false` if that needs
  /// more input.
  func takeRequest(_ connection: Connection) -> Bool {
    do {
      switch try connection.parser.next() {
      case .incomplete:
        if connection.upload != nil {
          guard pass(connection.parser.takeBytes(), to: connection) else {
            return connection.ending != nil
          }
        }
        // No more input will come, so the rest of a request cannot.
        if connection.hasEnded { close(connection) }
        return false
      case .head(let head):
        begin(head, connection)
      case .complete(var body):
        guard pass(body.bytes, to: connection) else { return connection.ending != nil }
        if connection.upload != nil { body.bytes = Data() }
        respond(to: body, connection)
      }
    } catch {
      refuse(error, connection)
    }
    return true
  }

  /// Passes content to a service of uploads; returns `false` if that ends the connection.
  private func pass(_ bytes: Data, to connection: Connection) -> Bool {
    switch connection.upload?.receive(bytes) {
    case nil, .goesOn: return true
    case .close: connection.ending = .close
    case .reset: connection.ending = .reset
    }
    connection.upload = nil
    return false
  }

  private func begin(_ head: RequestHead, _ connection: Connection) {
    connection.head = head
    if let (service, headers) = routes.uploads(for: head.path) {
      let upload = UploadExchange(head, service, headers)
      connection.output.append(contentsOf: upload.interim)
      connection.upload = upload
      connection.parser.isTakenAsItComes = true
    }
    // A service of uploads takes all of the content.
    switch connection.upload == nil ? routes.upload(for: head.path) : .kept {
    case .kept:
      break
    case .counted:
      connection.parser.keepsBody = false
    case .unread:
      connection.leavesBody = head.framing != .length(0)
      respond(to: RequestParser.Body(), connection, keepsAlive: !connection.leavesBody)
      return
    }
    if head.expectsContinue, head.framing != .length(0), connection.parser.bufferedCount == 0 {
      connection.output.append(contentsOf: "HTTP/1.1 100 Continue\r\n\r\n".utf8)
    }
  }

  private func respond(
    to body: RequestParser.Body,
    _ connection: Connection,
    keepsAlive: Bool = true
  ) {
    guard let head = connection.head else { return }
    let request = log.update { log in
      let request = LoopbackServer.ReceivedRequest(
        number: log.requestCount + 1,
        connection: connection.id,
        method: head.method,
        target: head.target,
        path: head.path,
        minorVersion: head.minorVersion,
        headers: head.headers,
        body: body.bytes,
        bodyLength: body.length,
        trailers: body.trailers
      )
      log.received(request)
      return request
    }
    let context = ResponsePlan.Context(
      method: head.method,
      minorVersion: head.minorVersion,
      keepsAlive: head.keepsAlive && keepsAlive,
      date: dateText()
    )
    if let upload = connection.upload.take() {
      let answer = (upload.finish() ?? .resetBeforeResponse).headers(upload.headers)
      let resolved = RouteTable.resolved(answer, for: request)
      connection.plan = ResponsePlan(resolved, to: request, in: context)
    } else {
      let answer = routes.answer(to: request)
      connection.plan = ResponsePlan(answer, to: request, in: context)
      if case .socket(let socket) = answer.source, socket.response(to: request).status == 101 {
        connection.upgrade = Connection.Upgrade(answer: socket, request: request)
      }
    }
  }

  private func refuse(_ refusal: Refusal, _ connection: Connection) {
    let context = ResponsePlan.Context(
      method: connection.head?.method ?? .get,
      minorVersion: 1,
      keepsAlive: false,
      date: dateText()
    )
    let message = LoopbackServer.Message(status: refusal.status)
    connection.plan = ResponsePlan(message, LoopbackServer.Delivery(), context)
  }
}
