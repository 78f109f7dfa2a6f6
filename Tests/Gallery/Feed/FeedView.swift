#if canImport(SwiftUI)
import Foundation
import Freshet
import FreshetImages
import SwiftUI

/// The sample app on Apple platforms.
struct GalleryApp: App {
  @State private var feed: PhotoFeed?
  @State private var failure: String?

  var body: some Scene {
    WindowGroup {
      if let feed {
        FeedView(feed: feed)
      } else {
        Text(failure ?? "Painting the photos …").task { await start() }
      }
    }
  }

  private func start() async {
    do {
      let server = try await PhotoServer()
      feed = PhotoFeed(baseURL: server.url, folder: PhotoFeed.folder)
    } catch {
      failure = "\(error)"
    }
  }
}

/// The feed: stored photographs first, further pages at the end, and a sheet with the explanation of a picture.
struct FeedView: View {
  let feed: PhotoFeed
  @State private var inspected: Photo?

  var body: some View {
    List {
      if let failure = feed.failure { Text(failure) }
      ForEach(feed.photos) { photo in
        FeedRow(photo: photo, feed: feed, inspect: { inspected = photo })
          .onAppear { if photo == feed.photos.last { Task { await feed.loadMore() } } }
      }
      if feed.isLoadingPage { ProgressView() }
    }
    .task { await feed.follow() }
    .refreshable { await feed.refresh() }
    .sheet(item: $inspected) { photo in
      Text(feed.explanations[photo.id] ?? "Loading …").padding()
    }
  }
}

/// A photograph with its progress, its title, and a button after a failure.
struct FeedRow: View {
  let photo: Photo
  let feed: PhotoFeed
  let inspect: @MainActor () -> Void
  @State private var attempt = 0

  var body: some View {
    VStack(alignment: .leading) {
      RemoteImage(feed.request(photo, scale: 2), loader: feed.images) { screen in
        ZStack {
          RemoteImageContent(screen, mode: .fill)
          if let fraction = screen.progress?.fraction { ProgressView(value: fraction) }
          if screen.content.error != nil { Button("Try again") { attempt += 1 } }
        }
        .onAppear { screen.onCompletion = { feed.record($0, of: photo) } }
      }
      .id(attempt)
      .frame(width: 300, height: 200)
      Button("\(photo.title), \(photo.author.name)", action: inspect)
    }
  }
}
#endif
