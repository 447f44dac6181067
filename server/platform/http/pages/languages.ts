import { cut } from '#contract/platform/text/text.ts'
import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { language as english } from '#contract/platform/text/language.ts'
import { languages, type Language } from '#contract/platform/text/languages.ts'
import type { Env } from '../../env.ts'

/** A build of the web app, and the language that it speaks. */
export type Build = { tag: string; folder: string }

const web = path.resolve(import.meta.dirname, '../../../../dist/web')

/** Every build that is there: English, then one for each catalogue in `texts/`; none where nothing is built. */
export function builds({ webTexts }: Env): Build[] {
  const others = existsSync(webTexts) ? readdirSync(webTexts).toSorted() : []
  return [
    { tag: english, folder: web },
    ...others.map((tag) => ({ tag, folder: path.join(webTexts, tag) })),
  ].filter(({ folder }) => existsSync(path.join(folder, 'index.html')))
}

type Wishes = { cookie?: string | undefined; 'accept-language'?: string | undefined }

/** The language for a request: what its reader has chosen, else the first that their browser asks for, else English. */
export function languageFor(
  { cookie = '', 'accept-language': accepted = '' }: Wishes,
  tags: readonly string[],
): string {
  const chosen = /(?:^|;\s*)(?:__Host-)?language=([\w-]+)/.exec(cookie)?.[1]
  const known = tags.find((tag) => tag === chosen)
  return known ?? wishesIn(accepted).flatMap((wish) => matching(wish, tags) ?? [])[0] ?? english
}

/** In which a recipient is spoken to: as they ask in the address, else as their browser does first, else as is usual here. */
export function languageOf(asked: unknown, accepted = '', usual: Language = 'en'): Language {
  const chosen = languages.find((language) => language === asked)
  if (chosen) return chosen
  return wishesIn(accepted).flatMap((wish) => matching(wish, languages) ?? [])[0] ?? usual
}

/** The tags of `Accept-Language`, the dearest first; those with q=0 are not wanted. */
function wishesIn(header: string): string[] {
  return cut(header, 500)
    .split(',')
    .map((part) => {
      const [tag = '', ...more] = part.trim().split(/\s*;\s*/)
      const weight = more.find((one) => one.startsWith('q='))?.slice(2) ?? '1'
      return { tag, weight: Number(weight) }
    })
    .filter(({ tag, weight }) => /^[a-z]{2,3}(-[a-z\d]+)*$/i.test(tag) && weight > 0)
    .toSorted((one, other) => other.weight - one.weight)
    .map(({ tag }) => tag)
}

/** The language itself, else one that its readers can read: `de` for `de-AT`, but not `zh-Hans` for `zh-TW`. */
function matching<Tag extends string>(wish: string, tags: readonly Tag[]): Tag | undefined {
  const exact = tags.find((tag) => tag.toLowerCase() === wish.toLowerCase())
  return exact ?? tags.find((tag) => writingOf(tag) === writingOf(wish))
}

function writingOf(tag: string): string {
  try {
    const { language, script } = new Intl.Locale(tag).maximize()
    return `${language}-${script}`
  } catch {
    return tag
  }
}
