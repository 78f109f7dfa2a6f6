import Foundation

/// Paints a landscape: a sky with a gradient and a sun, ridges of hills, water with reflections, and a caption.
struct PhotoPainter {
  private struct Palette {
    let top, bottom, sun, hill, water: Color
  }

  struct Color {
    var red, green, blue: Double

    init(_ red: Double, _ green: Double, _ blue: Double) {
      (self.red, self.green, self.blue) = (red, green, blue)
    }

    func mixed(with other: Color, _ share: Double) -> Color {
      let rest = 1 - share
      return Color(
        red * rest + other.red * share,
        green * rest + other.green * share,
        blue * rest + other.blue * share
      )
    }
  }

  private static let palettes = [
    Palette(
      top: Color(24, 40, 92),
      bottom: Color(246, 152, 92),
      sun: Color(255, 226, 160),
      hill: Color(38, 32, 66),
      water: Color(60, 70, 120)
    ),
    Palette(
      top: Color(84, 156, 222),
      bottom: Color(224, 240, 250),
      sun: Color(255, 252, 230),
      hill: Color(42, 92, 74),
      water: Color(58, 130, 170)
    ),
    Palette(
      top: Color(10, 14, 40),
      bottom: Color(64, 74, 130),
      sun: Color(236, 240, 255),
      hill: Color(8, 12, 30),
      water: Color(22, 30, 70)
    ),
    Palette(
      top: Color(222, 96, 80),
      bottom: Color(252, 216, 140),
      sun: Color(255, 246, 214),
      hill: Color(110, 36, 48),
      water: Color(190, 96, 84)
    ),
    Palette(
      top: Color(120, 168, 160),
      bottom: Color(236, 232, 206),
      sun: Color(255, 255, 244),
      hill: Color(52, 74, 66),
      water: Color(120, 156, 150)
    ),
  ]

  static let width = 480
  static let height = 320

  private let number: Int
  private let title: String
  private var pixels: [UInt8]

  init(_ number: Int, title: String) {
    self.number = number
    self.title = title
    pixels = Array(repeating: 0, count: Self.width * Self.height * 3)
    paint()
    write(title.uppercased(), x: 22, y: Self.height - 40, scale: 4)
  }

  /// The picture as a PNG file.
  var png: Data { PNG.rgb(pixels, width: Self.width, height: Self.height) }

  private mutating func paint() {
    let palette = Self.palettes[number % Self.palettes.count]
    let (width, height) = (Double(Self.width), Double(Self.height))
    let seed = Double(number) * 1.7
    let horizon = Int(height * (0.58 + 0.08 * sin(seed)))
    let sun = (x: width * (0.3 + 0.4 * abs(sin(seed * 2.3))), y: height * (0.2 + 0.12 * cos(seed)))
    let radius = 20.0 + 10 * abs(cos(seed * 3.1))
    let ridges = (0..<3).map { layer in ridge(layer, seed, horizon) }
    for y in 0..<Self.height {
      for x in 0..<Self.width {
        var color: Color
        if y < horizon {
          color = palette.top.mixed(with: palette.bottom, Double(y) / Double(horizon))
          let distance = hypot(Double(x) - sun.x, Double(y) - sun.y)
          let glow = max(0, 1 - max(0, distance - radius) / (radius * 4))
          color = color.mixed(with: palette.sun, distance < radius ? 1 : glow * glow * 0.6)
          for layer in 0..<3 where y > ridges[layer][x] {
            let haze = 0.55 - 0.25 * Double(layer)
            color = palette.hill.mixed(with: palette.bottom, max(0, haze))
          }
        } else {
          let depth = Double(y - horizon) / (height - Double(horizon))
          color = palette.bottom.mixed(with: palette.water, 0.35 + 0.65 * depth)
          let wave = sin(Double(y) * 0.9 + sin(Double(x) * 0.04 + seed) * 3)
          let path = abs(Double(x) - sun.x) / (radius * (1.2 + 2.5 * depth))
          if path < 1, wave > 0.1 { color = color.mixed(with: palette.sun, 0.55 * (1 - path)) }
          if wave > 0.82 { color = color.mixed(with: palette.sun, 0.12) }
        }
        set(x, y, color)
      }
    }
  }

  /// The height of a ridge for each column.
  private func ridge(_ layer: Int, _ seed: Double, _ horizon: Int) -> [Int] {
    let base = Double(horizon) - 70 + Double(layer) * 28
    let phase = seed * (1 + Double(layer)) + Double(layer) * 2
    return (0..<Self.width)
      .map { column in
        let x = Double(column)
        let slope = sin(x * 0.011 + phase) * 26 + sin(x * 0.031 + phase * 2) * 11
        return Int(base + slope + sin(x * 0.13 + phase) * 2.5)
      }
  }

  private mutating func set(_ x: Int, _ y: Int, _ color: Color) {
    let place = (y * Self.width + x) * 3
    pixels[place] = UInt8(min(255, max(0, color.red)))
    pixels[place + 1] = UInt8(min(255, max(0, color.green)))
    pixels[place + 2] = UInt8(min(255, max(0, color.blue)))
  }

  private mutating func write(_ text: String, x: Int, y: Int, scale: Int) {
    for (index, letter) in text.enumerated() {
      let rows = Self.letters[letter] ?? []
      for (row, bits) in rows.enumerated() {
        for column in 0..<3 where bits & (4 >> column) != 0 {
          let left = x + (index * 4 + column) * scale
          for dy in 0..<scale {
            for dx in 0..<scale { set(left + dx, y + row * scale + dy, Color(255, 255, 255)) }
          }
        }
      }
    }
  }

  /// The letters as five rows of three bits.
  private static let letters: [Character: [Int]] = [
    "A": [2, 5, 7, 5, 5], "B": [6, 5, 6, 5, 6], "C": [3, 4, 4, 4, 3], "D": [6, 5, 5, 5, 6],
    "E": [7, 4, 6, 4, 7], "F": [7, 4, 6, 4, 4], "G": [3, 4, 5, 5, 3], "H": [5, 5, 7, 5, 5],
    "I": [7, 2, 2, 2, 7], "J": [1, 1, 1, 5, 2], "K": [5, 5, 6, 5, 5], "L": [4, 4, 4, 4, 7],
    "M": [5, 7, 7, 5, 5], "N": [6, 5, 5, 5, 5], "O": [2, 5, 5, 5, 2], "P": [6, 5, 6, 4, 4],
    "Q": [2, 5, 5, 6, 3], "R": [6, 5, 6, 5, 5], "S": [3, 4, 2, 1, 6], "T": [7, 2, 2, 2, 2],
    "U": [5, 5, 5, 5, 7], "V": [5, 5, 5, 5, 2], "W": [5, 5, 7, 7, 5], "X": [5, 5, 2, 5, 5],
    "Y": [5, 5, 2, 2, 2], "Z": [7, 1, 2, 4, 7],
  ]
}
