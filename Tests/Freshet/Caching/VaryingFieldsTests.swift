import Freshet
import Testing

@Suite struct VaryingFieldsTests {
  @Test func `RFC 9111 4.1: matches the request that selected the response`() {
    let request: HTTPHeaders = ["Accept": "a, b", "X": "1"]
    let fields = VaryingFields(response: [.vary: "accept, Accept-Language"], request: request)

    #expect(fields.fields.map(\.name) == ["accept", "accept-language"])
    #expect(fields.match(request))
  }

  static let candidates: [(HTTPHeaders, Bool)] = [
    (["Accept": "a,b"], true), (["ACCEPT": "a", "accept": " b "], true),
    (["Accept": "a , b", "X": "2"], true), (["Accept": "a"], false),
    (["Accept": "a,b", "accept": "c"], false), ([:], false),
    (["Accept": "a, b", "Accept-Language": ""], false),
  ]

  @Test(arguments: candidates)
  func `RFC 9111 4.1: compares members, not lines and white space`(
    headers: HTTPHeaders,
    isMatch: Bool
  ) {
    let fields = VaryingFields(
      response: ["Vary": "Accept", "Vary": "Accept-Language"],
      request: ["Accept": "a, b"]
    )

    #expect(fields.match(headers) == isMatch)
  }

  @Test(arguments: ["Accept", "Accept-Encoding", "Accept-Language"] as [HTTPHeaders.Name])
  func `RFC 9111 4.1: compares lists of preferences by their meaning`(name: HTTPHeaders.Name) {
    let fields = VaryingFields(response: [.vary: name.rawValue], request: [name: "a, B;q=0.5"])

    #expect(fields.match([name: "b;q=0.50, A"]))
    #expect(!fields.match([name: "b, a;q=0.5"]))
    #expect(!fields.match([:]))
  }

  @Test(
    arguments: [(["X": "b, a"], false), (["X": "A, b"], false), (["X": "a,b"], true)]
      as [(HTTPHeaders, Bool)]
  )
  func `RFC 9111 4.1: compares any other field in order and case`(
    headers: HTTPHeaders,
    isMatch: Bool
  ) {
    let fields = VaryingFields(response: [.vary: "X"], request: ["X": "a, b"])

    #expect(fields.match(headers) == isMatch)
  }

  @Test(arguments: [("*", true), ("Accept, *", true), ("Accept", false), ("", false)])
  func `RFC 9111 4.1: nothing matches a star`(vary: String, isUnmatchable: Bool) {
    #expect(VaryingFields.isUnmatchable([.vary: vary]) == isUnmatchable)
  }

  @Test(arguments: [(64, false), (65, true)])
  func `a Vary of more than 64 names, on all of its lines, is a star`(
    count: Int,
    isUnmatchable: Bool
  ) {
    let lines = (1...count).map { HTTPHeaders.Field(name: .vary, value: "X-\($0)") }

    #expect(VaryingFields.isUnmatchable(HTTPHeaders(lines)) == isUnmatchable)
  }

  @Test func `no Vary matches everything`() {
    #expect(VaryingFields(response: [:], request: ["A": "b"]) == .none)
    #expect(VaryingFields.none.match(["C": "d"]))
  }

  @Test func `two spellings of a letter are different values`() {
    let fields = ["\u{E9}", "e\u{301}"]
      .map { VaryingFields(response: [.vary: "X"], request: ["X": $0]) }

    #expect(fields[0].match(["X": "\u{E9}"]) && fields[1].match(["X": "e\u{301}"]))
    #expect(!fields[0].match(["X": "e\u{301}"]) && !fields[1].match(["X": "\u{E9}"]))
    #expect(Set(fields).count == 2)
  }
}
