import Foundation
import Freshet
import FreshetModels

/// Writes into a store of models from a process of its own.
///
/// - `write DIRECTORY FIRST`: saves posts from a number on, for ever, eight at a time; prints
///   `saved N` when N has been acknowledged.
/// - `count DIRECTORY TIMES`: adds one to a counter so often.
/// - `rename DIRECTORY NAME`: saves one author after each line on standard input.
/// - `fill DIRECTORY COUNT`: saves posts of a kibibyte each, in one transaction.
/// - `scan DIRECTORY`: reads all posts one after the other; prints `scanned N`.
/// - `temporary FOLDER`: makes a temporary store, prints where, and waits for a line.
enum ModelProbe {
  struct Author: PersistableModel {
    static let modelName = "Author"
    let id: Int
    var name: String
    var count = 0
  }

  struct Post: PersistableModel {
    static let modelName = "Post"
    static let indexes = [ModelIndex(\Post.number, "number")]
    let id: String
    var number: Int
    var text: String
    var author: Author
  }

  static func run(_ arguments: [String]) async throws {
    let place = URL(filePath: arguments[1])
    switch arguments[0] {
    case "write": try await write(ModelStore(directory: place), from: Int(arguments[2]) ?? 0)
    case "count": try await count(ModelStore(directory: place), Int(arguments[2]) ?? 0)
    case "rename": try await rename(ModelStore(directory: place), arguments[2])
    case "fill": try await fill(ModelStore(directory: place), Int(arguments[2]) ?? 0)
    case "scan": try await scan(ModelStore(directory: place))
    default: try await wait(.temporary(in: place))
    }
  }

  private static func write(_ store: ModelStore, from first: Int) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for lane in 0..<8 {
        group.addTask {
          for number in stride(from: first + lane, to: .max, by: 8) {
            let author = Author(id: number % 5, name: "author \(number % 5)", count: number)
            let text = String(repeating: "text ", count: number % 200)
            try await store.save(
              Post(id: "post \(number)", number: number, text: text, author: author)
            )
            tell("saved \(number)")
          }
        }
      }
      try await group.waitForAll()
    }
  }

  private static func count(_ store: ModelStore, _ times: Int) async throws {
    for _ in 0..<times {
      try await store.transaction { transaction throws(FreshetError) in
        var author = try transaction.model(Author.self, id: 1) ?? Author(id: 1, name: "counter")
        author.count += 1
        try transaction.save(author)
      }
    }
    await store.close()
  }

  private static func rename(_ store: ModelStore, _ name: String) async throws {
    tell("ready")
    var count = 0
    while readLine() != nil {
      count += 1
      try await store.save(Author(id: 1, name: name, count: count))
      tell("saved \(count)")
    }
    await store.close()
  }

  private static func fill(_ store: ModelStore, _ count: Int) async throws {
    let text = String(repeating: "text", count: 256)
    try await store.transaction { transaction throws(FreshetError) in
      for number in 0..<count {
        let author = Author(id: number, name: "author \(number)")
        try transaction.save(
          Post(id: "post \(number)", number: number, text: text, author: author)
        )
      }
    }
    await store.close()
  }

  private static func scan(_ store: ModelStore) async throws {
    var bytes = 0
    var count = 0
    for try await post in store.scan(ModelQuery(Post.self).sorted(by: \.number, .descending)) {
      bytes += post.text.utf8.count
      count += 1
    }
    tell("scanned \(bytes == count << 10 ? count : -1)")
    await store.close()
  }

  private static func wait(_ store: ModelStore) async throws {
    try await store.save(Author(id: 1, name: "temporary"))
    tell("at \(store.directory?.lastPathComponent ?? "")")
    _ = readLine()
  }

  private static func tell(_ line: String) {
    FileHandle.standardOutput.write(Data("\(line)\n".utf8))
  }
}
