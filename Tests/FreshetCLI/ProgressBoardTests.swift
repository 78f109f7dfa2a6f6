import Foundation
import Freshet
import FreshetTesting
import TestSupport
import Testing

@testable import FreshetCLI

/// What stands on a terminal while a batch runs, and after it.
@Suite struct ProgressBoardTests {
  private let start = ContinuousClock.now

  private func shown(_ texts: [String]) -> [String] {
    Screen.lines(of: Array(texts.joined().replacing("\n", with: "\r\n").utf8))
  }

  private func board(_ urls: [String]) -> ProgressBoard {
    var board = ProgressBoard(width: 60, showsItems: true)
    for (place, url) in urls.enumerated() { board.start(url, place) }
    return board
  }

  @Test func `each picture replaces the one before`() {
    var board = board(["http://a.example/1", "http://a.example/2"])
    let first = board.picture(at: start)
    board.end(0)
    board.advance(TransferProgress(completed: 5, total: 10), 1)
    let second = board.picture(at: start + ProgressBoard.interval)

    #expect(
      shown(["before\n", first]) == ["before", "  http://a.example/1", "  http://a.example/2"]
    )
    #expect(shown(["before\n", first, second]) == ["before", "  5 B of 10 B  http://a.example/2"])
    #expect(shown(["before\n", first, second, board.clear()]) == ["before", ""])
    #expect(board.clear().isEmpty)
  }

  @Test func `draws the known part of a plan while it is made`() {
    var board = board([])
    var totals = BatchPlan.Totals()
    (totals.items, totals.bytes) = (12, 2048)
    board.planned = totals

    #expect(shown([board.picture(at: start)]) == ["planning: 12, 2.0 KiB"])
    #expect(shown([board.clear()]) == [""])
  }

  @Test func `draws at most twenty times a second`() {
    var board = board(["http://a.example/1"])

    #expect(!board.picture(at: start).isEmpty)
    #expect(board.picture(at: start + .milliseconds(49)).isEmpty)
    #expect(!board.picture(at: start + .milliseconds(50)).isEmpty)
  }

  @Test func `a picture keeps a line that has not ended`() {
    var board = board(["http://a.example/1"])
    board.isLineOpen = true
    let first = board.picture(at: start)
    let second = board.picture(at: start + ProgressBoard.interval)

    #expect(shown(["body", first, second]) == ["body", "  http://a.example/1"])
    #expect(shown(["body", first, second, board.clear() + board.closeLine()]) == ["body", ""])
  }

  @Test func `draws nothing while there is no room`() {
    var board = board(["http://a.example/1"])
    board.isHidden = true
    #expect(board.picture(at: start).isEmpty)
    board.isHidden = false

    #expect(!board.picture(at: start).isEmpty)
  }

  @Test func `draws nothing without a terminal`() {
    var board = ProgressBoard(width: nil, showsItems: true)
    board.start("http://a.example/1", 0)

    #expect(board.picture(at: start).isEmpty)
    #expect(board.clear().isEmpty)
  }
}

#if canImport(Glibc)
/// The tool on a terminal.
@Suite(.enabled(if: TerminalRun.isPossible), .timeLimit(.minutes(5))) struct TerminalTests {
  @Test func `bodies stay on the terminal, without the bar`() async throws {
    let server = try LoopbackServer([
      "/open": .text("no end of line"),
      "/slow": .text("slow\nbody\n").dripped(2, every: .milliseconds(60)),
      "/last": .text("last"),
    ])

    let run = try await TerminalRun(
      ["fetch", "--no-plan"] + ["/open", "/slow", "/last"].map { server.url($0).absoluteString }
    )

    #expect(run.status == 0)
    let bodies = run.lines.filter { !$0.hasPrefix("http") }
    #expect(bodies == ["no end of line", "slow", "body", "last", "3 of 3 done, 28 B", ""])
    #expect(!run.lines.contains { $0.contains("█") || $0.contains("░") })
  }

  @Test func `bodies that are not written are not done`() async throws {
    let binary = LoopbackServer.Answer.content(Data([0x89]) + Data("PNG\u{0}end".utf8))
    let server = try LoopbackServer(["/1": binary, "/2": .text("text"), "/3": binary])

    let run = try await TerminalRun(
      ["fetch", "--no-plan"] + ["/1", "/2", "/3"].map { server.url($0).absoluteString }
    )

    #expect(run.status == 1)
    #expect(run.lines.contains { $0.hasPrefix("1 of 3 done, 2 failed") }, "\(run.lines)")
  }

  @Test func `a failed item whose body is not written has failed once`() async throws {
    let binary = Data([0x89]) + Data("PNG\u{0}end".utf8)
    let server = try LoopbackServer([
      "/1": .response(404, body: binary), "/2": .response(404, body: binary),
    ])

    let run = try await TerminalRun(
      ["fetch", "--no-plan", "-i"] + ["/1", "/2"].map { server.url($0).absoluteString }
    )

    #expect(run.lines.contains { $0.hasPrefix("0 of 2 done, 2 failed") }, "\(run.lines)")
  }

  @Test func `one URL has a speed and the remaining time`() async throws {
    let gate = Gate()
    let body = String(repeating: "x", count: 400_000)
    let server = try LoopbackServer([
      "/slow": .text(body).dripped(20_000, every: .milliseconds(40))
        .held(after: 300_000, until: gate)
    ])
    let file = try TemporaryDirectory()

    let run = try await TerminalRun(
      ["fetch", "-o", file.file("x").path, server.url("/slow").absoluteString],
      once: ["KiB/s", " left"]
    ) { gate.open() }

    #expect(run.status == 0)
  }

  @Test(arguments: [([], false), (["-o", "-"], true)])
  func `shows a binary body on request`(options: [String], isShown: Bool) async throws {
    let server = try LoopbackServer(["/": .content(Data([0x89]) + Data("PNG\u{0}end".utf8))])

    let run = try await TerminalRun(["fetch"] + options + [server.url("/").absoluteString])

    #expect(run.status == (isShown ? 0 : 1))
    #expect(run.lines.contains { $0.contains("the body is binary") } != isShown)
    #expect(run.lines.contains { $0.contains("PNG") } == isShown)
  }

  @Test func `shows running items although nothing happens`() async throws {
    let gate = Gate()
    let server = try LoopbackServer([
      "/held": .text("held\n").delayed(until: gate), "/other": .text("other\n"),
    ])
    // The question for its size.
    gate.pass()

    let run = try await TerminalRun(
      [
        "fetch", "-m", "600", server.url("/held").absoluteString,
        server.url("/other").absoluteString,
      ],
      once: [
        "  \(server.url("/held").absoluteString)\u{1B}[K",
        "\(server.url("/other").absoluteString): 200",
      ]
    ) { gate.open() }

    #expect(run.status == 0)
    #expect(run.lines.suffix(4) == ["held", "other", "2 of 2 done, 11 B", ""])
  }
}
#endif
