// `import BoardroomLegacy` is enough for an app that was written for the source systems: it brings all that `BoardroomClient`
// brings.
@_exported import BoardroomClient
