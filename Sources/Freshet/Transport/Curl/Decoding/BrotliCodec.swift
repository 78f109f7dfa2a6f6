#if !canImport(Darwin)
import Glibc

/// Decodes `br` (RFC 7932), with the library that libcurl uses for it.
///
/// The library is in the process if libcurl supports the coding, and its functions are looked up by
/// name, so that nothing more has to be installed. Without it, the coding is not offered to servers.
final class BrotliCodec: ContentCodec {
  private typealias Create =
    @convention(c) (OpaquePointer?, OpaquePointer?, OpaquePointer?) -> OpaquePointer?
  private typealias Decompress =
    @convention(c) (
      OpaquePointer?,
      UnsafeMutablePointer<Int>?,
      UnsafeMutablePointer<UnsafePointer<UInt8>?>?,
      UnsafeMutablePointer<Int>?,
      UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?,
      UnsafeMutablePointer<Int>?
    ) -> Int32
  private typealias Destroy = @convention(c) (OpaquePointer?) -> Void

  private typealias Functions = (create: Create, decompress: Decompress, destroy: Destroy)

  private static let functions: Functions? = {
    // The types match those of brotli/decode.h, which are unchanged since version 1.0.
    guard let create: Create = LoadedFunction.named("BrotliDecoderCreateInstance"),
      let decompress: Decompress = LoadedFunction.named("BrotliDecoderDecompressStream"),
      let destroy: Destroy = LoadedFunction.named("BrotliDecoderDestroyInstance")
    else { return nil }
    return (create, decompress, destroy)
  }()

  static var isAvailable: Bool { functions != nil }

  private enum Result {
    static let success: Int32 = 1
    static let needsInput: Int32 = 2
    static let needsRoom: Int32 = 3
  }

  private let functions: Functions
  private let state: OpaquePointer
  private(set) var isComplete = false

  init?() {
    guard let functions = Self.functions, let state = functions.create(nil, nil, nil) else {
      return nil
    }
    (self.functions, self.state) = (functions, state)
  }

  deinit {
    functions.destroy(state)
  }

  func decode(
    _ input: UnsafeRawBufferPointer,
    into room: UnsafeMutableRawBufferPointer
  ) -> Step? {
    guard !isComplete else { return nil }
    var next = input.bindMemory(to: UInt8.self).baseAddress
    var inputCount = input.count
    var (output, outputCount) = (room.bindMemory(to: UInt8.self).baseAddress, room.count)
    switch functions.decompress(state, &inputCount, &next, &outputCount, &output, nil) {
    case Result.success: isComplete = true
    case Result.needsInput, Result.needsRoom: break
    default: return nil
    }
    return (consumed: input.count - inputCount, produced: room.count - outputCount)
  }
}
#endif
