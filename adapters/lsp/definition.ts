/** How a server comes to the machine. Packages carry their versions: what is installed is what was tried. */
export type Install =
  | { readonly by: "npm"; readonly packages: readonly string[] }
  | { readonly by: "go"; readonly package: string }
  | { readonly by: "hand"; readonly how: string };

/** Where a server is about to work. */
export interface ServerPlace {
  readonly root: string;
  /** A file of a package: beside the server where there is one, else in the project, from the root upwards. */
  findModule(path: string): Promise<string | undefined>;
}

/** Sends a request to the server. */
export type Ask = (method: string, params: unknown) => Promise<unknown>;

/** One language server: everything there is to know about it. */
export interface ServerDefinition {
  readonly id: string;
  /** Endings of file names, without the dot. */
  readonly extensions: readonly string[];
  /** Whole file names. */
  readonly names?: readonly string[];
  /** Files that mark a root; a name may begin with `*`. Empty: the work tree is the root. */
  readonly roots: readonly string[];
  /** A directory with one of these is not a place for this server. */
  readonly notWith?: readonly string[];
  /** Program and its arguments. */
  readonly command: readonly [program: string, ...args: string[]];
  readonly install: Install;
  /** Name of the language for an ending; default: the ending itself. */
  readonly languages?: Readonly<Record<string, string>>;
  /**
   * It pushes only what changed, and its first push for a file may come before it looked at the file as a whole. `command` is what it offers
   * besides; `ask` gets the diagnostics of an open file with it, in the form of the protocol.
   */
  readonly pushesChanges?: {
    readonly command: string;
    readonly ask: (ask: Ask, uri: string) => Promise<readonly unknown[]>;
  };
  /** `initializationOptions`. Those of the settings win, name by name. */
  readonly options?: (place: ServerPlace) => Promise<Readonly<Record<string, unknown>>>;
  /** A program without which the server sees less, and what to tell then. */
  readonly helper?: { readonly program: string; readonly note: string };
}
