import Freshet
import Testing

@Suite struct EntityTagTests {
  @Test(arguments: ["\"abc\"", "W/\"abc\"", "\"\"", "\"a,b\\\"", "\"é\""])
  func `writes what it reads`(text: String) {
    #expect(EntityTag(text)?.description == text)
  }

  @Test(
    arguments: [
      "", "abc", "\"abc", "abc\"", "\"", "w/\"abc\"", "W/abc", "\"a b\"", "\"a\"b\"", "*",
    ]
  )
  func `refuses what is not a tag`(text: String) {
    #expect(EntityTag(text) == nil)
  }

  @Test(
    arguments: [
      ("\"1\"", true), ("W/\"1\"", true), ("\"0\", W/\"1\"", true), ("\"a,b\" ,, \"1\"", true),
      ("*", true), (" * ", true), ("\"0\"", false), ("", false), ("1", false), ("1, \"1\"", true),
      ("\"*\"", false), ("\"0\", *", false),
    ]
  )
  func `matches any tag of a list, as a server does`(list: String, matches: Bool) {
    #expect(EntityTag.strong("1").matchesWeakly(anyOf: list) == matches)
    #expect(EntityTag.weak("1").matchesWeakly(anyOf: list) == matches)
  }

  @Test func `compares the bytes and not the letters`() throws {
    let (one, two) = (EntityTag.strong("\u{E9}"), EntityTag.strong("e\u{301}"))

    #expect(!one.matchesStrongly(two) && !one.matchesWeakly(two))
    #expect(one != two)
    #expect(one.matchesStrongly(one))
  }

  @Test(
    arguments: [
      ("W/\"1\"", "W/\"1\"", false, true),
      ("W/\"1\"", "W/\"2\"", false, false),
      ("W/\"1\"", "\"1\"", false, true),
      ("\"1\"", "\"1\"", true, true),
    ]
  )
  func `compares by RFC 9110 8.8.3.2`(
    left: String,
    right: String,
    strong: Bool,
    weak: Bool
  ) throws {
    let left = try #require(EntityTag(left))
    let right = try #require(EntityTag(right))

    #expect(left.matchesStrongly(right) == strong)
    #expect(right.matchesStrongly(left) == strong)
    #expect(left.matchesWeakly(right) == weak)
    #expect(right.matchesWeakly(left) == weak)
  }
}
