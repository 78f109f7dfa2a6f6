import Foundation
import TestSupport

/// A response as its bytes say.
struct RawResponse {
  var statusLine = ""
  var fields: [(name: String, value: String)] = []
  var body = Data()

  var status: Int { Int(statusLine.split(separator: " ").dropFirst().first ?? "") ?? 0 }
  var text: String { String(decoding: body, as: UTF8.self) }

  subscript(name: String) -> String? {
    fields.first { $0.name.lowercased() == name.lowercased() }?.value
  }
}

extension RawConnection {
  func readResponseHead() -> RawResponse {
    guard let head = readHead() else { return RawResponse() }
    var lines = head.components(separatedBy: "\r\n").filter { !$0.isEmpty }
    guard !lines.isEmpty else { return RawResponse() }
    var response = RawResponse(statusLine: lines.removeFirst())
    response.fields = lines.map { line in
      let parts = line.split(separator: ":", maxSplits: 1)
      return (String(parts[0]), parts[1].trimmingCharacters(in: .whitespaces))
    }
    return response
  }

  /// Reads a head, and the body that its `Content-Length` announces.
  func readResponse() -> RawResponse {
    var response = readResponseHead()
    if response.status >= 200, response.status != 304, let length = response["Content-Length"] {
      response.body = read(Int(length) ?? 0)
    }
    return response
  }

  func get(_ path: String, _ fields: String...) -> RawResponse {
    let lines = (["GET \(path) HTTP/1.1", "Host: localhost"] + fields).map { $0 + "\r\n" }
    write(lines.joined() + "\r\n")
    return readResponse()
  }
}
