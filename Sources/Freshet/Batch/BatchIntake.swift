/// Takes the items of a source one after the other, when there is room.
struct BatchIntake: Sendable {
  /// A closure that takes an item and returns whether more are needed; `nil` if there is no room for it.
  let offer: @Sendable (BatchItem) -> Bool?
  /// A closure that waits for room.
  let room: @Sendable () async -> Void

  /// Takes an item when there is room; returns `false` when no more are needed.
  ///
  /// It is inlined because there is nearly always room, and a call that need not wait should be cheap.
  @inline(__always)
  func take(_ item: BatchItem) async -> Bool {
    while true {
      if let isTaken = offer(item) { return isTaken }
      await room()
    }
  }
}
