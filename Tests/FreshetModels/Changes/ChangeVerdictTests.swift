import Foundation
import Freshet
import Testing

@testable import FreshetModels

@Suite struct ChangeVerdictTests {
  private static let policy = RetryPolicy {
    $0.maximumRetries = 5
    $0.baseDelay = .seconds(1)
    $0.maximumDelay = .seconds(8)
    $0.maximumRetryAfter = .seconds(60)
  }

  private func verdict(
    _ fault: ChangeFault,
    attempt: Int = 1,
    jitter: Double = 1
  ) -> ChangeVerdict {
    ChangeVerdict(fault, attempt: attempt, policy: Self.policy, jitter: jitter)
  }

  @Test(arguments: 200...599)
  func `each status is repeated, a conflict, or a refusal`(code: Int) {
    let expected: ChangeVerdict =
      switch code {
      case 401, 408, 425, 429, 500...: .again(after: .seconds(1))
      case 409, 412: .conflict
      default: .refused
      }

    #expect(verdict(.status(HTTPStatus(code))) == expected)
  }

  @Test func `a conflict behind an attempt without an answer is repeated`() {
    func verdict(_ status: HTTPStatus) -> ChangeVerdict {
      ChangeVerdict(
        .status(status),
        attempt: 2,
        policy: Self.policy,
        jitter: 1,
        mayBeUnderWay: true
      )
    }
    #expect(verdict(409) == .again(after: .seconds(2)))
    #expect(verdict(412) == .conflict)
    #expect(verdict(422) == .refused)
  }

  @Test func `a change without a valid answer is repeated`() {
    let errors: [FreshetError] = [
      .connection(.lost, url: ""), .connection(.suspended, url: ""), .timedOut(.total, url: ""),
      .insecure("", url: ""), .unauthenticated("", url: ""), .invalidResponse("", url: ""),
      .limitExceeded(.headerCount(1), url: ""), .store("full"), .noValue,
      .file("", path: ""), .notStored(url: ""),
    ]
    for error in errors {
      #expect(verdict(.error(error)) == .again(after: .seconds(1)), "\(error)")
    }
  }

  @Test func `one that is ended here is interrupted, and one that cannot be sent refused`() {
    #expect(verdict(.error(.cancelled)) == .interrupted)
    #expect(verdict(.error(.shutDown(url: ""))) == .interrupted)
    #expect(verdict(.error(.invalidRequest("", url: ""))) == .refused)
  }

  @Test(arguments: zip(1...6, [1, 2, 4, 8, 8, nil]))
  func `the pause doubles up to its end, and the attempts have one`(attempt: Int, seconds: Int?) {
    let expected = seconds.map { ChangeVerdict.again(after: .seconds($0)) } ?? .refused
    #expect(verdict(.status(503), attempt: attempt) == expected)
  }

  @Test func `a pause is as long as the server asks, within reason, and jitter shortens its own`() {
    #expect(verdict(.status(503, retryAfter: .seconds(30))) == .again(after: .seconds(30)))
    #expect(verdict(.status(503, retryAfter: .seconds(999))) == .again(after: .seconds(60)))
    #expect(verdict(.status(503), jitter: 0.25) == .again(after: .milliseconds(250)))
  }
}
