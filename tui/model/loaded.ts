/** Rows that come from the owner. */
export type Loaded<T> =
  | { readonly state: "loading" }
  | { readonly state: "ready"; readonly rows: readonly T[] }
  | { readonly state: "failed"; readonly message: string };

export const LOADING = { state: "loading" } as const;
