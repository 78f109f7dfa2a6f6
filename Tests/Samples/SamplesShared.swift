#if Redis && !canImport(Darwin)
import Foundation
import Freshet
import FreshetRedis

// The samples of *Sharing a store*.

struct SharedSamples {
  func makeClient() throws {
    let shared = try SharedStore("redis://cache.example.org") { $0.prefix = "shop" }
    let client = Client { $0.shared = shared }
    _ = client
  }

  func makeCoalescing() throws {
    let coalescing = try SharedStore("redis://cache.example.org") { $0.coalescing = .init() }
    _ = Client { $0.shared = coalescing }
  }

  func makeLimiter(_ shared: SharedStore) {
    let limiter = shared.limiter(RequestLimits.Rate(perSecond: 10, burst: 5))
    let polite = Client {
      $0.shared = shared
      $0.transport = $0.transport.intercepted(by: limiter)
    }
    _ = polite
  }

  func verify(_ shared: SharedStore) async throws {
    for try await entry in shared.entries { print(entry.url, entry.length) }
    let verification = try await shared.verify()
    _ = verification
  }

  func makeChain(_ request: Request, _ shared: SharedStore, _ transport: some Transport) {
    let chain = Fetch.request(request)
      .lookup(in: shared)
      .checkExpiry(.http)
      .download(over: transport)
      .persist(in: shared)
    _ = chain
  }

  func fillFrontier(_ shared: SharedStore, _ urls: [URL]) async throws {
    let frontier = Frontier("crawl", in: shared)
    try await frontier.add(urls)
    try await frontier.close()
  }

  func workOff(_ frontier: Frontier, _ client: Client) async throws {
    for try await event in client.batch(from: frontier).run() {
      if case .received(let item, let page) = event, page.isFinal {
        try await frontier.add(links(of: page, at: item.request.url))
      }
    }
  }

  private func links(of page: Resource, at url: URL) -> [URL] { [] }
}
#endif
