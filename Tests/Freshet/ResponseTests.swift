import Foundation
import Freshet
import Testing

@Suite struct ResponseTests {
  @Test func `mapping keeps the head`() throws {
    let url = try #require(URL(string: "https://a.org/"))
    let head = ResponseHead(status: 201, headers: ["X": "y"], url: url)

    let response = Response(head: head, value: "7").map { Int($0) }

    #expect(response.value == 7)
    #expect(response.status == 201)
    #expect(response.headers["x"] == "y")
    #expect(response.head == head)
  }

  @Test func `mapping fails as its transform does`() throws {
    let url = try #require(URL(string: "https://a.org/"))
    let head = ResponseHead(status: .ok, headers: [:], url: url)

    #expect(throws: FreshetError.noValue) {
      try Response(head: head, value: 1).map { _ throws(FreshetError) -> Int in throw .noValue }
    }
  }
}
