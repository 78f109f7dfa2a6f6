import Foundation
import FreshetTesting
import Testing

@testable import Freshet

@Suite struct PinnedHostsTests {
  private static let own = ServerPins(keys: [.of(1)])
  private static let above = ServerPins(keys: [.of(2)], includesSubdomains: true)
  private static let alone = ServerPins(keys: [.of(3)])
  private let hosts = PinnedHosts([
    "api.Example.org": own, "example.org": above, "other.org.": alone, "EXÄMPLE.org": own,
    "[0:0::1]": own, "2001:DB8::0A": alone,
  ])

  @Test(arguments: [
    ("https://api.example.org/", Self.own), ("https://API.EXAMPLE.ORG:8443/x", Self.own),
    ("https://api.example.org./", Self.own), ("https://a.api.example.org/", Self.above),
    ("https://www.example.org/", Self.above), ("https://example.org/", Self.above),
    ("https://other.org/", Self.alone), ("https://www.other.org/", nil),
    ("https://notexample.org/", nil), ("https://org/", nil),
    ("https://exämple.org/", Self.own), ("https://xn--exmple-cua.org/", Self.own),
    ("https://[::1]/", Self.own), ("https://[::0001]:8443/", Self.own),
    ("https://[2001:db8:0::a]/", Self.alone),
  ])
  func `a host has its own pins, or those of a parent that includes it`(
    url: String,
    pins: ServerPins?
  ) throws {
    #expect(hosts.pins(for: try #require(URL(string: url))) == pins)
  }

  @Test func `refuses all requests if a pinned host cannot be that of a URL`() throws {
    let hosts = PinnedHosts(["a b.org": Self.own])
    #expect(hosts.problem(with: try #require(URL(string: "https://example.org/"))) != nil)
  }

  @Test func `refuses all requests if two spellings of a host have different pins`() throws {
    let url = try #require(URL(string: "https://b.org/"))
    let problem = PinnedHosts(["a.org": Self.own, "A.org.": Self.above]).problem(with: url)

    #expect(problem?.contains("a.org") == true)
    #expect(PinnedHosts(["a.org": Self.own, "A.org.": Self.own]).problem(with: url) == nil)
  }

  @Test func `of two spellings of a host, always the same one counts`() throws {
    let names = (0..<20).map { "host\($0).org" }
    let values = names.flatMap { [($0, 1), ($0.uppercased(), 0)] }
    let table = HostTable(Dictionary(uniqueKeysWithValues: values))

    for name in names {
      let url = try #require(URL(string: "https://\(name)/"))
      #expect(table[url] == 1)
    }
  }

  @Test func `refuses requests to a host whose pins are empty`() throws {
    let hosts = PinnedHosts(["a.org": ServerPins(), "b.org": Self.own])

    #expect(hosts.problem(with: try #require(URL(string: "https://a.org/"))) != nil)
    #expect(hosts.problem(with: try #require(URL(string: "https://b.org/"))) == nil)
  }

  #if !canImport(Darwin)
  @Test func `sends nothing to a pinned host without TLS`() async throws {
    let server = try LoopbackServer(["/": .text("hello")])
    let transport = CurlTransport { $0.pins["127.0.0.1"] = Self.own }
    let client = Client { $0.transport = transport }

    let error = await #expect(throws: FreshetError.self) {
      try await client.send(Request(.get, server.url("/"))).value
    }

    #expect(error?.kind == "insecure")
    #expect(server.requests.isEmpty)
    await server.stop()
  }
  #endif
}

extension SHA256Checksum {
  fileprivate static func of(_ byte: UInt8) -> SHA256Checksum {
    SHA256Hasher.digest(of: Data([byte]))
  }
}
