#if GTK && !canImport(Darwin)
import CGTK
import Foundation
import FreshetImages
import FreshetTesting

/// Lines from the standard input, one for each step that the screen may go on.
let steps = AsyncStream<Void> { continuation in
  Thread.detachNewThread {
    while readLine() != nil { continuation.yield() }
    continuation.finish()
  }
}
nonisolated(unsafe) var iterator = steps.makeAsyncIterator()

/// Says that the screen shows a state, and waits until somebody has looked at it.
@MainActor func reached(_ state: String, _ gallery: Gallery) async {
  // Transitions take a fifth of a second, and the frame clock has at most 60 frames a second.
  await gallery.frames(30)
  FileHandle.standardOutput.write(Data("\(state)\n".utf8))
  guard await iterator.next() != nil else { exit(1) }
}

@MainActor func isSettled(_ gallery: Gallery) -> Bool {
  !gallery.shown.isEmpty
    && gallery.shown.keys.allSatisfy { number in
      switch gallery.reports[number]?.outcome {
      case .image, .failure: true
      case .preview, nil: false
      }
    }
}

@MainActor func tour(_ gallery: Gallery) async {
  let (head, body) = (Gate(), Gate())
  gallery.origin.set {
    $0.head = head
    $0.body = body
  }
  gallery.open()
  await reached("placeholder", gallery)

  gallery.origin.set { $0.head = nil }
  head.open()
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

guard gtk_init_check() != 0 else {
  print("there is no display")
  exit(2)
}
GTKMainLoop.runMainActor()
let gallery = Gallery(origin: try GalleryOrigin())
Task { await tour(gallery) }
let loop = g_main_loop_new(nil, 0)
g_main_loop_run(loop)
#else
print("The gallery needs Linux and the package trait GTK: swift run --traits GTK FreshetGallery")
#endif
