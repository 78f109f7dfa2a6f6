import Foundation
import Testing

@testable import Freshet

@Suite struct DiskRecordTests {
  private func decoded(_ url: String, like known: String?) throws -> StoredResponse {
    let response = StoredResponse(
      key: CacheKey(text: url),
      varying: .none,
      head: ResponseHead(
        status: .ok,
        headers: [.eTag: "\"v1\""],
        url: try #require(URL(string: url))
      ),
      body: ResourceBody(Data()),
      requestTime: Date(timeIntervalSinceReferenceDate: 1),
      responseTime: Date(timeIntervalSinceReferenceDate: 2),
      tags: ["a"]
    )
    let known = try known.map { try #require(URL(string: $0)) }
    let bytes = DiskRecord.encode(response)
    return try #require(
      bytes.withUnsafeBytes { DiskRecord.decode($0, response.key, like: known) }
    )
  }

  @Test(
    arguments: [
      nil, "http://a.example/1", "http://a.example/2", "http://a.example/", "http://a.example/11",
      "x",
    ]
  )
  func `has the stored URL, whatever the expected one is`(known: String?) throws {
    let response = try decoded("http://a.example/1", like: known)

    #expect(response.head.url == URL(string: "http://a.example/1"))
    #expect(response.head.headers[.eTag] == "\"v1\"")
    #expect(response.responseTime == Date(timeIntervalSinceReferenceDate: 2))
    #expect(response.tags == ["a"])
  }
}
