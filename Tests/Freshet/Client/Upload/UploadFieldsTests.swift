import Foundation
import Testing

@testable import Freshet

@Suite struct UploadFieldsTests {
  @Test(
    arguments: [
      ("max-size=10", 10), ("min-size=1, max-size=20;note=x", 20), ("max-size=ten", nil),
      ("max-size", nil), ("", nil), ("max-append-size=3", nil), ("max-size=5, max-size=6", 6),
      ("note=\"a, max-size=1\", max-size=20", 20), ("open, rate=1.5, max-size=20", 20),
      ("kinds=(\"a\" \"b\"), max-size=20", 20), ("max-size=-1", nil), ("max-size=1, =2", nil),
    ] as [(String, Int64?)]
  )
  func `a limit is an integer of a dictionary`(text: String, limit: Int64?) {
    let headers: HTTPHeaders = ["Upload-Limit": text]
    #expect(UploadFields.limit("max-size", in: headers) == limit)
  }

  @Test(
    arguments: [
      ("?1", true), ("?0", false), ("?1;a=b", true), ("1", nil), ("true", nil), ("", nil),
    ] as [(String, Bool?)]
  )
  func `completeness is a structured Boolean`(text: String, value: Bool?) {
    #expect(UploadFields.isComplete(["Upload-Complete": text]) == value)
  }

  @Test(
    arguments: [
      ("0", 0), ("12;a", 12), ("-1", nil), ("1.5", nil), ("9999999999999999", nil), (nil, nil),
    ] as [(String?, Int64?)]
  )
  func `an offset is a structured integer that is not negative`(text: String?, value: Int64?) {
    #expect(UploadFields.integer(text) == value)
  }

  @Test func `metadata is keys with values in base64`() {
    #expect(UploadFields.metadata(["b": "water", "a": ""]) == "a,b d2F0ZXI=")
  }
}
