import Foundation
import Freshet
import FreshetImages

private func both(pins: ServerPins) {
  let transport = DefaultTransport {
    $0.pins["api.example.org"] = pins
    $0.maximumConnectionsPerHost = 4
    $0.userAgent = "Photos/2.1"
  }
  _ = transport
}

private func networks(_ url: URL) {
  let client = Client { $0.networks.remove(.expensive) }
  var prefetch = Request(url)
  prefetch.networks.remove(.constrained)
  _ = (client, prefetch)
}

#if canImport(os)
import os

private func log() {
  let logger = Logger(subsystem: "org.example.photos", category: "network")
  let client = Client { $0.diagnostics = Diagnostics(sinks: [OSLogSink(logger)]) }
  _ = client
}
#endif

#if canImport(UIKit) && !os(watchOS)
import UIKit

final class PhotoCell: UICollectionViewCell {
  let picture = RemoteImageView()

  func show(_ url: URL, with loader: ImageLoader) {
    picture.placeholder = UIImage(systemName: "photo")
    picture.show(ImageRequest(url), with: loader)
  }

  override func prepareForReuse() {
    super.prepareForReuse()
    picture.presenter?.show(nil)
  }
}
#endif

#if canImport(CoreGraphics)
import CoreGraphics

func picture(at url: URL, from client: Client) async throws(ImageError) -> CGImage? {
  let loader = ImageLoader(client) { $0.memory = nil }
  let target = ImageTarget(width: 160, height: 160, scale: 2, mode: .fill)
  let request = ImageRequest(url, target: target, animation: .still)
  return try await loader.image(request).value.picture.bitmap.cgImage
}
#endif

#if canImport(SwiftUI)
import SwiftUI

private struct Thumbnail: View {
  let url: URL?
  let loader: ImageLoader

  var body: some View {
    RemoteImage(url.map { ImageRequest($0) }, loader: loader) { screen in
      if screen.content.error != nil { Text("No image") } else { RemoteImageContent(screen) }
    }
  }
}
#endif
