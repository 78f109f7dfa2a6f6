import FreshetEssentials

/// An array whose decoding can be cancelled between two elements.
protocol DecodedByElement {
  static func decoded(by decoder: JSONDecoder, from data: Data) throws -> Self
}

extension Array: DecodedByElement where Element: Decodable {
  static func decoded(by decoder: JSONDecoder, from data: Data) throws -> [Element] {
    try decoder.decode(StrictArray<Element>.self, from: data).elements
  }
}

/// All elements of an array; the first invalid one fails it.
struct StrictArray<Element: Decodable>: Decodable {
  let elements: [Element]

  init(from decoder: any Decoder) throws {
    var container = try decoder.unkeyedContainer()
    var elements: [Element] = []
    while !container.isAtEnd {
      if elements.count % 64 == 63, Task.isCancelled { throw CancellationError() }
      elements.append(try container.decode(Element.self))
    }
    self.elements = elements
  }
}

/// The valid elements of an array, and the errors of the first others.
struct LenientArray<Element: Decodable>: DecodableWithConfiguration {
  let elements: [Element]
  let errors: [(index: Int, error: any Error)]

  init(from decoder: any Decoder, configuration maps: KeyMaps?) throws {
    var container = try decoder.unkeyedContainer()
    var elements: [Element] = []
    var errors: [(index: Int, error: any Error)] = []
    while !container.isAtEnd {
      if container.currentIndex % 64 == 63, Task.isCancelled { throw CancellationError() }
      let index = container.currentIndex
      // Unlike `decode`, this advances even if the element is invalid.
      let element = try container.superDecoder()
      do {
        elements.append(
          try maps?.value(Element.self, from: element)
            ?? element.singleValueContainer().decode(Element.self)
        )
      } catch {
        if errors.count < Self.errorCount { errors.append((index, error)) }
      }
    }
    self.elements = elements
    self.errors = errors
  }
}

extension LenientArray {
  /// The largest number of errors that are kept: a body of few bytes can have one in every other byte.
  private static var errorCount: Int { 20_000 }

  /// The number of failures with an excerpt: finding the place requires reading the body again.
  private static var excerptCount: Int { 50 }

  /// Describes the errors of the elements that were left out.
  func failures(of type: Any.Type, in source: DecodingSource) throws -> [DecodingFailure] {
    guard !errors.isEmpty else { return [] }
    let excerpt = source.excerpt
    return try errors.enumerated()
      .map { position, failure in
        if Task.isCancelled { throw CancellationError() }
        guard position < Self.excerptCount else {
          return DecodingFailure(
            briefly: failure.error,
            decoding: type,
            at: source.path,
            element: failure.index,
            of: excerpt
          )
        }
        return DecodingFailure(
          failure.error,
          decoding: type,
          from: source,
          element: failure.index,
          showing: excerpt
        )
      }
  }
}
