import Foundation
import Freshet
import FreshetTesting
import TestSupport
import Testing

/// What a test's author cannot have meant ends the process with words of its own.
@Suite struct MisuseTests {
  enum Misuse: String, CaseIterable, Codable, Sendable {
    case negativePasses, negativeLength, negativeTime
    case interimResponse, emptyChunk, emptyPiece, noAnswers
    case periodZero, impossibleProbability
    case emptySequence, urlTwice, relativeURL
    case uploadsInSequence, uploadsFromHandler

    var words: String {
      switch self {
      case .negativePasses: "a number of passes is zero or more"
      case .negativeLength: "a length is zero or more"
      case .negativeTime: "advance by zero or more"
      case .interimResponse: "a response needs a status of 200 or more"
      case .emptyChunk: "an endless body needs a chunk with at least one byte"
      case .emptyPiece: "a piece has at least one byte"
      case .noAnswers: "a sequence needs at least one answer"
      case .periodZero: "a period is one or more"
      case .impossibleProbability: "a probability is from 0 to 1"
      case .emptySequence: "a sequence needs at least one response"
      case .urlTwice: "a URL is in the script twice"
      case .relativeURL: "the keys of a script are absolute http or https URLs"
      case .uploadsInSequence, .uploadsFromHandler: "a service of uploads is a route of its own"
      }
    }

    func commit() {
      switch self {
      case .negativePasses: Gate().pass(-1)
      case .negativeLength: _ = GeneratedBytes(length: -1)
      case .negativeTime: VirtualClock().advance(by: .seconds(-1))
      case .interimResponse: _ = LoopbackServer.Answer.response(103)
      case .emptyChunk: _ = LoopbackServer.Answer.endless(Data())
      case .emptyPiece: _ = LoopbackServer.Answer.status(.ok).dripped(0, every: .zero)
      case .noAnswers: _ = LoopbackServer.Answer.sequence([])
      case .periodZero: _ = Faults.every(0)
      case .impossibleProbability: _ = Faults.probability(1.5, seed: 0)
      case .emptySequence: _ = ScriptedTransport(sequence: [])
      case .urlTwice:
        _ = ScriptedTransport(["http://a.example": .text("1"), "http://a.example/": .text("2")])
      case .relativeURL: _ = ScriptedTransport(["/users": .text("1")])
      case .uploadsInSequence: _ = LoopbackServer.Answer.sequence([.uploads(UploadService())])
      case .uploadsFromHandler:
        let server = try? LoopbackServer(["/": .handler { _ in .uploads(UploadService()) }])
        withExtendedLifetime(server) {
          if let server { _ = RawConnection(to: server.port).get("/") }
        }
      }
    }
  }

  @Test(arguments: Misuse.allCases)
  func `a misuse of the kit ends the test with its reason`(misuse: Misuse) async throws {
    let result = await #expect(
      processExitsWith: .failure,
      observing: [\.standardErrorContent]
    ) { [misuse] in
      misuse.commit()
    }

    let output = try #require(result).standardErrorContent
    #expect(String(decoding: output, as: UTF8.self).contains(misuse.words))
  }
}
