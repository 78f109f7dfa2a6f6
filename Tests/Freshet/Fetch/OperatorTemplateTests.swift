import Foundation
public import Freshet
import FreshetTesting
import Testing

// The two files of `.github/OPERATOR_TEMPLATE.md`, as they stand there.

extension AsyncSequence where Self: Sendable, Element == Fetch, Failure == FreshetError {
  /// Does something: turns `one kind of step` into `another`.
  ///
  /// - What passes, is repeated, dropped or held back.
  /// - What happens when the network or a store fails.
  /// - What cancellation does.
  ///
  /// - Parameter value: The value; its unit, its bounds and its default.
  /// - Returns: The chain with this stage.
  public func name(_ value: Int) -> FetchChain {
    appending(Name(value))
  }
}

/// Does something, see ``_Concurrency/AsyncSequence/name(_:)``.
public struct Name: FetchStage {
  let value: Int

  /// Makes the stage.
  public init(_ value: Int) {
    self.value = value
  }

  /// The kinds of step that the stage handles.
  public var handles: Fetch.Kinds { .wanted }

  /// Replies to a step without waiting.
  public func replyNow(to step: Fetch) -> Fetch.Reply? {
    guard case .wanted(let wanted) = step else { return .pass }
    // The decision itself is a pure function of values, in a file of its own.
    return .step(.wanted(wanted))
  }

  /// The stage as it is written.
  public var stageDescription: String { ".name(\(value))" }
}

@Suite struct NameTests {
  let world = FetchWorld()

  @Test func `converts one kind of step into another`() async throws {
    let chain = Fetch.request(try world.request).name(1)

    #expect(try await chain.names == ["wanted"])
  }

  @Test func `forwards every other step`() async throws {
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
