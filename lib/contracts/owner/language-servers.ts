/** A file that an edit will change; `before` is its text now, undefined for a new file. */
export interface EditedFile {
  readonly path: string;
  readonly before: string | undefined;
}

/** An edit that is about to be made. */
export interface PlannedEdit {
  readonly files: readonly EditedFile[];
  /** Directory in which the conversation began: its git work tree comes first. */
  readonly launchDir: string;
  /** Environment of the front end, unfiltered: its PATH finds the servers. */
  readonly env: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/** An edit whose files a language server knows as they were before. */
export interface WatchedEdit {
  /** A working server looks at this file. */
  covers(path: string): boolean;
  /**
   * Tell the servers what was written and wait for what they say. Never rejects.
   *
   * @param after Text of each file now; undefined for one that is gone.
   * @returns the errors that this edit introduced, as text for the model; undefined when it introduced none, or they are unknown
   */
  introduced(after: ReadonlyMap<string, string | undefined>, signal: AbortSignal): Promise<string | undefined>;
}

/** Diagnostics of language servers for the tools that write files. */
export interface DiagnosticsPort {
  /** Take the baseline. Undefined: no server looks at these files, or none works. Never rejects. */
  watch(edit: PlannedEdit): Promise<WatchedEdit | undefined>;
}

export type InstallState = "installed" | "missing" | "manual-only";

export interface ServerState {
  readonly id: string;
  readonly extensions: readonly string[];
  readonly state: InstallState;
  readonly disabled: boolean;
  /** Program that would be started. */
  readonly program?: string;
  /** How to get it. */
  readonly install: string;
  /** What works less well without another program. */
  readonly note?: string;
}

export interface LiveServer {
  readonly server: string;
  readonly root: string;
  readonly pid: number;
  readonly state: "starting" | "ready";
  readonly open_files: number;
  readonly idle_seconds: number;
}

export interface BrokenServer {
  readonly server: string;
  readonly root: string;
  readonly reason: string;
}

export interface LanguageServerStatus {
  readonly enabled: boolean;
  readonly wait_mode: string;
  readonly install_strategy: string;
  readonly clients: readonly LiveServer[];
  readonly broken: readonly BrokenServer[];
  readonly installing: readonly string[];
  readonly servers: readonly ServerState[];
}

export interface InstallOutcome {
  readonly id: string;
  readonly ok: boolean;
  readonly message: string;
}

/** Who asks: PATH of the caller decides which programs are found. */
export interface LanguageServerCaller {
  readonly env: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/** The language servers of one process, for `agent lsp`. */
export interface LanguageServersApi {
  status(caller: LanguageServerCaller): Promise<LanguageServerStatus>;
  /** @throws E_NOT_FOUND for an unknown server */
  which(id: string, caller: LanguageServerCaller): Promise<ServerState>;
  /** @throws E_NOT_FOUND for an unknown server */
  install(id: string, caller: LanguageServerCaller): Promise<InstallOutcome>;
  /** Stop servers and forget that they were broken. @returns how many were stopped and how many marks were removed */
  restart(): Promise<{ readonly stopped: number; readonly mended: number }>;
}
