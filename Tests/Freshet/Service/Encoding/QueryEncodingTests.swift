import Foundation
import Freshet
import TestSupport
import Testing

@Suite struct QueryEncodingTests {
  struct Search: Encodable {
    var text = "a b&c"
    var isExact = true
    var tags = ["x", "y,z"]
    var page = Page()
    var nothing: Int?
    var date = Date(timeIntervalSince1970: 1_763_700_000.25)

    struct Page: Encodable {
      var size = 20
      var ids = [1, 2]
    }
  }

  @Test func `sends fields as declared, nested ones in brackets, nil not at all`() throws {
    let query = try QueryEncoding().encode(Search())

    #expect(
      query == "text=a%20b%26c&isExact=true&tags=x&tags=y%2Cz&page%5Bsize%5D=20"
        + "&page%5Bids%5D=1&page%5Bids%5D=2&date=2025-11-21T04%3A40%3A00Z"
    )
  }

  @Test(
    arguments: [
      (QueryEncoding.Arrays.repeated, "a=1&a=2&b%5Bc%5D=3"),
      (.brackets, "a%5B%5D=1&a%5B%5D=2&b%5B%5D%5Bc%5D=3"),
      (.indexed, "a%5B0%5D=1&a%5B1%5D=2&b%5B0%5D%5Bc%5D=3"),
    ]
  )
  func `names elements`(arrays: QueryEncoding.Arrays, query: String) throws {
    struct Value: Encodable { var a = [1, 2], b = [["c": 3]] }

    #expect(try QueryEncoding { $0.arrays = arrays }.encode(Value()) == query)
  }

  @Test func `joins elements by commas, and encodes commas within values`() throws {
    let encoding = QueryEncoding { $0.arrays = .commas }

    #expect(try encoding.encode(["a": ["x", "y,z"]]) == "a=x,y%2Cz")
    #expect(try encoding.encode(["a": [String]()]).isEmpty)
    #expect(try encoding.encode(["a": [1, nil, 2]]) == "a=1,2")
    #expect(throws: FreshetError.self) { try encoding.encode(["a": [[1]]]) }
  }

  @Test func `names nested fields with dots`() throws {
    let encoding = QueryEncoding { $0.nesting = .dots }

    #expect(try encoding.encode(["a": ["b": ["c": 1]]]) == "a.b.c=1")
  }

  @Test(
    arguments: [
      (QueryEncoding.Nils.omitted, "a=1"), (.name, "a=1&b&c"), (.emptyValue, "a=1&b=&c="),
    ]
  )
  func `omits or sends nil`(nils: QueryEncoding.Nils, query: String) throws {
    struct Value: Encodable { var a = 1, b: String?, c: [Int]? }

    #expect(try QueryEncoding { $0.nils = nils }.encode(Value()) == query)
  }

  @Test(
    arguments: [
      (QueryEncoding.Dates.iso8601, 1_763_700_000.25, "2025-11-21T04:40:00Z"),
      (.iso8601WithMilliseconds, 1_763_700_000.25, "2025-11-21T04:40:00.250Z"),
      (.iso8601WithMilliseconds, 1_763_700_000.123, "2025-11-21T04:40:00.123Z"),
      (.iso8601WithMilliseconds, -0.5, "1969-12-31T23:59:59.500Z"),
      (.iso8601, -0.5, "1969-12-31T23:59:59Z"), (.iso8601, 1e15, "9999-12-31T23:59:59Z"),
      (.iso8601, -1e15, "0000-01-01T00:00:00Z"),
      (.secondsSince1970, 1_763_700_000.25, "1763700000.25"),
      (.secondsSince1970, 1_763_700_000, "1763700000"),
      (.millisecondsSince1970, 1_763_700_000.25, "1763700000250"),
      (.http, 784_111_777.9, "Sun, 06 Nov 1994 08:49:37 GMT"),
    ]
  )
  func `writes dates`(dates: QueryEncoding.Dates, seconds: Double, text: String) throws {
    let date = Date(timeIntervalSince1970: seconds)
    let query = try QueryEncoding { $0.dates = dates }.encode(["d": date])

    #expect(percentDecoded(query) == "d=\(text)")
  }

  @Test func `writes Booleans as words or numbers`() throws {
    let value = ["a": true, "b": false]

    #expect(try QueryEncoding().encode(value) == "a=true&b=false")
    #expect(try QueryEncoding { $0.booleans = .numbers }.encode(value) == "a=1&b=0")
  }

  @Test func `writes numbers, bytes, URLs and identifiers without a locale`() throws {
    struct Value: Encodable {
      var a = 1_234_567.5
      var b = Float(0.1)
      var c = UInt64.max
      var d = Int64.min
      var e = Decimal(string: "1234567.89")
      var f = Data([0xFB, 0xFF, 0xFE])
      var g = URL(string: "https://a.org/?b=c")
      var h = UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")
      var i = 1e-7
      var j = Int8(-1)
    }

    let texts = try QueryEncoding().encode(Value()).split(separator: "&").map { percentDecoded($0) }

    #expect(
      texts == [
        "a=1234567.5", "b=0.1", "c=18446744073709551615", "d=-9223372036854775808",
        "e=1234567.89", "f=+//+", "g=https://a.org/?b=c", "h=E621E1F8-C36C-495A-93FC-0C247A3E6E5F",
        "i=1e-07", "j=-1",
      ]
    )
  }

  @Test func `writes numbers of 128 bits`() throws {
    struct Value: Encodable {
      var a = UInt128.max
      var b = [Int128.min]
      var c: Int128?
    }

    let query = try QueryEncoding().encode(Value())

    #expect(
      query
        == "a=340282366920938463463374607431768211455&b=-170141183460469231731687303715884105728"
    )
  }

  @Test func `sorts by name at each level when asked to`() throws {
    struct Value: Encodable { var b = 1, a = Inner() }
    struct Inner: Encodable { var z = [2, 1], y = 3 }

    let query = try QueryEncoding { $0.order = .sorted }.encode(Value())

    #expect(percentDecoded(query) == "a[y]=3&a[z]=2&a[z]=1&b=1")
  }

  @Test func `dictionaries and sets have one order`() throws {
    let names = (0..<50).map { "k\($0)" }
    let dictionary = Dictionary(uniqueKeysWithValues: names.map { ($0, 1) })

    #expect(
      try QueryEncoding().encode(dictionary)
        == names.sorted().map { "\($0)=1" }.joined(separator: "&")
    )
    #expect(try QueryEncoding().encode(["s": Set(["b", "a", "c"])]) == "s=a&s=b&s=c")
  }

  @Test func `a dictionary inside another value has the same order`() throws {
    struct Wrapped: Encodable {
      let values: [String: Int]
      func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(values)
      }
    }
    let names = (0..<50).map { "k\($0)" }
    let members = names.map { ($0, JSONValue.integer(1)) }
    let query = names.sorted().map { "\($0)=1" }.joined(separator: "&")

    let value = JSONValue.object(Dictionary(uniqueKeysWithValues: members))
    let wrapped = Wrapped(values: Dictionary(uniqueKeysWithValues: names.map { ($0, 1) }))

    #expect(try QueryEncoding().encode(value) == query)
    #expect(try QueryEncoding().encode(wrapped) == query)
  }

  /// Comparing each name with all before it would take the square of their number.
  @Test func `the time for many fields grows with their number`() throws {
    let time = { (count: Int) throws -> Duration in
      let fields = Dictionary(uniqueKeysWithValues: (0..<count).map { ("field\($0)", 1) })
      return try threadTime { _ = try QueryEncoding().encode(fields) }
    }

    let few = try time(4_000)
    let many = try time(32_000)

    #expect(many < few * 16 + .seconds(1), "\(many) beside \(few)")
  }

  @Test func `refuses values without named fields`() {
    #expect(throws: FreshetError.self) { try QueryEncoding().encode([1, 2]) }
    #expect(throws: FreshetError.self) { try QueryEncoding().encode("text") }
    #expect(throws: FreshetError.self) { try QueryEncoding().encode(7) }
  }

  @Test func `refuses numbers that are not finite, and names the place without the value`() throws {
    let error = try #require(throws: FreshetError.self) {
      try QueryEncoding().encode(["a": ["b": [1, Double.nan]]])
    }

    #expect(error.description.contains("“a.b.1” is a Double"))
  }

  @Test(
    arguments: [.iso8601, .secondsSince1970, .http] as [QueryEncoding.Dates],
    [Double.nan, .infinity]
  )
  func `refuses dates that are not finite`(dates: QueryEncoding.Dates, seconds: Double) {
    let date = Date(timeIntervalSince1970: seconds)

    #expect(throws: FreshetError.self) {
      try QueryEncoding { $0.dates = dates }.encode(["a": date])
    }
  }

  @Test func `keeps a type's own encoding`() throws {
    class Parent: Encodable { var a = 1 }
    final class Child: Parent {
      enum CodingKeys: CodingKey { case b, c, d }
      override func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(2, forKey: .b)
        try container.encode(3, forKey: .b)
        var list = container.nestedUnkeyedContainer(forKey: .c)
        try list.encode("x")
        try list.encodeNil()
        var inner = list.nestedContainer(keyedBy: CodingKeys.self)
        try inner.encode(true, forKey: .d)
        try super.encode(to: container.superEncoder())
      }
    }

    let query = try QueryEncoding { $0.nils = .name }.encode(Child())

    #expect(percentDecoded(query) == "b=3&c=x&c&c[d]=true&super[a]=1")
  }

  @Test func `a query decodes to its names and values, for any Unicode`() throws {
    var random = SplitMix(seed: 2)
    for _ in 0..<1_000 {
      let names = Set((0..<4).map { _ in random.text() })
      var fields: [String: String] = [:]
      for name in names { fields[name] = random.text() }

      let query = try QueryEncoding().encode(fields)
      let form = try #require(String(data: bytes(of: .form(fields)), encoding: .utf8))

      for (text, isForm) in [(query, false), (form, true)] {
        var decoded: [String: String] = [:]
        for pair in text.split(separator: "&", omittingEmptySubsequences: false) {
          let parts = pair.split(separator: "=", omittingEmptySubsequences: false)
            .compactMap { percentDecoded($0, plusIsSpace: isForm) }
          try #require(parts.count == 2)
          decoded[parts[0]] = parts[1]
        }
        #expect(decoded.count == fields.count)
        #expect(fields.allSatisfy { isSame($0.value, decoded[$0.key]) })
      }
    }
  }
}
