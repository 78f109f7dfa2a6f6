import Foundation
import Freshet
import FreshetTesting
import Synchronization

/// A loopback service with pages of photographs.
///
/// Every seventh picture fails at its first request and succeeds when it is requested again.
final class PhotoServer: Sendable {
  static let pageSize = 12

  private static let titles = [
    "Blue hour", "Lava field", "North wind", "Salt flats", "Quiet bay", "First snow", "Dust road",
    "Fern valley", "Night ferry", "Glass lake", "Red ridge", "Low tide",
  ]
  private static let authors = ["Ada Lindqvist", "Bruno Reyes", "Chioma Okafor", "Dagny Holm"]

  private let server: LoopbackServer

  /// Paints the photographs and starts the server.
  ///
  /// - Parameter count: The number of photographs; 36 by default.
  /// - Throws: The error of the server, if there is no free port.
  init(count: Int = 36) async throws {
    server = try LoopbackServer()
    let server = server
    server.route("/photos", .handler { [url = server.url()] in Self.page($0, url, count) })
    let pictures = await Self.paint(count)
    let failed = Requested()
    for (number, png) in pictures {
      server.route(
        "/images/\(number)",
        .handler { _ in
          if number % 7 == 5, failed.insert(number) { return .status(503) }
          return
            .content(
              png,
              type: "image/png",
              eTag: "\"\(number)\"",
              cacheControl: number.isMultiple(of: 2) ? "max-age=3600" : "max-age=0"
            )
            .dripped(max(1, png.count / 12), every: .milliseconds(15 + number % 5 * 10))
        }
      )
    }
  }

  /// The base URL of the service.
  var url: URL { server.url() }

  func stop() async { await server.stop() }

  private final class Requested: Sendable {
    private let numbers = Mutex(Set<Int>())
    func insert(_ number: Int) -> Bool { numbers.withLock { $0.insert(number).inserted } }
  }

  private static func paint(_ count: Int) async -> [(Int, Data)] {
    await withTaskGroup { group in
      for number in 0..<count {
        group.addTask { (number, PhotoPainter(number, title: title(number)).png) }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
  }

  private static func title(_ number: Int) -> String { titles[number % titles.count] }

  private static func page(
    _ request: LoopbackServer.ReceivedRequest,
    _ base: URL,
    _ count: Int
  ) -> LoopbackServer.Answer {
    let number = request.query.flatMap { Int($0.dropFirst("page=".count)) } ?? 1
    let range = ((number - 1) * pageSize..<number * pageSize).clamped(to: 0..<count)
    let photos = range.map { photo in
      let author = photo * 7 % authors.count
      return """
        {"id": \(photo), "position": \(photo), "title": "\(title(photo))", \
        "url": "\(base.absoluteString)images/\(photo)", \
        "author": {"id": \(author), "name": "\(authors[author])"}}
        """
    }
    let next = range.upperBound < count ? "\(number + 1)" : "null"
    return .json(#"{"photos": [\#(photos.joined(separator: ", "))], "nextPage": \#(next)}"#)
      .delayed(by: .milliseconds(150))
  }
}
