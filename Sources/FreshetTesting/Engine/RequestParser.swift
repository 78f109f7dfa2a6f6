import Freshet
import FreshetEssentials

/// Splits the bytes of a connection into requests; a value without a socket.
struct RequestParser {
  struct Body {
    var bytes = Data()
    var length: Int64 = 0
    var trailers = HTTPHeaders()
  }

  enum Event {
    /// More bytes are needed.
    case incomplete
    /// The head of a request; its body follows.
    case head(RequestHead)
    /// The request is complete.
    case complete(Body)
  }

  private enum State {
    case head
    case bytes(Int64)
    case chunkSize
    case chunk(Int64)
    case chunkEnd
    case trailers
  }

  /// A Boolean value that indicates whether the bytes of the body are collected; set after each head.
  var keepsBody = true
  /// A Boolean value that indicates whether a body of any size is accepted, because it is taken as it comes;
  /// set after each head.
  var isTakenAsItComes = false

  private let maximumHeadBytes: Int
  private let maximumBodyBytes: Int64
  private var state = State.head
  private var body = Body()
  private var buffer: [UInt8] = []
  private var start = 0
  /// The position up to which the end of the head, or of a line, has been searched.
  private var scanned = 0

  init(maximumHeadBytes: Int, maximumBodyBytes: Int64) {
    self.maximumHeadBytes = maximumHeadBytes
    self.maximumBodyBytes = maximumBodyBytes
  }

  /// The number of bytes that have not been parsed yet.
  var bufferedCount: Int { buffer.count - start }

  mutating func append(_ bytes: UnsafeRawBufferPointer) {
    if start == buffer.count {
      buffer.removeAll(keepingCapacity: true)
      (start, scanned) = (0, 0)
    } else if start > 1 << 16 {
      buffer.removeFirst(start)
      (start, scanned) = (0, max(0, scanned - start))
    }
    buffer.append(contentsOf: bytes)
  }

  /// Parses the next event.
  ///
  /// - Throws: The status with which the request is refused. Nothing can be parsed after that.
  mutating func next() throws(Refusal) -> Event {
    while true {
      switch state {
      case .head:
        return try head()
      case .bytes(let rest):
        let left = try take(rest)
        guard left == 0 else {
          state = .bytes(left)
          return .incomplete
        }
        return complete()
      case .chunkSize:
        guard let line = try line() else { return .incomplete }
        let size = try Self.chunkSize(line)
        state = size == 0 ? .trailers : .chunk(size)
      case .chunk(let rest):
        let left = try take(rest)
        state = left == 0 ? .chunkEnd : .chunk(left)
        guard left == 0 else { return .incomplete }
      case .chunkEnd:
        guard let line = try line() else { return .incomplete }
        guard line.isEmpty else { throw Refusal(status: 400) }
        state = .chunkSize
      case .trailers:
        guard let line = try line() else { return .incomplete }
        if line.isEmpty { return complete() }
        guard body.trailers.count < 100 else { throw Refusal(status: 431) }
        let fields = try RequestHead.fields([line + [0x0D]])
        body.trailers = HTTPHeaders(Array(body.trailers) + Array(fields))
      }
    }
  }

  /// Returns the bytes that have not been parsed, and removes them.
  mutating func takeRest() -> [UInt8] {
    defer { start = buffer.count }
    return Array(buffer[start...])
  }

  // MARK: - Parts

  private mutating func head() throws(Refusal) -> Event {
    // Empty lines before a request are tolerated (RFC 9112 section 2.2).
    while bufferedCount >= 2, buffer[start] == 0x0D, buffer[start + 1] == 0x0A { start += 2 }
    // The rest of other protocols, such as a TLS handshake, may never have the end of a head.
    guard bufferedCount == 0 || buffer[start] == 0x0D || ASCII.isToken(buffer[start]) else {
      throw Refusal(status: 400)
    }
    guard let end = endOfHead() else {
      guard bufferedCount <= maximumHeadBytes else { throw Refusal(status: 431) }
      return .incomplete
    }
    guard end - start <= maximumHeadBytes else { throw Refusal(status: 431) }
    let head = try RequestHead(buffer[start..<end - 2])
    start = end
    body = Body()
    keepsBody = true
    isTakenAsItComes = false
    state =
      switch head.framing {
      case .length(let length): .bytes(length)
      case .chunked: .chunkSize
      }
    return .head(head)
  }

  /// Returns the position after the empty line.
  private mutating func endOfHead() -> Int? {
    let found = buffer.withUnsafeBufferPointer { bytes -> Int? in
      var index = max(start, scanned - 3)
      while index + 3 < bytes.count {
        if bytes[index + 3] == 0x0A, bytes[index + 2] == 0x0D, bytes[index + 1] == 0x0A,
          bytes[index] == 0x0D
        {
          return index + 4
        }
        index += 1
      }
      return nil
    }
    scanned = found == nil ? buffer.count : 0
    return found
  }

  private mutating func line() throws(Refusal) -> ArraySlice<UInt8>? {
    guard let end = buffer[max(start, scanned)...].firstIndex(of: 0x0A) else {
      guard bufferedCount <= 4096 else { throw Refusal(status: 400) }
      scanned = buffer.count
      return nil
    }
    defer { (start, scanned) = (end + 1, 0) }
    guard end > start, buffer[end - 1] == 0x0D else { throw Refusal(status: 400) }
    return buffer[start..<end - 1]
  }

  /// Takes up to `count` bytes of the body, and returns the number of missing ones.
  private mutating func take(_ count: Int64) throws(Refusal) -> Int64 {
    let available = Int(min(count, Int64(bufferedCount)))
    guard !keepsBody || isTakenAsItComes || body.length + count <= maximumBodyBytes else {
      throw Refusal(status: 413)
    }
    if keepsBody {
      buffer.withUnsafeBytes { bytes in
        body.bytes.append(contentsOf: bytes[start..<start + available])
      }
    }
    body.length += Int64(available)
    start += available
    return count - Int64(available)
  }

  /// Removes and returns the bytes of an incomplete body that have been collected.
  mutating func takeBytes() -> Data {
    exchange(&body.bytes, with: Data())
  }

  private mutating func complete() -> Event {
    state = .head
    defer { body = Body() }
    return .complete(body)
  }

  private static func chunkSize(_ line: ArraySlice<UInt8>) throws(Refusal) -> Int64 {
    let digits = ASCII.trimmed(Substring(decoding: line.prefix { $0 != 0x3B }, as: UTF8.self))
    guard (1...15).contains(digits.utf8.count), digits.utf8.allSatisfy(ASCII.isHexDigit),
      let size = Int64(digits, radix: 16)
    else { throw Refusal(status: 400) }
    return size
  }
}
