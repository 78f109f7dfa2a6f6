import Synchronization

/// The reader of one planning.
final class PlanReader {
  private let batch: Batch
  private let engine: BatchEngine<BatchPlan.Item>
  private var inbox = Queue<BatchPlan.Item>()
  private var hasBegun = false
  private var isOver = false
  private var items: [BatchPlan.Item] = []
  private var totals = BatchPlan.Totals()

  init(_ batch: Batch, _ limits: BatchLimits) {
    self.batch = batch
    let now = ContinuousClock().stopwatch()
    engine = BatchEngine(limits, batch.readAhead(limits), now: now)
  }

  deinit {
    engine.cancel()
  }

  func next() async throws(FreshetError) -> PlanEvent? {
    if isOver { return nil }
    do throws(FreshetError) {
      while true {
        if Task.isCancelled { throw FreshetError.cancelled }
        if !hasBegun { begin() }
        if let item = inbox.popFirst() {
          items.append(item)
          totals.add(item)
          return .counted(item, totals)
        }
        switch engine.take(into: &inbox) {
        case .signals:
          break
        case .end(let failure):
          if let failure { throw failure }
          isOver = true
          return .planned(BatchPlan(items, client: batch.client, policy: batch.policy))
        case .nothing:
          await engine.news()
        }
      }
    } catch {
      isOver = true
      engine.cancel()
      throw error
    }
  }

  private func begin() {
    hasBegun = true
    engine.start(distinct, nil) { [batch] item, _, _ in
      let policy = item.policy(of: batch) ?? batch.usedPolicy
      var need = BatchPlan.Need.unknown
      var problem: String?
      do throws(FreshetError) {
        need = try await SizeInquiry(client: batch.client, policy: policy).need(of: item.request)
      } catch {
        problem = error.description
      }
      return BatchPlan.Item(
        index: item.index,
        entry: item.entry.protecting(batch.client.configuration.allSecretHeaders),
        need: need,
        problem: problem
      )
    }
  }

  /// The source, with each request once; a plan stores all of them anyway.
  private var distinct: BatchSource {
    guard case .stream(let stream) = batch.source else { return batch.source }
    return .stream { [client = batch.client] intake throws(FreshetError) in
      let seen = Mutex<Set<ItemKey>>([])
      try await stream { item in
        if let key = ItemKey(item.entry, client), !seen.withLock({ $0.insert(key).inserted }) {
          return true
        }
        return await intake(item)
      }
    }
  }
}
