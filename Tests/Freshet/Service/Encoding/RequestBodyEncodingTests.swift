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

  @Test func `JSON sends nil as null when it is told to, at any depth`() throws {
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

  @Test func `JSON decodes to what it was`() throws {
    let body = try RequestBody.json(User())

    #expect(try JSONDecoder().decode(User.self, from: bytes(of: body)) == User())
    #expect(body.contentType == .json)
  }

  @Test func `equal values are equal JSON, with plain slashes`() throws {
    #expect(text(try .json(["b": "x/y", "a": "z"])) == #"{"a":"z","b":"x/y"}"#)
    #expect(text(try .json([1, 2])) == "[1,2]")
    #expect(text(try .json("x")) == "\"x\"")
  }

  @Test func `JSON is written by the encoder that is given`() throws {
    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = .convertToSnakeCase

    #expect(text(try .json(["aB": 1], encoder: encoder)) == #"{"aB":1}"#)
    struct Value: Encodable { var aB = 1 }
    #expect(text(try .json(Value(), encoder: encoder)) == #"{"a_b":1}"#)
  }

  @Test(arguments: [PropertyListSerialization.PropertyListFormat.xml, .binary])
  func `a property list decodes to what it was`(
    format: PropertyListSerialization.PropertyListFormat
  ) throws {
    let body = try RequestBody.propertyList(User(), format: format)

    #expect(try PropertyListDecoder().decode(User.self, from: bytes(of: body)) == User())
    #expect(body.contentType?.description == "application/x-plist")
  }

  @Test func `an error says where and shows no value`() throws {
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

  @Test func `what is left of a value after the path is the same JSON`() throws {
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
