/** The version of this package; `tools/web pack` writes it. */
export const version = "0.0.0-source";
