import Foundation
import Freshet
import FreshetTesting
import Testing

extension AsyncSequence where Self: Sendable, Element == Fetch, Failure == FreshetError {
  /// Thins progress out: lets the first one pass, and then at most one in an interval.
  ///
  /// - Every other step passes at once, and the order stays.
  /// - The last progress may be missing; the value that follows it tells the same.
  /// - Nothing is held back, so nothing is lost when the task is cancelled.
  ///
  /// - Parameters:
  ///   - interval: The shortest time between two progress steps; zero lets all pass.
  ///   - clock: What measures it; the system's by default.
  /// - Returns: The steps, with fewer of `progress`.
  func paceProgress<C: Clock<Duration>>(
    every interval: Duration,
    clock: C = ContinuousClock()
  ) -> some AsyncSequence<Fetch, FreshetError> & Sendable {
    PaceProgressSequence(base: self, interval: interval, clock: clock)
  }
}

// MARK: - Sequence

struct PaceProgressSequence<Base: AsyncSequence & Sendable, C: Clock>: AsyncSequence, Sendable
where Base.Element == Fetch, Base.Failure == FreshetError, C.Duration == Duration {
  let base: Base
  let interval: Duration
  let clock: C

  func makeAsyncIterator() -> Iterator {
    Iterator(base: base.makeAsyncIterator(), interval: interval, clock: clock)
  }
}

// MARK: - Iterator

extension PaceProgressSequence {
  struct Iterator: AsyncIteratorProtocol {
    var base: Base.AsyncIterator
    let interval: Duration
    let clock: C
    var last: C.Instant?

    mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(FreshetError) -> Fetch? {
      while let step = try await base.next(isolation: actor) {
        guard case .progress = step else { return step }
        let now = clock.now
        if let last, last.duration(to: now) < interval { continue }
        last = now
        return step
      }
      return nil
    }
  }
}

@available(*, unavailable)
extension PaceProgressSequence.Iterator: Sendable {}

extension PaceProgressSequence: PipelineStage {
  var stageDescription: String { ".paceProgress(every: \(interval))" }
}

@Suite struct PaceProgressTests {
  let clock = VirtualClock()
  let chunks = [Data("one".utf8), Data("two".utf8), Data("three".utf8)]

  private func chain(
    _ transport: ScriptedTransport
  ) throws -> some AsyncSequence<Fetch, FreshetError> & Sendable {
    Fetch.request(try Request("http://a.example/film"))
      .download(over: transport)
      .paceProgress(every: .seconds(1), clock: clock)
  }

  @Test func `lets one progress pass in an interval, and every other step`() async throws {
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

  @Test func `lets the next one pass when the interval is over`() async throws {
    let transport = ScriptedTransport(sequence: [ScriptedResponse(chunks: chunks)])
    var progress: [Int64] = []

    for try await step in try chain(transport) {
      if case .progress(let step) = step { progress.append(step.completed) }
      clock.advance(by: .seconds(1))
    }

    #expect(progress == [3, 6, 11])
  }

  @Test func `a reader that leaves ends the transfer`() async throws {
    let gate = Gate()
    let transport = ScriptedTransport(sequence: [
      ScriptedResponse(chunks: chunks).waiting(for: gate, at: .afterChunks(1))
    ])

    for try await step in try chain(transport) {
      if case .progress = step { break }
    }

    #expect(await transport.counted { $0.cancelled == 1 })
  }

  @Test func `a failure below passes through`() async throws {
    let transport = ScriptedTransport(sequence: [
      ScriptedResponse.failure(.connection(.refused, url: "http://a.example/film"))
    ])

    let error = await #expect(throws: FreshetError.self) {
      for try await _ in try chain(transport) {}
    }

    #expect(error?.kind == "connection")
  }
}

extension AsyncSequence where Self: Sendable, Element == Fetch, Failure == FreshetError {
  /// Pauses before each download, so that a test can show what comes before it.
  fileprivate func pauseBeforeDownloading<C: Clock<Duration>>(
    for pause: Duration,
    clock: C
  ) -> some AsyncSequence<Fetch, FreshetError> & Sendable {
    PauseSequence(base: self, pause: pause, clock: clock)
  }
}

private struct PauseSequence<Base: AsyncSequence & Sendable, C: Clock>: AsyncSequence, Sendable
where Base.Element == Fetch, Base.Failure == FreshetError, C.Duration == Duration {
  let base: Base
  let pause: Duration
  let clock: C

  func makeAsyncIterator() -> Iterator {
    Iterator(base: base.makeAsyncIterator(), pause: pause, clock: clock)
  }

  struct Iterator: AsyncIteratorProtocol {
    var base: Base.AsyncIterator
    let pause: Duration
    let clock: C

    mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(FreshetError) -> Fetch? {
      let step = try await base.next(isolation: actor)
      guard case .wanted = step else { return step }
      do {
        try await clock.sleep(for: pause)
      } catch {
        throw .cancelled
      }
      return step
    }
  }
}

@Suite struct WaitingStageTests {
  @Test func `a stage that waits ends with one error when its task is cancelled`() async throws {
    let clock = VirtualClock()
    let transport = ScriptedTransport(sequence: [.text("hello")])
    let chain = Fetch.request(try Request("http://a.example/hello"))
      .pauseBeforeDownloading(for: .seconds(5), clock: clock)
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
  @Test func `a stage of one's own prints as its article says`() throws {
    let chain = Fetch.request(try Request("http://a.example/film"))
      .download(over: ScriptedTransport(sequence: [.text("hello")]))
      .paceProgress(every: .seconds(1))

    #expect("\(chain)" == (try Printed.blocks(inArticle: "WritingAStage").first))
  }
}
