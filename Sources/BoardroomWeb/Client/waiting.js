// Waiting that an AbortSignal ends.

/**
 * @param {AbortSignal | undefined} signal
 * @param {() => void} run when it is aborted
 * @returns {() => void} stops listening
 */
export function whenAborted(signal, run) {
  if (!signal) return () => {};
  signal.addEventListener("abort", run, { once: true });
  return () => signal.removeEventListener("abort", run);
}

/**
 * @template T
 * @param {Promise<T>} task
 * @param {AbortSignal | undefined} signal
 * @param {() => void} [onAbort]
 * @returns {Promise<T>} rejects with the signal's reason when it is aborted
 */
export function orAborted(task, signal, onAbort = () => {}) {
  if (!signal) return task;
  return new Promise((resolve, reject) => {
    const abort = () => {
      reject(signal.reason);
      onAbort();
    };
    if (signal.aborted) {
      task.catch(() => {});
      return abort();
    }
    const stop = whenAborted(signal, abort);
    return task.then(resolve, reject).finally(stop);
  });
}
