import Testing

@testable import Freshet

@Suite struct PreferenceListTests {
  static let same: [(String, String)] = [
    ("en, de", "de,en"), ("EN, de", "en, DE"), ("en;q=1.0, de;q=0.50", "de;q=0.5, en"),
    ("en;q=0.5, de", "de;Q=1, en ; q=0.5"), ("gzip, br", "br, GZIP"), ("en, en", "en"),
    ("text/html;level=1;charset=UTF-8, */*;q=0.1", "*/*;q=0.1,Text/HTML;charset=utf-8;LEVEL=1"),
    ("en;q=0", "en;q=0.000"), ("", ""),
  ]

  @Test(arguments: same)
  func `RFC 9111 4.1: lists that mean the same are written the same`(left: String, right: String) {
    let normal = PreferenceList.normalized(FieldList.members(of: left).map(String.init))

    #expect(normal == PreferenceList.normalized(FieldList.members(of: right).map(String.init)))
    #expect(normal != nil)
    let again = normal.map { FieldList.members(of: $0).map(String.init) }
    #expect(again.flatMap(PreferenceList.normalized) == normal)
  }

  static let different: [(String, String)] = [
    ("en, de", "en"), ("en, de", "en, de;q=0.9"), ("en;q=0.5", "en;q=0.05"), ("en", "en-US"),
    ("text/html", "text/html;level=1"), ("a;p=\"X\"", "a;p=\"x\""), ("en;q=0", "en"),
  ]

  @Test(arguments: different)
  func `RFC 9111 4.1: lists that mean something else are not`(left: String, right: String) {
    #expect(
      PreferenceList.normalized(FieldList.members(of: left).map(String.init))
        != PreferenceList.normalized(FieldList.members(of: right).map(String.init))
    )
  }

  @Test func `two Unicode spellings of a parameter are two members, in any order`() {
    let members = ["a;p=\"\u{E9}\"", "a;p=\"e\u{301}\""]
    let lists = [members, Array(members.reversed())]
      .map { PreferenceList.normalized($0).map { Array($0.utf8) } }

    #expect(lists[0] == lists[1])
    #expect(lists[0]?.count == members.joined(separator: ",").utf8.count)
  }

  @Test(arguments: ["en;q=2", "en;q=1.001", "en;q=x", "en;q=0.1234", ";q=1", "en;q"])
  func `a malformed list has no meaning`(list: String) {
    #expect(PreferenceList.normalized([list]) == nil)
    #expect(PreferenceList.mostPreferred([list]) == [])
  }

  @Test(arguments: [
    ("de, en;q=0.9", ["de"]), ("en;q=0.5, DE;q=0.5, fr;q=0.1", ["en", "de"]), ("en;q=0", []),
    ("", []),
  ])
  func `RFC 9110 12.4.2: the members with the largest weight are preferred`(
    list: String,
    preferred: [String]
  ) {
    let members = FieldList.members(of: list).map(String.init)

    #expect(PreferenceList.mostPreferred(members) == preferred)
  }
}
