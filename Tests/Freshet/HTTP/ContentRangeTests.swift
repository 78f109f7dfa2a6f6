import Freshet
import Testing

@Suite struct ContentRangeTests {
  @Test(
    arguments: [
      ("bytes 0-499/1234", ContentRange(0...499, of: 1_234)),
      ("bytes 734-1233/*", ContentRange(734...1_233)),
    ]
  )
  func `reads and writes`(text: String, range: ContentRange) {
    #expect(ContentRange(text) == range)
    #expect(range.description == text)
  }

  @Test func `reads a range that could not be satisfied`() throws {
    let range = try #require(ContentRange("bytes */47022"))

    #expect(range.range == nil)
    #expect(range.total == 47_022)
    #expect(range.description == "bytes */47022")
  }

  @Test(
    arguments: [
      "", "bytes", "bytes 0-1", "bytes */*", "bytes 5-4/10", "bytes 0-10/10", "bytes 0-1/x",
      "items 0-1/2", "bytes=0-1/2", "bytes -1/2",
    ]
  )
  func `refuses impossible ranges`(text: String) {
    #expect(ContentRange(text) == nil)
  }
}
