/** The payload of an event with the key of the command line that caused it: a line that is run again finds by it what it has done already. */
export const withLine = <P extends object>(
  { line }: { readonly line?: string | undefined },
  payload: P,
): P & { readonly line?: string } => (line === undefined ? payload : { ...payload, line });
