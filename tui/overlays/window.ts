/** The first of `count` rows to show when `height` fit and row `at` has to be seen, near the middle where possible. */
export const windowFrom = (count: number, height: number, at: number): number => Math.max(0, Math.min(at - (height >> 1), count - height));
