import Foundation
import Freshet
import FreshetModels

private struct Tweet: PersistableModel {
  static let modelName = "Tweet"
  static let indexes = [
    ModelIndex(\Tweet.createdAt, "createdAt"),
    ModelIndex(\Tweet.author.id, "author"),
  ]
  let id: Int
  var text: String
  var createdAt: Date
  var author: Author
}

private struct Author: PersistableModel {
  static let modelName = "Author"
  let id: Int
  var name: String
}

private struct Page: Decodable, PersistableContainer {
  var tweets: [Tweet]
  var nextCursor: String?
  var persistedPart: [Tweet] {
    get { tweets }
    set { tweets = newValue }
  }
}

private struct HomeTimeline: Endpoint {
  typealias Output = [Tweet]
  var path: RequestPath { "statuses/home_timeline.json" }
}

private func persisting(_ support: URL, _ client: Client) async throws {
  let models = ModelStore(directory: support.appending(path: "models"))
  let tweets = try await client.call(HomeTimeline()).persist(in: models).output
  _ = tweets
}

private func live(
  _ models: ModelStore,
  _ client: Client,
  show: ([Tweet]) -> Void,
  say: (String) -> Void
) async throws {
  let timeline = ModelQuery(Tweet.self).sorted(by: \.createdAt, .descending).limit(50)
  for try await live in models.live(timeline, by: client.call(HomeTimeline())) {
    show(live.value)
    if let failure = live.failure { say("\(failure)") }
  }
}

private struct List {
  func refreshable(_ action: @escaping @Sendable () async -> Void) {}
}

private func refreshing(
  _ models: ModelStore,
  _ client: Client,
  _ timeline: ModelQuery<Tweet>,
  _ list: List,
  show: ([Tweet]) -> Void
) async throws {
  let live = client.live(HomeTimeline(), timeline, in: models, saving: .replacing)
  list.refreshable { await live.refresh() }
  for try await value in live { show(value.value) }
}

private struct User: PersistableModel {
  static let modelName = "User"
  let id: Int
}

private struct ListUsers: Endpoint {
  typealias Output = [User]
  var path: RequestPath { "users" }
}

private func replacing(
  _ models: ModelStore,
  _ client: Client,
  show: ([User]) -> Void
) async throws {
  let users = ModelQuery(User.self)
  let page = try await client.call(ListUsers()).persist(in: models, replacing: users).value
  let pages = client.pages(ListUsers(), next: .link)
  for try await live in models.live(users, saving: .replacing, by: pages) {
    show(live.value)
  }
  _ = page
}

private func forAWholeClient(_ service: URL, _ support: URL) async throws {
  let client = Client {
    $0.baseURL = service
    $0.models = ModelStore(directory: support.appending(path: "models"))
  }
  let tweets = try await client.call(HomeTimeline()).output
  _ = tweets
}

private func refreshing(_ models: ModelStore, _ client: Client) {
  let timeline = ModelQuery(Tweet.self)
  let recent = models.live(
    timeline,
    refresh: .after(.seconds(300)),
    by: client.call(HomeTimeline())
  )
  _ = recent
}

private func replacingDamage(_ folder: URL) {
  let models = ModelStore(directory: folder) { $0.damage = .setAside }
  _ = models
}
