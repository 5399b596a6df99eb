/** Parts of a system prompt that come from elsewhere: skills, memory (core part, 7.1). */

/** A part of the system prompt. `stable` ones stand before the environment, `volatile` ones at the end. */
export interface SourcedPart {
  readonly name: string;
  readonly tier: "stable" | "volatile";
  readonly text: string;
  /** What the user should know of it. */
  readonly notices?: readonly string[];
}

/** For which conversation a prompt is made. */
export interface PromptSourcePlace {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly profile: string;
  /** Kind of front end. */
  readonly source: string;
  /** Names of the tools that it is offered. */
  readonly tools: readonly string[];
  /** Their sets. */
  readonly toolsets?: readonly string[];
  /** Board of a worker. */
  readonly board?: string;
  /** It works for someone other than the master of the home. */
  readonly limited?: true;
  /** Skills whose text stands in the prompt from the start. */
  readonly skills?: readonly string[];
}

/**
 * Asked once when a prompt is made; the answer is stored with the session and does not change until the prompt is made again. Not asked for
 * children, nor where standing instructions are left out.
 */
export interface PromptSource {
  /** @throws AppError: the turn does not begin, and its user sees the error */
  parts(place: PromptSourcePlace): Promise<readonly SourcedPart[]>;
  /** Lines shown to the person as a conversation begins, each once. Not asked for workers, children and scheduled runs. */
  news?(): Promise<readonly string[]>;
}
