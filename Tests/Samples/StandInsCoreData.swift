#if !canImport(CoreData)
import Foundation

// The interface of Core Data that the samples use, as its documentation has it; nothing of it works.

final class NSPersistentContainer: Sendable {
  let viewContext = NSManagedObjectContext()
  func newBackgroundContext() -> NSManagedObjectContext { NSManagedObjectContext() }
}

/// Sendable, as Core Data declares it: what it holds is only touched within `perform`.
final class NSManagedObjectContext: Sendable {
  var mergePolicy: Any {
    get { NSMergePolicy.mergeByPropertyObjectTrump }
    set {}
  }
  var automaticallyMergesChangesFromParent: Bool {
    get { false }
    set {}
  }
  func save() throws {}
  func fetch<Result>(_ request: NSFetchRequest<Result>) throws -> [Result] { [] }

  enum ScheduledTaskType { case immediate, enqueued }

  func perform<Value>(
    schedule: ScheduledTaskType = .immediate,
    _ block: @escaping () throws -> Value
  ) async rethrows -> Value {
    try block()
  }
}

final class NSMergePolicy: Sendable {
  static let mergeByPropertyObjectTrump = NSMergePolicy()
}

class NSManagedObject {
  func setValue(_ value: Any?, forKey key: String) {}
  func value(forKey key: String) -> Any? { nil }
}

class NSEntityDescription {
  static func insertNewObject(
    forEntityName name: String,
    into context: NSManagedObjectContext
  ) -> NSManagedObject {
    NSManagedObject()
  }
}

class NSFetchRequest<Result> {
  init(entityName: String) {}
  var predicate: NSPredicate?
}

class NSPredicate {
  init(format: String, _ arguments: any CVarArg...) {}
}
#endif
