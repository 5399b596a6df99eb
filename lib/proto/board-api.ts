/** The verbs of the board kernel. Every surface (command line, slash, RPC, tools, dispatcher) calls these and nothing else. */
export interface BoardApi {
  readonly kind: "board";
}
