import FreshetTesting
import Testing

@testable import Freshet

@Suite(.timeLimit(.minutes(5))) struct WatchedTests {
  @Test func `a task that changes the state resumes those that began to wait before it`() async {
    let state = Watched(0)
    let early = Task { await state.wait { $0 == 2 } }
    while state.waiterCount < 1 { await Task.yield() }
    let late = Task {
      await state.first { state -> Bool? in
        guard state == 1 else { return nil }
        state = 2
        return true
      }
    }
    while state.waiterCount < 2 { await Task.yield() }

    state.update { $0 = 1 }

    #expect(await late.value == true)
    #expect(await early.value)
  }
}
