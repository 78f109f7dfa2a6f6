import Foundation
import Freshet
import Testing

@Suite struct RequestBodyEncodingTests {
  struct User: Codable, Equatable {
    var name = "é / & = +"
    var born = Date(timeIntervalSinceReferenceDate: 1)
    var picture = Data([1, 2, 3])
  }

  private func text(_ body: RequestBody) -> String {
    String(decoding: bytes(of: body), as: UTF8.self)
  }

  @Test func `a form has its own encoding`() throws {
    let body = try RequestBody.form(["a b": "c+d~*&="])

    #expect(text(body) == "a+b=c%2Bd%7E*%26%3D")
    #expect(body.contentType?.description == "application/x-www-form-urlencoded")
    #expect(body.length == 19)
    #expect(body.isReplayable)
  }

  @Test func `a form follows its options`() throws {
    let encoding = QueryEncoding {
      $0.arrays = .brackets
      $0.booleans = .numbers
    }

    #expect(text(try .form(["a": [true]], encoding: encoding)) == "a%5B%5D=1")
  }

  @Test func `values of several types are written as they are`() throws {
    let age = 7

    let form = try RequestBody.form(["name": "Ada", "age": age, "tags": ["x", "y"]])
    let json = try RequestBody.json(["name": "Ada", "age": age, "born": Date?.none, "on": true])
    let place: ParameterList = ["street": "Long", "number": 3]
    let nested = try RequestBody.json(["age": age, "place": place], nils: .null)
    let update = try Request(.post, "http://a.example/users")
      .with(parameters: ["name": "Ada", "age": age], in: .form())

    #expect(text(form) == "name=Ada&age=7&tags=x&tags=y")
    #expect(text(json) == #"{"age":7,"name":"Ada","on":true}"#)
    #expect(text(nested) == #"{"age":7,"place":{"number":3,"street":"Long"}}"#)
    #expect(update.body.map(text) == "name=Ada&age=7")
  }

  @Test func `an encoder converts the names of several types, and not the keys of a dictionary`()
    throws
  {
    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = .convertToSnakeCase
    encoder.outputFormatting = .sortedKeys

    let list = try RequestBody.json(["userAge": 7, "city": String?.none], encoder: encoder)
    let dictionary = try RequestBody.json(["userAge": 7, "city": Int?.none], encoder: encoder)

    #expect(text(list) == #"{"user_age":7}"#)
    #expect(text(dictionary) == #"{"city":null,"userAge":7}"#)
  }

  @Test func `JSON sends nil as null on request, at any depth`() throws {
    struct Draft: Encodable {
      struct Place: Encodable { var street: String?, number: Int? = 3 }
      var name: String?
      var born: Date? = Date(timeIntervalSince1970: 1)
      var places: [Place?] = [Place(), nil]
      var tags = ["b": nil, "a": 1]
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    encoder.dateEncodingStrategy = .secondsSince1970

    let null = text(try .json(Draft(), nils: .null, encoder: encoder))
    let plain = text(try .json(Draft(), encoder: encoder))

    #expect(
      null == #"{"born":1,"name":null,"places":[{"number":3,"street":null},null],"#
        + #""tags":{"a":1,"b":null}}"#
    )
    #expect(plain == #"{"born":1,"places":[{"number":3},null],"tags":{"a":1,"b":null}}"#)
    let list: ParameterList = ["page": nil as Int?, "size": 2]
    #expect(text(try .json(list, nils: .null)) == #"{"page":null,"size":2}"#)
    #expect(text(try .json(nil as Int?, nils: .null)) == "null")
  }

  @Test func `JSON decodes to its input`() throws {
    let body = try RequestBody.json(User())

    #expect(try JSONDecoder().decode(User.self, from: bytes(of: body)) == User())
    #expect(body.contentType == .json)
  }

  @Test func `equal values are equal JSON, with plain slashes`() throws {
    #expect(text(try .json(["b": "x/y", "a": "z"])) == #"{"a":"z","b":"x/y"}"#)
    #expect(text(try .json([1, 2])) == "[1,2]")
    #expect(text(try .json("x")) == "\"x\"")
  }

  @Test func `refuses a number that is none, and names its place`() throws {
    let error = try #require(throws: FreshetError.self) {
      try RequestBody.json(["d": Decimal.nan])
    }

    #expect(error.description.contains("“d”"))
    #expect(throws: FreshetError.self) { try RequestBody.json([Double.nan]) }
    #expect(text(try .json(["d": "N, NaN"])) == #"{"d":"N, NaN"}"#)
    let encoder = JSONEncoder()
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "+",
      negativeInfinity: "-",
      nan: "NaN"
    )
    #expect(text(try .json([Double.nan], encoder: encoder)) == #"["NaN"]"#)
  }

  @Test(arguments: [JSONNils.asEncoded, .null, .omitted, .pruned])
  func `the given encoder decides about numbers and what types are told`(nils: JSONNils) throws {
    let key = try #require(CodingUserInfoKey(rawValue: "version"))
    struct Value: Encodable {
      let key: CodingUserInfoKey
      func encode(to encoder: any Encoder) throws {
        var list = encoder.unkeyedContainer()
        try list.encode(encoder.userInfo[key] as? Int)
        try list.encode(Double.infinity)
        try list.encode(-Float.infinity)
      }
    }
    let encoder = JSONEncoder()
    encoder.userInfo[key] = 2
    #expect(throws: FreshetError.self) {
      try RequestBody.json([Value(key: key)], nils: nils, encoder: encoder)
    }
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "+",
      negativeInfinity: "-",
      nan: "NaN"
    )

    let body = try RequestBody.json([Value(key: key)], nils: nils, encoder: encoder)

    #expect(text(body) == #"[[2,"+","-"]]"#)
    #expect(throws: FreshetError.self) {
      try RequestBody.json([Decimal.nan], nils: nils, encoder: encoder)
    }
  }

  @Test func `the given encoder writes JSON`() throws {
    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = .convertToSnakeCase

    #expect(text(try .json(["aB": 1], encoder: encoder)) == #"{"aB":1}"#)
    struct Value: Encodable { var aB = 1 }
    #expect(text(try .json(Value(), encoder: encoder)) == #"{"a_b":1}"#)
  }

  @Test(arguments: [JSONNils.asEncoded, .null, .omitted, .pruned])
  func `an encoder that converts keys leaves those of dictionaries`(nils: JSONNils) throws {
    struct Value: Encodable { var aB = ["cD": [1: "x"]] }
    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = .convertToSnakeCase

    #expect(text(try .json(["aB": 1], nils: nils, encoder: encoder)) == #"{"aB":1}"#)
    #expect(
      text(try .json([Value()], nils: nils, encoder: encoder)) == #"[{"a_b":{"cD":{"1":"x"}}}]"#
    )
    #expect(text(try .json([String: Int](), nils: nils, encoder: encoder)) == "{}")
  }

  private static let sparse: [(String, omitted: String, pruned: String)] = [
    (#"{"a":null,"b":1}"#, #"{"b":1}"#, #"{"b":1}"#),
    (#"{"a":{"b":null}}"#, #"{"a":{}}"#, "{}"),
    (#"{"a":{"b":{"c":null}},"d":{}}"#, #"{"a":{"b":{}},"d":{}}"#, "{}"),
    (
      #"{"a":[null,{"b":null},{},[],[{"c":null}],1]}"#, #"{"a":[null,{},{},[],[{}],1]}"#,
      #"{"a":[null,[],[],1]}"#
    ),
    (#"[{"a":null},null]"#, "[{},null]", "[null]"), ("null", "null", "null"),
    (#"{"a":""}"#, #"{"a":""}"#, #"{"a":""}"#),
    (#"{"a":0,"b":false}"#, #"{"a":0,"b":false}"#, #"{"a":0,"b":false}"#),
  ]

  @Test(arguments: sparse)
  func `removes nulls of any JSON at any depth, empty objects on request`(
    json: String,
    omitted: String,
    pruned: String
  ) throws {
    let value = try JSONDecoder().decode(JSONValue.self, from: Data(json.utf8))

    #expect(text(try .json(value)) == json)
    #expect(text(try .json(value, nils: .omitted)) == omitted)
    #expect(text(try .json(value, nils: .pruned)) == pruned)
    #expect(text(try .json(value.omittingNulls)) == omitted)
    #expect(text(try .json(value.pruned)) == pruned)
  }

  @Test func `a type that encodes null is pruned too, and keeps its numbers and dates`() throws {
    struct Value: Encodable {
      var id = UInt64.max
      var name: String?
      var at = Date(timeIntervalSinceReferenceDate: 1)

      enum Key: CodingKey { case id, name, at }

      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(id, forKey: .id)
        try container.encode(name, forKey: .name)
        try container.encode(at, forKey: .at)
      }
    }

    #expect(text(try .json(Value())) == #"{"at":1,"id":18446744073709551615,"name":null}"#)
    #expect(text(try .json(Value(), nils: .omitted)) == #"{"at":1,"id":18446744073709551615}"#)
    #expect(text(try .json(Value(), nils: .pruned)) == #"{"at":1,"id":18446744073709551615}"#)
  }

  @Test(arguments: [
    (JSONNils.omitted, #"{"a":170141183460469231731687303715884105727,"c":[-1,0]}"#),
    (.null, #"{"a":170141183460469231731687303715884105727,"b":null,"c":[-1,0]}"#),
  ])
  func `numbers of 128 bits are whole, also where nil is sent`(
    nils: JSONNils,
    json: String
  ) throws {
    struct Value: Encodable {
      var a = UInt128(Int128.max)
      var b: Int128?
      var c = [-1, 0] as [Int128]
    }

    #expect(text(try .json(Value(), nils: nils)) == json)
  }

  @Test(arguments: [PropertyListSerialization.PropertyListFormat.xml, .binary])
  func `a property list decodes to its input`(
    format: PropertyListSerialization.PropertyListFormat
  ) throws {
    let body = try RequestBody.propertyList(User(), format: format)

    #expect(try PropertyListDecoder().decode(User.self, from: bytes(of: body)) == User())
    #expect(body.contentType?.description == "application/x-plist")
  }

  @Test func `an error names the place and shows no value`() throws {
    struct Secret: Encodable {
      var token: Double = .infinity
      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(token, forKey: .token)
      }
      enum Key: CodingKey { case token }
    }

    let error = try #require(throws: FreshetError.self) { try RequestBody.json(["a": Secret()]) }

    #expect(error.kind == "invalidRequest")
    #expect(error.description.contains("“a.token” is a Double"))
  }

  @Test func `the rest of a value after the path is the same JSON`() throws {
    struct Value: Encodable {
      var id = 7
      var a = 1.5
      var b: Int?
      var c = [UInt64.max]
      var d = ["x": true]
      var e = Date(timeIntervalSinceReferenceDate: 1)
      var f = Data([1])
    }

    let (_, rest) = try PathPattern(":id").split(Value())

    #expect(
      text(try .json(rest))
        == #"{"a":1.5,"c":[18446744073709551615],"d":{"x":true},"e":1,"f":"AQ=="}"#
    )
  }
}
