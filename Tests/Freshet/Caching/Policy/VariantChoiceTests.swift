import Testing

@testable import Freshet

@Suite struct VariantChoiceTests {
  @Test func `4.1: the one with the newest Date answers`() {
    let older = Fixture.stored(["Date": Fixture.date(-10)])
    let newer = Fixture.stored(["Date": Fixture.date(-5)])

    #expect(VariantChoice.best(of: [newer, older], for: [:]) === newer)
    #expect(VariantChoice.best(of: [older, newer], for: [:]) === newer)
  }

  @Test func `4.1: only a matching variant answers`() {
    let matching = Fixture.stored(["Vary": "A", "Date": Fixture.date(-9)], request: ["A": "1"])
    let other = Fixture.stored(["Vary": "A"], request: ["A": "2"])
    let star = Fixture.stored(["Vary": "*"])

    #expect(VariantChoice.best(of: [other, matching, star], for: ["A": "1"]) === matching)
    #expect(VariantChoice.best(of: [other, star], for: ["A": "1"]) == nil)
    #expect(VariantChoice.best(of: [], for: [:]) == nil)
  }

  @Test func `4.1: a variant that names its fields comes before one that omits them`() {
    let varying = Fixture.stored(["Vary": "A", "Date": Fixture.date(-9)], request: ["A": "1"])
    let careless = Fixture.stored([:])

    #expect(VariantChoice.best(of: [careless, varying], for: ["A": "1"]) === varying)
    #expect(VariantChoice.best(of: [careless, varying], for: ["A": "2"]) === careless)
  }
}
