import Freshet
import Testing

@Suite struct PayloadPathTests {
  @Test(arguments: [
    ("", []),
    ("data", ["data"]),
    ("data.items.0", ["data", "items", "0"]),
    (#"schema\.org.name"#, ["schema.org", "name"]),
    (#"a\\.b"#, [#"a\"#, "b"]),
    ("a..b", ["a", "", "b"]),
  ])
  func `reads keys and positions`(text: String, steps: [String]) {
    #expect(PayloadPath(text).steps == steps)
  }

  @Test func `shows positions in brackets and escapes dots`() {
    #expect(PayloadPath("items.3.user.name").description == "items[3].user.name")
    #expect(PayloadPath(steps: ["a.b", "c"]).description == #"a\.b.c"#)
  }
}
