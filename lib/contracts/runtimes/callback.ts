/** Our tools for a program that works a turn (extensions part, 9). */

/** One tool as the callback server offers it. */
export interface CallbackTool {
  readonly name: string;
  readonly description: string;
  /** JSON schema of its arguments. */
  readonly schema: Readonly<Record<string, unknown>>;
  /** It changes nothing (`readOnlyHint`). */
  readonly reads: boolean;
}

export interface CallbackResult {
  readonly text: string;
  readonly isError: boolean;
  readonly images?: readonly { readonly mime: string; readonly base64: string }[];
}

/** The tools of one conversation as its program calls them: approvals, hooks and redaction are the conversation's. */
export interface CallbackTools {
  list(): Promise<readonly CallbackTool[]>;
  /** Runs beside other calls. Never rejects for what a tool does. */
  call(name: string, args: unknown, signal: AbortSignal): Promise<CallbackResult>;
}

/** A socket that the callback server of one program connects to. */
export interface CallbackSocket {
  /** Value of `AGENT_CALLBACK_SOCKET`: a socket in a directory of mode 0700. */
  readonly socket: string;
  close(): Promise<void>;
}
