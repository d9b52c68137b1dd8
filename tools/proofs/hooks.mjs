const recorder = new URL("./recorder.mjs", import.meta.url).href;

/** Only tests and their kit: the recorder itself needs the real one. */
export function resolve(specifier, context, next) {
  const isAssert = ["node:assert", "node:assert/strict", "assert", "assert/strict"].includes(specifier);
  return isAssert && context.parentURL?.includes("/Tests/WebTests/") ? { url: recorder, shortCircuit: true } : next(specifier, context);
}
