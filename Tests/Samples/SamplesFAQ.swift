import Foundation
import Freshet

private func offline(caches: URL, url: URL) async throws {
  let client = Client { $0.disk = DiskStore(directory: caches) }
  let page = try await client.resource(at: url).value
  print(page.freshness == .stale ? "offline copy" : "current")
}

private func explained(client: Client, url: URL) async throws {
  print(try await client.resource(at: url).value.explanation)
}

private func changed(client: Client, url: URL) async throws {
  let current = try await client.resource(at: url, expiry: .always).value
  _ = current
}

private func clearing(client: Client, disk: DiskStore, url: URL) async throws {
  var request = Request(url)
  request.tags = ["feed"]
  _ = try await client.resource(request).value

  try await disk.removeAll(tag: "feed")
  try await disk.removeAll()
}

private func retrying() {
  let patient = Client { $0.retry = .standard }
  _ = patient
}

private func limiting(url: URL) async throws {
  let limited = Client { $0.scheduler = RequestScheduler { $0.perHost = 4 } }
  var thumbnail = Request(url)
  thumbnail.priority = .low
  let image = try await limited.resource(thumbnail).value
  _ = image
}

private func pacing(pace: @escaping @Sendable (Int) async throws -> Void) {
  let paced = DefaultTransport()
    .intercepted { request, next in
      var request = request
      request.body = request.body?
        .mapChunks { chunk in
          try await pace(chunk.count)
          return chunk
        }
      return next(request)
    }
  _ = paced
}

private func cancelling(client: Client) {
  client.activity.cancel(tagged: "search")
}

private func pinning(current: SHA256Checksum, backup: SHA256Checksum) {
  let pins = ServerPins(keys: [current, backup])
  let transport = DefaultTransport { $0.pins["api.example.org"] = pins }
  _ = transport
}

private func signing(caches: URL, sign: @escaping @Sendable (Request) -> Request) {
  let client = Client {
    $0.disk = DiskStore(directory: caches)
    $0.transport = DefaultTransport()
      .intercepted { request, next in
        let signed = sign(request)
        return next(signed)
          .mapEvents { event in
            guard case .head(var head) = event, head.url == signed.url else { return event }
            head.url = request.url
            return .head(head)
          }
      }
  }
  _ = client
}

private func prefetching(client: Client, urls: [URL]) async throws {
  _ = try await client.batch(urls, priority: .low).run(maxConcurrent: 4).value
}
