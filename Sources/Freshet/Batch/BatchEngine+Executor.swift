import Synchronization

/// Where the workers run: in the task of the reader, while that waits on the pool; else in tasks of the
/// pool that are made for it.
///
/// The reader is a second thread otherwise, which is woken for each few events, and to which all that
/// the workers have made comes from another processor's caches: an item of a batch then took a sixth
/// longer on two processors. ``ReadySteps`` says how many threads run steps.
extension BatchEngine: TaskExecutor {
  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let priority = TaskPriority(job.priority)
    // An added job may run and end the batch at once, and the runtime retains neither job nor executor.
    let retained = Unmanaged.passRetained(self)
    defer { retained.release() }
    guard ready.withLock({ $0.add(job) }) else { return }
    callRunner(priority)
  }

  /// Calls somebody who runs what is ready: the reader if it waits and may, else a task of the pool.
  private func callRunner(_ priority: TaskPriority?) {
    if let reader = helper() { return reader.resume() }
    Task.detached(priority: priority) { self.runSteps { false } }
  }

  /// Runs what is ready, as long as there is something, unless that is somebody else's already.
  ///
  /// - Parameter hasEnough: Asked after a number of steps; who has enough leaves the rest to others.
  @inline(never)
  func runSteps(until hasEnough: () -> Bool) {
    let (joins, callsAnother) = ready.withLock { ($0.join(), $0.callsAnother()) }
    if callsAnother { callRunner(Task.currentPriority) }
    guard joins else { return }
    let executor = asUnownedTaskExecutor()
    var count = 0
    var total = 0
    var begin = Moment.now
    while let step = ready.withLock({ $0.next() }) {
      step.runSynchronously(on: executor)
      count += 1
      guard count == Self.stepsAtOnce else { continue }
      let end = Moment.now
      let (isStrained, callsAnother) = ready.withLock { ready in
        ready.note(count, took: begin.duration(to: end))
        return (ready.isStrained, ready.callsAnother())
      }
      if callsAnother { callRunner(Task.currentPriority) }
      total += count
      (count, begin) = (0, end)
      if isStrained || total >= Self.stepsInAll, hasEnough() { return leave() }
    }
    if count > 0 { ready.withLock { $0.note(count, took: begin.duration(to: .now)) } }
  }

  /// Leaves what is ready to others: who has been called for it has no time.
  func leaveSteps() {
    if ready.withLock({ $0.join() }) { leave() }
  }

  private func leave() {
    if ready.withLock({ $0.leave() }) { callRunner(Task.currentPriority) }
  }

  /// Whether the running task, if no actor has it, is on the pool: it prefers no other place.
  static var mayRunSteps: Bool {
    withUnsafeCurrentTask { $0?.unownedTaskExecutor == nil }
  }

  /// After how many steps the clock is looked at.
  private static var stepsAtOnce: Int { 8 }
  /// How many short steps come before what their runner has to do itself.
  private static var stepsInAll: Int { 64 }
}
