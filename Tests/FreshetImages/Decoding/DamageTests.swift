#if Images || canImport(ImageIO)
import Foundation
import FreshetImages
import FreshetTesting
import Testing

#if canImport(Glibc)
import Glibc
#endif

/// Damaged pictures end with a picture or with a typed error: never with a crash, and never with
/// more memory than the limits allow, which the system watches over here.
@Suite struct DamageTests {
  private static let limits = DecodingLimits { limits in
    limits.pixels = 4_000_000
    limits.memory = 32 << 20
    limits.frames = 50
  }

  #if !canImport(Darwin)
  @Test func `survives every truncation within bounded memory`() async {
    await #expect(processExitsWith: .success) {
      try Self.limitAddressSpace()
      try Self.checkFixtures()
      for name in Fixture.names {
        let data = try Fixture.data(name)
        for percent in 0..<100 {
          Self.decode(data.prefix(data.count * percent / 100), isReduced: percent.isMultiple(of: 2))
        }
      }
    }
  }

  @Test func `survives every corruption within bounded memory`() async {
    await #expect(processExitsWith: .success) {
      try Self.limitAddressSpace()
      try Self.checkFixtures()
      var generator = SeededGenerator(seed: 7)
      for name in Fixture.names {
        let data = try Fixture.data(name)
        for percent in 0..<100 {
          var damaged = data
          for place in Self.places(percent, data.count) {
            damaged[place] = UInt8.random(in: 0...255, using: &generator)
          }
          Self.decode(damaged, isReduced: percent.isMultiple(of: 2))
        }
      }
    }
  }

  /// Fails without fixtures, or if whole pictures have no room, so that nothing would be tried.
  private static func checkFixtures() throws {
    try #require(Fixture.names.count > 30)
    let plan = DecodingPlan { $0.limits = limits }
    for name in ["rgb.png", "baseline.jpg", "animated.gif", "lossy.webp"] {
      _ = try SystemPictureDecoder().decode(Fixture.data(name), plan)
    }
  }

  /// Lets the process have 192 MiB more than it has now.
  private static func limitAddressSpace() throws {
    let status = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
    let pages = status.split(separator: " ").first.flatMap { rlim_t($0) } ?? 0
    let bytes = pages * rlim_t(sysconf(Int32(_SC_PAGESIZE))) + 192 << 20
    var limit = rlimit(rlim_cur: bytes, rlim_max: bytes)
    #expect(setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0)
  }
  #endif

  /// The bytes of one part in a hundred, at least one.
  private static func places(_ percent: Int, _ count: Int) -> Range<Int> {
    let start = min(count - 1, count * percent / 100)
    return start..<max(start + 1, min(count, count * (percent + 1) / 100))
  }

  private static func decode(_ data: Data, isReduced: Bool) {
    let plan = DecodingPlan {
      $0.target = isReduced ? ImageTarget(width: 10, height: 10) : nil
      $0.limits = limits
    }
    let decoder = SystemPictureDecoder()
    for picture in [try? decoder.preview(of: data, plan), try? decoder.decode(data, plan)] {
      guard let picture else { continue }
      precondition(picture.size.count > 0 && picture.cost <= limits.memory)
    }
  }

  @Test func `there are pictures`() {
    #expect(Fixture.names.count > 30)
  }

  @Test(arguments: Fixture.names)
  func `reports a truncated picture`(name: String) throws {
    let data = try Fixture.data(name)

    for length in [data.count / 2, data.count * 3 / 4] {
      #expect(throws: ImageError.self, "\(length) of \(data.count)") {
        try SystemPictureDecoder().decode(data.prefix(length), DecodingPlan())
      }
    }
  }

  #if !canImport(Darwin)
  @Test(arguments: ["baseline.jpg", "subsampled.jpg", "profile.jpg", "progressive.jpg", "inks.jpg"])
  func `reports a truncated picture behind damage that is harmless`(name: String) throws {
    var data = try Fixture.data(name)
    // Behind the first segment.
    let place = 4 + Int(data[4]) << 8 + Int(data[5])
    data.insert(contentsOf: [1, 2, 3], at: place)

    _ = try SystemPictureDecoder().decode(data, DecodingPlan())

    for end in [[], [0xFF, 0xD9]] as [[UInt8]] {
      #expect(throws: ImageError.self) {
        try SystemPictureDecoder().decode(data.prefix(data.count * 9 / 10) + end, DecodingPlan())
      }
    }
  }

  @Test func `reports a picture that ends in place of a restart`() throws {
    let data = try Fixture.data("restarts.jpg")
    let marker = try #require(data.firstRange(of: [0xFF, 0xD3])).lowerBound
    _ = try SystemPictureDecoder().decode(data, DecodingPlan())

    #expect(throws: ImageError.self) {
      try SystemPictureDecoder().decode(data[..<marker] + [0xFF, 0xD9], DecodingPlan())
    }
  }

  @Test func `decodes inks behind damage that is harmless`() throws {
    let whole = try Fixture.data("inks.jpg")
    var data = whole
    data.insert(contentsOf: [1, 2, 3], at: 4 + Int(data[4]) << 8 + Int(data[5]))

    let picture = try SystemPictureDecoder().decode(data, DecodingPlan())

    #expect(try picture == SystemPictureDecoder().decode(whole, DecodingPlan()))
  }
  #endif
}
#endif
