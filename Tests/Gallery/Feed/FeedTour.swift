#if GTK && !canImport(Darwin)
import CGTK
import Foundation
import Freshet

/// Opens the feed, for a user or for screenshots.
enum FeedTour {
  /// The window, which GTK does not retain.
  @MainActor private static var window: FeedWindow?

  /// Opens the window.
  ///
  /// - Parameter name: The beginning of the names of PNG files, which are written before the program ends; `nil`
  ///   to stay open.
  @MainActor
  static func run(saving name: String?) async {
    do {
      let server = try await PhotoServer()
      let folder =
        name == nil
        ? PhotoFeed.folder
        : URL.temporaryDirectory.appending(path: "FreshetGallery-\(UUID().uuidString)")
      guard let window = FeedWindow(PhotoFeed(baseURL: server.url, folder: folder)) else { exit(2) }
      self.window = window
      window.open()
      guard let name else { return }
      let isWritten = await shoot(window, name)
      await server.stop()
      try? FileManager.default.removeItem(at: folder)
      exit(isWritten ? 0 : 1)
    } catch {
      FileHandle.standardError.write(Data("\(error)\n".utf8))
      exit(1)
    }
  }

  @MainActor
  private static func shoot(_ window: FeedWindow, _ name: String) async -> Bool {
    guard await settled(window) else { return false }
    window.select(1)
    await pause()
    guard window.save(to: "\(name)-feed.png") else { return false }
    window.scroll(to: 1)
    guard await until({ window.feed.photos.count > PhotoServer.pageSize }) else { return false }
    window.scroll(to: 0.7)
    await pause(.milliseconds(450))
    return window.save(to: "\(name)-page.png")
  }

  /// Waits until all cards on the screen have a picture or a failure.
  @MainActor
  private static func settled(_ window: FeedWindow) async -> Bool {
    await until { !window.shown.isEmpty && window.shown.values.allSatisfy(\.isComplete) }
  }

  @MainActor
  private static func until(_ condition: () -> Bool) async -> Bool {
    for _ in 0..<400 {
      if condition() { return true }
      await pause(.milliseconds(50))
    }
    return false
  }

  /// Waits for the transitions, which take a fifth of a second.
  @MainActor
  private static func pause(_ duration: Duration = .milliseconds(600)) async {
    try? await Task.sleep(for: duration)
  }
}
#endif
