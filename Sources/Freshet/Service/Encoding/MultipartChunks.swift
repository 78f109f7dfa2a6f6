import FreshetEssentials

/// The bytes of a form, pulled part by part.
struct MultipartChunks: AsyncSequence, Sendable {
  let boundary: String
  let sections: [MultipartSection]

  func makeAsyncIterator() -> Iterator { Iterator(form: self) }

  /// The length of the whole; `nil` if that of a part is unknown, or if the sum does not fit.
  var length: Int64? {
    var length = Int64(closing.count)
    for (index, section) in sections.enumerated() {
      guard let body = section.length else { return nil }
      length = length.saturatingSum(body).saturatingSum(Int64(opening(index).count))
    }
    return length == .max ? nil : length
  }

  /// Returns the delimiter before a part (RFC 2046 section 5.1.1), with the part's header.
  func opening(_ index: Int) -> Data {
    Data("\(index == 0 ? "" : "\r\n")--\(boundary)\r\n".utf8) + sections[index].header
  }

  var closing: Data { Data("\(sections.isEmpty ? "" : "\r\n")--\(boundary)--\r\n".utf8) }
}

extension MultipartChunks {
  /// Small parts and their delimiters share a chunk.
  struct Iterator: AsyncIteratorProtocol {
    fileprivate let form: MultipartChunks
    fileprivate var nextPart = 0
    fileprivate var part: (any AsyncIteratorProtocol<Data, any Error>)?
    fileprivate var partCount: Int64 = 0
    fileprivate var pending = Data()
    fileprivate var isClosed = false
    /// A Boolean value that indicates whether a stream has delivered bytes, which do not wait for its next ones.
    fileprivate var isDue = false

    mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws -> Data? {
      isDue = false
      while pending.count < RequestBody.chunkByteCount, !isClosed, !isDue {
        do {
          if Task.isCancelled { throw FreshetError.cancelled }
          try await advance()
        } catch {
          // The closing delimiter must not follow, or the truncated form would seem complete.
          (isClosed, part, pending) = (true, nil, Data())
          throw error
        }
      }
      guard !pending.isEmpty else { return nil }
      let chunk = pending
      pending = Data()
      return chunk
    }

    private mutating func advance() async throws {
      if var part {
        let chunk = try await part.next(isolation: #isolation)
        self.part = chunk == nil ? nil : part
        try count(chunk)
        guard let chunk, !chunk.isEmpty else { return }
        pending.append(chunk)
        if case .stream = form.sections[nextPart - 1].body.source { isDue = true }
      } else if nextPart < form.sections.count {
        pending.append(form.opening(nextPart))
        part = form.sections[nextPart].body.chunks.anyIterator
        partCount = 0
        nextPart += 1
      } else {
        pending.append(form.closing)
        isClosed = true
      }
    }

    /// Counts a chunk of a part, `nil` for its end: a length that differs from the announced one would
    /// shift the following bytes.
    private mutating func count(_ chunk: Data?) throws(FreshetError) {
      partCount += Int64(chunk?.count ?? 0)
      let section = form.sections[nextPart - 1]
      guard let length = section.length else { return }
      guard partCount > length || chunk == nil && partCount < length else { return }
      let how = partCount > length ? "more than" : "fewer than"
      let reason = "its part “\(section.name)” has \(how) the \(length) bytes announced"
      throw .invalidRequest(reason, url: "")
    }
  }
}

@available(*, unavailable)
extension MultipartChunks.Iterator: Sendable {}

extension AsyncSequence where Element == Data, Failure == any Error {
  /// Returns the iterator as an existential.
  var anyIterator: any AsyncIteratorProtocol<Data, any Error> { makeAsyncIterator() }
}
