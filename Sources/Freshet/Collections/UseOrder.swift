/// The order in which entries were last used; an entry is an index into an array of the owner.
///
/// Using an entry allocates nothing.
package struct UseOrder: Sendable {
  private struct Links {
    var newer = none
    var older = none
  }

  private static let none = -1

  private var links: ContiguousArray<Links> = []
  private var newest = none
  private var oldest = none

  package init() {}

  /// The least recently used entry; `nil` if there is none.
  package var last: Int? { oldest == Self.none ? nil : oldest }

  /// Inserts a new entry as the most recently used.
  package mutating func insert(_ entry: Int) {
    while links.count <= entry { links.append(Links()) }
    links[entry] = Links(newer: Self.none, older: newest)
    if newest != Self.none { links[newest].newer = entry }
    newest = entry
    if oldest == Self.none { oldest = entry }
  }

  /// Marks an existing entry as the most recently used.
  package mutating func use(_ entry: Int) {
    guard entry != newest else { return }
    remove(entry)
    insert(entry)
  }

  /// Removes an entry.
  package mutating func remove(_ entry: Int) {
    let (newer, older) = (links[entry].newer, links[entry].older)
    if newer == Self.none { newest = older } else { links[newer].older = older }
    if older == Self.none { oldest = newer } else { links[older].newer = newer }
  }
}
