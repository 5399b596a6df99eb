/** What turns recordings into words. Until a transcriber is registered, recordings are named to the model by their path. */
export interface Transcriber {
  /** For people: which one it is. */
  readonly name: string;
  /** A vendor bills each recording. Default: no. */
  readonly billed?: boolean;
  /** What it lacks, and what to do about it; undefined: nothing. Absent: it does not say. */
  lacks?(): string | undefined;
  /** The words of a recording on this disk. @throws Error that says why it could not be transcribed */
  transcribe(path: string, signal: AbortSignal): Promise<string>;
}
