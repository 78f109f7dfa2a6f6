/// What a terminal shows of what is written to it: text, new lines, and what the tool moves and erases.
enum Screen {
  static func lines(of bytes: [UInt8]) -> [String] {
    var cells: [[Character]] = [[]]
    var (row, column) = (0, 0)
    var rest = String(decoding: bytes, as: UTF8.self).unicodeScalars[...]
    while let scalar = rest.popFirst() {
      switch scalar {
      case "\r": column = 0
      case "\n":
        row += 1
        if row == cells.count { cells.append([]) }
      case "\u{1B}":
        let digits = rest.dropFirst().prefix { ("0"..."9").contains($0) }
        rest = rest.dropFirst(1 + digits.count)
        switch rest.popFirst() {
        case "A": row = max(0, row - (Int(String(digits)) ?? 1))
        case "J":
          cells[row].removeLast(max(0, cells[row].count - column))
          cells.removeLast(cells.count - 1 - row)
        case "K": cells[row].removeLast(max(0, cells[row].count - column))
        default: break
        }
      default:
        while cells[row].count <= column { cells[row].append(" ") }
        cells[row][column] = Character(scalar)
        column += 1
      }
    }
    return cells.map { String($0) }
  }
}
