extension CoalesceSequence: Worded, CustomStringConvertible {
  var description: String { words.description }

  /// The stages before it, and then, between braces, those that are shared.
  var words: PipelineWords {
    let base = PipelineWords(parts.lookups())
    let shared = PipelineWords(parts.shared(.unknown))
    guard parts.flights != nil else {
      return shared.stages.reduce(base) { $0.adding($1) }
    }
    if case .pipeline(let label) = parts.setting {
      return shared.adding(".coalesce" + Wording.parameters("in: flights", Self.labelled(label)))
    }
    var label = ""
    if case .label(let text) = parts.setting { label = Self.labelled(text) }
    let chain = PipelineWords.indented(shared.description)
    let head = ".coalesce" + Wording.parameters("in: flights", label)
    return base.adding("\(head) { step in\n\(chain)\n}")
  }

  private static func labelled(_ label: String) -> String {
    Wording.unless("", label) { "label: \"\($0)\"" }
  }
}

extension FetchStep {
  /// The step of a fetch that does not run; only descriptions have one.
  fileprivate static var unknown: FetchStep {
    FetchStep(step: .progress(TransferProgress(completed: 0)))
  }
}
