/// The version of the whole product. The program, the server, the SDK, the page and the package for
/// JavaScript show this one.
///
/// This file stands alone in its target, so that a release changes one line and builds little anew.
/// `tools/page/package.js` reads the same line.
public enum ProductVersion {
  /// A version in the form of semver.org, such as `1.4.0`. With `-dev` it is of what comes before that
  /// release.
  public static let current = "1.0.0-dev"
}
