declare const VERSION: string | undefined;

/** Version of this program, as journals and checkpoints name it. */
export const PRODUCT = typeof VERSION === "string" ? VERSION : "0.0.0";
