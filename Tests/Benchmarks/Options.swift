import Foundation

/// What the command line says.
struct Options: Sendable {
  var isJSON = false
  var isListing = false
  /// Whether each case runs once more, in a process of its own, for its peak of memory.
  var measuresMemory = true
  var rounds = 7
  var scale = 1.0
  var names: [String] = []
  /// How the names of the contenders begin that take part; all by default.
  var only = ""
  /// The case whose work this process does alone, for its peak of memory.
  var child: String?
  /// Where the parent's server is: its folder and its ports.
  var server: [String] = []

  init(_ arguments: some Sequence<String>) throws {
    var iterator = arguments.makeIterator()
    func value(of option: String) throws -> String {
      guard let value = iterator.next() else { throw BenchError("\(option) needs a value") }
      return value
    }
    while let argument = iterator.next() {
      switch argument {
      case "--json": isJSON = true
      case "--list": isListing = true
      case "--no-memory": measuresMemory = false
      case "--rounds": rounds = max(1, Int(try value(of: argument)) ?? 7)
      case "--scale": scale = Double(try value(of: argument)) ?? 1
      case "--only": only = try value(of: argument)
      case "--child": child = try value(of: argument)
      case "--server": server = try value(of: argument).split(separator: ",").map(String.init)
      case _ where argument.hasPrefix("-"): throw BenchError("unknown option: \(argument)")
      default: names.append(argument)
      }
    }
  }

  func wants(_ name: String) -> Bool {
    names.isEmpty || names.contains { name == $0 || name.hasPrefix($0) }
  }

  /// The count of operations at this scale, at least one.
  func count(_ count: Int) -> Int {
    max(1, Int(Double(count) * scale))
  }
}
