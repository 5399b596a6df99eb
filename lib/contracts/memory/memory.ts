/** Memory: what is kept from one conversation to the next, each entry with where it came from (core part, 30). */
import type { EpochMs, SessionId } from "../../base/units.js";

export const MEMORY_SCOPES = ["user", "project", "profile", "board"] as const;
export type MemoryScope = (typeof MEMORY_SCOPES)[number];

/** Which file: notes of the agent, or what it knows of its user. */
export const MEMORY_TARGETS = ["memory", "user"] as const;
export type MemoryTarget = (typeof MEMORY_TARGETS)[number];

/** Where an entry came from; `edited`: a person changed the file. */
export interface MemorySource {
  readonly kind: "turn" | "person" | "import" | "edited";
  readonly session?: SessionId | undefined;
  /** Turn that wrote it; its messages say why. */
  readonly turn?: string | undefined;
  /** Who spoke: `user`, a user of a chat, the task of a worker. */
  readonly by?: string | undefined;
}

export interface MemoryEntry {
  /** `m_` and 8 hexadecimal digits. */
  readonly id: string;
  readonly target: MemoryTarget;
  readonly scope: MemoryScope;
  /** Real path of the project or slug of the board; "" for the other scopes. */
  readonly of: string;
  readonly text: string;
  readonly source: MemorySource;
  readonly created_at: EpochMs;
  /** When a search last returned it, or it was said again. */
  readonly used_at: EpochMs | null;
  readonly expires_at: EpochMs | null;
  /** 0 to 1. */
  readonly confidence: number;
  /** The turn that wrote it had read content of others. */
  readonly untrusted: boolean;
  /** Text that it took the place of. */
  readonly replaced?: string | undefined;
}

/** Whose memory is meant. */
export interface MemoryPlace {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Board of a worker. */
  readonly board?: string;
}

/** One change of the memory. Texts of a model are data: they are checked before anything is written. */
export type MemoryChange =
  | {
      readonly action: "add";
      readonly target: MemoryTarget;
      readonly content: string;
      /** Default: `project` where there is one, else `user`; the user's profile is always theirs. */
      readonly scope?: MemoryScope | undefined;
      /** How long it holds, in milliseconds. */
      readonly ttl?: number | undefined;
      /** What is known of entries that say nearly the same: `checked`, it stands beside them; else the id of the one whose place it takes. */
      readonly contradicts?: string | undefined;
    }
  | {
      readonly action: "replace";
      readonly target: MemoryTarget;
      /** Part of the text of one entry, or its id. */
      readonly which: string;
      readonly content: string;
      readonly ttl?: number | undefined;
    }
  | { readonly action: "remove"; readonly target: MemoryTarget; readonly which: string };

/** Who changes it. */
export interface MemoryAuthor {
  readonly source: MemorySource;
  readonly untrusted: boolean;
}

/** A stretch of text that names an entry to people and models. */
export interface MemoryPreview {
  readonly id: string;
  readonly text: string;
  /** Time since it was used or, if it never was, written: `3d 4h`. */
  readonly age: string;
}

/** The file that a change was about, afterwards. */
export interface MemoryFileState {
  readonly target: MemoryTarget;
  readonly scope: MemoryScope;
  readonly of: string;
  readonly entries: readonly string[];
  /** `34% - 750/2,200 chars`. */
  readonly usage: string;
}

export type MemoryRefusal =
  | "off"
  | "empty"
  | "form"
  | "injection"
  | "no match"
  | "several"
  | "near"
  | "full"
  | "damaged"
  | "scope";

export type MemoryOutcome = MemoryFileState &
  (
    | {
        readonly done: "added" | "replaced" | "removed" | "known";
        readonly message: string;
        readonly entry: MemoryEntry;
      }
    | {
        readonly done: "nothing";
        readonly why: MemoryRefusal;
        readonly message: string;
        /** Entries that it is about: those that match, those that say nearly the same, those used least. */
        readonly about: readonly MemoryPreview[];
      }
  );

/** A change that waits for a person. */
export interface PendingMemory {
  /** `p_` and 8 hexadecimal digits. */
  readonly id: string;
  readonly change: MemoryChange;
  readonly scope: MemoryScope;
  readonly of: string;
  readonly author: MemoryAuthor;
  readonly created_at: EpochMs;
  /** Why it was not done at once. */
  readonly why: string;
  /** Entries that say nearly the same. */
  readonly near: readonly MemoryPreview[];
}

/** A file that was edited into another form. */
export interface DamagedMemory {
  readonly path: string;
  readonly why: string;
  readonly backup: string | null;
}

export interface MemorySize {
  readonly target: MemoryTarget;
  readonly scope: MemoryScope;
  readonly of: string;
  readonly path: string;
  readonly count: number;
  readonly usage: string;
}

export interface MemoryStatus {
  readonly enabled: { readonly memory: boolean; readonly user: boolean };
  readonly files: readonly MemorySize[];
  readonly pending: number;
  readonly expired: number;
  readonly damaged: readonly DamagedMemory[];
  /** Name of the provider of a plugin; null: without one. */
  readonly provider: string | null;
}

/** What became of entries of elsewhere. */
export interface MemoryBrought {
  readonly added: number;
  /** They do not fit, or they have a line with `§` alone. */
  readonly left: readonly string[];
  /** They give instructions to a model. */
  readonly refused: readonly string[];
}

/** The memory of a home: files that each process of the home reads and writes, one at a time. */
export interface MemoryApi {
  /** Every entry of the home, newest first; expired ones with `expired`. */
  all(options?: { readonly expired?: boolean }): Promise<readonly MemoryEntry[]>;
  /** What a conversation at this place knows, most recently used first. Nothing that has expired. */
  seen(place: MemoryPlace): Promise<readonly MemoryEntry[]>;
  /** Entries with these words, best first; of a place, or of the whole home. With `counts` those that are given count as used. */
  search(
    query: string,
    options: { readonly place?: MemoryPlace; readonly counts?: boolean },
  ): Promise<readonly MemoryEntry[]>;
  /** @throws E_NOT_FOUND, E_AMBIGUOUS for a beginning that several ids have */
  find(id: string): Promise<MemoryEntry>;
  /** The entries of a target at a place, as the file holds them. */
  read(target: MemoryTarget, place: MemoryPlace): Promise<readonly MemoryFileState[]>;
  /** Change it, or say why not. With `dry` nothing is written. */
  change(change: MemoryChange, place: MemoryPlace, author: MemoryAuthor, dry?: boolean): Promise<MemoryOutcome>;
  /** Keep a change for a person. What would be refused is refused now. @throws E_BUSY when too many wait */
  stage(
    change: MemoryChange,
    place: MemoryPlace,
    author: MemoryAuthor,
    why: string,
  ): Promise<PendingMemory | MemoryOutcome>;
  pending(): Promise<readonly PendingMemory[]>;
  /** Do what waits. It waits on when it is refused. @throws E_NOT_FOUND */
  approve(id: string): Promise<MemoryOutcome>;
  /** @throws E_NOT_FOUND */
  reject(id: string): Promise<PendingMemory>;
  /** Replace the text of an entry, wherever it is. */
  edit(id: string, content: string, ttl: number | null | undefined): Promise<MemoryOutcome>;
  forget(id: string): Promise<MemoryOutcome>;
  /** Add entries of elsewhere behind those that are there; what does not fit, or gives instructions to a model, is given back. With `dry` nothing is written. */
  bring(target: MemoryTarget, texts: readonly string[], dry?: boolean): Promise<MemoryBrought>;
  /** Take files that were edited into another form as they are now. Their entries are kept, copies of the files too. */
  accept(): Promise<readonly DamagedMemory[]>;
  /** Remove all entries of a target, of every scope. Answers how many there were. */
  reset(target: MemoryTarget): Promise<number>;
  status(): Promise<MemoryStatus>;
}
