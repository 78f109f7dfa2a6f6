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
    _ error: FreshetError,
    attempt: Int = 1,
    jitter: Double = 1,
    mayBeUnderWay: Bool = false
  ) -> ChangeVerdict {
    ChangeVerdict(
      error,
      attempt: attempt,
      policy: Self.policy,
      now: Date(timeIntervalSince1970: 0),
      jitter: jitter,
      mayBeUnderWay: mayBeUnderWay
    )
  }

  private func status(_ status: HTTPStatus, retryAfter seconds: Int? = nil) throws -> FreshetError {
    let url = try #require(URL(string: "https://example.org"))
    let headers: HTTPHeaders = seconds.map { [.retryAfter: "\($0)"] } ?? [:]
    return .status(ResponseHead(status: status, headers: headers, url: url), body: Data())
  }

  @Test(arguments: 200...599)
  func `each status is repeated, a conflict, or a refusal`(code: Int) throws {
    let expected: ChangeVerdict =
      switch code {
      case 401, 408, 425, 429, 500...: .again(after: .seconds(1))
      case 409, 412: .conflict
      default: .refused
      }

    #expect(verdict(try status(HTTPStatus(code))) == expected)
  }

  @Test func `a conflict behind an attempt without an answer is repeated`() throws {
    func verdict(_ code: HTTPStatus) throws -> ChangeVerdict {
      self.verdict(try status(code), attempt: 2, mayBeUnderWay: true)
    }
    #expect(try verdict(409) == .again(after: .seconds(2)))
    #expect(try verdict(412) == .conflict)
    #expect(try verdict(422) == .refused)
  }

  @Test func `a change without a valid answer is repeated`() {
    let errors: [FreshetError] = [
      .connection(.lost, url: ""), .connection(.suspended(for: .zero), url: ""),
      .timedOut(.total, url: ""),
      .insecure("", url: ""), .unauthenticated("", url: ""), .invalidResponse("", url: ""),
      .limitExceeded(.headerCount(1), url: ""), .store("full"), .noValue,
      .file("", path: ""), .notStored(url: ""),
    ]
    for error in errors {
      #expect(verdict(error) == .again(after: .seconds(1)), "\(error)")
    }
  }

  @Test func `a change whose file is missing is refused`() {
    let verdict = ChangeVerdict(
      .file("No such file or directory", path: "/photo"),
      attempt: 1,
      policy: Self.policy,
      now: Date(timeIntervalSince1970: 0),
      jitter: 1,
      isFileMissing: true
    )
    #expect(verdict == .refused)
  }

  @Test func `one that is ended here is interrupted, and one that cannot be sent refused`() {
    #expect(verdict(.cancelled) == .interrupted)
    #expect(verdict(.shutDown(url: "")) == .interrupted)
    #expect(verdict(.invalidRequest("", url: "")) == .refused)
  }

  @Test(arguments: zip(1...6, [1, 2, 4, 8, 8, nil]))
  func `the pause doubles up to its end, and the attempts have one`(
    attempt: Int,
    seconds: Int?
  )
    throws
  {
    let expected = seconds.map { ChangeVerdict.again(after: .seconds($0)) } ?? .refused
    #expect(verdict(try status(503), attempt: attempt) == expected)
  }

  @Test func `a pause is as long as the server asks, within reason, and jitter shortens its own`()
    throws
  {
    #expect(verdict(try status(503, retryAfter: 30)) == .again(after: .seconds(30)))
    #expect(verdict(try status(503, retryAfter: 999)) == .again(after: .seconds(60)))
    #expect(verdict(try status(503), jitter: 0.25) == .again(after: .milliseconds(250)))
  }
}
