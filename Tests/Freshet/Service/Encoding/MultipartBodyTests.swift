import Foundation
import Freshet
import Testing

@Suite struct MultipartBodyTests {
  private func form(_ parts: [MultipartBody.Part]) -> MultipartBody {
    var random = SplitMix(seed: 7)
    return MultipartBody(parts, using: &random)
  }

  private func temporaryFile(_ data: Data) throws -> URL {
    let url = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try data.write(to: url)
    return url
  }

  private struct Pieces: AsyncSequence, AsyncIteratorProtocol, Sendable {
    var pieces: [Data]
    func makeAsyncIterator() -> Pieces { self }
    mutating func next() async throws -> Data? { pieces.isEmpty ? nil : pieces.removeFirst() }
  }

  @Test func `sends texts, bytes, files and streams in order`() async throws {
    let file = try temporaryFile(Data("in a file".utf8))
    defer { try? FileManager.default.removeItem(at: file) }
    let form = form([
      .text("title", "Sommer & Ü"),
      .bytes("b", Data([0, 13, 10]), filename: "b.bin", contentType: .octetStream),
      .file("f", file, filename: "f.txt", contentType: .plainText),
      .stream("s", length: 4) { Pieces(pieces: [Data("ab".utf8), Data("cd".utf8)]) },
    ])

    let body = try RequestBody.multipart(form)
    let data = try await collect(body)

    let mark = "--\(form.boundary)"
    let expected = """
      \(mark)\r
      Content-Disposition: form-data; name="title"\r
      \r
      Sommer & Ü\r
      \(mark)\r
      Content-Disposition: form-data; name="b"; filename="b.bin"\r
      Content-Type: application/octet-stream\r
      \r
      \0\r
      \r
      \(mark)\r
      Content-Disposition: form-data; name="f"; filename="f.txt"\r
      Content-Type: text/plain; charset=utf-8\r
      \r
      in a file\r
      \(mark)\r
      Content-Disposition: form-data; name="s"\r
      Content-Type: application/octet-stream\r
      \r
      abcd\r
      \(mark)--\r

      """
    #expect(String(decoding: data, as: UTF8.self) == expected)
    #expect(body.length == Int64(data.count))
    #expect(body.contentType?.description == "multipart/form-data; boundary=\(form.boundary)")
  }

  @Test func `bytes of a stream do not wait for its next ones`() async throws {
    let (stream, continuation) = AsyncThrowingStream.makeStream(of: Data.self)
    let body = try RequestBody.multipart(form([.stream("s") { stream }]))
    continuation.yield(Data("ab".utf8))

    var chunks = chunks(of: body).makeAsyncIterator()
    let first = try await chunks.next(isolation: #isolation)

    #expect(first.map { String(decoding: $0, as: UTF8.self) }?.hasSuffix("\r\n\r\nab") == true)
    continuation.finish()
    while try await chunks.next(isolation: #isolation) != nil {}
  }

  @Test func `knows its length if each part does, and is replayable if each part is`() throws {
    let known = MultipartBody.Part.stream("a", length: 3) { Pieces(pieces: []) }
    let again = MultipartBody.Part.stream("a", isReplayable: true) { Pieces(pieces: []) }

    #expect(try RequestBody.multipart(form([.text("t", "x"), known])).length != nil)
    #expect(try RequestBody.multipart(form([.text("t", "x"), again])).length == nil)
    #expect(try !RequestBody.multipart(form([.text("t", "x"), known])).isReplayable)
    #expect(try RequestBody.multipart(form([.text("t", "x"), again])).isReplayable)
  }

  @Test func `has no length if the lengths of its parts do not fit into a number`() throws {
    let part = MultipartBody.Part.stream("a", length: .max - 60) { Pieces(pieces: []) }

    #expect(try RequestBody.multipart(form([part])).length == nil)
    #expect(try RequestBody.multipart(form([part, part])).length == nil)
  }

  @Test func `no name can end its field`() async throws {
    let evil = "a\"\r\nX: y\r\n\r\n"
    let body = try RequestBody.multipart(form([.bytes(evil, Data(), filename: evil)]))

    let text = String(decoding: try await collect(body), as: UTF8.self)

    #expect(text.contains(#"name="a%22%0D%0AX: y%0D%0A%0D%0A"; filename="a%22%0D%0AX: y"#))
    #expect(!text.contains("\r\nX: y"))
  }

  @Test func `a file's name is its own by default`() throws {
    let part = MultipartBody.Part.file("f", URL(filePath: "/tmp/ü.jpg"), contentType: .json)

    #expect(part.filename == "ü.jpg")
  }

  @Test func `boundaries differ, and are tokens`() throws {
    let boundaries = (0..<100).map { _ in MultipartBody([]).boundary }

    #expect(Set(boundaries).count == 100)
    #expect(boundaries.allSatisfy { $0.utf8.count == 40 })
    #expect(form([]).boundary == form([]).boundary)
  }

  @Test func `a form without parts is its closing boundary`() async throws {
    let form = form([])
    let body = try RequestBody.multipart(form)

    #expect(try await collect(body) == Data("--\(form.boundary)--\r\n".utf8))
    #expect(body.length == 46)
  }

  @Test func `refuses missing files and media types with line ends`() throws {
    let missing = URL(filePath: "/nonexistent/file")
    let folder = FileManager.default.temporaryDirectory
    let type = MediaType("text", "plain\r\nX: y")

    for url in [missing, folder] {
      let error = #expect(throws: FreshetError.self) {
        try RequestBody.multipart(form([.file("f", url)]))
      }
      #expect(error?.kind == "file")
    }
    let error = #expect(throws: FreshetError.self) {
      try RequestBody.multipart(form([.bytes("b", Data(), contentType: type)]))
    }
    #expect(error?.kind == "invalidRequest")
  }

  @Test(arguments: [("ab", "fewer than"), ("abcdef", "more than")])
  func `fails if a part differs from its announced length`(text: String, how: String) async throws {
    let part = MultipartBody.Part.stream("s", length: 4) { Pieces(pieces: [Data(text.utf8)]) }
    let body = try RequestBody.multipart(form([part, .text("t", "x")]))

    let error = await #expect(throws: FreshetError.self) { try await collect(body) }

    #expect(error?.description.contains("“s” has \(how) the 4 bytes") == true)
  }

  @Test func `fails if a file has grown`() async throws {
    let file = try temporaryFile(Data("1234".utf8))
    defer { try? FileManager.default.removeItem(at: file) }
    let body = try RequestBody.multipart(form([.file("f", file)]))

    try Data("12345".utf8).write(to: file)

    await #expect(throws: FreshetError.self) { try await collect(body) }
  }

  @Test func `a large part is never completely in memory`() async throws {
    let file = try temporaryFile(Data(count: 3 << 20))
    defer { try? FileManager.default.removeItem(at: file) }
    let body = try RequestBody.multipart(form([.file("f", file), .file("g", file)]))

    var largest = 0
    var total: Int64 = 0
    for try await chunk in chunks(of: body) {
      largest = max(largest, chunk.count)
      total += Int64(chunk.count)
    }

    #expect(largest <= 128 << 10)
    #expect(total == body.length)
  }

  @Test func `makes fields of a value`() async throws {
    struct Value: Encodable { var a = 1, b = ["x", "y"], c: Int?, d = ["e": true] }

    let parts = try MultipartBody.fields(Value())

    #expect(parts.map(\.name) == ["a", "b", "b", "d[e]"])
    #expect(
      parts.map { String(decoding: bytes(of: $0.body), as: UTF8.self) } == ["1", "x", "y", "true"]
    )
  }

  @Test func `parts decode to their input, for any Unicode`() async throws {
    var random = SplitMix(seed: 3)
    for _ in 0..<300 {
      let parts = (0..<Int.random(in: 1...4, using: &random))
        .map { _ in
          // The escapes of names are not reversible for a name that holds one.
          MultipartBody.Part.bytes(
            random.text().replacing("%", with: "_"),
            Data(random.text(0...40).utf8),
            filename: Bool.random(using: &random) ? random.text().replacing("%", with: "_") : nil
          )
        }
      let form = MultipartBody(parts, using: &random)

      let data = try await collect(.multipart(form))
      let decoded = try #require(MultipartReader.parts(of: data, boundary: form.boundary))

      #expect(decoded.count == parts.count)
      for (part, read) in zip(parts, decoded) {
        #expect(isSame(part.name, read.name))
        #expect(isSame(part.filename, read.filename))
        #expect(bytes(of: part.body) == read.body)
      }
    }
  }
}

/// Reads forms as a server does: by the boundary, then by the quotation marks.
enum MultipartReader {
  struct Part {
    let name: String?
    let filename: String?
    let body: Data
  }

  static func parts(of data: Data, boundary: String) -> [Part]? {
    let text = Data("\r\n".utf8) + data
    var parts: [Part] = []
    var sections = split(text, at: Data("\r\n--\(boundary)".utf8))
    guard sections.removeFirst().isEmpty, sections.popLast() == Data("--\r\n".utf8) else {
      return nil
    }
    for section in sections {
      guard section.starts(with: Data("\r\n".utf8)),
        let end = section.range(of: Data("\r\n\r\n".utf8)),
        let header = String(data: section[..<end.lowerBound], encoding: .utf8)
      else { return nil }
      parts.append(
        Part(
          name: value(" name=\"", in: header),
          filename: value(" filename=\"", in: header),
          body: Data(section[end.upperBound...])
        )
      )
    }
    return parts
  }

  private static func value(_ key: String, in header: String) -> String? {
    let bytes = Data(header.utf8)
    guard let start = bytes.range(of: Data(key.utf8))?.upperBound else { return nil }
    let value = String(decoding: bytes[start...].prefix { $0 != UInt8(ascii: "\"") }, as: UTF8.self)
    return percentDecoded(value)
  }

  private static func split(_ data: Data, at separator: Data) -> [Data] {
    var pieces: [Data] = []
    var rest = data[...]
    while let range = rest.range(of: separator) {
      pieces.append(Data(rest[..<range.lowerBound]))
      rest = rest[range.upperBound...]
    }
    return pieces + [Data(rest)]
  }
}
