/// The description of a pipeline: its source, and its stages in order, as they would be written in code.
///
/// It is only made when a description is asked for, never while a pipeline is iterated.
package struct PipelineDescription: Sendable, Hashable {
  package var beginning: String
  package var stages: [String]

  package init(_ beginning: String, _ stages: String...) {
    self.beginning = beginning
    self.stages = stages
  }

  /// Returns the description with one more stage; an empty one is left out.
  package func adding(_ stage: String) -> PipelineDescription {
    guard !stage.isEmpty else { return self }
    var words = self
    words.stages.append(stage)
    return words
  }

  /// The source and the stages, one per line.
  package var description: String {
    ([beginning] + stages.map(Self.indented)).joined(separator: "\n")
  }

  /// The description on one line, for use among parameters.
  package var line: String { beginning + stages.joined() }

  /// Returns the text with each line indented.
  package static func indented(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false)
      .map { "  " + $0 }
      .joined(separator: "\n")
  }
}

/// A type that provides its own description: a source, or more than one stage.
package protocol PipelineDescribable: CustomReflectable {
  var words: PipelineDescription { get }
}

extension PipelineDescribable {
  /// Nothing: `dump` shows the description, which has no secrets.
  public var customMirror: Mirror { Mirror(self, children: []) }
  /// The source and the stages, one per line.
  public var description: String { words.description }
}

// MARK: - Finding

extension PipelineDescription {
  /// Describes any pipeline, or a transport with its decorators.
  package init(_ pipeline: Any) {
    self.init(pipeline, depth: 0)
  }

  private init(_ pipeline: Any, depth: Int) {
    switch pipeline {
    case let own as any PipelineDescribable:
      self = own.words
    // An object may be its own base.
    case _ where depth == 64:
      self.init("…")
    case let stage as any PipelineStage:
      self = PipelineDescription(stage.base, depth: depth + 1).adding(stage.stageDescription)
    case let told as any CustomStringConvertible
    where pipeline is any AsyncSequence || pipeline is any Transport:
      self.init(told.description)
    default:
      self.init(foreign: pipeline, depth: depth)
    }
  }

  private init(foreign pipeline: Any, depth: Int) {
    guard let base = Mirror(reflecting: pipeline).children.first(where: { $0.label == "base" })
    else {
      self.init(Self.typeName(of: pipeline))
      return
    }
    self = PipelineDescription(base.value, depth: depth + 1)
      .adding(".\(Self.operatorName(of: pipeline))(…)")
  }

  /// Returns the name of an operator, derived from the name of its type: `map` for `AsyncMapSequence`.
  static func operatorName(of stage: Any) -> String {
    var name = typeName(of: stage)[...]
    for prefix in ["Async", "Throwing"] where name.hasPrefix(prefix) && name != prefix {
      name = name.dropFirst(prefix.count)
    }
    for suffix in ["Sequence", "Transport"] where name.hasSuffix(suffix) && name != suffix {
      name = name.dropLast(suffix.count)
    }
    return name.prefix(1).lowercased() + name.dropFirst()
  }

  /// Returns the name of a value's type without its generic arguments.
  private static func typeName(of value: Any) -> String {
    String(String(describing: type(of: value)).prefix { $0 != "<" })
  }
}
