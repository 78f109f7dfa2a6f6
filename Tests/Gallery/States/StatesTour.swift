#if GTK && !canImport(Darwin)
import CGTK
import Foundation
import FreshetImages
import FreshetTesting

/// Shows each state of a picture in a grid, for a test that compares copies of the screen.
@MainActor
enum StatesTour {
  /// Lines from the standard input, one for each step that the screen may continue with.
  private static let steps = AsyncStream<Void> { continuation in
    Thread.detachNewThread {
      while readLine() != nil { continuation.yield() }
      continuation.finish()
    }
  }

  private static var gallery: Gallery?

  static func run() async {
    do {
      let gallery = Gallery(origin: try GalleryOrigin())
      self.gallery = gallery
      await tour(gallery)
    } catch {
      FileHandle.standardError.write(Data("\(error)\n".utf8))
      exit(1)
    }
  }

  /// Reports that the screen shows a state, and waits until it was copied.
  private static func reached(_ state: String, _ gallery: Gallery) async {
    // Transitions take a fifth of a second, and the frame clock has at most 60 frames a second.
    await gallery.frames(30)
    FileHandle.standardOutput.write(Data("\(state)\n".utf8))
    for await _ in steps { return }
    exit(1)
  }

  private static func isSettled(_ gallery: Gallery) -> Bool {
    hasReports(gallery) { outcome in
      if case .preview = outcome { false } else { true }
    }
  }

  /// Returns a Boolean value that indicates whether all pictures in the window, or those of some numbers, have
  /// come to an outcome.
  private static func hasReports(
    _ gallery: Gallery,
    of isAsked: (Int) -> Bool = { _ in true },
    _ isReached: (ImageReport.Outcome) -> Bool
  ) -> Bool {
    let numbers = gallery.shown.keys.filter(isAsked)
    return !numbers.isEmpty
      && numbers.allSatisfy { gallery.reports[$0].map { isReached($0.outcome) } == true }
  }

  private static func tour(_ gallery: Gallery) async {
    let (head, body) = (Gate(), Gate())
    gallery.origin.set {
      $0.head = head
      $0.body = body
    }
    gallery.open()
    await reached("placeholder", gallery)

    gallery.origin.set { $0.head = nil }
    head.open()
    await gallery.until {
      hasReports(gallery, of: { Gallery.visible ~= $0 && GalleryOrigin.isMissing($0) }) { outcome in
        if case .failure = outcome { true } else { false }
      }
    }
    await reached("loading", gallery)

    gallery.origin.set { $0.body = nil }
    body.open()
    await gallery.until { isSettled(gallery) }
    await reached("shown", gallery)

    let validation = Gate()
    gallery.origin.set {
      $0.head = validation
      $0.version = 2
    }
    gallery.reload()
    await reached("preview", gallery)

    gallery.origin.set { $0.head = nil }
    validation.open()
    await gallery.until { isSettled(gallery) }
    await reached("changed", gallery)

    await gallery.scroll(to: 1)
    await gallery.until { gallery.shown[Gallery.count - 1] != nil && isSettled(gallery) }
    await reached("bottom", gallery)

    await gallery.scroll(to: 0)
    await gallery.until { gallery.shown[0] != nil && isSettled(gallery) }
    await reached("top", gallery)
    await gallery.origin.stop()
    exit(0)
  }
}
#endif
