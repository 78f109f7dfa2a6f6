import Foundation
import Freshet
import FreshetTesting
import Synchronization
import Testing

/// Prints the size of each download.
struct ReportDownloads: FetchStage {
  var handles: Fetch.Kinds { .downloaded }

  func replyNow(to step: Fetch) -> Fetch.Reply? {
    if case .downloaded(let downloaded) = step {
      print("\(downloaded.response.body.length) bytes")
    }
    return .pass
  }
}

private func standing(
  _ request: Request,
  memory: MemoryStore,
  transport: DefaultTransport,
  client: Client
) {
  let logo = Fetch.request(request)
    .lookup(in: memory)
    .download(over: transport)
    .appending(ReportDownloads())
    .persist(in: memory)
    .settle()

  let preset = client.chain(for: request)
    .inserting(ReportDownloads(), after: .download)
    .settle()

  let reporting = Client { $0.editChain = { $0.inserting(ReportDownloads(), after: .download) } }
  _ = (logo, preset, reporting)
}

/// Forwards at most one progress step in an interval, and every other step.
struct PaceProgress<C: Clock<Duration>>: StatefulFetchStage {
  let interval: Duration
  let clock: C

  var handles: Fetch.Kinds { .progress }
  var stageDescription: String { ".paceProgress(every: \(interval))" }

  func makeRunStage() -> any FetchStage { PacedRun(pace: self) }
}

/// The stage of one run.
final class PacedRun<C: Clock<Duration>>: FetchStage {
  private let pace: PaceProgress<C>
  private let last = Mutex<C.Instant?>(nil)

  init(pace: PaceProgress<C>) {
    self.pace = pace
  }

  var handles: Fetch.Kinds { .progress }

  func replyNow(to step: Fetch) -> Fetch.Reply? { isEarly(pace.clock.now) ? .nothing : .pass }

  private func isEarly(_ now: C.Instant) -> Bool {
    last.withLock { last in
      if let last, last.duration(to: now) < pace.interval { return true }
      last = now
      return false
    }
  }
}

extension AsyncSequence where Self: Sendable, Element == Fetch, Failure == FreshetError {
  /// Limits the rate of progress, see ``PaceProgress``.
  func paceProgress<C: Clock<Duration>>(
    every interval: Duration,
    clock: C = ContinuousClock()
  ) -> FetchChain {
    appending(PaceProgress(interval: interval, clock: clock))
  }
}

/// Pauses before each download.
struct PauseBeforeDownload<C: Clock<Duration>>: FetchStage {
  let pause: Duration
  let clock: C

  var handles: Fetch.Kinds { .wanted }

  func reply(to step: Fetch) async throws(FreshetError) -> Fetch.Reply {
    do {
      try await clock.sleep(for: pause)
    } catch {
      throw .cancelled
    }
    return .pass
  }
}

@Suite struct PaceProgressTests {
  let clock = VirtualClock()
  let chunks = [Data("one".utf8), Data("two".utf8), Data("three".utf8)]

  private func chain(_ transport: ScriptedTransport) throws -> FetchChain {
    Fetch.request(try Request("http://a.example/film"))
      .download(over: transport)
      .paceProgress(every: .seconds(1), clock: clock)
  }

  @Test func `forwards one progress in each interval, and every other step`() async throws {
    let transport = ScriptedTransport(sequence: [ScriptedResponse(chunks: chunks)])
    var progress: [Int64] = []
    var downloads = 0

    for try await step in try chain(transport) {
      if case .progress(let step) = step { progress.append(step.completed) }
      if case .downloaded = step { downloads += 1 }
    }

    #expect(progress == [3])
    #expect(downloads == 1)
  }

  @Test func `forwards the next progress after the interval`() async throws {
    let transport = ScriptedTransport(sequence: [ScriptedResponse(chunks: chunks)])
    var progress: [Int64] = []

    for try await step in try chain(transport) {
      if case .progress(let step) = step { progress.append(step.completed) }
      clock.advance(by: .seconds(1))
    }

    #expect(progress == [3, 6, 11])
  }

  @Test func `keeps no state between runs`() async throws {
    let transport = ScriptedTransport { [chunks] _ in ScriptedResponse(chunks: chunks) }
    let chain = try chain(transport)
    var progress = 0

    for _ in 1...2 {
      for try await step in chain {
        if case .progress = step { progress += 1 }
      }
    }

    #expect(progress == 2)
  }
}

@Suite struct WaitingStageTests {
  @Test func `a stage that waits ends with one error when its task is cancelled`() async throws {
    let clock = VirtualClock()
    let transport = ScriptedTransport(sequence: [.text("hello")])
    let chain = Fetch.request(try Request("http://a.example/hello"))
      .appending(PauseBeforeDownload(pause: .seconds(5), clock: clock))
      .download(over: transport)
      .settle()

    let task = Task { try await chain.value }
    await clock.sleepers(count: 1)
    task.cancel()

    let error = await #expect(throws: FreshetError.self) { try await task.value }
    #expect(error == .cancelled)
    #expect(transport.requests.isEmpty)
  }
}

@Suite struct PrintedStageTests {
  @Test func `a custom stage prints as its article says`() throws {
    let chain = Fetch.request(try Request("http://a.example/film"))
      .download(over: ScriptedTransport(sequence: [.text("hello")]))
      .paceProgress(every: .seconds(1))

    #expect("\(chain)" == (try Printed.blocks(inArticle: "WritingAStage").first))
  }
}
