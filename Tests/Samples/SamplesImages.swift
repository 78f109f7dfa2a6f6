import Foundation
import Freshet
import FreshetImages

private func show(_ image: LoadedImage?) {}

private func phases(client: Client, url: URL) async {
  let loader = ImageLoader(client)
  let target = ImageTarget(width: 96, height: 96, scale: 2, mode: .fill)

  for await phase in loader.image(at: url, target: target) {
    switch phase {
    case .placeholder: show(nil)
    case .loading(let progress): print(progress.completed)
    case .arriving(let picture): print(picture.size)
    case .preview(let image): show(image)
    case .image(let image, let change): if change != .unchanged { show(image) }
    case .failure(let error, let showing): print(error, showing != nil)
    }
  }
}

private func processors(url: URL) -> [Any] {
  let avatar = ImageRequest(
    url,
    target: ImageTarget(width: 40, height: 40, scale: 2, mode: .fill),
    processors: [.resized(width: 40, height: 40, .crop), .circle]
  )
  let card = ImageRequest(
    url,
    processors: [.gradient([.clear, .black.opacity(0.6)]), .rounded(8)]
  )
  let mirrored = ImageProcessor.custom("mirrored") { bitmap throws(ImageError) in
    let row = 4 * bitmap.size.width
    let pixels = (0..<bitmap.pixels.count)
      .map { place in
        let column = place % row / 4
        return bitmap.pixels[place + row - 8 * column - 4]
      }
    return Bitmap(size: bitmap.size, pixels: pixels) ?? bitmap
  }
  return [avatar, card, mirrored]
}

@MainActor
private func views(loader: ImageLoader, surface: any ImageSurface, url: URL) {
  let presenter = ImagePresenter(loader: loader, surface: surface)
  presenter.options.transition = .slide(from: .top)
  presenter.show(ImageRequest(url))
  presenter.show(nil)
}

@MainActor
private func refreshing(presenter: ImagePresenter, url: URL) {
  var refresh = ImageRequest(url)
  refresh.policy = ResourcePolicy(expiry: .always)
  presenter.disappear()
  presenter.show(refresh)
}

private func lists(loader: ImageLoader, upcoming: [ImageRequest], scrolledPast: [ImageRequest]) {
  let prefetcher = ImagePrefetcher(loader, maximumConcurrentLoads: 2)
  prefetcher.prefetch(upcoming)
  prefetcher.cancel(scrolledPast)
}
