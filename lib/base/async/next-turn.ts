/** The next turn of the event loop: what was asked for in this one, and what has come in meanwhile, goes first. No time passes. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
