/** A memory outside of the home, which a plugin brings (extensions part, 4.3). Tools that belong to it the plugin registers itself. */

export interface ProviderTurn {
  readonly sessionId: string;
  readonly profile: string;
  /** What the user said. */
  readonly text: string;
}

export interface MemoryProvider {
  readonly name: string;
  /** A turn begins. Awaited before `prefetch`, within the same two seconds. */
  onTurnStart?(turn: ProviderTurn): void | Promise<void>;
  /** What is known about the words of the user: added to them on the wire, never stored. Later than two seconds it is not waited for. */
  prefetch(turn: ProviderTurn, signal: AbortSignal): string | undefined | Promise<string | undefined>;
  /** A turn has ended. The call is not awaited. */
  sync?(turn: ProviderTurn & { readonly answer: string }): void | Promise<void>;
}

/** What turns do with the provider. */
export interface MemoryTurns {
  /** The text to add to the words of the user; undefined: nothing. Never rejects. */
  begin(turn: ProviderTurn, signal: AbortSignal): Promise<string | undefined>;
  ended(turn: ProviderTurn & { readonly answer: string }): void;
}
