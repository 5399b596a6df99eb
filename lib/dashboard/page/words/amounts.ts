const SIZES = ["B", "KB", "MB", "GB", "TB"];

/** Bytes for reading: `1.5 MB`. */
export function size(bytes: number): string {
  let value = bytes;
  let step = 0;
  while (value >= 1024 && step < SIZES.length - 1) [value, step] = [value / 1024, step + 1];
  return `${step === 0 || value >= 100 ? Math.round(value) : Math.round(value * 10) / 10} ${SIZES[step] ?? ""}`;
}

/** A count for reading: `950`, `12.3k`, `4.1M`. */
export function formatShortCount(count: number): string {
  if (count < 1_000) return String(count);
  const [value, unit] = count < 999_500 ? [count / 1_000, "k"] : [count / 1_000_000, "M"];
  return `${value >= 100 ? Math.round(value) : Math.round(value * 10) / 10}${unit}`;
}

/** A whole count with its thousands apart: `5,500`. */
export const formatGroupedCount = (count: number): string => count.toLocaleString("en");

/** Money as it is shown beside tokens. Null: the price is unknown. */
export function dollars(usd: number | null): string {
  if (usd === null) return "price unknown";
  if (usd > 0 && usd < 0.0001) return "<$0.0001";
  return `$${usd > 0 && usd < 0.1 ? usd.toFixed(4) : usd.toFixed(2)}`;
}
