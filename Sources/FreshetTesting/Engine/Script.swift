/// An answer of a route, with its state between requests.
final class Script {
  let answer: LoopbackServer.Answer
  private let members: [Script]
  private var next = 0

  init(_ answer: LoopbackServer.Answer) {
    self.answer = answer
    members =
      if case .sequence(let answers) = answer.source { answers.map(Script.init) } else { [] }
  }

  /// Returns the answer to the next request, with sequences resolved.
  func step() -> LoopbackServer.Answer {
    guard !members.isEmpty else { return answer }
    var chosen = members[next].step()
    next = min(next + 1, members.count - 1)
    chosen.delivery = chosen.delivery.inside(answer.delivery)
    return chosen
  }
}
