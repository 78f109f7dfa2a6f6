import Foundation
import FreshetTesting
import Testing

@testable import Freshet
@testable import FreshetModels

@Suite(.serialized) struct ModelSessionTests {
  @Test func `sees a commit between its own commit and its note`() async throws {
    try await TemporaryDirectory.scope { directory in
      let place = directory.file("models")
      let core = ModelDatabase(place: .directory(place), configuration: .init(), now: { Date() })
      let session = ModelSession(core: core, wake: {})
      try session.open()
      let other = ModelStore(directory: place)
      try await other.save(Person.sample(1))
      session.doDue()
      // One who depends on nothing hears only of what others may have changed.
      let subscription = ModelSubscription()
      _ = core.observers.add(subscription)
      _ = subscription.turn()
      subscription.didRead(ModelInterest())
      let job = ModelSession.Job(
        work: { transaction throws(FreshetError) in
          try transaction.save(Person.sample(2))
          return {}
        },
        fail: { Issue.record($0) }
      )

      session.announce(session.commit([job]))
      guard case .wait = subscription.turn() else { throw FreshetError.noValue }
      let outcome = session.commit([job.changed])
      try await other.save(Person.sample(3))
      session.announce(outcome)

      guard case .read = subscription.turn() else { throw FreshetError.noValue }
      session.end()
      await other.close()
    }
  }
}

extension ModelSession.Job {
  /// Another change of the same kind.
  fileprivate var changed: Self {
    Self(
      work: { transaction throws(FreshetError) in
        try transaction.save(Person.sample(4))
        return {}
      },
      fail: fail
    )
  }
}
