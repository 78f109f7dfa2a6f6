/// An operator that describes itself when its pipeline is printed.
///
/// `print(pipeline)` shows the source of a pipeline and then its stages in order, one per line, as they
/// would be written in code. Every pipeline of Freshet can be printed, and shows no secrets: it omits
/// the user and the query of a URL, all but the beginning of a digest, and closures.
///
/// A custom operator that conforms can be printed as well, and shows its parameters:
///
/// ```swift
/// extension PaceProgressSequence: PipelineStage {
///   var stageDescription: String { ".paceProgress(every: \(interval))" }
/// }
/// ```
///
/// Within a pipeline, an operator that does not conform is shown by the name of its type, such as
/// `.paceProgress(…)`, and so are the standard library's operators, such as `.map(…)`. Their upstream
/// is found by reflection, in a property named `base`; if there is no such property, the description
/// begins with the operator.
public protocol PipelineStage: CustomStringConvertible {
  /// The type of the upstream pipeline.
  associatedtype Base

  /// The upstream pipeline.
  var base: Base { get }
  /// The stage with its parameters, as it would be written in code, such as `.lookup(in: disk)`.
  ///
  /// By default, the name of the type without its suffix, such as `.paceProgress()`. A stage whose
  /// description is empty is left out.
  var stageDescription: String { get }
}

extension PipelineStage {
  /// The operator's name, derived from the name of the type, without parameters.
  public var stageDescription: String { ".\(PipelineDescription.operatorName(of: self))()" }
  /// The pipeline up to this stage, one stage per line.
  public var description: String { PipelineDescription(self).description }
}
