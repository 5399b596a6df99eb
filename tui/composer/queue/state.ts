/** An item that was taken out of the queue. */
export interface RemovedItem {
  readonly text: string;
  readonly kind: string;
  /** The item that stood behind it. */
  readonly before: string | undefined;
  readonly local: boolean;
  /** Monotonic time until which it can be had back. */
  readonly until: number;
}
