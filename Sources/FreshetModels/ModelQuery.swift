import Freshet

/// A query for models: conditions on declared fields, an order, a limit.
///
/// - All conditions must hold. Fields are those of ``PersistableModel/indexes``; a query with
///   another one fails with ``/Freshet/FreshetError/store(_:)`` when it is run.
/// - Without an order, models come in the order in which they were stored first. Models that are
///   equal in an order come in that one too.
/// - Numbers and dates compare by value, texts by their bytes in UTF-8, and `nil` comes first.
///   Texts that are equal in Swift are equal here, however their accents are encoded.
/// - A value that is stored as a list or a map, such as an enumeration without raw values, a `Decimal`, a
///   `Duration` or an array, can be compared for equality, texts in it by their bytes. It has no order: a
///   range of it is a failure.
/// - NaN is `nil` here: each of the two is found as the other.
/// - An incomplete model, one that contains a deleted model, is not found.
/// ```swift
/// let recent = ModelQuery(Tweet.self)
///   .where(\.user.id, is: 7)
///   .where(\.createdAt, in: yesterday...)
///   .sorted(by: \.createdAt, .descending)
///   .limit(20)
/// ```
public struct ModelQuery<Model: PersistableModel>: Sendable {
  var sql = ModelSelection()

  /// Makes a query for all models of a type.
  public init(_ type: Model.Type = Model.self) {}

  /// Returns the query for models with this value in a field.
  ///
  /// - Parameters:
  ///   - keyPath: The field.
  ///   - value: The value; `nil` for no value.
  /// - Returns: The query with this additional condition.
  public func `where`<Value: Encodable>(
    _ keyPath: KeyPath<Model, Value>,
    is value: Value
  ) -> Self {
    adding(keyPath) { path throws(FreshetError) in .equal(path, try Self.bound(value)) }
  }

  /// Returns the query for models with one of several values in a field.
  ///
  /// - Parameters:
  ///   - keyPath: The field.
  ///   - values: The values, at most 10,000; `nil` is never found.
  /// - Returns: The query with this additional condition.
  public func `where`<Value: Encodable>(
    _ keyPath: KeyPath<Model, Value>,
    isOneOf values: some Sequence<Value>
  ) -> Self {
    adding(keyPath) { path throws(FreshetError) in
      var bound: [SQLiteValue] = []
      for value in values {
        guard bound.count < 10_000 else { throw .store("more than 10,000 values for isOneOf") }
        bound.append(try Self.bound(value))
      }
      return .oneOf(path, bound)
    }
  }

  /// Returns the query for models with a value in a range, such as `10...` or `..<today`.
  ///
  /// - Parameters:
  ///   - keyPath: The field.
  ///   - range: The range.
  /// - Returns: The query with this additional condition.
  public func `where`<Value: Encodable & Comparable>(
    _ keyPath: KeyPath<Model, Value>,
    in range: some RangeExpression<Value>
  ) -> Self {
    adding(range, of: keyPath)
  }

  /// Returns the query for models with a value in a range; those without a value are not found.
  ///
  /// - Parameters:
  ///   - keyPath: The field.
  ///   - range: The range.
  /// - Returns: The query with this additional condition.
  public func `where`<Value: Encodable & Comparable>(
    _ keyPath: KeyPath<Model, Value?>,
    in range: some RangeExpression<Value>
  ) -> Self {
    adding(range, of: keyPath)
  }

  /// Sorts by a field; the first call has the highest precedence.
  ///
  /// - Parameters:
  ///   - keyPath: The field.
  ///   - direction: The direction; ascending by default.
  /// - Returns: The query with this additional order.
  public func sorted(
    by keyPath: PartialKeyPath<Model>,
    _ direction: ModelDirection = .ascending
  ) -> Self {
    var query = self
    if let path = query.path(keyPath) { query.sql.orders.append((path, direction)) }
    return query
  }

  /// Returns the query with a limit.
  ///
  /// It counts complete models; only counting and deleting include incomplete ones.
  ///
  /// - Parameters:
  ///   - count: The largest number of models; not negative.
  ///   - offset: The number of models to skip before them; 0 by default.
  /// - Returns: The query with this limit, which replaces an earlier one.
  public func limit(_ count: Int, offset: Int = 0) -> Self {
    precondition(count >= 0 && offset >= 0, "count and offset must be zero or more")
    var query = self
    query.sql.limit = count
    query.sql.offset = offset
    return query
  }
}

/// The direction of an order.
public enum ModelDirection: Sendable, Hashable {
  /// The smallest first.
  case ascending
  /// The largest first.
  case descending
}

// MARK: - Conditions

extension ModelQuery {
  private mutating func path(_ keyPath: PartialKeyPath<Model>) -> String? {
    if let index = Model.indexes.first(where: { $0.keyPath == keyPath }) { return index.path }
    sql.failure = sql.failure ?? .store("\(Model.modelName) has no index for \(keyPath)")
    return nil
  }

  private func adding(
    _ keyPath: PartialKeyPath<Model>,
    _ condition: (String) throws(FreshetError) -> ModelSelection.Condition
  ) -> Self {
    var query = self
    guard let path = query.path(keyPath) else { return query }
    do throws(FreshetError) {
      query.sql.conditions.append(try condition(path))
    } catch {
      query.sql.failure = query.sql.failure ?? error
    }
    return query
  }

  private func adding<Value: Encodable & Comparable>(
    _ range: some RangeExpression<Value>,
    of keyPath: PartialKeyPath<Model>
  ) -> Self {
    adding(keyPath) { path throws(FreshetError) in
      switch range {
      case let range as Range<Value>:
        .range(path, try Self.end(range.lowerBound), try Self.end(range.upperBound), "<")
      case let range as ClosedRange<Value>:
        .range(path, try Self.end(range.lowerBound), try Self.end(range.upperBound), "<=")
      case let range as PartialRangeFrom<Value>:
        .range(path, try Self.end(range.lowerBound), nil, "<")
      case let range as PartialRangeUpTo<Value>:
        .range(path, nil, try Self.end(range.upperBound), "<")
      case let range as PartialRangeThrough<Value>:
        .range(path, nil, try Self.end(range.upperBound), "<=")
      default:
        throw .store("a query cannot take a range of the type \(type(of: range))")
      }
    }
  }

  private static func end(_ value: some Encodable) throws(FreshetError) -> SQLiteValue {
    try bound(value, byOrder: true)
  }

  private static func bound(
    _ value: some Encodable,
    byOrder: Bool = false
  ) throws(FreshetError) -> SQLiteValue {
    do {
      return try EncodingContext().index(value, byOrder: byOrder)
    } catch {
      throw ModelFailure.encoding(error, Model.self)
    }
  }
}

// MARK: - Description

extension ModelQuery: CustomStringConvertible {
  /// The query as source code, without the values that it compares with.
  public var description: String { "ModelQuery(\(Model.modelName))\(sql.wording)" }
}
