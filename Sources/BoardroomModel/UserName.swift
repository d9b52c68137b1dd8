/// When two users' names mean one user, where somebody is to be kept out (MOD-8). The one rule, for setting a ban, for
/// finding it at the door and for lifting it.
public enum UserName {
  /// What is compared: without code points that are shown as nothing, each letter taken to its capital and then to its
  /// small form. Two keys are equal where they are canonically equivalent in Unicode, as Swift compares texts.
  public static func key(_ uid: String) -> String {
    if uid.utf8.allSatisfy({ $0 < 0x80 }) { return uid.lowercased() }
    var shown = String.UnicodeScalarView()
    shown.append(contentsOf: uid.unicodeScalars.filter { !$0.properties.isDefaultIgnorableCodePoint })
    return String(shown).uppercased().lowercased()
  }
}
