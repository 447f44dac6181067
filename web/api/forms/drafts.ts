import { storage } from '../../ui/browser/storage.ts'

/** Days that something unsaved is kept in this browser. */
export const draftDays = 7

const prefix = 'draft:'
const life = draftDays * 86_400_000
const isDraft = (key: string) => key.startsWith(prefix)

/** `at` in milliseconds since 1970. */
export type Draft = { at: number; content: unknown }

function parse(text: string | null): Draft | null {
  try {
    const draft: Partial<Draft> | null = text === null ? null : JSON.parse(text)
    if (typeof draft?.at !== 'number' || Date.now() - draft.at > life) return null
    return { at: draft.at, content: draft.content }
  } catch {
    return null
  }
}

/** What people have typed and not saved, in this browser's storage: one for each person and form, and never a secret. */
export const drafts = {
  keyOf: (personId: string, form: string): string => `${prefix}${personId}:${form}`,
  read: (key: string): Draft | null => parse(storage.read(key)),
  write: (key: string, content: unknown): void =>
    storage.write(key, JSON.stringify({ at: Date.now(), content } satisfies Draft)),
  remove: storage.remove,
  forgetOthers: (personId: string): void =>
    storage.removeWhere((key) => isDraft(key) && !key.startsWith(`${prefix}${personId}:`)),
  forgetOld: (): void => storage.removeWhere((key) => isDraft(key) && drafts.read(key) === null),
}
