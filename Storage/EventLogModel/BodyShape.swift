/// What the bodies of one kind of record look like. A store uses it to keep old records in columns, in which
/// similar values stand together.
///
/// The owner of the log gives it. It changes the size only: a body that does not fit its kind's shape is kept
/// as it is, and what is read back is byte for byte what was written, with any shape or without one.
public struct BodyShape: Sendable, Hashable {
  /// A column's number, `0..<BodyShape.columns`. Fields of several kinds may share one, where their values are alike: each
  /// value is coded from the one before it in the column that has the same actor.
  public typealias Column = UInt8

  /// How many columns all shapes of a store may name.
  public static let columns = 60
  /// The most fields of one shape, those inside `when` included.
  public static let mostFields = 64

  public indirect enum ShapeField: Sendable, Hashable {
    /// One `uv`.
    case unsigned(Column)
    /// One `zz`.
    case signed(Column)
    /// One byte.
    case byte(Column)
    /// One byte, which the fields `when` and `many` after it look at.
    case flags(Column)
    /// One `uv`: how many values each `many` after it has.
    case count(Column)
    /// As many `uv` (`zz` if `signed`) as the last `count` said. Where a bit of `mask` is set in the last
    /// `flags`, the first of them goes into the column `lead`, because a first value differs from the ones
    /// after it.
    case many(Column, signed: Bool, lead: Column, mask: UInt8)
    /// These fields are present only if the bits of `mask` in the last `flags` are `bits`.
    case when(mask: UInt8, is: UInt8, [ShapeField])
    /// All bytes that are left, none or more. The last field.
    case rest
  }

  public let fields: [ShapeField]

  /// Traps if a field names a column that does not exist, or if there are too many fields: shapes are
  /// literals in code.
  public init(_ fields: [ShapeField]) {
    let all = Self.all(fields)
    precondition(all.count <= Self.mostFields, "a shape has at most \(Self.mostFields) fields")
    precondition(!all.dropLast().contains(.rest), "nothing can follow the rest")
    precondition(
      all.flatMap { Self.columns(of: $0) }.allSatisfy { $0 < Self.columns }, "a column's number is too high")
    self.fields = fields
  }

  /// All fields in order, also those inside `when`.
  private static func all(_ fields: [ShapeField]) -> [ShapeField] {
    fields.flatMap { field -> [ShapeField] in
      if case .when(_, _, let inner) = field { return [field] + all(inner) }
      return [field]
    }
  }

  private static func columns(of field: ShapeField) -> [Column] {
    switch field {
    case .unsigned(let column), .signed(let column), .byte(let column), .flags(let column),
      .count(let column):
      [column]
    case .many(let column, _, let lead, _): [column, lead]
    case .when, .rest: []
    }
  }
}
