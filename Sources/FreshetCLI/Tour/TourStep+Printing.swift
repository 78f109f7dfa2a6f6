import Freshet

/// Printing of events and results.
extension TourStep {
  private static func print(_ line: String) {
    // If standard output can no longer be written, the title of the next step fails.
    try? Console.out(line)
  }

  static func show(_ event: Event<Resource>) {
    switch event {
    case .progress(let progress):
      let total = progress.total.map(String.init) ?? "?"
      print("  progress  \(progress.completed) of \(total) bytes")
    case .value(let resource):
      show(resource)
    }
  }

  static func show(_ resource: Resource) {
    let mark = resource.isFinal ? "" : ", not final"
    print(
      "  value     \(resource.status), \(resource.body.length) bytes, "
        + "\(resource.source.rawValue), \(resource.freshness.rawValue)\(mark)"
    )
    for decision in resource.explanation {
      print("            · \(decision)")
    }
  }

  static func show(_ error: FreshetError) {
    print("  error     \(error.kind): \(error)")
  }

  static func note(_ text: String) {
    print("  \(text)")
  }
}
