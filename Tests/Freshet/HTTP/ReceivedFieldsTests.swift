import Testing

@testable import Freshet

@Suite struct ReceivedFieldsTests {
  private let fields: [(String, String)] = [
    ("Date", "now"), ("X-Tag", "a"), ("x-tag", ""), ("Content-Type", "text/plain"), ("X-Tab", "c"),
  ]

  /// The fields as they were received, and as a list.
  private var headers: (received: HTTPHeaders, listed: HTTPHeaders) {
    var bytes: [UInt8] = []
    func place(of text: String) -> Range<Int> {
      defer { bytes += Array("\r\n".utf8) }
      bytes += Array(text.utf8)
      return (bytes.count - text.utf8.count)..<bytes.count
    }
    let lines = fields.map { ReceivedFields.Line(name: place(of: $0.0), value: place(of: $0.1)) }
    let listed = fields.map { HTTPHeaders.Field(name: HTTPHeaders.Name($0.0), value: $0.1) }
    return (HTTPHeaders(ReceivedFields(bytes, lines)), HTTPHeaders(listed))
  }

  @Test(arguments: ["date", "X-TAG", "x-tag", "content-type", "X-Tab", "X-Ta", "X", ""])
  func `finds fields by name as a list of them does`(name: String) {
    let (received, listed) = headers
    let name = HTTPHeaders.Name(name)

    #expect(received[name] == listed[name])
    #expect(received[values: name] == listed[values: name])
    #expect(received.combined(name) == listed.combined(name))
    #expect(received.members(of: name) == listed.members(of: name))
    #expect(received.contains(name) == listed.contains(name))
  }

  @Test func `has the fields of a list, and equals it`() {
    let (received, listed) = headers

    #expect(received.count == fields.count)
    #expect(received.map(\.name.rawValue) == fields.map(\.0))
    #expect(received.map(\.value) == fields.map(\.1))
    #expect(received == listed)
    #expect(received.hashValue == listed.hashValue)
  }

  @Test func `changes a copy and leaves the others as they were received`() {
    let (received, listed) = headers
    var changed = received
    changed["X-Tag"] = "b"
    changed.remove(.date)
    changed.add("d", for: "X-New")

    #expect(changed.map(\.value) == ["b", "text/plain", "c", "d"])
    #expect(received == listed)
    #expect(received.merging(["x-tag": "e"]).map(\.value) == ["now", "text/plain", "c", "e"])
  }
}
