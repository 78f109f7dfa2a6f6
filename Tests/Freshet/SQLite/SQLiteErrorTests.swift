import Testing

@testable import Freshet

@Suite struct SQLiteErrorTests {
  @Test(arguments: [13, 4_874] as [Int32])
  func `says that no space is left, also for the index of the log`(code: Int32) {
    let error = SQLiteError(code: code, message: "disk I/O error")

    #expect(error.reason == "there is no space left on the disk")
  }

  @Test func `says that a file may not grow`() {
    let error = SQLiteError(code: 778, message: "disk I/O error")

    #expect(error.reason.hasSuffix("its file may not grow"))
  }

  @Test func `knows from its code that a file was moved while it was open`() {
    #expect(SQLiteError(code: 6_922, message: "disk I/O error").isMoved)
    #expect(!SQLiteError(code: 10, message: "disk I/O error").isMoved)
  }

  @Test func `names any other failure`() {
    let error = SQLiteError(code: 266, message: "disk I/O error")

    #expect(error.reason == "the database failed: disk I/O error (266)")
  }
}
