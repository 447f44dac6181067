import type { Tell } from '#contract/platform/text/say.ts'

/** What the player says, as the console speaks. */
export const sayer =
  <T extends Readonly<Record<string, string>>>(texts: T): Tell<T> =>
  (key, values = {}) =>
    (texts[key] ?? '').replaceAll(/\{(\w+)\}/g, (_all, name: string) => values[name] ?? '')
