import Foundation
import Freshet
import FreshetFoundation

private struct User: Codable, Sendable {
  var id: Int
}

private func explained(client: Client, url: URL) async throws {
  let news = try await client.resource(at: url).value
  print(news.explanation)
  if news.explanation.contains(.hit(.disk)) { print("it was on the disk") }
}

private func policies(caches: URL, url: URL) async throws {
  let client = Client {
    $0.disk = DiskStore(directory: caches)
    $0.policy.stale = .beforeValidation
  }

  let logo = try await client.resource(at: url) { $0.expiry = .never }.value
  _ = logo
}

private struct ForecastSample {
  struct ShowForecast: Endpoint {
    typealias Output = [Double]
    var city: String
    var path: RequestPath { "forecasts/\(city)" }
    var options: CallOptions {
      CallOptions { $0.useStores { $0.stale = .beforeValidation } }
    }
  }
}

private struct SearchSample {
  struct SearchUsers: Endpoint {
    typealias Output = [User]
    var text: String
    var method: HTTPMethod { .post }
    var path: RequestPath { "search" }
    var body: RequestBody? { get throws { try .json(["text": text]) } }
    var options: CallOptions {
      CallOptions {
        $0.cacheIdentity = .request()
        $0.useStores { $0.expiry = .after(.seconds(300)) }
      }
    }
  }
}

private func bytesByRange(client: Client, url: URL) async throws {
  let archive = client.bytes(at: url)
  let end = try await archive.length
  let directory = try await archive.read(max(0, end - 4_096)..<end)
  for try await chunk in archive.chunks(in: 0..<1 << 20) { print(chunk.count) }
  _ = directory
}

private func users(disk: DiskStore, user: String, token: String) {
  let signedIn = Client {
    $0.disk = disk
    $0.partition = user
    $0.headers[.authorization] = "Bearer \(token)"
  }
  _ = signedIn
}

private func offlineClient(caches: URL) -> Client {
  let client = Client {
    $0.seeds = SeedStore(bundle: .main)
    $0.disk = DiskStore(directory: caches)
    $0.policy.stale = .beforeValidation
  }
  return client
}

private func show(_ data: Data, isOld: Bool) {}
private func showPlaceholder() {}

private func screen(client: Client, url: URL) async throws {
  for try await event in client.resource(at: url) {
    guard case .value(let news) = event else { continue }
    show(try news.data(), isOld: news.freshness == .stale && news.isFinal)
  }
}

private func offlineScreen(client: Client, url: URL) -> Task<Void, any Error> {
  Task {
    do throws(FreshetError) {
      let page = client.resource(at: url) { $0.network = .forbidden }
      show(try await page.value.data(), isOld: true)
    } catch .notStored {
      showPlaceholder()
    }
  }
}

private func changed(_ url: URL, with client: Client) async throws {
  let news = try await client.resource(at: url, expiry: .always).value
  _ = news
}

private func prefetch(_ urls: [URL], with client: Client) async {
  for url in urls {
    var request = Request(url)
    request.priority = .low
    request.tags = ["prefetch"]
    _ = try? await client.resource(request).value
  }
}
