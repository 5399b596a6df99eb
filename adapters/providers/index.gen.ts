// Written by `make index`. Do not edit.
export const PROVIDERS = [
] as const;
