/** What may break a rule, and why. An entry that nothing needs any more fails the check as well. */
export const EXCEPTIONS: readonly { readonly file: string; readonly rule: string; readonly why: string }[] = [
  {
    file: "lib/safety/net-modules.ts",
    rule: "lazy",
    why: "http, https, dns and zlib cost 4 to 11 ms, which a start without network must not pay",
  },
];
