/** The one form of a base path: empty, or with a slash before and none behind. Undefined for another text. */
export function canonicalBase(given: string): string | undefined {
  const inner = given.replace(/^\/+|\/+$/g, "");
  if (inner === "") return "";
  return /^[\w.~-]+(?:\/[\w.~-]+)*$/.test(inner) && !inner.split("/").some((part) => part === "." || part === "..")
    ? `/${inner}`
    : undefined;
}

/** A path without the base below which it is mounted. A reverse proxy may have taken it off already, so that it need not be there. */
export function belowBase(path: string, base: string): string {
  return base !== "" && path.startsWith(`${base}/`) ? path.slice(base.length) : path;
}
