import Freshet
import Synchronization

/// The sequences whose newest values are shown.
final class LiveShows: Sendable {
  struct Value: Sendable {
    var name: String
    var count = 0
    var text = ""
    var hasEnded = false
  }

  private struct State {
    var values: [Value] = []
    var tasks: [String: Task<Void, Never>] = [:]
    var version = 0
  }

  private let state = Mutex(State())
  private let recorder: Recorder

  /// The largest number of sequences, and of bytes of a value.
  private static let maximumCount = 100
  private static let maximumLength = 4 << 10

  init(_ recorder: Recorder) {
    self.recorder = recorder
  }

  var values: [Value] { state.withLock(\.values) }
  var version: Int { state.withLock(\.version) }

  func add<Values: AsyncSequence & Sendable>(_ name: String, _ values: Values)
  where Values.Element: Sendable {
    let earlier = state.withLock { state -> Task<Void, Never>? in
      guard state.values.count < Self.maximumCount else { return nil }
      let earlier = state.tasks[name]
      if !state.values.contains(where: { $0.name == name }) {
        state.values.append(Value(name: name))
      }
      state.tasks[name] = Task { [weak self] in
        do {
          for try await value in values {
            guard !Task.isCancelled else { return }
            self?.note(name, Self.text(of: value))
          }
          self?.end(name, nil)
        } catch {
          self?.end(name, String(describing: error))
        }
      }
      return earlier
    }
    earlier?.cancel()
  }

  func removeAll() {
    let tasks = state.withLock { state in
      defer { state = State() }
      return Array(state.tasks.values)
    }
    for task in tasks { task.cancel() }
  }

  private static func text(of value: some Sendable) -> String {
    Printable.line(
      String(decoding: String(describing: value).utf8.prefix(maximumLength), as: UTF8.self)
    )
  }

  private func note(_ name: String, _ text: String) {
    change(name) { value in
      value.count += 1
      value.text = text
    }
  }

  private func end(_ name: String, _ failure: String?) {
    change(name) { value in
      value.hasEnded = true
      if let failure { value.text = Printable.line(failure) }
    }
  }

  private func change(_ name: String, _ change: (inout Value) -> Void) {
    state.withLock { state in
      guard let index = state.values.firstIndex(where: { $0.name == name }) else { return }
      change(&state.values[index])
      state.version = recorder.nextVersion()
    }
  }
}
