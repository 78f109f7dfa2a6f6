import Foundation

/// How one process of the fuzzer runs: which target, and whether inputs are repeated to a length at
/// which time that grows with the square of it shows.
private struct Run: Sendable {
  let target: FuzzTarget
  let repeatedTo: Int

  static let current: Run = {
    let environment = ProcessInfo.processInfo.environment
    let name = environment["FRESHET_FUZZ_TARGET"] ?? ""
    guard let target = FuzzTarget.named(name) else {
      list()
      exit(name.isEmpty ? 0 : 2)
    }
    let length = environment["FRESHET_FUZZ_REPEAT"].flatMap { Int($0) } ?? 0
    return Run(target: target, repeatedTo: length)
  }()

  /// Prints the names and longest inputs, and writes words and seeds where the script wants them.
  private static func list() {
    let folder = ProcessInfo.processInfo.environment["FRESHET_FUZZ_FOLDER"]
    for target in FuzzTarget.all {
      print(target.name, target.maximumLength)
      guard let folder else { continue }
      let place = URL(fileURLWithPath: folder).appendingPathComponent(target.name)
      let seeds = place.appendingPathComponent("seeds")
      try? FileManager.default.createDirectory(at: seeds, withIntermediateDirectories: true)
      for (index, seed) in target.seeds.enumerated() {
        try? Data(target.bytes(of: seed))
          .write(to: seeds.appendingPathComponent("seed-\(index)"))
      }
      let words = target.words.map { "\"\(escaped(target.bytes(of: $0)))\"\n" }.joined()
      try? Data(words.utf8).write(to: place.appendingPathComponent("words"))
    }
  }

  private static func escaped(_ word: [UInt8]) -> String {
    word
      .map { byte in
        let isPlain = (0x20..<0x7F).contains(byte) && byte != 0x22 && byte != 0x5C
        if isPlain { return String(Unicode.Scalar(byte)) }
        let digits = String(byte, radix: 16, uppercase: true)
        return "\\x" + (digits.count < 2 ? "0" : "") + digits
      }
      .joined()
  }

  func input(_ bytes: [UInt8]) -> [UInt8] {
    guard repeatedTo > bytes.count, !bytes.isEmpty else { return bytes }
    // The first bytes may choose; the rest is what there is a lot of.
    let head = bytes.prefix(bytes.count / 4)
    let body = bytes.dropFirst(head.count)
    var input = Array(head)
    while input.count < repeatedTo { input += body }
    return input
  }
}

/// What libFuzzer calls once, before anything else.
@_cdecl("LLVMFuzzerInitialize")
public func initializeFuzzer(
  _ count: UnsafeMutableRawPointer?,
  _ arguments: UnsafeMutableRawPointer?
) -> CInt {
  _ = Run.current
  return 0
}

/// What libFuzzer calls with each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOne(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let run = Run.current
  let bytes = run.input(Array(UnsafeBufferPointer(start: start, count: count)))
  do {
    try run.target.check(bytes)
  } catch {
    fatalError("\(run.target.name): \(error)")
  }
  return 0
}
