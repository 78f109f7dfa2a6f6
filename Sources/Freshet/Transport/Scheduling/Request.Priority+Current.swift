extension Request.Priority {
  /// The priority of the work of this task, which can change while whatever it waits for observes it.
  @TaskLocal static var current: ObservedValue<Request.Priority>?
}
