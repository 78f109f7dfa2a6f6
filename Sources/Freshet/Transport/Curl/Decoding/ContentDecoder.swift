#if !canImport(Darwin)
import FreshetEssentials

/// Decodes the content codings of a body (RFC 9110 section 8.4), and detects whether it is complete.
///
/// Each call does a limited amount of work, and the rest can be continued later: a few bytes may expand to
/// hours of work. libcurl could decode too, but accepts a body that ends in the middle of its encoded form.
final class ContentDecoder {
  /// The result of a call.
  enum Outcome {
    /// The whole input was decoded.
    case decoded
    /// The rest waits for ``ContentDecoder/goOn(_:within:into:)``.
    case waiting
    /// The body does not have the declared coding.
    case corrupt
    /// The sink has refused the output.
    case refused
    /// The output exceeds ``ContentBounds/total``.
    case exceededTotal
    /// An intermediate form exceeds ``ContentBounds/inner``.
    case exceededInner
  }

  /// Receives a piece, which it has accepted unless it wants `none`.
  typealias Sink = (UnsafeRawBufferPointer) -> BodyDemand

  /// The names of the codings, for messages.
  let name: String
  /// The stages in the order of decoding: the coding that was applied last comes first.
  private var stages: [Stage]
  /// The input that waits for the first stage.
  private var rest = Data()
  private var output: Int64 = 0
  /// A Boolean value that indicates whether bytes wait to be decoded.
  private(set) var isWaiting = false

  /// Creates a decoder for the values of a response's `Content-Encoding`.
  ///
  /// - Returns: `nil` if one of the codings is unknown, or if there are more than two.
  init?(_ values: [String]) {
    let names = values.flatMap { FieldList.members(of: $0) }
      .map { ASCII.lowercased($0) }
      .filter { $0 != "identity" }
    guard names.count <= 2 else { return nil }
    var stages: [Stage] = []
    for (index, name) in names.reversed().enumerated() {
      guard let codec = Coding(name)?.makeCodec() else { return nil }
      stages.append(Stage(codec, bufferSize: index == 0 ? 0 : Self.roomSize))
    }
    self.stages = stages
    name = names.joined(separator: ", ")
  }

  deinit {
    for stage in stages { stage.buffer.deallocate() }
  }

  /// A Boolean value that indicates whether there are no codings to decode.
  var isIdle: Bool { stages.isEmpty }

  /// A Boolean value that indicates whether the encoded form has ended.
  var isComplete: Bool { !isWaiting && stages.allSatisfy(\.codec.isComplete) }

  /// The supported codings, as the value of `Accept-Encoding`.
  static let offer: String = {
    var offer = "gzip, deflate"
    if BrotliCodec.isAvailable { offer += ", br" }
    if ZstandardCodec.isAvailable { offer += ", zstd" }
    return offer
  }()

  /// Decodes a piece; must not be called while bytes wait.
  ///
  /// - Parameters:
  ///   - bytes: The piece; the part that is not decoded is copied.
  ///   - work: The amount of work allowed, in units of about one byte of output. It is reduced by the
  ///     work done, which may be slightly more.
  ///   - bounds: The limits of the output.
  ///   - sink: A closure that receives the output.
  /// - Returns: The result.
  func decode(
    _ bytes: UnsafeRawBufferPointer,
    _ work: inout Int,
    within bounds: ContentBounds,
    into sink: Sink
  ) -> Outcome {
    var input = bytes
    let outcome = run(&input, &work, bounds, sink)
    if isWaiting { rest = Data(input) }
    return outcome
  }

  /// Decodes waiting bytes.
  func goOn(_ work: inout Int, within bounds: ContentBounds, into sink: Sink) -> Outcome {
    var left = 0
    let outcome = rest.withUnsafeBytes { bytes in
      var input = bytes
      let outcome = run(&input, &work, bounds, sink)
      left = input.count
      return outcome
    }
    rest = isWaiting ? rest.suffix(left) : Data()
    return outcome
  }

  /// Returns whether all codings in the values of a `Content-Encoding` are supported.
  static func knows(_ values: [String]) -> Bool {
    values.flatMap { FieldList.members(of: $0) }
      .allSatisfy { member in
        let name = ASCII.lowercased(member)
        return name == "identity" || Coding(name)?.isAvailable == true
      }
  }

  /// A coding that can be undone, where its library is there.
  private enum Coding {
    case gzip, deflate, brotli, zstandard

    init?(_ name: String) {
      switch name {
      case "gzip", "x-gzip": self = .gzip
      case "deflate": self = .deflate
      case "br": self = .brotli
      case "zstd": self = .zstandard
      default: return nil
      }
    }

    var isAvailable: Bool {
      switch self {
      case .gzip, .deflate: true
      case .brotli: BrotliCodec.isAvailable
      case .zstandard: ZstandardCodec.isAvailable
      }
    }

    func makeCodec() -> (any ContentCodec)? {
      switch self {
      case .gzip: ZlibCodec(isGzip: true)
      case .deflate: ZlibCodec(isGzip: false)
      case .brotli: BrotliCodec()
      case .zstandard: ZstandardCodec()
      }
    }
  }
}

// MARK: - Steps

extension ContentDecoder {
  /// A codec and its pending input.
  private struct Stage {
    let codec: any ContentCodec
    /// The output of the previous stage; empty for the first one.
    let buffer: UnsafeMutableRawBufferPointer
    var waiting = 0..<0
    /// A Boolean value that indicates whether the codec may have more output without more input.
    var isFull = false
    var output: Int64 = 0

    init(_ codec: any ContentCodec, bufferSize: Int) {
      self.codec = codec
      buffer = .allocate(byteCount: bufferSize, alignment: 16)
    }

    func input(_ first: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
      buffer.isEmpty ? first : UnsafeRawBufferPointer(rebasing: buffer[waiting])
    }
  }

  /// The cost of a member without output.
  static let memberCost = 256
  /// Reading can be eight times as slow as writing: a block may consist of tables only.
  private static let inputCost = 8
  /// The size of the output buffer of one step.
  private static let roomSize = 64 << 10
  /// The largest input of one step.
  private static let inputSize = 16 << 10

  private func run(
    _ input: inout UnsafeRawBufferPointer,
    _ work: inout Int,
    _ bounds: ContentBounds,
    _ sink: Sink
  ) -> Outcome {
    withUnsafeTemporaryAllocation(byteCount: Self.roomSize, alignment: 16) { room in
      var outcome = Outcome.decoded
      // The last stage that can proceed, so that each stage has at most one buffer of pending input.
      while let index = stages.lastIndex(where: { canGoOn($0, input) }) {
        guard work > 0, case .decoded = outcome else {
          isWaiting = true
          return .waiting
        }
        outcome = step(index, &input, room, &work, bounds, sink)
        switch outcome {
        case .decoded, .waiting: break
        default: return outcome
        }
      }
      isWaiting = false
      return .decoded
    }
  }

  private func canGoOn(_ stage: Stage, _ input: UnsafeRawBufferPointer) -> Bool {
    !stage.input(input).isEmpty || stage.isFull && !stage.codec.isComplete
  }

  /// Runs one step of a stage that can proceed.
  ///
  /// - Returns: `waiting` if the sink asks for a pause.
  private func step(
    _ index: Int,
    _ first: inout UnsafeRawBufferPointer,
    _ room: UnsafeMutableRawBufferPointer,
    _ work: inout Int,
    _ bounds: ContentBounds,
    _ sink: Sink
  ) -> Outcome {
    let isLast = index == stages.count - 1
    let room = isLast ? room : stages[index + 1].buffer
    let codec = stages[index].codec
    let input = UnsafeRawBufferPointer(
      rebasing: stages[index].input(first).prefix(Self.inputSize)
    )
    let beginsMember = codec.isComplete
    guard let step = codec.decode(input, into: room),
      step.consumed > 0 || step.produced > 0 || input.isEmpty
    else { return .corrupt }
    stages[index].isFull = step.produced == room.count
    if index == 0 {
      first = UnsafeRawBufferPointer(rebasing: first.dropFirst(step.consumed))
    } else {
      stages[index].waiting = stages[index].waiting.dropFirst(step.consumed)
    }
    work -= Self.memberCost + Self.inputCost * step.consumed + step.produced
    stages[index].output += Int64(step.produced)
    output += Int64(step.produced + (beginsMember ? Self.memberCost : 0))
    guard output <= bounds.total else { return .exceededTotal }
    guard !isLast else {
      let piece = UnsafeRawBufferPointer(rebasing: room[..<step.produced])
      guard !piece.isEmpty else { return .decoded }
      return switch sink(piece) {
      case .more: .decoded
      case .pause: .waiting
      case .none: .refused
      }
    }
    guard stages[index].output <= bounds.inner else { return .exceededInner }
    stages[index + 1].waiting = 0..<step.produced
    return .decoded
  }
}
#endif
