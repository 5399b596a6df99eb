/** Answers that are kept by a `memo`, unless it says otherwise. */
const KEPT = 64;

/** A pure function of texts that remembers its newest answers: the oldest one is forgotten first. */
export function memo<Args extends readonly (string | undefined)[], T>(
  of: (...args: Args) => T,
  kept = KEPT,
): (...args: Args) => T {
  const known = new Map<string, T>();
  return (...args) => {
    const key = JSON.stringify(args);
    const found = known.get(key);
    if (found !== undefined || known.has(key)) return found as T; // it was put in under this key
    const made = of(...args);
    const [oldest] = known.keys();
    if (oldest !== undefined && known.size >= kept) known.delete(oldest);
    known.set(key, made);
    return made;
  };
}
