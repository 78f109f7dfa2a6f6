import Synchronization

/// The URLs as the user wrote them, by position; those of ended items are removed.
final class FetchTexts: Sendable {
  private struct State {
    var texts: [Int: String] = [:]
    var count = 0
  }

  private let state = Mutex(State())

  subscript(place: Int) -> String {
    state.withLock { $0.texts[place] } ?? ""
  }

  func add(_ text: String) {
    state.withLock { state in
      state.texts[state.count] = text
      state.count += 1
    }
  }

  func remove(_ place: Int) {
    _ = state.withLock { $0.texts.removeValue(forKey: place) }
  }
}
