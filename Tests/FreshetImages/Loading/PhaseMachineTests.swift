import Freshet
import Testing

@testable import FreshetImages

@Suite struct PhaseMachineTests {
  private let stale = LoadedImage.letter("a", .disk, .stale, isFinal: false)

  private func text(_ phase: ImagePhase?) -> String {
    switch phase {
    case nil: "nothing"
    case .placeholder: "placeholder"
    case .preview(let image): "preview \(image.isFinal ? "final" : "stale")"
    case .image(_, let change): "image \(change)"
    case .failure(_, let showing): "failure, showing \(showing == nil ? "nothing" : "something")"
    default: "other"
    }
  }

  @Test func `reports a withheld copy once, and never as the visible one`() {
    var phases = PhaseMachine(local: .withheld, tellsWithheld: true)
    #expect(text(phases.begin { stale }) == "preview stale")
    #expect(text(phases.receive(.value(.image(stale)))) == "nothing")
    #expect(text(phases.receive(.value(.image(.letter("a"))))) == "image appeared")

    var failing = PhaseMachine(local: .withheld, tellsWithheld: true)
    #expect(text(failing.begin { nil }) == "placeholder")
    #expect(text(failing.receive(.value(.image(stale)))) == "preview stale")
    #expect(text(failing.receive(nil)) == "failure, showing nothing")
  }

  @Test func `reports a withheld copy to its own view only`() {
    var phases = PhaseMachine(local: .withheld)

    #expect(text(phases.begin { stale }) == "placeholder")
    #expect(text(phases.receive(.value(.image(stale)))) == "nothing")
  }
}
