import Foundation
import Freshet
import FreshetTesting
import Testing

@testable import FreshetImages

/// Three hundred cells on twenty reused views, scrolled to the end and back.
///
/// The benchmark has a thousand.
@MainActor
@Suite(.timeLimit(.minutes(5))) struct ScrollingTests {
  static let cells = 300

  /// A view that fails the test if it shows what its cell was not bound to.
  private final class Cell: ImageSurface {
    var number: Int?
    private(set) var shown: Int?
    private(set) var strangers: [Int] = []

    func display(_ content: ImageContent, transition: ImageTransition) {
      shown = content.image?.picture.size.width
      if let shown, shown != number { strangers.append(shown) }
    }

    func showActivity(_ isActive: Bool) {}
  }

  /// A picture as wide as the number that the body holds.
  private struct NumberDecoder: PictureDecoder {
    func decode(_ data: Data, _ plan: DecodingPlan) throws(ImageError) -> Picture {
      guard let number = Int(String(decoding: data, as: UTF8.self)) else {
        throw .damaged("it is no number")
      }
      let size = PixelSize(width: number, height: 1)
      return Picture(Bitmap(trusted: size, Array(repeating: 0, count: number * 4)))
    }
  }

  private func loader(_ origin: LoopbackServer) -> ImageLoader {
    ImageLoader(Client()) {
      $0.decoder = NumberDecoder()
      $0.memory = PictureCache(costLimit: 50_000)
    }
  }

  private func origin() throws -> LoopbackServer {
    let origin = try LoopbackServer()
    origin.route(
      "/*",
      .handler { request in
        .content(Data(request.path.dropFirst().utf8), cacheControl: "max-age=600")
      }
    )
    return origin
  }

  @Test(arguments: ImageOptions.Abandonment.allCases)
  func `shows no other cell's picture and stays within its memory`(
    abandonment: ImageOptions.Abandonment
  )
    async throws
  {
    let origin = try origin()
    let loader = loader(origin)
    let views = (0..<20).map { _ in Cell() }
    let presenters = views.map { view in
      ImagePresenter(
        loader: loader,
        surface: view,
        options: ImageOptions {
          $0.abandonment = abandonment
          $0.activity = .never
        }
      )
    }
    func bind(_ number: Int) {
      views[number % views.count].number = number
      presenters[number % views.count].show(ImageRequest(origin.url("/\(number)")))
    }

    for number in Array(1...Self.cells) + (1...Self.cells).reversed() {
      bind(number)
      await Task.yield()
      #expect(loader.configuration.memory?.cost ?? .max <= 50_000)
    }
    // What is on the screen in the end is there, whatever was abandoned on the way.
    for number in 1...views.count {
      let image = try await loader.image(ImageRequest(origin.url("/\(number)"))).value
      #expect(image.picture.size.width == number)
    }
    while !views.allSatisfy({ $0.shown == $0.number }) { await Task.yield() }

    #expect(views.flatMap(\.strangers) == [])
    if abandonment == .finish { #expect(mostRequests(origin) == 1) }
    for presenter in presenters { presenter.disappear() }
    await origin.stop()
  }

  /// The number of requests for the path that was asked for most.
  private func mostRequests(_ origin: LoopbackServer) -> Int {
    let counts = Dictionary(grouping: origin.requests, by: \.path).mapValues(\.count)
    return counts.values.max() ?? 0
  }
}
