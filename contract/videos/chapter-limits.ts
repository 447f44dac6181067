/** `title` and `text` in characters; `lastMs`: no video lasts longer than a day. */
export const chapterLimits = { count: 500, title: 120, text: 200_000, lastMs: 86_400_000 } as const
