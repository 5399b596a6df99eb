/**
 * Who has conversations open: one connection, or a part of this process. It is known by its identity, so that the same object opens and leaves.
 * When `signal` aborts its connection has closed, and its conversations are left.
 */
export interface FrontEnd {
  readonly signal?: AbortSignal;
}
