/** What turns recordings into words. There is none until something registers one: recordings are named to the model by their path then. */
export interface Transcriber {
  /** For people: which one it is. */
  readonly name: string;
  /** The words of a recording on this disk. @throws Error that says why there are none */
  transcribe(path: string, signal: AbortSignal): Promise<string>;
}
