import Foundation
import Freshet
import FreshetFoundation
import FreshetImages
import FreshetModels
import FreshetTesting
import Observation
import Testing

struct Services: Sendable {
  let client: Client
  let models: ModelStore
  let images: ImageLoader

  init(client: Client, models: ModelStore) {
    self.client = client
    self.models = models
    images = ImageLoader(client)
  }

  init(folder: URL, baseURL: URL) {
    let client = Client {
      $0.baseURL = baseURL
      $0.disk = DiskStore(directory: folder.appending(path: "responses"))
      $0.retry = .standard
    }
    self.init(client: client, models: ModelStore(directory: folder.appending(path: "models")))
  }
}

struct Photo: PersistableModel {
  static let modelName = "Photo"
  static let indexes = [ModelIndex(\Photo.takenAt, "takenAt")]
  let id: Int
  var title: String
  var url: URL
  var takenAt: Date
}

struct ListPhotos: Endpoint {
  typealias Output = [Photo]
  var path: RequestPath { "photos" }
}

@Observable
@MainActor
final class PhotoFeed {
  private(set) var photos: [Photo] = []
  private(set) var isRefreshing = false
  private(set) var failure: String?

  func follow(_ services: Services) async {
    let newest = ModelQuery(Photo.self).sorted(by: \.takenAt, .descending).limit(50)
    do throws(FreshetError) {
      for try await live in services.client.live(ListPhotos(), newest, in: services.models) {
        photos = live.value
        failure = live.failure.map { "\($0)" }
        if case .refreshing = live.state { isRefreshing = true } else { isRefreshing = false }
      }
    } catch {
      if !error.isCancelled { failure = "\(error)" }
    }
  }

  func refresh(_ services: Services) async {
    do throws(CallError<NoErrorModel>) {
      _ = try await services.client.call(ListPhotos()).persist(in: services.models).value
      failure = nil
    } catch {
      if !error.isCancelled { failure = "\(error)" }
    }
  }
}

@Observable
@MainActor
final class PhotoSearch {
  private(set) var found: [Photo] = []
  private(set) var failure: String?

  func search(_ text: String, with client: Client) async {
    guard (try? await Task.sleep(for: .milliseconds(300))) != nil else { return }
    do throws(FreshetError) {
      let results = client.send(.get("photos", query: ["q": text])).decode([Photo].self)
      found = try await results.value.value
      failure = nil
    } catch {
      if !error.isCancelled { failure = "\(error)" }
    }
  }
}

extension Services {
  static func preview(_ files: Bundle) throws -> Services {
    var photos = try DemoRoute("photos", path: "photos", success: .file("photos.json"))
    photos.latency = .milliseconds(200) ... .seconds(1)
    photos.failureProbability = 0.1
    let image = DemoRoute("images", success: .file("photo.png"))
    let client = Client {
      $0.transport = DemoTransport(bundle: files, routes: [photos, image])
      $0.baseURL = URL(string: "https://api.example")
    }
    return Services(client: client, models: .inMemory())
  }
}

@Suite struct SwiftUISamples {
  @Test(.timeLimit(.minutes(5))) @MainActor
  func `the demo of the page fills the list of the page`() async throws {
    try await TemporaryDirectory.scope { folder in
      let photo = Photo(id: 1, title: "River", url: URL(filePath: "/river"), takenAt: .distantPast)
      try Self.encoded([photo]).write(to: folder.url.appending(path: "photos.json"))
      let route = try DemoRoute("photos", path: "photos", success: .file("photos.json"))
      let client = Client {
        $0.transport = DemoTransport(directory: folder.url, routes: [route])
        $0.baseURL = URL(string: "https://api.example")
      }
      let services = Services(client: client, models: .inMemory())
      let feed = PhotoFeed()

      await feed.refresh(services)
      let following = Task { await feed.follow(services) }
      while feed.photos.isEmpty { await Task.yield() }
      following.cancel()
      await following.value

      #expect(feed.photos.map(\.title) == ["River"])
      #expect(feed.failure == nil)
    }
  }

  private static func encoded(_ photos: [Photo]) throws -> Data {
    try JSONEncoder().encode(photos)
  }
}

#if canImport(SwiftUI)
import SwiftUI

struct PhotoList: View {
  let services: Services
  @State private var feed = PhotoFeed()

  var body: some View {
    List(feed.photos) { photo in
      HStack {
        RemoteImage(
          ImageRequest(
            photo.url,
            target: ImageTarget(width: 64, height: 64, scale: 2, mode: .fill)
          ),
          loader: services.images
        )
        .frame(width: 64, height: 64)
        Text(photo.title)
      }
    }
    .overlay {
      if feed.photos.isEmpty, let failure = feed.failure { Text(failure) }
    }
    .task { await feed.follow(services) }
    .refreshable { await feed.refresh(services) }
  }
}

struct Avatar: View {
  let url: URL?
  let images: ImageLoader

  var body: some View {
    RemoteImage(url.map { ImageRequest($0) }, loader: images) { screen in
      if screen.content.error != nil { Text("No image") } else { RemoteImageContent(screen) }
    }
  }
}

struct SearchScreen: View {
  let services: Services
  @State private var text = ""
  @State private var search = PhotoSearch()

  var body: some View {
    List(search.found) { Text($0.title) }
      .searchable(text: $text)
      .task(id: text) { await search.search(text, with: services.client) }
  }
}

#Preview {
  if let services = try? Services.preview(.main) { PhotoList(services: services) }
}
#endif
