/** What may be sent in, and how large what is kept of it can be, in pixels. */
export const pictureLimits = {
  /** Of the file. */
  bytes: 1_500_000,
  /** Width times height, before anything is decoded. */
  pixels: 25_000_000,
  avatar: { width: 128, height: 128 },
  logo: { width: 320, height: 128 },
} as const

/** Where a picture is to be had; the key is the right to see it. */
export function picturePath(key: string): string {
  return `/api/pictures/${key}`
}
