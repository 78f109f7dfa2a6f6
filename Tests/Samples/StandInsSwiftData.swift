#if !canImport(SwiftData)
// The interface of SwiftData that the samples use, as its documentation has it; nothing of it works.

protocol PersistentModel: AnyObject {}

final class ModelContainer: Sendable {}

class ModelContext {
  init(_ container: ModelContainer) {}
  func insert(_ model: some PersistentModel) {}
  func save() throws {}
  func rollback() {}
}
#endif
