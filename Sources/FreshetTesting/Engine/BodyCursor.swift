import Freshet
import FreshetEssentials

/// The position in a body that is being sent.
struct BodyCursor {
  private let body: LoopbackServer.Message.Body
  private let framing: ResponsePlan.Framing.Coding
  private let drip: LoopbackServer.Delivery.Drip?
  private let cut: LoopbackServer.Delivery.Cut?
  private let end: Int64
  private let trailers: HTTPHeaders
  private var holds: ArraySlice<LoopbackServer.Delivery.Hold>
  private var position: Int64 = 0
  /// The number of bytes of the current piece that are left, where the body drips.
  private var pieceRest: Int
  private var chunk = 0
  private var chunkPosition = 0

  init(
    _ body: LoopbackServer.Message.Body,
    framing: ResponsePlan.Framing.Coding,
    delivery: LoopbackServer.Delivery,
    _ trailers: HTTPHeaders = [:]
  ) {
    self.body = body
    self.framing = framing
    self.trailers = trailers
    drip = delivery.drip
    // If the body is shorter than the cut, the response still ends like the cut.
    cut = delivery.cut
    end = min(body.end, max(0, cut?.position ?? .max))
    holds = delivery.holds.sorted { $0.position < $1.position }[...]
    pieceRest = if let drip, case .duration = drip.wait { drip.size } else { 0 }
  }

  /// Adds the next piece to the output.
  mutating func next(
    into output: inout [UInt8],
    limit: Int,
    ending: LoopbackServer.Ending
  ) -> ResponsePlan.Step {
    if let hold = holds.first, hold.position <= position {
      holds.removeFirst()
      return .wait(.gate(hold.gate))
    }
    guard position < end else { return finish(&output, ending) }
    var count = min(Int64(limit), end - position)
    if let hold = holds.first { count = min(count, hold.position - position) }
    if let drip {
      guard pieceRest > 0 else {
        pieceRest = drip.size
        return .wait(drip.wait)
      }
      count = min(count, Int64(pieceRest))
    }
    let start = position
    append(Int(count), to: &output)
    pieceRest -= Int(position - start)
    return .bytes
  }

  private mutating func finish(
    _ output: inout [UInt8],
    _ ending: LoopbackServer.Ending
  ) -> ResponsePlan.Step {
    if let cut { return .done(cut.ending) }
    guard framing == .chunked else { return .done(ending) }
    output.append(contentsOf: "0\r\n".utf8)
    for field in trailers {
      output.append(contentsOf: "\(field.name.rawValue): \(field.value)\r\n".utf8)
    }
    output.append(contentsOf: "\r\n".utf8)
    return .done(ending)
  }

  private mutating func append(_ wanted: Int, to output: inout [UInt8]) {
    switch body {
    case .part(let bytes, let range):
      // Its length is announced, so that it has no coding.
      let start = range.lowerBound + position
      bytes.append(start..<start + Int64(wanted), to: &output)
      position += Int64(wanted)
    case .chunks(let chunks):
      append(wanted, of: chunks[chunk], to: &output)
      if chunkPosition == chunks[chunk].count { (chunk, chunkPosition) = (chunk + 1, 0) }
    case .endless(let data):
      append(wanted, of: data, to: &output)
      if chunkPosition == data.count { chunkPosition = 0 }
    }
  }

  /// Appends the next bytes of a chunk, which is one chunk of the coding however many pieces it is sent in.
  private mutating func append(_ wanted: Int, of chunk: Data, to output: inout [UInt8]) {
    let count = min(wanted, chunk.count - chunkPosition)
    if framing == .chunked, chunkPosition == 0 {
      output.append(contentsOf: "\(String(chunk.count, radix: 16))\r\n".utf8)
    }
    chunk.withUnsafeBytes { bytes in
      output.append(contentsOf: bytes[chunkPosition..<chunkPosition + count])
    }
    position += Int64(count)
    chunkPosition += count
    if framing == .chunked, chunkPosition == chunk.count {
      output.append(contentsOf: "\r\n".utf8)
    }
  }
}
