/** A call that is under way is shared by all who ask meanwhile. */
export function sharedCall<T>(call: () => Promise<T>): () => Promise<T> {
  let under: Promise<T> | undefined;
  return () => {
    under ??= call().finally(() => {
      under = undefined;
    });
    return under;
  };
}
