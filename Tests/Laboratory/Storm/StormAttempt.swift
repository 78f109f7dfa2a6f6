#if !canImport(Darwin)
import Foundation
import Freshet
import FreshetModels
import FreshetTesting

/// What came of an attempt.
enum StormEnding: Sendable {
  /// Everything was read, and was right.
  case whole
  /// The reader has left before the end.
  case left
  case cancelled
  case wrong(String)
}

/// What the tasks of a storm do.
enum StormOperation: String, CaseIterable, Sendable {
  case batch, plan, resource, send, call, stream, share, start, live, observe
}

/// One attempt: it begins something, which is cancelled soon, and looks at all that it gets of it.
struct StormAttempt: Sendable {
  let world: StormWorld
  /// Whether it will be cancelled, so that what has no end may be read on.
  let isCancelled: Bool
  private(set) var generator: SeededGenerator

  init(_ world: StormWorld, isCancelled: Bool, _ generator: SeededGenerator) {
    self.world = world
    self.isCancelled = isCancelled
    self.generator = generator
  }

  func make(_ operation: StormOperation) async -> StormEnding {
    var attempt = self
    do throws(FreshetError) {
      switch operation {
      case .batch: return try await attempt.batch()
      case .plan: return try await attempt.plan()
      case .resource: return try await attempt.resource()
      case .send: return try await attempt.send()
      case .call: return try await attempt.call()
      case .stream: return try await attempt.stream()
      case .share: return try await attempt.share()
      case .start: return try await attempt.start()
      case .live: return try await attempt.live()
      case .observe: return try await attempt.observe()
      }
    } catch {
      return Self.ending(error)
    }
  }

  private static func ending(_ error: FreshetError) -> StormEnding {
    error == .cancelled ? .cancelled : .wrong("\(error)")
  }

  private mutating func dice(_ count: Int) -> Int { Int.random(in: 0..<count, using: &generator) }

  private mutating func targets() -> [StormTarget] {
    (0...dice(7)).map { _ in StormTarget.random(using: &generator) }
  }
}

// MARK: - Batches

extension StormAttempt {
  /// A small batch, read to its end, or left at its first body.
  private mutating func batch() async throws(FreshetError) -> StormEnding {
    let (targets, client) = (targets(), world.client(using: &generator))
    let leaves = dice(4) == 0
    let run = client.batch(targets.map(world.request)).run(maxConcurrent: 1 + dice(8))
    if dice(8) == 0 { return ending(of: try await run.share().value, targets) }
    var result: BatchResult?
    for try await event in run {
      switch event {
      case .received(let item, let resource):
        guard try targets[item.index].isRight(resource.data()) else {
          return .wrong("\(targets[item.index].path) is not right")
        }
        if leaves { return .left }
      case .failed(let item, let error):
        if error != .cancelled || !isCancelled {
          return .wrong("\(targets[item.index].path): \(error)")
        }
      case .finished(let last): result = last
      case .started, .progressed, .advanced: break
      }
    }
    guard let result else { return .wrong("the batch has no result") }
    return ending(of: result, targets)
  }

  private func ending(of result: BatchResult, _ targets: [StormTarget]) -> StormEnding {
    let count = Set(targets).count
    return result.progress.endedItems == count
      ? .whole : .wrong("\(result.progress.endedItems) of \(count) have ended")
  }

  private mutating func plan() async throws(FreshetError) -> StormEnding {
    let (targets, client) = (targets(), world.client(using: &generator))
    let plan = try await client.batch(targets.map(world.request)).plan().value
    let count = Set(targets).count
    return plan.items.count == count ? .whole : .wrong("\(plan.items.count) of \(count) planned")
  }
}

// MARK: - Resources and calls

extension StormAttempt {
  private mutating func resource() async throws(FreshetError) -> StormEnding {
    let (target, client) = (StormTarget.random(using: &generator), world.client(using: &generator))
    return ending(of: try await client.resource(world.request(target)).value, target)
  }

  private func ending(of resource: Resource, _ target: StormTarget) -> StormEnding {
    do throws(FreshetError) {
      return target.isRight(try resource.data()) ? .whole : .wrong("\(target.path) is not right")
    } catch {
      return .wrong("\(target.path) cannot be read: \(error)")
    }
  }

  private mutating func send() async throws(FreshetError) -> StormEnding {
    let (target, client) = (StormTarget.random(using: &generator), world.client(using: &generator))
    let response = try await client.send(world.request(target)).value
    return target.isRight(response.value) ? .whole : .wrong("\(target.path) is not right")
  }

  private mutating func call() async throws(FreshetError) -> StormEnding {
    let client = world.client(using: &generator)
    do throws(CallError<NoErrorModel>) {
      let samples = try await client.call(ListSamples()).output
      return samples.count == StormOrigin.sampleNumbers.count && ListSamples.areRight(samples)
        ? .whole : .wrong("the list is not right")
    } catch {
      guard case .failed(let failure) = error else { return .wrong("\(error)") }
      throw failure
    }
  }

  private mutating func stream() async throws(FreshetError) -> StormEnding {
    let (target, client) = (StormTarget.random(using: &generator), world.client(using: &generator))
    let leaves = dice(2) == 0
    var body = Data()
    for try await chunk in client.stream(world.request(target)) {
      body.append(chunk)
      if leaves { return .left }
    }
    return target.isRight(body) ? .whole : .wrong("\(target.path) is not right")
  }
}

// MARK: - Hot pipelines

extension StormAttempt {
  /// A fetch that other tasks share, or two readers of one that is shared by nobody else.
  private mutating func share() async throws(FreshetError) -> StormEnding {
    if dice(2) == 0 {
      let share = world.share(using: &generator)
      return ending(of: try await share.value(), share.target)
    }
    let (target, client) = (StormTarget.random(using: &generator), world.client(using: &generator))
    let share = StormShare(client.resource(world.request(target)), target)
    let brief = Task { try? await share.value() }
    defer { brief.cancel() }
    if dice(2) == 0 { brief.cancel() }
    return ending(of: try await share.value(), target)
  }

  /// A fetch that was started, and is dropped, cancelled while it is read, or at once.
  private mutating func start() async throws(FreshetError) -> StormEnding {
    let (target, client) = (StormTarget.random(using: &generator), world.client(using: &generator))
    let running = client.resource(world.request(target)).start()
    switch dice(3) {
    case 0: return ending(of: try await running.value, target)
    case 1:
      return await withTaskCancellationHandler { () async -> StormEnding in
        do throws(FreshetError) {
          return ending(of: try await running.value, target)
        } catch {
          return Self.ending(error)
        }
      } onCancel: {
        running.cancel()
      }
    default:
      running.cancel()
      do throws(FreshetError) {
        return ending(of: try await running.value, target)
      } catch {
        return error == .cancelled ? .left : .wrong("\(error)")
      }
    }
  }
}

// MARK: - Models

extension StormAttempt {
  private mutating func live() async throws(FreshetError) -> StormEnding {
    let client = world.client(using: &generator)
    let query = ModelQuery(Sample.self)
    for try await live in client.live(ListSamples(), query, in: world.models) {
      guard ListSamples.areRight(live.value) else { return .wrong("\(live.value)") }
      switch live.state {
      case .fresh:
        if !isCancelled { return .left }
      case .failed(.failed(let error)): return Self.ending(error)
      case .failed(let error): return .wrong("\(error)")
      case .stored, .refreshing: break
      }
    }
    return .wrong("the live models have an end")
  }

  /// Observes models, or one of them, which are saved meanwhile.
  private mutating func observe() async throws(FreshetError) -> StormEnding {
    let sample = Sample(1 + dice(StormOrigin.sampleNumbers.count), length: 40 + dice(4) * 40)
    let models = world.models
    if dice(2) == 0 {
      try await models.save(sample)
      for try await found in models.observe(Sample.self, id: sample.id) {
        guard let found, ListSamples.areRight([found]) else { return .wrong("it is lost") }
        if !isCancelled { return .left }
      }
    } else {
      let saving = Task { try? await models.save(sample) }
      defer { saving.cancel() }
      for try await found in models.observe(ModelQuery(Sample.self)) {
        guard ListSamples.areRight(found) else { return .wrong("\(found)") }
        if !isCancelled { return .left }
      }
    }
    return .wrong("the observation has an end")
  }
}
#endif
