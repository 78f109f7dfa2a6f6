import Foundation
public import Freshet
import FreshetTesting
import Testing

// The two files of `.github/OPERATOR_TEMPLATE.md`, as they stand there.

extension AsyncSequence where Self: Sendable, Element == Fetch, Failure == FreshetError {
  /// Does something: turns `one kind of step` into `another`.
  ///
  /// - What is forwarded, repeated, dropped or held back.
  /// - What happens when the network or a store fails.
  /// - What cancellation does.
  ///
  /// - Parameter value: What it is; its unit, its bounds and its default.
  /// - Returns: The steps, with what in place of what.
  public func name(_ value: Int) -> some AsyncSequence<Fetch, FreshetError> & Sendable {
    NameSequence(base: self, value: value)
  }
}

// MARK: - Sequence

struct NameSequence<Base: AsyncSequence & Sendable>: AsyncSequence, Sendable
where Base.Element == Fetch, Base.Failure == FreshetError {
  let base: Base
  let value: Int

  func makeAsyncIterator() -> Iterator {
    Iterator(base: base.makeAsyncIterator(), value: value)
  }
}

// MARK: - Iterator

extension NameSequence {
  struct Iterator: AsyncIteratorProtocol {
    var base: Base.AsyncIterator
    let value: Int

    mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(FreshetError) -> Fetch? {
      let step = try await base.next(isolation: actor)
      guard case .wanted(let wanted) = step else { return step }
      // The decision itself is a pure function of values, in a file of its own.
      return .wanted(wanted)
    }
  }
}

@available(*, unavailable)
extension NameSequence.Iterator: Sendable {}

// MARK: - Description

extension NameSequence: PipelineStage {
  var stageDescription: String { ".name(\(value))" }
}

@Suite struct NameTests {
  let world = FetchWorld()

  @Test func `turns one kind of step into another`() async throws {
    let chain = Fetch.request(try world.request).name(1)

    #expect(try await chain.names == ["wanted"])
  }

  @Test func `forwards every other step untouched`() async throws {
    try await world.store(world.minute("one"))

    let chain = Fetch.request(try world.request).lookup(in: world.memory).name(1)

    #expect(try await chain.names == ["found"])
  }

  @Test func `prints as it is written`() throws {
    let chain = Fetch.request(try world.request).name(1)

    #expect("\(chain)".hasSuffix("\n  .name(1)"))
  }
}

@Suite struct OperatorTemplateTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../..")
    .standardized

  private static func lines(_ text: String) -> [Substring] {
    text.split(separator: "\n").filter { !$0.hasPrefix("import ") }
  }

  @Test func `the template is code that compiles and passes its tests`() throws {
    let page = Self.root.appending(path: ".github/OPERATOR_TEMPLATE.md")
    let template = try String(contentsOf: page, encoding: .utf8)
    let source = Self.lines(try String(contentsOf: URL(filePath: #filePath), encoding: .utf8))
    let blocks = template.components(separatedBy: "```text\n")
      .dropFirst()
      .compactMap { $0.components(separatedBy: "```").first }

    #expect(blocks.count == 2)
    for block in blocks {
      let isThere = source.indices.contains { source[$0...].starts(with: Self.lines(block)) }
      #expect(isThere)
    }
  }
}
