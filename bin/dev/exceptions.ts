/** What may break a rule, and why. An entry that nothing needs any more fails the check as well. */
export const EXCEPTIONS: readonly { readonly file: string; readonly rule: string; readonly why: string }[] = [];
