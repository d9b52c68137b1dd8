// swift-tools-version:6.2
// Programs outside of this package, each about as long as its idea. They use products and nothing else.
// `Tests/EndToEnd/outside-packages-build` builds them, and runs them against a server.

import PackageDescription

let settings: [SwiftSetting] = [
  .enableUpcomingFeature("MemberImportVisibility"), .treatAllWarnings(as: .error),
]
let client = Target.Dependency.product(name: "BoardroomClient", package: "Boardroom")

let package = Package(
  name: "Apps",
  platforms: [.macOS(.v15), .iOS(.v18)],
  dependencies: [.package(name: "Boardroom", path: "../../..")],
  targets: [
    .executableTarget(name: "WhiteSample", dependencies: [client], swiftSettings: settings),
    .executableTarget(name: "Bot", dependencies: [client], swiftSettings: settings),
  ]
)
