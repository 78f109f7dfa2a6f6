import Foundation
import Freshet
import FreshetTesting
import Testing

/// Everything with options takes them in a closure, and policies are also written as values.
@Suite struct ConfigurationTests {
  private let directory = URL(filePath: "/nonexistent")

  @Test func `a disk store takes its limits in a closure, and a listener beside it`() {
    let limited = DiskStore(directory: directory) { $0.byteLimit = 100 }
    let heard = DiskStore(directory: directory) {
      $0.inlineLimit = 1
    } onDiagnostic: { _ in
    }

    #expect(limited.configuration == DiskStore.Configuration { $0.byteLimit = 100 })
    #expect(limited.configuration.byteLimit == 100)
    #expect(heard.configuration.inlineLimit == 1)
    #expect(DiskStore(directory: directory).configuration == DiskStore.Configuration())
  }

  @Test func `the largest entry of a memory store follows its cost until it is set`() {
    let store = MemoryStore { $0.costLimit = 800 }
    let own = MemoryStore {
      $0.entryLimit = 700
      $0.costLimit = 800
    }

    #expect(store.configuration.entryLimit == 100)
    #expect(own.configuration.entryLimit == 700)
  }

  @Test func `policies and limits take closures`() {
    #expect(RetryPolicy { $0.maximumRetries = 5 }.maximumRetries == 5)
    #expect(RetryPolicy() == .standard)
    #expect(CircuitPolicy { $0.failures = 2 }.failures == 2)
    #expect(RequestLimits { $0.perHost = 2 }.perHost == 2)
    #expect(ResponseLimits { $0.headerCount = 2 }.headerCount == 2)
    #expect(Request.Timeouts { $0.total = .seconds(2) }.total == .seconds(2))
  }

  @Test func `a policy is written as a value or in a closure`() {
    let value = ResourcePolicy(expiry: .after(.hours(2)), stale: .withheld, network: .forbidden)
    let closure = ResourcePolicy {
      $0.expiry = .after(.seconds(7_200))
      $0.stale = .withheld
      $0.network = .forbidden
    }

    #expect(value == closure)
    #expect(ResourcePolicy() == ResourcePolicy { _ in })
    #expect((Duration.minutes(3), Duration.days(2)) == (.seconds(180), .seconds(172_800)))
  }

  @Test func `a fetch's own policy begins with the client's`() throws {
    let url = try #require(URL(string: "https://example.org/"))
    let client = Client { $0.policy = ResourcePolicy(stale: .withheld, network: .required) }
    let expected = ResourcePolicy(
      expiry: .after(.hours(2)),
      stale: .withheld,
      network: .required
    )

    let pipelines = [
      client.resource(at: url, expiry: .after(.hours(2))),
      client.resource(at: url) { $0.expiry = .after(.hours(2)) },
      client.resource(Request(url)) { $0.expiry = .after(.hours(2)) },
    ]

    let calls = [
      client.send(Request(url)) { $0.cache = expected },
      client.send(Request(url)) { $0.useStores { $0.expiry = .after(.hours(2)) } },
      client.send(Request(url)) {
        $0.cache = expected
        $0.useStores { $0.expiry = .never }
      },
    ]
    #expect(Set(calls.map(\.description)).count == 1)
    let plain = client.send(Request(url)) { $0.useStores() }
    #expect(plain.description != calls[0].description)

    let description = client.resource(at: url, policy: expected).description
    #expect(Set(pipelines.map(\.description)) == [description])
    #expect(description != Client().resource(at: url, expiry: .after(.hours(2))).description)
  }

  @Test func `an endpoint's own policy begins with the client's`() async throws {
    struct Name: Endpoint {
      typealias Output = String
      var path: RequestPath { "name" }
      var options: CallOptions {
        var options = CallOptions()
        options.useStores { $0.stale = .withheld }
        return options
      }
    }
    let wire = ScriptedTransport { _ in .json(#""x""#) }
    let client = Client {
      $0.transport = wire
      $0.baseURL = URL(string: "http://a.test/")
      $0.policy.expiry = .never
    }

    for _ in 0..<2 { #expect(try await client.call(Name()).output == "x") }

    #expect(wire.counts.started == 1)
  }
}
