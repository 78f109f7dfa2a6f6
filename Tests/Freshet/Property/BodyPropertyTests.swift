#if !canImport(Darwin)
import Foundation
import FreshetTesting
import Testing
import TestSupport

@testable import Freshet

/// The channel through which bodies come, against the bytes that were sent.
@Suite struct BodyPropertyTests {
  private enum Operation: Sendable {
    case append(Int)
    case take
    case removeAll

    static func random(_ generator: inout SeededGenerator) -> Operation {
      switch Int.random(in: 0..<8, using: &generator) {
      case 0..<5:
        let sizes = [0, 1, 7, 4_096, 16_384, 70_000]
        return .append(sizes.randomElement(using: &generator) ?? 1)
      case 5..<7: return .take
      default: return .removeAll
      }
    }
  }

  @Test func `a buffer returns its input in order and once`() async {
    let property = Property(runs: 60, length: 40, operation: Operation.random) { operations in
      var buffer = CurlBodyBuffer()
      var waiting = Data()
      for (index, operation) in operations.enumerated() {
        switch operation {
        case .append(let count):
          let chunk = noise(count, seed: UInt64(index + 1))
          guard chunk.withUnsafeBytes({ buffer.append($0) }) else { return "no memory" }
          waiting += chunk
        case .take:
          guard buffer.take().elementsEqual(waiting) else { return "other bytes were taken" }
          waiting = Data()
        case .removeAll:
          buffer.removeAll()
          waiting = Data()
        }
        if buffer.count != waiting.count { return "\(buffer.count) bytes, not \(waiting.count)" }
      }
      return nil
    }

    if let failure = await property.failure() { Issue.record("\(failure)") }
  }

  private struct Reading: Sendable {
    let size: Int
    let chunks: Int
    let isCancelled: Bool

    static let sizes = [0, 1, 5_000, 300_000, 1_500_000]

    static func random(_ generator: inout SeededGenerator) -> Reading {
      Reading(
        size: sizes.randomElement(using: &generator) ?? 1,
        chunks: Int.random(in: 0..<6, using: &generator),
        isCancelled: Int.random(in: 0..<2, using: &generator) == 0
      )
    }
  }

  @Test(.timeLimit(.minutes(5)))
  func `the bytes of a body are its beginning, however the reader leaves`()
    async throws
  {
    let server = try LoopbackServer(
      Dictionary(
        uniqueKeysWithValues: Reading.sizes.map { size in
          ("/\(size)", .response(.ok, body: noise(size, seed: 7)))
        }
      )
    )
    let transport = DefaultTransport()
    let property = Property(runs: 4, length: 6, operation: Reading.random) { readings in
      for reading in readings {
        guard let request = try? Request(server.url("/\(reading.size)").absoluteString) else {
          return "no request"
        }
        if let problem = await Self.problem(reading, request, transport) { return problem }
      }
      return nil
    }

    if let failure = await property.failure() { Issue.record("\(failure)") }
  }

  private static func problem(
    _ reading: Reading,
    _ request: Request,
    _ transport: DefaultTransport
  ) async -> String? {
    let task = Task { () async -> (Data, Bool)? in
      var transfer = transport.send(request).makeAsyncIterator()
      var body = Data()
      var chunks = 0
      do throws(FreshetError) {
        while let event = try await transfer.next(isolation: nil) {
          guard case .body(let chunk) = event else { continue }
          body += chunk
          chunks += 1
          if chunks == reading.chunks, !reading.isCancelled { return (body, false) }
          if chunks == reading.chunks { withUnsafeCurrentTask { $0?.cancel() } }
        }
        return (body, true)
      } catch {
        return reading.isCancelled && error == .cancelled ? (body, false) : nil
      }
    }
    guard let (body, isWhole) = await task.value else { return "it failed" }
    let expected = noise(reading.size, seed: 7)
    if isWhole, body.count != expected.count { return "\(body.count) bytes of \(expected.count)" }
    return body.elementsEqual(expected.prefix(body.count)) ? nil : "other bytes"
  }
}
#endif
