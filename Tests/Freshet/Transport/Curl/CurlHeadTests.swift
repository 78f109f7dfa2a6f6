#if !canImport(Darwin)
import Foundation
import Testing

@testable import Freshet

@Suite struct CurlHeadTests {
  private func head(_ lines: String...) -> ResponseHead? {
    CurlHead.parse(Array(lines.joined(separator: "\r\n").utf8), url: URL(filePath: "/"))
  }

  @Test func `leaves out lines without a name, and what continues them`() {
    let head = head(
      "HTTP/1.1 200 OK",
      "X-A: 1",
      "nonsense",
      "  more",
      ": nameless",
      "\tmore",
      "X B: 2",
      " more",
      "X-C \t: 3 ",
      "  4",
      ""
    )

    #expect(head?.headers.map(\.name) == ["X-A", "X-C"])
    #expect(head?.headers.map(\.value) == ["1", "3 4"])
  }

  @Test func `keeps names as they are written, and finds them in any case`() {
    let head = head("HTTP/2 200", "content-type: text/plain", "X-Long-Name-Of-A-Field: a:b", "")

    #expect(head?.headers.map(\.name.rawValue) == ["content-type", "X-Long-Name-Of-A-Field"])
    #expect(head?.headers[.contentType] == "text/plain")
    #expect(head?.headers["x-long-name-of-a-field"] == "a:b")
  }

  @Test func `joins several lines of a value, each as UTF-8 or Latin-1`() {
    let lines = [
      Array("HTTP/1.1 200 OK\r\nX-A: ".utf8), [0xE9], Array("\r\n \u{FC}\r\n b\rc\r\n".utf8),
      Array("X-B:\r\n\td\r\n \r\nX-C: e\r\n".utf8),
    ]
    let head = CurlHead.parse(lines.flatMap(\.self), url: URL(filePath: "/"))

    #expect(head?.headers["x-a"] == "\u{E9} \u{FC} b c")
    #expect(head?.headers[.init("X-B")] == "d")
    #expect(head?.headers.map(\.value) == ["\u{E9} \u{FC} b c", "d", "e"])
  }

  @Test func `joins a value of many lines in memory that grows with its size`() async {
    await #expect(processExitsWith: .success) {
      let status = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
      let pages = status.split(separator: " ").first.flatMap { rlim_t($0) } ?? 0
      let bytes = pages * rlim_t(sysconf(Int32(_SC_PAGESIZE))) + 192 << 20
      var limit = rlimit(rlim_cur: bytes, rlim_max: bytes)
      #expect(setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0)

      let lines = "HTTP/1.1 200 OK\r\nX-A: 0\r\n" + String(repeating: " 1\r\n", count: 20_000)
      let head = CurlHead.parse(Array(lines.utf8), url: URL(filePath: "/"))

      #expect(head?.headers["X-A"] == "0" + String(repeating: " 1", count: 20_000))
    }
  }

  @Test func `ends lines at LF with and without CR, and the last one at the end`() {
    let lines = "HTTP/1.1 200 OK\nX-A: 1\r\n\nX-B:\nX-C: \u{FC}3"
    let head = CurlHead.parse(Array(lines.utf8), url: URL(filePath: "/"))

    #expect(head?.headers.map(\.value) == ["1", "", "\u{FC}3"])
  }

  @Test(arguments: [
    ("HTTP/1.1 200 OK", 200), ("HTTP/2 404", 404), ("HTTP/3 103 ", 103), ("HTTP/1.0  500", 500),
    ("HTTP/1.1 20", nil), ("HTTP/1.1 2000", nil), ("HTTP/1.1 2x0", nil), ("HTTP/1.1", nil),
    ("HTTP/1.1 ", nil), ("", nil), ("HTTP/1.1 99999999999999999999999", nil),
  ])
  func `has the status of three digits in its first line`(line: String, status: Int?) {
    #expect(CurlHead.status(of: Array("\(line)\r\nX-A: 1\r\n".utf8))?.rawValue == status)
    #expect(head(line, "X-A: 1", "")?.status.rawValue == status)
  }
}
#endif
