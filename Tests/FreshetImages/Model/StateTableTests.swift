import Freshet
import Testing

@testable import FreshetImages

/// The state table of the ancestors' image view, mended where it left a view spinning or silent.
@Suite struct StateTableTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let name: String
    let phases: [ImagePhase]
    /// With the local copy shown at once.
    let shown: [String]
    /// With the local copy withheld.
    let withheld: [String]

    var testDescription: String { name }
  }

  private static let broken = ImageError.resource(.connection(.lost, url: ""))
  private static let stale = LoadedImage.letter("a", .disk, .stale, isFinal: false)

  static let rows: [Row] = [
    Row(
      name: "the local copy is being validated",
      phases: [.preview(stale)],
      shown: ["no activity", "picture a", "report preview a"],
      withheld: ["report preview a, unchanged"]
    ),
    Row(
      name: "the validation has succeeded",
      phases: [.preview(stale), .image(.letter("a", .disk, .revalidated), .unchanged)],
      shown: ["no activity", "picture a", "report preview a", "report image a, unchanged"],
      withheld: [
        "report preview a, unchanged", "no activity", "picture a, crossFade", "report image a",
      ]
    ),
    Row(
      name: "the validation has failed, and the local copy stands in",
      phases: [.image(.letter("a", .disk, .stale), .appeared)],
      shown: ["no activity", "picture a", "report image a"],
      withheld: ["no activity", "picture a", "report image a"]
    ),
    Row(
      name: "the local copy is still valid",
      phases: [.image(.letter("a", .memory, .fresh), .appeared)],
      shown: ["no activity", "picture a", "report image a"],
      withheld: ["no activity", "picture a", "report image a"]
    ),
    Row(
      name: "the app has shipped it",
      phases: [.image(.letter("a", .seed, .fresh), .appeared)],
      shown: ["no activity", "picture a", "report image a"],
      withheld: ["no activity", "picture a", "report image a"]
    ),
    Row(
      name: "a new one was downloaded",
      phases: [.image(.letter("b"), .appeared)],
      shown: ["no activity", "picture b, crossFade", "report image b"],
      withheld: ["no activity", "picture b, crossFade", "report image b"]
    ),
    Row(
      name: "a new one has replaced the local copy",
      phases: [.preview(stale), .image(.letter("b"), .replaced)],
      shown: [
        "no activity", "picture a", "report preview a", "picture b, crossFade", "report image b",
      ],
      withheld: [
        "report preview a, unchanged", "no activity", "picture b, crossFade", "report image b",
      ]
    ),
    Row(
      name: "a part of it has arrived, and then the rest",
      phases: [.arriving(LoadedImage.letter("c").picture), .image(.letter("c"), .appeared)],
      shown: ["no activity", "arriving c", "picture c", "report image c"],
      withheld: ["no activity", "arriving c", "picture c", "report image c"]
    ),
    Row(
      name: "a part of it has arrived, and then no more",
      phases: [.arriving(LoadedImage.letter("c").picture), .failure(broken, showing: nil)],
      shown: ["no activity", "arriving c", "failure", "report failure"],
      withheld: ["no activity", "arriving c", "failure", "report failure"]
    ),
    Row(
      name: "what came is no picture",
      phases: [.failure(.damaged("it is none"), showing: nil)],
      shown: ["no activity", "failure", "report failure"],
      withheld: ["no activity", "failure", "report failure"]
    ),
    Row(
      name: "the load has failed",
      phases: [.failure(broken, showing: nil)],
      shown: ["no activity", "failure", "report failure"],
      withheld: ["no activity", "failure", "report failure"]
    ),
    Row(
      name: "the load has failed after the local copy was shown",
      phases: [.preview(stale), .failure(broken, showing: stale)],
      shown: ["no activity", "picture a", "report preview a", "report failure"],
      withheld: ["report preview a, unchanged", "no activity", "failure", "report failure"]
    ),
  ]

  private func outputs(_ row: Row, _ options: ImageOptions) throws -> [String] {
    var state = ImageViewState()
    let request = ImageRequest(try Request("http://a.example/"))
    _ = state.receive(.show(request, options, remembered: nil))
    _ = state.receive(.activityIsDue(state.token))
    #expect(state.isActive)
    return row.phases.flatMap { state.receive(.phase($0, state.token)) }.map(\.words)
  }

  @Test(arguments: rows)
  func `shows the local copy immediately`(row: Row) throws {
    #expect(try outputs(row, ImageOptions { $0.completion = .always }) == row.shown)
  }

  @Test(arguments: rows)
  func `withholds the local copy`(row: Row) throws {
    let options = ImageOptions {
      $0.local = .withheld
      $0.completion = .always
    }

    #expect(try outputs(row, options) == row.withheld)
  }

  @Test(arguments: rows, ImageOptions.Local.allCases)
  func `reports only changes on request`(row: Row, local: ImageOptions.Local) throws {
    let wanted = (local == .shown ? row.shown : row.withheld)
      .filter { !$0.hasSuffix("unchanged") }

    #expect(try outputs(row, ImageOptions { $0.local = local }) == wanted)
  }
}
