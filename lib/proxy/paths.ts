/** Methods of each path that can be passed on. A path of an adapter that is not here takes POST. */
const METHODS: Readonly<Record<string, readonly string[]>> = {
  "/v1/chat/completions": ["POST"],
  "/v1/completions": ["POST"],
  "/v1/embeddings": ["POST"],
  "/v1/models": ["GET", "HEAD"],
};

/** The paths of a provider with the common wire. */
export const COMMON_PATHS: readonly string[] = Object.keys(METHODS);

export const methodsOf = (path: string): readonly string[] => METHODS[path] ?? ["POST"];

/** A request target cut at the first `?`, which stays with the query. Nothing is decoded. */
export function splitRawTarget(target: string): { readonly path: string; readonly query: string } {
  const mark = target.indexOf("?");
  return mark === -1 ? { path: target, query: "" } : { path: target.slice(0, mark), query: target.slice(mark) };
}

/** Where an allowed path goes: the base address without trailing slashes, the path without its `/v1`, the query as it came. */
export function upstreamTarget(base: URL, path: string, query: string): string {
  return `${base.pathname.replace(/\/+$/, "")}${path.slice("/v1".length)}${query}`;
}
