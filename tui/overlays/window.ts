/** The first of `count` rows to show when `height` fit and row `at` has to be seen, near the middle where possible. */
export const windowFrom = (count: number, height: number, at: number): number =>
  Math.max(0, Math.min(at - (height >> 1), count - height));

/** Which rows are shown then: the first one, and how many. */
export function windowed(
  count: number,
  height: number,
  at: number,
): { readonly first: number; readonly count: number } {
  const first = windowFrom(count, height, at);
  return { first, count: Math.min(height, count - first) };
}
