/** `bytes` of a picture that is sent in; `kept`: so many earlier ones can be had back. */
export const posterLimits = { bytes: 5_000_000, kept: 12 } as const
