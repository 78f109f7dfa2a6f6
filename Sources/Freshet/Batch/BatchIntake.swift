/// Takes the items of a source one after the other, as there is room.
struct BatchIntake: Sendable {
  /// Takes an item and says whether more are wanted; `nil` if there is no room for it.
  let offer: @Sendable (BatchItem) -> Bool?
  /// Waits for room.
  let room: @Sendable () async -> Void

  /// Takes an item when there is room; `false` when no more are wanted.
  ///
  /// There nearly always is, and what need not wait should not cost a frame.
  @inline(__always)
  func take(_ item: BatchItem) async -> Bool {
    while true {
      if let isTaken = offer(item) { return isTaken }
      await room()
    }
  }
}
