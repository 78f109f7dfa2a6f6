/// An answer on a route, with what it remembers between requests.
final class Script {
  let answer: LoopbackServer.Answer
  private let members: [Script]
  private var next = 0

  init(_ answer: LoopbackServer.Answer) {
    self.answer = answer
    members =
      if case .sequence(let answers) = answer.source { answers.map(Script.init) } else { [] }
  }

  /// The answer to the next request, which is not a sequence any more.
  func step() -> LoopbackServer.Answer {
    guard !members.isEmpty else { return answer }
    var chosen = members[next].step()
    next = min(next + 1, members.count - 1)
    chosen.delivery = chosen.delivery.inside(answer.delivery)
    return chosen
  }
}
