import Foundation
import Testing

@testable import FreshetCLI

@Suite struct JSONLineTests {
  @Test func `keeps the order of its members`() {
    var line = JSONLine(event: "progress")
    line.add("completed", 5)
    line.add("total", nil as Int64?)
    line.add("final", true)
    line.add("explanation", ["a", "b"])

    #expect(
      line.text
        == #"{"event":"progress","completed":5,"total":null,"final":true,"explanation":["a","b"]}"#
    )
  }

  @Test(arguments: ["\"", "\\", "\n\r\t", "\u{0}\u{1F}", "ü 🌊 \u{2028}", "</script>"])
  func `any text survives a JSON parser`(text: String) throws {
    let data = Data("[\(JSONLine.quoted(text))]".utf8)

    #expect(try JSONDecoder().decode([String].self, from: data) == [text])
  }
}
