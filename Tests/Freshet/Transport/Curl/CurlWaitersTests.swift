#if !canImport(Darwin)
import Foundation
import TestSupport
import Testing

@testable import Freshet

@Suite(.timeLimit(.minutes(5))) struct CurlWaitersTests {
  // MARK: - The order

  private let silent = HostKey(URL(string: "http://silent.test/").unsafelyUnwrapped)
  private let sound = HostKey(URL(string: "http://sound.test/").unsafelyUnwrapped)

  private func waiters(_ hosts: [HostKey]) -> CurlWaiters {
    var waiters = CurlWaiters()
    for (id, host) in hosts.enumerated() { waiters.add(id, host) }
    return waiters
  }

  @Test func `the oldest request of a host gets the place that was left`() {
    var waiters = waiters([silent, silent, sound, sound])
    waiters.noteRoom(at: sound)

    #expect(waiters.next { _ in true } == [2])
    #expect(waiters.next { $0 != 2 } == [])
    waiters.noteRoom(at: sound, isNew: true)
    #expect(waiters.next { $0 != 2 } == [3])
  }

  @Test func `requests to one host alone are left to libcurl`() {
    var waiters = waiters([sound, sound])
    waiters.noteRoom(at: sound)

    #expect(waiters.next { _ in true } == [])
  }

  @Test func `room that its host does not use is offered to one host after another`() {
    let hosts = (0..<3).map { HostKey(URL(string: "http://\($0).test/").unsafelyUnwrapped) }
    var waiters = waiters([hosts[0], hosts[0], hosts[1], hosts[2]])
    waiters.noteRoom(at: sound)

    #expect(waiters.next { _ in true } == [0])
    #expect(waiters.next { _ in true } == [2])
    waiters.remove(2, hosts[1])
    #expect(waiters.next { _ in true } == [3])
    #expect(waiters.next { _ in true } == [])
    waiters.noteRoom(at: sound)
    #expect(waiters.next { _ in true } == [0])
    #expect(waiters.next { $0 != 0 } == [])
  }

  @Test func `room of a connection that others use is for its host alone`() {
    var waiters = waiters([silent, sound])
    let other = HostKey(URL(string: "http://other.test/").unsafelyUnwrapped)
    waiters.noteRoom(at: other, isUnused: false)
    waiters.noteRoom(at: other, isNew: true)

    #expect(waiters.next { _ in true } == [])
  }

  @Test func `what no longer waits is forgotten`() {
    var waiters = waiters([silent, sound])
    waiters.noteRoom(at: sound)
    #expect(waiters.next { $0 != 1 } == [])
    waiters.noteRoom(at: silent)
    #expect(waiters.next { _ in false } == [])

    #expect(waiters.isEmpty)
  }

  @Test func `a host whose requests have all ended is forgotten`() {
    var waiters = waiters([silent, silent, sound])
    waiters.remove(0, silent)
    waiters.remove(2, sound)
    waiters.remove(2, sound)
    #expect(!waiters.isEmpty)
    waiters.remove(1, silent)

    #expect(waiters.isEmpty)
  }

  // MARK: - On the wire

  @Test func `a request does not wait behind those to a host that does not answer`() async throws {
    let silent = try RawServer { connection in _ = connection.waitForEnd() }
    let sound = try RawServer { connection in
      while connection.readHead() != nil {
        connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
      }
    }
    let transport = CurlTransport { $0.maximumConnectionsPerHost = 1 }
    var request = try Request(.get, silent.base + "/")
    request.timeouts.firstByte = .seconds(250)
    let transfer = transport.send(request)
    let held = (0..<20).map { _ in transfer.exchange(request) }
    request.url = try #require(URL(string: sound.base + "/"))
    request.timeouts.total = .seconds(100)

    let texts = await withTaskGroup(of: String.self) { [request] group in
      for _ in 0..<10 { group.addTask { await transport.answer(request).text } }
      return await group.reduce(into: []) { $0.append($1) }
    }

    #expect(texts == Array(repeating: "ok", count: 10))
    for exchange in held { exchange.cancel() }
  }

  @Test
  func `a request gets the connection that another host leaves, past hosts that cannot use it`()
    async throws
  {
    let silent = try RawServer { connection in _ = connection.waitForEnd() }
    let (isAsked, mayAnswer) = (Latch(), Latch())
    let slow = try RawServer { connection in
      _ = connection.readHead()
      isAsked.open()
      mayAnswer.block()
      connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
    }
    let sound = try RawServer { connection in
      _ = connection.readHead()
      connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
    }
    let transport = CurlTransport {
      ($0.proxy, $0.loops) = (.none, 1)
      ($0.maximumConnections, $0.maximumConnectionsPerHost) = (2, 1)
    }
    var request = try Request(.get, silent.base + "/")
    request.timeouts.firstByte = .seconds(250)
    let transfer = transport.send(request)
    let held = (0..<20).map { _ in transfer.exchange(request) }
    let (asked, last) = (try Request(.get, slow.base + "/"), try Request(.get, sound.base + "/"))

    async let first = transport.answer(asked)
    await isAsked.wait()
    let exchange = transport.send(last).exchange(last)
    mayAnswer.open()
    var text = ""
    while let event = try await exchange.next() {
      if case .body(let data) = event { text += String(decoding: data, as: UTF8.self) }
    }

    #expect(await first.text == "ok")
    #expect(text == "ok")
    for exchange in held { exchange.cancel() }
  }
}
#endif
