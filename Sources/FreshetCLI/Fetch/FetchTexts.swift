import Synchronization

/// The URLs as the user wrote them, by their places; what has ended is forgotten.
final class FetchTexts: Sendable {
  private struct State {
    var texts: [Int: String] = [:]
    var count = 0
  }

  private let state = Mutex(State())

  subscript(place: Int) -> String {
    state.withLock { $0.texts[place] } ?? ""
  }

  /// Takes the next place.
  func add(_ text: String) -> Int {
    state.withLock { state in
      defer { state.count += 1 }
      state.texts[state.count] = text
      return state.count
    }
  }

  func remove(_ place: Int) {
    _ = state.withLock { $0.texts.removeValue(forKey: place) }
  }
}
