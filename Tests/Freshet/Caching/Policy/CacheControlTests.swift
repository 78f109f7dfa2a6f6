import FreshetTesting
import Testing

@testable import Freshet

@Suite struct CacheControlTests {
  @Test(
    arguments: [
      ("max-age=60", 60), ("MAX-AGE=60", 60), ("max-age=\"60\"", 60), ("max-age=060", 60),
      (", ,max-age=60,,", 60), ("foo, bar=\"a,b, max-age=1\", max-age=60", 60),
      ("max-age=0", 0), ("max-age=2147483648", 2_147_483_648),
      ("max-age=2147483649", 2_147_483_648), ("max-age=99999999999999999999999", 2_147_483_648),
      ("max-age=60, max-age=1", 1), ("max-age=1, max-age=60", 1), ("max-age=60,max-age=x", 0),
      ("s-maxage=60", nil as Int64?), ("x-max-age=60", nil), ("", nil), ("\"max-age=60\"", nil),
    ]
  )
  func `1.2.2, 4.2.1, 5.2: reads max-age and tolerates what surrounds it`(
    line: String,
    seconds: Int64?
  ) {
    #expect(CacheControl([.cacheControl: line]).maxAge == seconds)
  }

  @Test(arguments: 0..<64 as Range<UInt64>)
  func `a line means the same in any case and between empty members`(seed: UInt64) {
    let parts = [
      "max-age", "no-cache", "no-store", "public", "private", "immutable", "must-revalidate",
      "must-understand", "only-if-cached", "min-fresh", "max-stale", "stale-while-revalidate",
      "stale-if-error", "s-maxage", "x", "=", "=", "=60", "=0", "=99999999999999999999", ",", ",",
      ", ", " ", "\t", "\"", "\\", "X", "-", "é",
    ]
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<200 {
      let line = (0..<Int.random(in: 0...8, using: &generator))
        .map { _ in parts.randomElement(using: &generator) ?? "" }.joined()
      let control = CacheControl([.cacheControl: line])
      #expect(CacheControl([.cacheControl: line.uppercased()]) == control, "\(line)")
      #expect(CacheControl([.cacheControl: ", \(line) ,"]) == control, "\(line)")
    }
  }

  @Test(
    arguments: [
      "max-age", "max-age=", "max-age=-1", "max-age=1.5", "max-age=+60", "max-age='60'",
      "max-age=60s", "max-age= 60", "max-age =60", "max-age=\"60", "max-age=\"\"", "max-age=0x10",
      "max-age=٦٠",
    ]
  )
  func `4.2.1: a malformed max-age is stale`(line: String) {
    #expect(CacheControl([.cacheControl: line]).maxAge == 0)
  }

  @Test(
    arguments: [
      ("no-cache", CacheControl.Flags.noCache), ("No-Store", .noStore),
      ("only-if-cached", .onlyIfCached), ("must-revalidate", .mustRevalidate),
      ("must-understand", .mustUnderstand), ("private", .isPrivate),
      ("private=\"Set-Cookie\"", .isPrivate), ("public", .isPublic), ("immutable", .immutable),
      ("no-store=1", .noStore), ("no-store=\"x, y\"", .noStore), ("no-cache=", .noCache),
      ("no-cache=\"\"", .noCache), ("no-cache=\"a b\"", .noCache), ("x=\"y, no-store", .noStore),
    ]
  )
  func `5.2: reads directives, whatever argument they have`(
    line: String,
    flag: CacheControl.Flags
  ) {
    #expect(CacheControl([.cacheControl: line]).flags == flag)
  }

  @Test(arguments: [
    "x-no-store", "no-stores", "\"no-store\"", "x=\"no-store\"", "no store", "=", "",
  ])
  func `5.2.3: ignores unknown directives`(line: String) {
    #expect(CacheControl([.cacheControl: line]) == CacheControl())
  }

  @Test func `5.2: several lines are one`() {
    let control = CacheControl([
      "Cache-Control": "max-age=60", "cache-control": "no-cache, private",
    ])

    #expect(control.maxAge == 60)
    #expect(control.flags == [.noCache, .isPrivate])
  }

  @Test(
    arguments: [
      ("no-cache=\"Set-Cookie, X-Y\"", ["set-cookie", "x-y"]), ("no-cache=foo", ["foo"]),
      ("no-cache=\"a\", no-cache=\"b\"", ["a", "b"]),
    ]
  )
  func `5.2.2.4: reads the fields of no-cache`(line: String, fields: [String]) {
    let control = CacheControl([.cacheControl: line])

    #expect(control.noCacheFields == fields)
    #expect(!control.flags.contains(.noCache))
  }

  @Test(
    arguments: [
      ("max-stale", DeltaSeconds.infinite as Int64?), ("max-stale=5", 5), ("max-stale=x", 0),
      ("max-stale, max-stale=5", 5), ("min-fresh=5", nil),
    ]
  )
  func `5.2.1.2: reads max-stale with and without an argument`(line: String, seconds: Int64?) {
    #expect(CacheControl([.cacheControl: line]).maxStale == seconds)
  }

  @Test(arguments: [("min-fresh=5", 5), ("min-fresh=x", DeltaSeconds.infinite), ("min-fresh", nil)])
  func `5.2.1.3: a malformed min-fresh is never satisfied`(line: String, seconds: Int64?) {
    let minFresh = CacheControl([.cacheControl: line]).minFresh

    #expect(minFresh == seconds ?? DeltaSeconds.infinite)
  }

  @Test func `RFC 5861: reads the stale windows; malformed ones permit nothing`() {
    let good = CacheControl([.cacheControl: "stale-while-revalidate=5, stale-if-error=\"7\""])
    let bad = CacheControl([.cacheControl: "stale-while-revalidate, stale-if-error=x"])

    #expect(good.staleWhileRevalidate == 5)
    #expect(good.staleIfError == 7)
    #expect(bad.staleWhileRevalidate == 0)
    #expect(bad.staleIfError == 0)
  }
}
