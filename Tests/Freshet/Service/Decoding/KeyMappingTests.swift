import Foundation
import Freshet
import Testing

@Suite struct KeyMappingTests {
  struct Person: Decodable, Sendable, Equatable {
    var firstName: String
    var picture: URL?
    var email: String
    var age: Int?
  }

  struct Declared: KeyMapped, Sendable, Equatable {
    static let keys: [String: PayloadPath] = ["name": "profile.name", "tags": "profile.tags"]
    var id: Int
    var name: String
    var tags: [String]?
    var friend: [Declared]?
  }

  private static let keys: [String: PayloadPath] = [
    "firstName": "name.first", "picture": "picture.medium", "age": "dob.age",
  ]
  private static let person = #"""
    {"name":{"first":"Ada"},"picture":{"medium":"https://a.org/1"},"email":"a@a.org","dob":{"age":36}}
    """#
  private static let ada = Person(
    firstName: "Ada",
    picture: URL(string: "https://a.org/1"),
    email: "a@a.org",
    age: 36
  )

  private func read<Value>(
    _ json: String,
    _ decoding: Decoding<Value>
  ) throws -> Response<Value> {
    let url = try #require(URL(string: "https://a.org/"))
    let head = ResponseHead(status: .ok, headers: [:], url: url)
    return try decoding.value(of: Response(head: head, value: Data(json.utf8)))
  }

  private func failure<Value>(
    _ json: String,
    _ decoding: Decoding<Value>
  ) throws -> DecodingFailure {
    let error = try #require(throws: FreshetError.self) { try read(json, decoding) }
    guard case .decoding(let failure, _, _) = error else { throw error }
    return failure
  }

  @Test func `reads numbers of 128 bits, at their paths and in place`() throws {
    struct Wide: Decodable, Sendable, Equatable {
      var a: UInt128
      var b: Int128
      var c: Int128?
      var d: UInt128?
    }
    let json = #"{"x":{"a":340282366920938463463374607431768211455},"b":-1,"c":null}"#

    let value = try read(json, Decoding<Wide>.json(keys: ["a": "x.a", "d": "x.d"])).value

    #expect(value == Wide(a: .max, b: -1))
  }

  @Test func `reads properties by their paths, alone and in arrays, optionals and dictionaries`()
    throws
  {
    let (keys, one, ada) = (Self.keys, Self.person, Self.ada)

    #expect(try read(one, Decoding<Person>.json(keys: keys)).value == ada)
    #expect(try read("[\(one),\(one)]", Decoding<[Person]>.json(keys: keys)).value == [ada, ada])
    #expect(try read("[null,\(one)]", Decoding<[Person?]>.json(keys: keys)).value == [nil, ada])
    #expect(try read("[[\(one)]]", Decoding<[[Person]]>.json(keys: keys)).value == [[ada]])
    #expect(
      try read("{\"a\":\(one)}", Decoding<[String: Person]>.json(keys: keys)).value == ["a": ada]
    )
    #expect(try read("", Decoding<Person?>.json(keys: keys)).value == nil)
    #expect(try read("[]", Decoding<[Person]>.json(keys: keys)).value.isEmpty)
  }

  @Test(
    arguments: [
      #"{"name":{"first":"Ada"},"email":"x"}"#,
      #"{"name":{"first":"Ada"},"email":"x","picture":null}"#,
      #"{"name":{"first":"Ada"},"email":"x","picture":{},"dob":{"age":null}}"#,
    ]
  )
  func `an optional property is nil where a part of its path is missing or null`(
    json: String
  ) throws {
    let person = try read(json, Decoding<Person>.json(keys: Self.keys)).value

    #expect(person == Person(firstName: "Ada", email: "x"))
  }

  @Test(
    arguments: [
      (#"{"email":"x"}"#, "name.first", "missing"),
      (#"{"name":null,"email":"x"}"#, "name.first", "missing"),
      (#"{"name":{},"email":"x"}"#, "name.first", "missing"),
      (#"{"name":{"first":7},"email":"x"}"#, "name.first", "String"),
      (#"{"name":"Ada","email":"x"}"#, "name", "found a string"),
      (#"{"name":{"first":"Ada"},"email":"x","picture":"y"}"#, "picture", "found a string"),
      (#"{"name":{"first":"Ada"}}"#, "email", "missing"),
    ]
  )
  func `an error names the path in the server's words`(
    json: String,
    path: String,
    reason: String
  ) throws {
    let decoding = Decoding<Person>.json(keys: Self.keys)

    let one = try failure(json, decoding)
    let second = try failure("[\(Self.person),\(json)]", Decoding<[Person]>.json(keys: Self.keys))

    #expect(one.keyPath == path)
    #expect(one.reason.contains(reason))
    #expect(second.keyPath == "[1].\(path)")
  }

  @Test func `a path goes through arrays, to the object itself and to a dotted key`() throws {
    struct Odd: Decodable, Sendable, Equatable {
      var mail: String
      var all: [String: JSONValue]
      var dotted: Int
      var none: String?
    }
    let keys: [String: PayloadPath] = [
      "mail": "contacts.1.address", "all": "", "dotted": #"a\.b"#, "none": "contacts.2.address",
    ]
    let json = #"{"contacts":[{},{"address":"x"}],"a.b":7}"#

    let odd = try read(json, Decoding<Odd>.json(keys: keys)).value

    #expect(odd.mail == "x" && odd.dotted == 7 && odd.none == nil)
    #expect(odd.all.keys.sorted() == ["a.b", "contacts"])
    #expect(
      try failure(#"{"contacts":[{}],"a.b":7}"#, Decoding<Odd>.json(keys: keys)).keyPath
        == "contacts[1].address"
    )
  }

  @Test func `a key that the model does not have is an error`() throws {
    let keys: [String: PayloadPath] = ["fristName": "name.first", "picture": "picture.medium"]

    let missing = try failure(Self.person, Decoding<Person>.json(keys: keys))
    let optional = try failure(
      Self.person,
      Decoding<Person>.json(keys: ["firstName": "name.first", "agee": "dob.age"])
    )

    #expect(missing.reason.contains("“fristName”"))
    #expect(optional.reason.contains("“agee”"))
  }

  @Test func `a model's own keys hold wherever it is decoded, and in models of its kind`() throws {
    let json =
      #"{"id":1,"profile":{"name":"A","tags":["x"]},"friend":[{"id":2,"profile":{"name":"B"}}]}"#
    let friend = Declared(id: 2, name: "B")
    let one = Declared(id: 1, name: "A", tags: ["x"], friend: [friend])

    #expect(try read(json, .json as Decoding<Declared>).value == one)
    #expect(try read(json, .standard as Decoding<Declared>).value == one)
    #expect(try read("[\(json)]", .standard as Decoding<[Declared]>).value == [one])
    let replaced = Decoding<Declared>.json(keys: ["name": "id2"])
    #expect(try read(#"{"id":1,"id2":"C"}"#, replaced).value == Declared(id: 1, name: "C"))
  }

  @Test func `a dictionary of models keeps its keys where the decoder converts keys`() throws {
    let snakes: @Sendable () -> JSONDecoder = {
      let decoder = JSONDecoder()
      decoder.keyDecodingStrategy = .convertFromSnakeCase
      return decoder
    }
    let declared = #"{"id":1,"profile":{"name":"Ada"}}"#

    let models = try read(
      #"{"user_one":{"a_b":\#(declared)},"userTwo":{}}"#,
      Decoding<[String: [String: Declared]]>.json(snakes)
    )
    let people = try read(
      #"{"user_one":\#(Self.person),"user_two":null}"#,
      Decoding<[String: Person?]>.json(keys: Self.keys, snakes)
    )

    #expect(models.value == ["user_one": ["a_b": Declared(id: 1, name: "Ada")], "userTwo": [:]])
    #expect(people.value == ["user_one": Self.ada, "user_two": nil])
  }

  @Test func `reads models that ask for their properties in another order each time`() throws {
    struct Shape: Decodable, Sendable, Equatable {
      var kind: String
      var width: Int?
      var height: Int?
      enum CodingKeys: CodingKey { case kind, width, height }
      init(kind: String, width: Int?, height: Int?) {
        (self.kind, self.width, self.height) = (kind, width, height)
      }
      init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        kind = try container.decode(String.self, forKey: .kind)
        if kind == "tall" { height = try container.decodeIfPresent(Int.self, forKey: .height) }
        width = try container.decodeIfPresent(Int.self, forKey: .width)
        if kind == "wide" { height = try container.decodeIfPresent(Int.self, forKey: .height) }
      }
    }
    let keys: [String: PayloadPath] = ["width": "size.w", "height": "size.h"]
    let shapes = ["wide", "tall", "flat", "wide"]
      .map { #"{"kind":"\#($0)","size":{"w":1,"h":2},"width":7,"height":8}"# }

    let read = try read("[\(shapes.joined(separator: ","))]", Decoding<[Shape]>.json(keys: keys))

    let both = ["wide", "tall"].map { Shape(kind: $0, width: 1, height: 2) }
    #expect(read.value == both + [Shape(kind: "flat", width: 1, height: nil), both[0]])
  }

  @Test func `a lenient array leaves out what does not fit its keys`() throws {
    let bad = #"{"name":{"first":7},"email":"x"}"#

    let people = try read("[\(bad),\(Self.person)]", Decoding<[Person]>.lenient(keys: Self.keys))

    #expect(people.value == [Self.ada])
    #expect(people.skipped.map(\.keyPath) == ["[0].name.first"])
  }

  @Test func `calls, payloads, endpoints and routes take keys`() async throws {
    struct People: Endpoint {
      var path: RequestPath { "people" }
      var payload: PayloadPath { "results" }
      var decoding: Decoding<[Person]> { .json(keys: KeyMappingTests.keys) }
    }
    let envelope = "{\"results\":[\(Self.person)]}"
    let client = Client(ServiceScript(.json(envelope)))
    let single = Client(ServiceScript(.json(Self.person)))

    let unwrapped = try await client.send(.get("x")).unwrap(at: "results")
      .decode([Person].self, keys: Self.keys).value
    let one = try await single.send(.get("x")).decode(Person.self, keys: Self.keys).value
    let called = try await client.call(People()).output
    let router = try Router([Route("*", Person.self, as: .json(keys: Self.keys))])
    let url = try #require(URL(string: "https://a.org/x"))
    let head = ResponseHead(status: .ok, headers: [:], url: url)
    let routed = try router.decode(
      Person.self,
      from: Response(head: head, value: Data(Self.person.utf8))
    )

    #expect(unwrapped.value == [Self.ada] && one.value == Self.ada)
    #expect(called == [Self.ada] && routed == Self.ada)
  }

  @Test func `a class has its superclass's properties mapped too`() throws {
    class Base: Decodable {
      var id: Int
    }
    final class Derived: Base {
      var name: String
      enum CodingKeys: CodingKey { case name }
      required init(from decoder: any Decoder) throws {
        name = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .name)
        try super.init(from: decoder)
      }
    }
    struct Names: Sendable, Equatable { var id: Int, name: String }
    struct Holder: Decodable, Sendable {
      let names: Names
      init(from decoder: any Decoder) throws {
        let derived = try Derived(from: decoder)
        names = Names(id: derived.id, name: derived.name)
      }
    }

    let decoding = Decoding<Holder>.json(keys: ["id": "meta.id", "name": "meta.name"])

    #expect(
      try read(#"{"meta":{"id":7,"name":"A"}}"#, decoding).value.names == Names(id: 7, name: "A")
    )
  }
}
