/** A count in three digits: `950`, `12k`, `1.2M`. */
export function amount(count: number): string {
  if (count < 1000) return String(count);
  if (count < 999_500) return `${rounded(count / 1000)}k`;
  return `${rounded(count / 1_000_000)}M`;
}

const rounded = (n: number): string => (n < 10 ? n.toFixed(1).replace(/\.0$/, "") : String(Math.round(n)));

/** Dollars as a card shows them: cents where there are any to see. */
export const money = (dollars: number): string => (dollars === 0 ? "$0" : dollars < 0.01 ? "<$0.01" : `$${dollars.toFixed(2)}`);

/** A whole count with its thousands apart: `5,500`. */
export const grouped = (count: number): string => count.toLocaleString("en");
