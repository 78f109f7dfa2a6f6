import Foundation
import Freshet
import FreshetImages
import FreshetTesting
import Synchronization

/// A long list of pictures on a few views, scrolled to its end and back.
extension Catalogue {
  static let images: [Benchmark] = [scrolling]

  /// An operation is a cell that a view is given; half of them go down, half up again.
  private static let scrolling = Benchmark(
    name: "scroll-1000-cells",
    unit: .rate,
    count: 2_000
  ) { _, _ in
    let origin = try NumberOrigin()
    return [
      Contender(name: "freshet images") { count, meter in
        let list = await ScrolledList(origin: origin, cells: max(count / 2, 1))
        meter.restart()
        try await list.run()
      },
      Contender(name: "fetch and decode", share: 0.5) { count, _ in
        let client = Client { $0.memory = nil }
        try await Workers.run(count, tasks: 8) { index in
          let resource = try await client.resource(at: origin.url(index + 1)).value
          _ = try NumberDecoder().decode(resource.data(), DecodingPlan())
        }
      },
    ]
  }
}

/// An origin in this process whose bodies are numbers, which counts who asks for what.
private final class NumberOrigin: Sendable {
  private final class Counts: Sendable {
    let requests = Mutex<[String: Int]>([:])
  }

  private let server: LoopbackServer
  private let counts = Counts()

  init() throws {
    let counts = counts
    server = try LoopbackServer([
      "/*": .handler { request in
        counts.requests.withLock { $0[request.path, default: 0] += 1 }
        let number = Data(request.path.dropFirst().utf8)
        return .content(number, cacheControl: "max-age=600")
      }
    ])
  }

  func url(_ number: Int) -> URL { server.url("/\(number)") }

  /// The requests for what was asked for most, since this was read last.
  func mostRequests() -> Int {
    counts.requests.withLock { requests in
      defer { requests = [:] }
      return requests.values.max() ?? 0
    }
  }
}

/// A picture of 24 × 24 pixels that has the number in its colour.
private struct NumberDecoder: PictureDecoder {
  func decode(_ data: Data, _ plan: DecodingPlan) throws(ImageError) -> Picture {
    guard let number = Int(String(decoding: data, as: UTF8.self)) else {
      throw .damaged("it is no number")
    }
    let size = PixelSize(width: 24, height: 24)
    let color = [UInt8(number >> 8 & 0xFF), UInt8(number & 0xFF), 0, 255]
    let pixels = Array(repeatElement(color, count: size.count).joined())
    guard let bitmap = Bitmap(size: size, pixels: pixels) else { throw .damaged("it is empty") }
    return Picture(bitmap)
  }

  static func number(in picture: Picture) -> Int {
    Int(picture.bitmap.pixels[0]) << 8 | Int(picture.bitmap.pixels[1])
  }
}

/// Twenty views that take the cells of the list in turn.
@MainActor
private final class ScrolledList {
  private final class View: ImageSurface {
    var number = 0
    private(set) var strangers = 0

    func display(_ content: ImageContent, transition: ImageTransition) {
      guard let image = content.image else { return }
      if NumberDecoder.number(in: image.picture) != number { strangers += 1 }
    }

    func showActivity(_ isActive: Bool) {}
  }

  private let origin: NumberOrigin
  private let cells: Int
  private let memory = PictureCache(costLimit: 1 << 20)
  private let loader: ImageLoader
  private let views = (0..<20).map { _ in View() }
  private let presenters: [ImagePresenter]

  init(origin: NumberOrigin, cells: Int) {
    self.origin = origin
    self.cells = cells
    let loader = ImageLoader(Client()) { [memory] in
      $0.decoder = NumberDecoder()
      $0.memory = memory
      $0.options.activity = .never
      // What is scrolled past quickly is there on the way back.
      $0.options.abandonment = .finish
    }
    self.loader = loader
    presenters = views.map { ImagePresenter(loader: loader, surface: $0) }
  }

  /// Scrolls down and up, and fails unless each picture was fetched once, none was shown in a
  /// stranger's place, and the memory kept to its limit.
  func run() async throws {
    _ = origin.mostRequests()
    var highest = 0
    for number in Array(1...cells) + (1...cells).reversed() {
      let index = number % views.count
      views[index].number = number
      presenters[index].show(ImageRequest(origin.url(number)))
      await Task.yield()
      highest = max(highest, memory.cost)
    }
    for number in 1...cells {
      let image = try await loader.image(ImageRequest(origin.url(number))).value
      guard NumberDecoder.number(in: image.picture) == number else {
        throw BenchError("\(number) is another picture")
      }
    }
    let strangers = views.reduce(0) { $0 + $1.strangers }
    let requests = origin.mostRequests()
    guard strangers == 0, requests == 1, highest <= memory.costLimit else {
      throw BenchError(
        "\(strangers) strangers, \(requests) transfers of a picture, \(highest) bytes of pictures"
      )
    }
  }
}
