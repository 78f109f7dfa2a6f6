import Foundation
import Freshet
import FreshetTesting
import Testing

@testable import FreshetImages

/// The state table once more, from the stores and the network to the surface, with a virtual clock.
@MainActor
@Suite(.timeLimit(.minutes(5))) struct StateTableOnScreenTests {
  /// What there is before the view asks.
  enum Local: Sendable {
    case nothing
    case expired
    case fresh
    case seed
  }

  /// What the origin says after the activity indicator is due.
  enum Answer: Sendable {
    case same
    case other
    case noPicture
    case missing
    case down
  }

  struct Row: CustomTestStringConvertible, Sendable {
    let name: String
    let local: Local
    let answer: Answer
    /// With the local copy shown at once.
    let shown: [String]
    /// With the local copy withheld.
    let withheld: [String]

    var testDescription: String { name }

    /// Whether the local copy is all that is looked at.
    var isLocal: Bool { local == .fresh || local == .seed }

    func lines(_ options: ImageOptions) -> [String] {
      let lines = options.local == .shown ? shown : withheld
      return options.completion == .always
        ? lines : lines.filter { !$0.hasSuffix("unchanged") }
    }
  }

  private nonisolated static let begun = ["activity", "no activity"]
  private nonisolated static let early = ["picture a", "report preview a"]
  private nonisolated static let unseen = ["report preview a, unchanged"] + begun
  private nonisolated static let atOnce = ["picture a", "report image a"]

  nonisolated static let rows: [Row] = [
    Row(
      name: "expired, and the validation succeeds",
      local: .expired,
      answer: .same,
      shown: early + ["report image a, unchanged"],
      withheld: unseen + ["picture a, crossFade", "report image a"]
    ),
    Row(
      name: "expired, and the validation fails",
      local: .expired,
      answer: .down,
      shown: early + ["report image a, unchanged"],
      withheld: unseen + ["picture a", "report image a"]
    ),
    Row(
      name: "expired, and there is another",
      local: .expired,
      answer: .other,
      shown: early + ["picture b, crossFade", "report image b"],
      withheld: unseen + ["picture b, crossFade", "report image b"]
    ),
    Row(
      name: "expired, and what comes is no picture",
      local: .expired,
      answer: .noPicture,
      shown: early + ["report failure"],
      withheld: unseen + ["failure", "report failure"]
    ),
    Row(
      name: "expired, and it is gone",
      local: .expired,
      answer: .missing,
      shown: early + ["report failure"],
      withheld: unseen + ["failure", "report failure"]
    ),
    Row(name: "still valid", local: .fresh, answer: .down, shown: atOnce, withheld: atOnce),
    Row(name: "shipped", local: .seed, answer: .down, shown: atOnce, withheld: atOnce),
    Row(
      name: "downloaded",
      local: .nothing,
      answer: .other,
      shown: begun + ["picture b, crossFade", "report image b"],
      withheld: begun + ["picture b, crossFade", "report image b"]
    ),
    Row(
      name: "downloaded, and it is no picture",
      local: .nothing,
      answer: .noPicture,
      shown: begun + ["failure", "report failure"],
      withheld: begun + ["failure", "report failure"]
    ),
    Row(
      name: "not there",
      local: .nothing,
      answer: .missing,
      shown: begun + ["failure", "report failure"],
      withheld: begun + ["failure", "report failure"]
    ),
    Row(
      name: "nothing there, and no network",
      local: .nothing,
      answer: .down,
      shown: begun + ["failure", "report failure"],
      withheld: begun + ["failure", "report failure"]
    ),
  ]

  private let clock = VirtualClock()
  private let ledger = Ledger()
  private let gate = Gate()
  private let folder: TemporaryDirectory

  init() throws {
    folder = try TemporaryDirectory()
  }

  private func response(_ letters: String, eTag: String = "\"v1\"") -> ScriptedResponse {
    ScriptedResponse(
      headers: [
        .date: HTTPDate.format(clock.date), .cacheControl: "max-age=60", .eTag: eTag,
      ],
      body: Data(letters.utf8)
    )
  }

  /// What the origin says once the gate is open.
  private func scripted(_ answer: Answer) -> ScriptedResponse {
    switch answer {
    case .same:
      ScriptedResponse(304, headers: [.eTag: "\"v1\"", .cacheControl: "max-age=60"])
        .waiting(for: gate)
    case .other: response("b1", eTag: "\"v2\"").waiting(for: gate)
    case .noPicture: response("broken", eTag: "\"v2\"").waiting(for: gate)
    case .missing: ScriptedResponse(404).waiting(for: gate)
    case .down:
      ScriptedResponse().waiting(for: gate).failing(with: .connection(.refused, url: ""))
    }
  }

  /// A client with what is there before.
  private func client(_ row: Row) async throws -> Client {
    let (memory, clock) = (MemoryStore(), clock)
    let request = try Request("http://a.example/a")
    let before = Client { [response = response("a1")] in
      $0.transport = ScriptedTransport(sequence: [response])
      $0.memory = row.local == .seed ? nil : memory
      $0.now = { clock.date }
    }
    var seeds: SeedStore?
    if row.local != .nothing {
      let resource = try await before.resource(request).value
      if row.local == .seed {
        var builder = try SeedBuilder(directory: folder.url)
        _ = try builder.add(resource.response)
        try builder.write()
        seeds = SeedStore(directory: folder.url)
      }
    }
    clock.advance(by: .seconds(row.local == .expired ? 61 : 1))
    return Client { [seeds, answer = scripted(row.answer)] in
      $0.transport = ScriptedTransport(sequence: [answer])
      $0.memory = memory
      $0.seeds = seeds
      $0.now = { clock.date }
    }
  }

  nonisolated static let choices = ImageOptions.Local.allCases.flatMap { local in
    ImageOptions.Completion.allCases.map { completion in
      ImageOptions {
        $0.local = local
        $0.completion = completion
      }
    }
  }

  @Test(arguments: rows, choices)
  func `shows and reports each state`(row: Row, options: ImageOptions) async throws {
    // Nothing is decoded yet, as after a launch.
    let loader = ImageLoader(try await client(row)) { $0.decoder = LetterDecoder() }
    let presenter = ImagePresenter(loader: loader, surface: ledger, options: options, clock: clock)
    presenter.show(ImageRequest(try Request("http://a.example/a")))

    if !row.isLocal {
      await gate.waiting()
      if row.local == .expired {
        switch (options.local, options.completion) {
        case (.shown, _): await ledger.wait(for: "picture a")
        case (.withheld, .always): await ledger.wait(for: "report preview a, unchanged")
        case (.withheld, .onChange): break
        }
      }
      await clock.sleepers(count: 1)
      clock.advance(by: .milliseconds(250))
      if presenter.state.content.image == nil { await ledger.wait(for: "activity") }
      gate.open()
    }
    let lines = row.lines(options)
    await ledger.wait(for: try #require(lines.last))
    // A report that is not expected would come with the last phase at the latest.
    await presenter.finish()

    #expect(ledger.lines == lines)
  }
}
