import Freshet
import Testing

@Suite struct ByteRangeTests {
  @Test(
    arguments: [
      ("bytes=0-499", ByteRange.bounded(0...499)), ("bytes=5-5", .bounded(5...5)),
      ("bytes=500-", .from(500)), ("bytes=-500", .last(500)),
    ]
  )
  func `reads and writes`(text: String, range: ByteRange) {
    #expect(ByteRange(text) == range)
    #expect(range.description == text)
  }

  @Test(
    arguments: [
      "", "bytes", "bytes=", "bytes=-", "bytes=5-4", "bytes=0-1,3-4", "items=0-1", "bytes=a-b",
      "bytes=--1", "bytes=+1-2", "bytes=0-99999999999999999999", "bytes=1-2-3",
    ]
  )
  func `refuses a text that is not one range of bytes`(text: String) {
    #expect(ByteRange(text) == nil)
  }

  @Test(
    arguments: [
      (ByteRange.bounded(0...4), 10 as Int64, 0..<5 as Range<Int64>?),
      (.bounded(5...100), 10, 5..<10), (.bounded(5...Int64.max), 10, 5..<10),
      (.bounded(10...11), 10, nil), (.from(9), 10, 9..<10), (.from(10), 10, nil),
      (.last(3), 10, 7..<10), (.last(30), 10, 0..<10), (.last(0), 10, nil), (.last(1), 0, nil),
    ]
  )
  func `computes its positions in a body`(range: ByteRange, length: Int64, positions: Range<Int64>?)
  {
    #expect(range.positions(in: length) == positions)
  }
}
