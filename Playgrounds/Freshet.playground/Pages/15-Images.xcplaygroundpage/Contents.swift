//: # Images
//: A load of a picture is a stream of phases: what there is to show at each moment.
import Foundation
import Freshet
import FreshetImages
import FreshetTesting

//: PNG, JPEG, GIF and WebP are known. Another format is a few lines: each byte is a brightness.
nonisolated struct GreyDecoder: PictureDecoder {
  func decode(_ data: Data, _ plan: DecodingPlan) throws(ImageError) -> Picture {
    let size = PixelSize(width: data.count, height: 1)
    guard let bitmap = Bitmap(size: size, pixels: data.flatMap { [$0, $0, $0, 255] })
    else { throw .damaged("it is empty") }
    return Picture(bitmap)
  }
}

func show(_ loader: ImageLoader, _ url: URL) async {
  for await phase in loader.image(at: url) {
    switch phase {
    case .placeholder: print("placeholder")
    case .loading, .arriving: break
    case .preview(let image): print("preview", image.picture.size)
    case .image(let image, let change): print("image", image.picture.size, change)
    case .failure(let error, _): print("failure:", error)
    }
  }
}

func tour(_ origin: LoopbackServer) async {
  let (loader, url) = (ImageLoader(Client()) { $0.decoder = GreyDecoder() }, origin.url("/logo"))
  //: The first time there is nothing to show until the picture has come.
  await show(loader, url)

  //: From now on the local copy is there at once, while the origin is asked whether it is still right.
  await show(loader, url)

  //: When the origin has another picture, the new one replaces the old one.
  origin.route("/logo", .content(Data([1, 2, 3]), eTag: "\"v2\"", cacheControl: "max-age=0"))
  await show(loader, url)

  //: Processors change what has been decoded: here to a circle of one colour.
  let load = loader.image(ImageRequest(url, processors: [.circle, .tinted(.black)]))
  if let image = try? await load.value { print("processed", image.picture.size) }

  //: A failure is a phase as well.
  await show(loader, origin.url("/nothing"))
}

do {
  let origin = try LoopbackServer([
    "/logo": .content(Data([0, 255]), eTag: "\"v1\"", cacheControl: "max-age=0")
  ])
  await tour(origin)
  await origin.stop()
} catch {
  print("failed:", error)
}

//: [Next](@next)
