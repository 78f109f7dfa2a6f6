#if !canImport(Darwin)
import Foundation
import Freshet
import FreshetTesting
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct ServerAddressTests {
  @Test(arguments: [
    "1.1.1.1", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "172.15.0.1",
    "172.32.0.1", "192.167.1.1", "223.255.255.255", "2606:4700::1111", "2a00::1", "2001:4860::1",
    "::ffff:1.1.1.1", "64:ff9b::1.1.1.1",
  ])
  func `an address of the internet is public`(text: String) throws {
    #expect(try #require(ServerAddress(text, port: 443)).isPublic)
  }

  @Test(arguments: [
    "0.0.0.0", "0.1.2.3", "10.0.0.1", "100.64.0.1", "127.0.0.1", "127.255.255.255",
    "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.1", "192.0.2.1", "192.168.0.1",
    "198.18.0.1", "198.19.255.255", "198.51.100.1", "203.0.113.1", "224.0.0.1", "240.0.0.1",
    "255.255.255.255", "::", "::1", "fe80::1", "fec0::1", "fc00::1", "fd00::1", "ff02::1",
    "100::1", "2001::1", "2001:1ff::1", "2001:db8::1", "2002:101:101::1", "3fff::1", "5f00::1",
    "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::127.0.0.1", "64:ff9b::10.0.0.1",
    "64:ff9b::169.254.169.254", "64:ff9b:1::1.1.1.1",
  ])
  func `a reserved address is not`(text: String) throws {
    #expect(try !#require(ServerAddress(text, port: 443)).isPublic)
  }

  @Test(arguments: ["", "localhost", "127.1", "[::1]", "fe80::1%lo", "1.2.3.4:80"])
  func `what is no address makes none`(text: String) {
    #expect(ServerAddress(text, port: 80) == nil)
  }

  @Test(arguments: ["127.0.0.1", "::1"])
  func `an address prints as its text, without the port`(text: String) {
    #expect(ServerAddress(text, port: 80)?.description == text)
  }

  // MARK: Connections

  @Test(arguments: ["http://127.0.0.1", "http://localhost", "http://rebound.test"])
  func `a request to an address that is not allowed sends nothing and is not retried`(
    origin: String
  ) async throws {
    let server = try LoopbackServer(["/": .text("inside")])
    let port = try #require(server.url("/").port)
    let asked = Mutex<Set<ServerAddress>>([])
    let client = Client {
      $0.memory = nil
      $0.transport = CurlTransport {
        $0.proxy = .none
        $0.addresses = ["rebound.test:\(port)": "127.0.0.1"]
        $0.allowsAddress = { address in
          asked.withLock { _ = $0.insert(address) }
          return address.isPublic
        }
      }
    }

    let error = await #expect(throws: FreshetError.self) {
      try await client.send(Request(.get, "\(origin):\(port)/")).value
    }

    #expect(error?.kind == "invalidRequest")
    // A name may have two addresses, of which the last one is told.
    let text = error?.description ?? ""
    #expect(["127.0.0.1", "::1"].contains { text.contains("address \($0),") }, "\(text)")
    #expect(asked.withLock { $0.contains { $0.description == "127.0.0.1" && $0.port == port } })
    #expect(server.requests.isEmpty)
  }

  @Test func `a redirect to an address that is not allowed is not followed`() async throws {
    let inside = try LoopbackServer(["/": .text("inside")])
    let server = try LoopbackServer(["/": .redirect(to: inside.url("/").absoluteString)])
    let port = server.url("/").port
    let transport = CurlTransport {
      $0.proxy = .none
      $0.allowsAddress = { $0.port == port }
    }

    let answer = await transport.answer(Request(server.url("/")))

    #expect(answer.error?.kind == "invalidRequest")
    #expect(server.requests.count == 1)
    #expect(inside.requests.isEmpty)
  }

  @Test func `a kept connection is used without asking again`() async throws {
    let server = try LoopbackServer(["/": .text("hello")])
    let count = Mutex(0)
    let transport = CurlTransport {
      $0.proxy = .none
      $0.allowsAddress = { _ in
        count.withLock {
          $0 += 1
          return $0 == 1
        }
      }
    }

    for _ in 0..<2 { #expect(await transport.answer(Request(server.url("/"))).text == "hello") }
    #expect(count.withLock { $0 } == 1)
  }
}
#endif
