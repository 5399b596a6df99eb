/** Refs that are kept; above it those of the oldest elements are forgotten, and are stale. */
const KEPT = 100_000;

/** What a ref stood for when it was given. */
export interface KnownRef {
  readonly role: string;
  readonly name: string;
}

/**
 * Numbers of elements within a session: `e1`, `e2`, ... The driver numbers each document again, so that its refs mean different elements on
 * different pages; these mean one element for ever. An element whose role or name changes is another one.
 */
export interface Refs {
  /** @param page number of the page within the session */
  refOf(page: number, driverRef: string, known: KnownRef): string;
  /** What a ref stood for; undefined: it was never given, or is forgotten. */
  known(ref: string): KnownRef | undefined;
}

export function createRefs(kept: number = KEPT): Refs {
  const byElement = new Map<string, string>();
  const byRef = new Map<string, KnownRef & { readonly element: string }>();
  let count = 0;
  return {
    refOf: (page, driverRef, { role, name }) => {
      const element = `${page}\0${driverRef}\0${role}\0${name}`;
      const given = byElement.get(element);
      if (given !== undefined) return given;
      count += 1;
      const ref = `e${count}`;
      byElement.set(element, ref);
      byRef.set(ref, { role, name, element });
      if (byRef.size > kept) forgetOldest(byElement, byRef);
      return ref;
    },
    known: (ref) => byRef.get(ref),
  };
}

function forgetOldest(byElement: Map<string, string>, byRef: Map<string, { readonly element: string }>): void {
  for (const [ref, { element }] of byRef) {
    byRef.delete(ref);
    byElement.delete(element);
    return;
  }
}
