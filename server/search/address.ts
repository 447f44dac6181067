import type { SearchKind } from '#contract/search.ts'
import { pages } from '#contract/roles.ts'

/** What a pasted text names; without a kind it may be anything. */
export type PastedAddress = { id: string; kind?: SearchKind }

const id = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'
const bare = new RegExp(`^${id}$`, 'i')

/** The innermost thing of an address comes first. */
const kindOfParameter: readonly (readonly [string, SearchKind])[] = [
  ['userId', 'user'],
  ['groupId', 'group'],
  ['transmissionId', 'transmission'],
  ['videoId', 'content'],
  ['orgId', 'organization'],
]

/** Pages of the console, longest first, and the page on which everybody watches; each with the kind that it shows. */
const addresses = [...pages.map(({ path }) => path), '/w/video/$videoId'].flatMap((path) => {
  const shown = kindOfParameter.find(([name]) => path.includes(`$${name}`))
  if (!shown) return []
  const [name, kind] = shown
  const pattern = path.replace(`$${name}`, `(${id})`).replaceAll(/\$\w+/g, '[^/]+')
  return [{ kind, pattern: new RegExp(`^${pattern}/?$`, 'i') }]
})

/** The thing that a pasted id or address of the product names, whatever host it was copied from. */
export function namedBy(text: string): PastedAddress | undefined {
  if (bare.test(text)) return { id: text.toLowerCase() }
  const path = pathOf(text)
  for (const { kind, pattern } of path === undefined ? [] : addresses) {
    const found = pattern.exec(path ?? '')?.[1]
    if (found !== undefined) return { id: found.toLowerCase(), kind }
  }
  return undefined
}

function pathOf(text: string): string | undefined {
  if (!/^(?:https?:\/)?\/\S+$/i.test(text)) return undefined
  return URL.parse(text, 'http://here.invalid')?.pathname
}
