import Freshet

/// The figures of a store: numbers and bytes of responses by several properties.
struct StoreFigures {
  struct Response {
    var host: String
    /// The media type without parameters; empty if there is none.
    var type: String
    /// The length of the body in bytes.
    var length: Int64
    /// The time since it was stored or validated, in seconds.
    var age: Double
    /// The time since its last use, in seconds; `nil` if it is unknown.
    var idle: Double?
    /// The phase of its life; `nil` if it is unknown.
    var phase: Phase?
  }

  enum Phase: Int, CaseIterable {
    case fresh
    case validated
    case stale
    case gone

    fileprivate var words: String {
      switch self {
      case .fresh: "fresh"
      case .validated: "validated each time"
      case .stale: "stale, of use"
      case .gone: "stale, of no use"
      }
    }
  }

  /// A number of responses and of bytes.
  struct Sum {
    var count = 0
    var bytes: Int64 = 0

    mutating func add(_ length: Int64) {
      count += 1
      // A forged record may claim any length.
      bytes = bytes.saturatingSum(max(0, length))
    }
  }

  private(set) var total = Sum()
  private(set) var hosts: [String: Sum] = [:]
  private(set) var types: [String: Sum] = [:]
  private(set) var sizes: [Sum] = Array(repeating: Sum(), count: sizeNames.count)
  private(set) var ages: [Sum] = Array(repeating: Sum(), count: ageNames.count)
  private(set) var uses: [Sum] = Array(repeating: Sum(), count: ageNames.count)
  private(set) var phases: [Sum] = Array(repeating: Sum(), count: Phase.allCases.count)

  /// The largest number of names that are counted by themselves; a server may have invented them.
  private static let maximumNames = 10_000

  static let sizeNames = [
    "up to 1 KiB", "up to 16 KiB", "up to 256 KiB", "up to 4 MiB", "larger",
  ]
  private static let sizeLimits: [Int64] = [1 << 10, 16 << 10, 256 << 10, 4 << 20]
  static let ageNames = [
    "up to a minute", "up to an hour", "up to a day", "up to a week", "longer",
  ]
  private static let ageLimits: [Double] = [60, 3_600, 86_400, 604_800]
  static let phaseNames = Phase.allCases.map(\.words)

  mutating func add(_ response: Response) {
    let length = response.length
    total.add(length)
    Self.add(response.host, length, to: &hosts)
    Self.add(response.type, length, to: &types)
    sizes[Self.place(of: length, among: Self.sizeLimits)].add(length)
    ages[Self.place(of: response.age, among: Self.ageLimits)].add(length)
    if let idle = response.idle { uses[Self.place(of: idle, among: Self.ageLimits)].add(length) }
    if let phase = response.phase { phases[phase.rawValue].add(length) }
  }

  private static func add(_ name: String, _ length: Int64, to sums: inout [String: Sum]) {
    let isListed = sums[name] != nil || sums.count < maximumNames
    sums[isListed ? name : "", default: Sum()].add(length)
  }

  private static func place<Value: Comparable>(of value: Value, among limits: [Value]) -> Int {
    limits.firstIndex { value <= $0 } ?? limits.count
  }
}
