import Foundation
import Freshet
import FreshetTesting
import Testing

@testable import FreshetGallery

/// The model of the sample app's screen, against its own service.
@Suite(.timeLimit(.minutes(5))) @MainActor struct PhotoFeedTests {
  let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  /// Follows a feed until a condition holds.
  private func follow(_ feed: PhotoFeed, until condition: () -> Bool) async {
    let (changes, continuation) = AsyncStream<Void>.makeStream()
    feed.onChange = { continuation.yield() }
    let following = Task { await feed.follow() }
    defer { following.cancel() }
    for await _ in changes where condition() { return }
  }

  @Test func `shows the first page, and the next one after the end`() async throws {
    let server = try await PhotoServer(count: 14)
    let feed = PhotoFeed(baseURL: server.url, folder: directory.url)

    await follow(feed) { feed.photos.count == PhotoServer.pageSize && !feed.isRefreshing }
    #expect(feed.photos.map(\.id) == Array(0..<12))
    #expect(Set(feed.photos.map(\.author.id)).count == 4)

    await feed.loadMore()
    await follow(feed) { feed.photos.count == 14 }
    await feed.loadMore()
    #expect(feed.photos.count == 14)
    #expect(feed.failure == nil)
  }

  @Test func `shows the stored photographs and the failure without a network`() async throws {
    let server = try await PhotoServer(count: 3)
    let online = PhotoFeed(baseURL: server.url, folder: directory.url)
    await follow(online) { online.photos.count == 3 && !online.isRefreshing }
    await server.stop()

    let offline = PhotoFeed(baseURL: server.url, folder: directory.url)
    await follow(offline) { offline.failure != nil }

    #expect(offline.photos == online.photos)
    #expect(offline.failure?.contains("was refused") == true)
  }

  @Test func `a picture that fails at first is delivered at the second request`() async throws {
    let server = try await PhotoServer(count: 6)
    let client = Client()
    let url = server.url.appending(path: "images/5")

    await #expect(throws: FreshetError.self) { try await client.resource(at: url).value }
    let picture = try await client.resource(at: url).value

    #expect(picture.status == .ok)
    #expect(try picture.data().starts(with: [0x89, 0x50, 0x4E, 0x47]))
  }
}
