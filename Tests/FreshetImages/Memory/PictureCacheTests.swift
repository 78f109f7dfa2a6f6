import Foundation
import Freshet
import Testing

@testable import FreshetImages

@Suite struct PictureCacheTests {
  private func identity(_ path: String, _ side: Double? = nil) throws -> ImageRequest.Identity {
    let target = side.map { ImageTarget(width: $0, height: $0) }
    return ImageRequest(try Request("http://a.example/\(path)"), target: target).identity
  }

  private func entry(_ letter: Character) -> PictureEntries.Entry {
    PictureEntries.Entry(image: .letter(letter), mayBeShownStale: true)
  }

  @Test func `finds a picture by its request and its target`() throws {
    let cache = PictureCache()
    cache.keep(entry("a"), for: try identity("a"))

    #expect(cache.find(try identity("a"))?.image.letter == "a")
    #expect(cache.find(try identity("b")) == nil)
    #expect(cache.find(try identity("a", 10)) == nil)
  }

  @Test func `removes the least recently used picture when the limit is exceeded`() throws {
    let cache = PictureCache(costLimit: 8)
    cache.keep(entry("a"), for: try identity("a"))
    cache.keep(entry("b"), for: try identity("b"))
    _ = cache.find(try identity("a"))

    cache.keep(entry("c"), for: try identity("c"))

    #expect(cache.find(try identity("b")) == nil)
    #expect(cache.find(try identity("a")) != nil)
    #expect(cache.cost == 8)
    #expect(cache.count == 2)
  }

  @Test func `stores nothing that is larger than the limit`() throws {
    let cache = PictureCache(costLimit: 3)

    cache.keep(entry("a"), for: try identity("a"))

    #expect(cache.count == 0)
    #expect(cache.cost == 0)
  }

  @Test func `keeps the others when a picture is larger than the limit`() throws {
    let cache = PictureCache(costLimit: 8)
    cache.keep(entry("a"), for: try identity("a"))
    cache.keep(entry("b"), for: try identity("b"))
    let large = PictureEntries.Entry(image: .letter("c", width: 3), mayBeShownStale: true)

    cache.keep(large, for: try identity("a"))

    #expect(cache.find(try identity("a")) == nil)
    #expect(cache.find(try identity("b")) != nil)
  }

  @Test func `replaces a picture of an equal request`() throws {
    let cache = PictureCache()
    cache.keep(entry("a"), for: try identity("a"))

    cache.keep(entry("b"), for: try identity("a"))

    #expect(cache.count == 1)
    #expect(cache.cost == 4)
    #expect(cache.find(try identity("a"))?.image.letter == "b")
  }

  @Test func `removes the pictures whose response carries a tag`() throws {
    let cache = PictureCache()
    for name in ["a", "b", "c"] {
      var entry = entry(Character(name))
      let request = try Request("http://a.example/\(name)")
      entry.response = StoredResponse(
        key: CacheKey(request),
        varying: .none,
        head: ResponseHead(status: .ok, headers: [:], url: request.url),
        body: ResourceBody(Data()),
        requestTime: .now,
        responseTime: .now,
        tags: name == "b" ? ["other"] : ["feed", "art"]
      )
      cache.keep(entry, for: try identity(name))
    }

    cache.removeAll(tag: "feed")

    #expect(cache.find(try identity("b"))?.image.letter == "b")
    #expect((cache.count, cache.cost) == (1, 4))
  }

  @Test func `finds and removes a picture whose target has no size`() throws {
    let cache = PictureCache(costLimit: 4)
    cache.keep(entry("a"), for: try identity("a", .nan))
    try #require(cache.find(try identity("a", .nan))?.image.letter == "a")

    cache.keep(entry("b"), for: try identity("b", .nan))

    #expect(cache.count == 1)
    #expect(cache.cost == 4)
  }

  @Test func `keeps nothing of the request of a removed picture`() throws {
    let cache = PictureCache()
    weak var captured: Captured?
    do {
      let object = Captured()
      captured = object
      let processor = ImageProcessor.custom("own") { bitmap in
        _ = object
        return bitmap
      }
      let resource = try Request("http://a.example/a")
      let identity = ImageRequest(resource, processors: [processor]).identity
      cache.keep(entry("a"), for: identity)
      cache.remove(identity)
    }

    #expect(captured == nil)
  }

  private final class Captured: Sendable {}

  @Test func `can be emptied`() throws {
    let cache = PictureCache()
    cache.keep(entry("a"), for: try identity("a"))

    cache.removeAll()

    #expect(cache.count == 0)
    #expect(cache.find(try identity("a")) == nil)
  }
}
