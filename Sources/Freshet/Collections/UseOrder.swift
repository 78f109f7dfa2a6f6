/// The order in which entries were used last: entries are positions in an array of their owner.
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

  /// The entry that was unused longest; `nil` if there is none.
  package var last: Int? { oldest == Self.none ? nil : oldest }

  /// Puts a new entry first.
  package mutating func insert(_ entry: Int) {
    while links.count <= entry { links.append(Links()) }
    links[entry] = Links(newer: Self.none, older: newest)
    if newest != Self.none { links[newest].newer = entry }
    newest = entry
    if oldest == Self.none { oldest = entry }
  }

  /// Puts an entry first that has a place already.
  package mutating func use(_ entry: Int) {
    guard entry != newest else { return }
    remove(entry)
    insert(entry)
  }

  /// Takes an entry out.
  package mutating func remove(_ entry: Int) {
    let (newer, older) = (links[entry].newer, links[entry].older)
    if newer == Self.none { newest = older } else { links[newer].older = older }
    if older == Self.none { oldest = newer } else { links[older].newer = newer }
  }
}
