#if os(Linux)
import Foundation

/// Undoes the content codings of a body (RFC 9110 section 8.4), and tells whether all of it has come.
///
/// It does no more than it is asked to at once, and goes on later: a few bytes may hold hours of work.
/// libcurl could decode too, but takes a body that ends in the middle of its encoded form for a whole
/// one.
final class ContentDecoder {
  /// How far a call has come.
  enum Outcome {
    /// All of it has been decoded.
    case decoded
    /// The rest waits for ``ContentDecoder/goOn(_:within:into:)``.
    case waiting
    /// It is not in the coding that it was said to be in.
    case corrupt
    /// The sink wants no more of it.
    case refused
    /// It has become more than ``ContentBounds/total``.
    case exceededTotal
    /// A form inside has become more than ``ContentBounds/inner``.
    case exceededInner
  }

  /// What the sink wants after a piece, which it has taken unless it refuses.
  enum Demand {
    case more
    case pause
    case none
  }

  typealias Sink = (UnsafeRawBufferPointer) -> Demand

  /// The names of the codings, for people.
  let name: String
  /// The last coding that was applied comes first.
  private var stages: [Stage]
  /// What waits before the first stage.
  private var rest = Data()
  private var output: Int64 = 0
  /// Whether something waits to be decoded.
  private(set) var isWaiting = false

  /// Makes a decoder for the values of a response's `Content-Encoding`.
  ///
  /// - Returns: `nil` if one of the codings is not known, or if there are more than two.
  init?(_ values: [String]) {
    let names = values.flatMap { FieldList.members(of: $0) }
      .map { ASCII.lowercased($0) }
      .filter { $0 != "identity" }
    guard names.count <= 2 else { return nil }
    var stages: [Stage] = []
    for (index, name) in names.reversed().enumerated() {
      guard let codec = Self.codec(name) else { return nil }
      stages.append(Stage(codec, bufferSize: index == 0 ? 0 : Self.roomSize))
    }
    self.stages = stages
    name = names.joined(separator: ", ")
  }

  deinit {
    for stage in stages { stage.buffer.deallocate() }
  }

  /// Whether there is anything to undo.
  var isIdle: Bool { stages.isEmpty }

  /// Whether the encoded form has come to its end.
  var isComplete: Bool { !isWaiting && stages.allSatisfy(\.codec.isComplete) }

  /// The codings that are asked for.
  static let offer: String = {
    var names = ["gzip", "deflate"]
    if BrotliCodec.isAvailable { names.append("br") }
    if ZstandardCodec.isAvailable { names.append("zstd") }
    return names.joined(separator: ", ")
  }()

  /// Decodes a piece, while nothing waits.
  ///
  /// - Parameters:
  ///   - bytes: The piece; what is not decoded of it is copied.
  ///   - work: How much may be done, in about the time that a byte of output takes; it is reduced by
  ///     what was done, which may be somewhat more.
  ///   - bounds: How much it may become.
  ///   - sink: Takes the output.
  /// - Returns: How far it has come.
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

  /// Decodes what waits.
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

  /// Returns a Boolean value that indicates whether each of the codings in the values of a `Content-Encoding` can be
  /// undone.
  static func knows(_ values: [String]) -> Bool {
    values.flatMap { FieldList.members(of: $0) }
      .allSatisfy { member in
        switch ASCII.lowercased(member) {
        case "gzip", "x-gzip", "deflate", "identity": true
        case "br": BrotliCodec.isAvailable
        case "zstd": ZstandardCodec.isAvailable
        default: false
        }
      }
  }

  private static func codec(_ name: String) -> (any ContentCodec)? {
    switch name {
    case "gzip", "x-gzip": ZlibCodec(isGzip: true)
    case "deflate": ZlibCodec(isGzip: false)
    case "br": BrotliCodec()
    case "zstd": ZstandardCodec()
    default: nil
    }
  }
}

// MARK: - Steps

extension ContentDecoder {
  /// A codec with what waits before it.
  private struct Stage {
    let codec: any ContentCodec
    /// What the stage before puts out; empty for the first one.
    let buffer: UnsafeMutableRawBufferPointer
    var waiting = 0..<0
    /// Whether the codec may have more to put out without more input.
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

  /// What a member costs that has no output.
  static let memberCost = 256
  /// Reading may be eight times as slow as writing: a block can be nothing but its tables.
  private static let inputCost = 8
  /// Room for what comes out of one step.
  private static let roomSize = 64 << 10
  /// How much one step may read.
  private static let inputSize = 16 << 10

  private func run(
    _ input: inout UnsafeRawBufferPointer,
    _ work: inout Int,
    _ bounds: ContentBounds,
    _ sink: Sink
  ) -> Outcome {
    withUnsafeTemporaryAllocation(byteCount: Self.roomSize, alignment: 16) { room in
      var outcome = Outcome.decoded
      // The last stage that can, so that at most one room waits before each.
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

  /// Makes one step of one stage, which can go on.
  ///
  /// - Returns: `waiting` if the sink wants a pause.
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
