// What a hook needs of React: one component, rendered again when its state or a store changes. It
// checks what React checks: a snapshot that differs each time is an error.

/** @type {any} */
let current = null;

/** @param {() => any} make */
function slot(make) {
  const { slots, at } = current;
  if (slots.length === at) slots.push(make());
  current.at += 1;
  return slots[at];
}

/**
 * @param {any[] | undefined} before
 * @param {any[]} after
 */
const differ = (before, after) =>
  before === undefined || after.some((one, at) => !Object.is(one, before[at]));

/** @param {any} first */
export function useState(first) {
  const root = current;
  const state = slot(() => ({ value: first }));
  state.set ??= (/** @type {any} */ value) => {
    if (Object.is(value, state.value)) return;
    state.value = value;
    root.schedule();
  };
  return [state.value, state.set];
}

/** @param {any} first */
export const useRef = (first) => slot(() => ({ current: first }));

/**
 * @param {any} run
 * @param {any[]} needs
 */
export function useCallback(run, needs) {
  const kept = slot(() => ({}));
  if (differ(kept.needs, needs)) Object.assign(kept, { run, needs });
  return kept.run;
}

/**
 * @param {() => any} run
 * @param {any[]} needs
 */
export function useEffect(run, needs) {
  const effect = slot(() => ({}));
  if (!differ(effect.needs, needs)) return;
  effect.needs = needs;
  current.effects.push(() => {
    effect.stop?.();
    effect.stop = run();
  });
}

/**
 * @param {(rerender: () => void) => () => void} subscribe
 * @param {() => any} snapshot
 */
export function useSyncExternalStore(subscribe, snapshot) {
  const root = current;
  const value = snapshot();
  if (!Object.is(value, snapshot())) throw new Error("The snapshot differs each time.");
  const store = slot(() => ({}));
  store.value = value;
  store.check = () => {
    if (!Object.is(store.value, snapshot())) root.schedule();
  };
  useEffect(() => {
    const stop = subscribe(() => store.check());
    store.check();
    return stop;
  }, [subscribe]);
  return value;
}

/**
 * @param {() => any} component
 * @returns what it gave last, and how often it was rendered
 */
export function render(component) {
  const root = {
    slots: /** @type {any[]} */ ([]),
    effects: /** @type {(() => void)[]} */ ([]),
    at: 0,
    isDue: false,
    isGone: false,
    count: 0,
    shown: /** @type {any} */ (undefined),
    schedule() {
      if (root.isDue || root.isGone) return;
      root.isDue = true;
      queueMicrotask(() => root.draw());
    },
    draw() {
      root.isDue = false;
      if (root.isGone) return;
      Object.assign(root, { at: 0, effects: [], count: root.count + 1 });
      current = root;
      root.shown = component();
      current = null;
      for (const run of root.effects) {
        run();
      }
    },
    unmount() {
      root.isGone = true;
      for (const { stop } of root.slots) {
        stop?.();
      }
    },
  };
  root.draw();
  return root;
}
