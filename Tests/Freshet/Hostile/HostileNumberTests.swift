import Foundation
import FreshetTesting
import Testing

@testable import Freshet

/// Lengths, times and dates that once ended the process.
@Suite struct HostileNumberTests {
  static let nobodysClock = [Double.nan, .infinity, -.infinity, 1e300, -1e300]

  @Test func `a plan of the largest lengths has a total`() throws {
    let item = { (index: Int) in
      "{\"index\":\(index),\"need\":\(Int64.max),\"request\":{\"url\":\"https://a.test/\(index)\"}}"
    }
    let text = "{\"items\":[\(item(0)),\(item(1))]}"

    let plan = try JSONDecoder().decode(BatchPlan.self, from: Data(text.utf8))

    #expect(plan.totals.bytes == .max)
  }

  @Test func `servers that announce the largest lengths do not end a batch`() {
    var account = BatchAccount(now: .zero)
    for _ in 0..<3 { account.offer(size: .max) }
    account.close()
    for id in 0..<3 {
      account.start(id, offered: .max, size: .max)
      account.advance(id, TransferProgress(completed: 10, total: .max), now: .seconds(id + 1))
    }

    let progress = account.progress(now: .seconds(4))

    #expect(progress.totalBytes == .max && progress.completedBytes == 30)
    #expect(progress.timeLeft != nil)
    for id in 0..<3 { account.end(id, bytes: 10, failed: true, now: .seconds(5)) }
    let end = account.progress(now: .seconds(5))
    #expect(end.totalBytes == 30)
  }

  @Test func `a batch of unlimited duration has a remaining time`() {
    var account = BatchAccount(now: .zero)
    for _ in 0..<1_000 { account.offer(size: .max) }
    account.close()
    account.start(0, offered: .max, size: .max)
    account.advance(0, TransferProgress(completed: 1, total: .max), now: .seconds(5))

    let progress = account.progress(now: .seconds(5))
    #expect(progress.timeLeft ?? .zero > .seconds(1 << 40))
  }

  @Test(arguments: nobodysClock)
  func `a date outside of any calendar can be written and compared`(seconds: Double) {
    let date = Date(timeIntervalSince1970: seconds)

    #expect(HTTPDate.format(date).utf8.count == 29)
    #expect(HTTPDate.parse("Sunday, 06-Nov-94 08:49:37 GMT", now: date) != nil)
  }

  @Test(arguments: nobodysClock)
  func `any clock value lets a retry finish`(seconds: Double) {
    let now = Date(timeIntervalSince1970: seconds)
    let headers: HTTPHeaders = ["Retry-After": "Sun, 06 Nov 1994 08:49:37 GMT"]
    let head = Fixture.head(503, headers)

    #expect(head.retryAfter(now: now).map { $0 >= .zero } == true)
  }

  @Test(arguments: ["9223372036854775807", "9223372036854775808", "99999999999999999999999"])
  func `the longest pause that a server asks for can be waited for`(seconds: String) {
    let pause = Fixture.head(503, ["Retry-After": seconds]).retryAfter(now: Date())

    #expect(pause == .seconds(1_000_000_000_000))
  }

  @Test(
    arguments: [.last(-5), .last(.min), .last(0), .from(-1), .bounded(-5...3)] as [ByteRange],
    [0, 1, 10, -1, .min, .max] as [Int64]
  )
  func `a range before the beginning is empty`(range: ByteRange, length: Int64) {
    #expect(range.positions(in: length) == nil)
  }

  @Test(arguments: [-1, .min] as [Int64])
  func `a negative length has no positions`(length: Int64) {
    #expect(ByteRange.last(5).positions(in: length) == nil)
    #expect(ByteRange.from(0).positions(in: length) == nil)
    #expect(ByteRange.bounded(0...5).positions(in: length) == nil)
  }

  @Test(
    arguments: [
      (.microseconds(41), "41 µs"), (.milliseconds(9_999), "9999 ms"), (.seconds(10), "10 s"),
      (.seconds(Int64.max), "9223372036854775807 s"),
      (.seconds(-Int64.max), "-9223372036854775807 s"),
    ] as [(Duration, String)]
  )
  func `any duration can be shown`(duration: Duration, text: String) {
    #expect(duration.rounded == text)
  }

  @Test func `a length beside a transfer coding counts nothing`() {
    let coded: HTTPHeaders = ["Content-Length": "9", "Transfer-Encoding": "chunked"]

    #expect(Fixture.head(200, coded).decodedLength == nil)
    #expect(Fixture.head(200, ["Content-Length": "9"]).decodedLength == 9)
  }

  @Test func `a plan with the longest timeout can be stored`() throws {
    var request = try Request("https://a.test/")
    request.timeouts.total = .seconds(Int64.max)

    let record = try #require(RequestRecord(request))

    #expect(record.request.timeouts.total ?? .zero > .seconds(1 << 40))
  }
}
