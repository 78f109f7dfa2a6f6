import Foundation
import Freshet
import Synchronization

/// A transport that plays replies in order, the last one again and again, and keeps the requests.
final class ServiceScript: Transport {
  private let replies: [Reply]
  private let log = Mutex<[Request]>([])
  let pulled = Mutex(0)
  let cancelled = Mutex(0)

  struct Reply: Sendable {
    var status: HTTPStatus = 200
    var headers: HTTPHeaders = [:]
    var chunks: [Data] = []
    var failure: FreshetError?
    /// Waited at behind the chunks, until the task is cancelled.
    var hang: Hang?

    static func json(
      _ text: String,
      status: HTTPStatus = 200,
      headers: HTTPHeaders = [:]
    ) -> Reply {
      let headers = HTTPHeaders([.init(name: .contentType, value: "application/json")])
        .merging(headers)
      return Reply(status: status, headers: headers, chunks: text.isEmpty ? [] : [Data(text.utf8)])
    }

    static func events(_ text: String, failure: FreshetError? = nil) -> Reply {
      Reply(
        headers: [.contentType: "text/event-stream; charset=utf-8"],
        chunks: [Data(text.utf8)],
        failure: failure
      )
    }

    static func failure(_ failure: FreshetError) -> Reply {
      Reply(status: 0, failure: failure)
    }
  }

  convenience init(_ replies: Reply...) {
    self.init(replies)
  }

  init(_ replies: [Reply]) {
    self.replies = replies
  }

  var requests: [Request] { log.withLock { $0 } }
  var urls: [String] { requests.map(\.url.absoluteString) }

  func send(_ request: Request) -> Transfer {
    Transfer(request) { [self] request in
      let count = log.withLock { log in
        log.append(request)
        return log.count
      }
      return Script(self, request.url, replies[min(count, replies.count) - 1])
    }
  }

  private final class Script: Exchange {
    let transport: ServiceScript
    let reply: Reply
    let steps: Mutex<[TransferEvent]>

    init(_ transport: ServiceScript, _ url: URL, _ reply: Reply) {
      self.transport = transport
      self.reply = reply
      let head = ResponseHead(status: reply.status, headers: reply.headers, url: url)
      let isAnswered = reply.status != 0
      let isComplete = reply.failure == nil && reply.hang == nil
      steps = Mutex(
        (isAnswered ? [.head(head)] : []) + reply.chunks.map { .body($0) }
          + (isComplete ? [.finished(TransferMetrics())] : [])
      )
    }

    func next() async throws(FreshetError) -> TransferEvent? {
      if Task.isCancelled { throw .cancelled }
      transport.pulled.withLock { $0 += 1 }
      if let step = steps.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { return step }
      if let failure = reply.failure { throw failure }
      await reply.hang?.wait()
      if reply.hang != nil { throw .cancelled }
      return nil
    }

    func cancel() {
      transport.cancelled.withLock { $0 += 1 }
    }
  }
}

/// A place to wait at until the task is cancelled, which tells when somebody has come.
struct Hang: Sendable {
  let arrivals: AsyncStream<Void>
  private let arrival: AsyncStream<Void>.Continuation

  init() {
    (arrivals, arrival) = AsyncStream.makeStream()
  }

  func wait() async {
    arrival.yield()
    let (never, end) = AsyncStream<Void>.makeStream()
    for await _ in never {}
    end.finish()
  }

  func arrived() async {
    for await _ in arrivals { return }
  }
}

extension Client {
  init(_ script: ServiceScript, base: String? = "https://api.test/v1") {
    self.init {
      $0.transport = script
      $0.baseURL = base.flatMap { URL(string: $0) }
    }
  }
}

/// A sequence of chunks, as a body stream is one.
struct Chunks: AsyncSequence, Sendable {
  let chunks: [Data]

  init(_ texts: String...) {
    chunks = texts.map { Data($0.utf8) }
  }

  init(_ chunks: [Data]) {
    self.chunks = chunks
  }

  func makeAsyncIterator() -> Iterator {
    Iterator(rest: chunks[...])
  }

  struct Iterator: AsyncIteratorProtocol {
    var rest: ArraySlice<Data>

    mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(FreshetError) -> Data? {
      rest.popFirst()
    }
  }
}

extension AsyncSequence {
  func collected() async throws(Failure) -> [Element] {
    var all: [Element] = []
    var iterator = makeAsyncIterator()
    while let element = try await iterator.next(isolation: #isolation) { all.append(element) }
    return all
  }
}

struct User: Codable, Sendable, Equatable {
  var id: Int
  var name: String
}

struct APIError: Codable, Sendable, Equatable {
  var message: String
}
