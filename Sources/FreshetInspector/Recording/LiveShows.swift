import Freshet
import Synchronization

/// The sequences whose newest values are shown.
final class LiveShows: Sendable {
  struct Value: Sendable {
    var name: String
    /// The number of the sequence, which distinguishes it from an earlier one with the same name.
    let sequence: Int
    var count = 0
    var text = ""
    var hasEnded = false
  }

  private struct State {
    var values: [Value] = []
    var tasks: [String: Task<Void, Never>] = [:]
    var lastSequence = 0
    var version = 0
    var isStopped = false
  }

  private let state = Mutex(State())
  private let versions: VersionCounter

  /// The largest number of sequences, and of bytes of a value.
  private static let maximumCount = 100
  private static let maximumLength = 4 << 10

  init(_ versions: VersionCounter) {
    self.versions = versions
  }

  var values: [Value] { state.withLock(\.values) }
  var version: Int { state.withLock(\.version) }

  func add<Values: AsyncSequence & Sendable>(_ name: String, _ values: Values)
  where Values.Element: Sendable {
    let earlier = state.withLock { state -> Task<Void, Never>? in
      guard !state.isStopped else { return nil }
      let sequence = state.lastSequence + 1
      let value = Value(name: name, sequence: sequence)
      if let index = state.values.firstIndex(where: { $0.name == name }) {
        state.values[index] = value
      } else {
        guard state.values.count < Self.maximumCount else { return nil }
        state.values.append(value)
      }
      state.lastSequence = sequence
      state.version = versions.next()
      let task = Task { [weak self] in
        do {
          for try await value in values {
            guard !Task.isCancelled else { return }
            self?.note(sequence, Self.text(of: value))
          }
          self?.end(sequence, nil)
        } catch {
          self?.end(sequence, Self.text(of: error))
        }
      }
      return state.tasks.updateValue(task, forKey: name)
    }
    earlier?.cancel()
  }

  /// Removes all sequences, and refuses later ones.
  func stop() {
    let tasks = state.withLock { state in
      defer { state = State(isStopped: true) }
      return Array(state.tasks.values)
    }
    for task in tasks { task.cancel() }
  }

  private static func text(of value: some Sendable) -> String {
    Printable.line(
      String(decoding: String(describing: value).utf8.prefix(maximumLength), as: UTF8.self)
    )
  }

  private func note(_ sequence: Int, _ text: String) {
    change(sequence) { value in
      value.count += 1
      value.text = text
    }
  }

  private func end(_ sequence: Int, _ failure: String?) {
    change(sequence) { value in
      value.hasEnded = true
      if let failure { value.text = failure }
    }
  }

  /// Changes the value of a sequence, unless another one has taken its place.
  private func change(_ sequence: Int, _ change: (inout Value) -> Void) {
    state.withLock { state in
      guard let index = state.values.firstIndex(where: { $0.sequence == sequence }) else { return }
      change(&state.values[index])
      state.version = versions.next()
    }
  }
}
