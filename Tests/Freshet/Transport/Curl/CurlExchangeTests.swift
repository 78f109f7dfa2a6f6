#if !canImport(Darwin)
import Foundation
import Testing

@testable import Freshet

@Suite struct CurlExchangeTests {
  private func exchange() throws -> CurlExchange {
    CurlExchange(
      try Request("http://a.test/"),
      id: 1,
      engine: CurlEngine(CurlTransport.Configuration())
    )
  }

  private func deliverHead(to exchange: CurlExchange) {
    _ = exchange.receive(head: Array("HTTP/1.1 200 OK\r\nX-A: 1\r\n".utf8))
  }

  @Test func `has the head, the body and the end of a response without a wait if all have arrived`()
    throws
  {
    let exchange = try exchange()
    deliverHead(to: exchange)
    let body = Data("abc".utf8)
    _ = body.withUnsafeBytes { exchange.receive($0, insists: false) }
    exchange.finish(.success(TransferMetrics()))

    var seen: [String] = []
    while let event = try exchange.nextNow() { seen.append(event.name) }

    #expect(seen == ["head", "body abc", "finished"])
    #expect(try exchange.nextNow() == nil)
  }

  @Test func `has nothing without a wait before it has arrived`() throws {
    let exchange = try exchange()

    #expect(try exchange.nextNow() == nil)
    deliverHead(to: exchange)
    #expect(try exchange.nextNow()?.name == "head")
    #expect(try exchange.nextNow() == nil)
  }

  @Test func `is nil forever after it has failed without a wait`() async throws {
    let exchange = try exchange()
    exchange.finish(.failure(.connection(.lost, url: "u")))

    #expect(throws: FreshetError.self) { try exchange.nextNow() }
    #expect(try exchange.nextNow() == nil)
    #expect(try await exchange.next() == nil)
  }
}

extension TransferEvent {
  fileprivate var name: String {
    switch self {
    case .head: "head"
    case .body(let data): "body \(String(decoding: data, as: UTF8.self))"
    case .finished: "finished"
    default: "other"
    }
  }
}
#endif
