import Foundation
import Testing

@testable import Freshet

/// Dictionaries of RFC 9651, as its authors' tests have them.
@Suite struct StructuredParserTests {
  @Test(arguments: [
    ("", []), ("   ", []), ("a=:aGVsbG8=:", ["a"]), ("a=:aGVsbG8:", ["a"]), ("a=::", ["a"]),
    ("  a=:aGVsbG8=:  ", ["a"]), ("a=:aGVsbG8=:\t,\t b=:aGVsbG8=:", ["a", "b"]),
    ("a=:aGVsbG8=:,b", ["a"]), ("a=:aGVsbG8=:;x;y=1, b=1.5", ["a"]), ("a=:aGVsbG8=:;  x", ["a"]),
    ("*a-_.9=:aGVsbG8=:", ["*a-_.9"]), ("a=1, a=:aGVsbG8=:", ["a"]), ("a=:aGVsbG8=:, a=1", []),
    ("a, b;x=?0, c=?1, d=token/x:y*, e=\"q\\\"\\\\,\", f=-12.345, g=@-1659578233", []),
    ("a=(1 2  \"x\";p=?1 tok);q=:aGVsbG8=:, b=:aGVsbG8=:", ["b"]), ("a=(), b=( 1 )", []),
    ("a=%\"f%c3%bc\", b=:aGVsbG8=:", ["b"]), ("a=999999999999999", []), ("a=\";,=:\"", []),
  ])
  func `reads well-formed fields`(text: String, keys: [String]) {
    #expect(StructuredParser.byteSequences(text)?.keys.sorted() == keys)
  }

  @Test(arguments: [
    ",", "a,", "a=1,", "a,,b", ",a", "a=", "a= 1", "a =1", "A=1", "=1", "1=1", "a b", "a=1 b=2",
    "a=:aGVsbG8=", "a=:aGVs bG8=:", "a=:aGVsbG8=:x", "a=:=aGVsbG8=:", "a=:aGV\nsbG8=:",
    "a=:aGVsbG8_:", "a=:a:", "a=:aGVsbG8=: ;x", "a;", "a; ", "a;X", "a;x=", "a;x=(1)", "a;=1",
    "a=?2", "a=?", "a=? 1", "a=?true", "a=-", "a=--1", "a=1.", "a=.1", "a=1.2345",
    "a=1234567890123.1", "a=1234567890123456", "a=1e3", "a=+1", "a=@", "a=@1.5", "a=@x",
    "a=\"x", "a=\"\\x\"", "a=\"ü\"", "a=\"\u{7F}\"", "a=\"\t\"", "a='x'", "a=(1", "a=(1,2)",
    "a=(1\t2)", "a=(1 2))", "a=((1))", "a=(1)x", "a=)", "a=%x", "a=%\"%C3%BC\"", "a=%\"%ff\"",
    "a=%\"%c\"", "a=%\"x", "a=!", "a={1}", "a=ü", "ü=1", "a\u{0}", "a=1;\tb",
    "a=:aGVsbG8=:, b=\"unclosed", "a=:aGVsbG8=:, b=(1", "a=:aGVsbG8=:, B=1", "a=:aGVsbG8=: x",
  ])
  func `ignores a field that is malformed anywhere`(text: String) {
    #expect(StructuredParser.byteSequences(text) == nil)
    #expect(StructuredParser.byteSequences("x=:aGVsbG8=:, y, " + text) == nil)
  }

  @Test func `only spaces may stand before the first member`() {
    #expect(StructuredParser.byteSequences("\ta=1") == nil)
  }
}
