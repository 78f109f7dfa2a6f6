/// An operator that says what it does when its pipeline is printed.
///
/// `print(pipeline)` shows what a pipeline begins with and then its stages, one a line and in order, as
/// they would be written. Every pipeline of Freshet can be printed, and shows no secrets: of a URL
/// neither user nor query, of a digest its beginning, of a closure nothing.
///
/// An operator of one's own that conforms can be printed as well, and shows its parameters:
///
/// ```swift
/// extension PaceProgressSequence: PipelineStage {
///   var stageDescription: String { ".paceProgress(every: \(interval))" }
/// }
/// ```
///
/// One that does not is shown within a pipeline by the name of its type, such as `.paceProgress(…)`; and
/// so are the standard library's operators, such as `.map(…)`. What is upstream of those is found by
/// reflection, under the name `base`; where there is nothing of that name, the pipeline begins with the
/// operator.
public protocol PipelineStage: CustomStringConvertible {
  /// What is upstream.
  associatedtype Base

  /// What is upstream.
  var base: Base { get }
  /// The stage as it would be written, with what it is set to: `.lookup(in: disk)`.
  ///
  /// It is the name of the type without its ending, such as `.paceProgress()`, by default. A stage whose
  /// text is empty is left out.
  var stageDescription: String { get }
}

extension PipelineStage {
  /// The name of the type as an operator's, without parameters.
  public var stageDescription: String { ".\(PipelineWords.operatorName(of: self))()" }
  /// The pipeline up to this stage, one stage a line.
  public var description: String { PipelineWords(self).description }
}
