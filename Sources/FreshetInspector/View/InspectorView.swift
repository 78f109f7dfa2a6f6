#if canImport(SwiftUI)
public import SwiftUI

/// A SwiftUI view that lists the newest calls of an inspector, each with its explanation.
///
/// It needs no port: an inspector that listens on none is enough.
///
/// ```swift
/// let inspector = Inspector()
/// inspector.add(client)
/// InspectorView(inspector)
/// ```
public struct InspectorView: View {
  private let inspector: Inspector
  @State private var calls: [CallSummary] = []
  @State private var selected: CallSummary?

  /// Creates a view of an inspector.
  public init(_ inspector: Inspector) {
    self.inspector = inspector
  }

  /// The content of the view.
  public var body: some View {
    List {
      ForEach(calls) { call in
        VStack(alignment: .leading) {
          Button(call.title) { selected = call }
          Text(call.details)
        }
      }
    }
    .task(id: ObjectIdentifier(inspector)) { [inspector] in
      var version: Int?
      while let calls = await inspector.summaries(since: &version) { self.calls = calls }
    }
    .sheet(item: $selected) { call in
      List {
        ForEach(lines(of: call)) { line in Text(line.text) }
      }
    }
  }

  private func lines(of call: CallSummary) -> [Line] {
    let lines = [call.title, call.details] + inspector.sentences(of: call.id)
    return lines.enumerated().map { Line(id: $0.offset, text: $0.element) }
  }

  private struct Line: Identifiable {
    let id: Int
    let text: String
  }
}
#endif
