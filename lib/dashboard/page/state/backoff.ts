const FIRST_MS = 1000;
const LONGEST_MS = 30_000;

/** How long to wait before the next try after so many failures in a row: 1 s, doubling to 30 s. */
export const retryDelay = (failures: number): number => Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.max(0, failures - 1));
