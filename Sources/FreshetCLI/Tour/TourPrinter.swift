import Freshet

/// Shows events and results the way the tour's reader sees them.
enum TourPrinter {
  static func show(_ event: Event<Resource>) {
    switch event {
    case .progress(let progress):
      let total = progress.total.map(String.init) ?? "?"
      Console.out("  progress  \(progress.completed) of \(total) bytes")
    case .value(let resource):
      show(resource)
    }
  }

  static func show(_ resource: Resource) {
    let mark = resource.isFinal ? "" : ", not final"
    Console.out(
      "  value     \(resource.status), \(resource.body.length) bytes, "
        + "\(resource.origin.rawValue), \(resource.freshness.rawValue)\(mark)"
    )
    for decision in resource.explanation {
      Console.out("            · \(decision)")
    }
  }

  static func show(_ error: FreshetError) {
    Console.out("  error     \(error.kind): \(error)")
  }

  static func note(_ text: String) {
    Console.out("  \(text)")
  }
}
