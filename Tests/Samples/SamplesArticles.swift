import Foundation
import Freshet
import FreshetImages
import FreshetTesting

private func overview(caches: URL, url: URL) async throws {
  let client = Client { $0.disk = DiskStore(directory: caches) }

  for try await event in client.resource(at: url) {
    switch event {
    case .progress(let progress): print(progress.completed)
    case .value(let resource): print(resource.explanation)
    }
  }

  let logo = try await client.resource(at: url).value
  _ = logo
}

extension AsyncSequence where Self: Sendable, Element == Fetch, Failure == FreshetError {
  /// Tells how large each download was.
  func reportDownloads() -> some AsyncSequence<Fetch, FreshetError> & Sendable {
    map { step in
      if case .downloaded(let downloaded) = step {
        print("\(downloaded.response.body.length) bytes")
      }
      return step
    }
  }
}

private func ownStage(request: Request, memory: MemoryStore, transport: DefaultTransport) {
  let logo = Fetch.request(request)
    .lookup(in: memory)
    .download(over: transport)
    .reportDownloads()
    .persist(in: memory)
    .settle()
  _ = logo
}

private func landingImage(client: Client, url: URL) async throws {
  let loader = ImageLoader(client)
  let box = ImageTarget(width: 96, height: 96, scale: 2)
  let avatar = try await loader.image(at: url, target: box).value
  _ = avatar
}

private func landingCache(client: Client, url: URL, flagURL: URL) async throws {
  let news = try await client.resource(at: url).value
  let flag = try await client.resource(at: flagURL, expiry: .never).value
  _ = (news, flag)
}

private func landingOffline(caches: URL, url: URL) async throws {
  let offlineFirst = Client {
    $0.disk = DiskStore(directory: caches)
    $0.policy.stale = .beforeValidation
  }
  for try await event in offlineFirst.resource(at: url) {
    guard case .value(let page) = event else { continue }
    print(try page.data().count, page.freshness, page.isFinal)
  }
}

private func landingDownload(client: Client, url: URL, file: URL) async throws {
  let film = try await client.download(url, to: file).value
  print(film.body.length)
}

private struct User: Codable, Sendable {
  var name: String
}

private func landingService(client: Client) async throws {
  struct ShowUser: Endpoint {
    typealias Output = User
    var id: Int
    var path: RequestPath { "users/\(id)" }
  }

  let user = try await client.call(ShowUser(id: 7)).output
  _ = user
}

private func landingTest() {
  let scripted = Client {
    $0.transport = ScriptedTransport(["http://api.example/users/7": .json(#"{"name":"Ada"}"#)])
    $0.baseURL = URL(string: "http://api.example")
  }
  _ = scripted
}
