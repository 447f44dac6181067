/** Milliseconds before its end at which a session asks whether somebody is there. */
export const warnBefore = 120_000
