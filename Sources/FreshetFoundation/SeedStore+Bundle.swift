public import Foundation
public import Freshet

extension SeedStore {
  /// Makes a store of the seeds in a bundle's folder; a folder that is missing has no seeds.
  ///
  /// - Parameters:
  ///   - bundle: The bundle, such as `.main` or `.module`.
  ///   - folder: The folder's name among the bundle's resources; `Seeds` by default.
  ///   - onDiagnostic: A closure that receives problems with the seeds, on any thread.
  public convenience init(
    bundle: Bundle,
    folder: String = "Seeds",
    onDiagnostic: (@Sendable (Diagnostic) -> Void)? = nil
  ) {
    let resources = bundle.resourceURL ?? bundle.bundleURL
    self.init(
      directory: resources.appendingPathComponent(folder, isDirectory: true),
      onDiagnostic: onDiagnostic
    )
  }
}
