import * as z from 'zod/mini'
import { endpoint, Id, only, requiredText } from '../endpoint.ts'
import { adminRoles } from '../roles.ts'

/** Tags of one video, signs of a tag, and tags that are offered. */
export const tagLimits = { tags: 20, signs: 40, offered: 500 } as const

/** The same tag whatever its letters and spaces are: “Fire safety” and “fire  Safety”. */
export const tagKey = (tag: string): string => tag.trim().replaceAll(/\s+/gu, ' ').toLowerCase()

/** One line without a comma, which stands between the tags of a list; tabs become spaces, as they come along from a sheet. */
export const Tag = requiredText(tagLimits.signs).check(
  z.regex(/^(?:\t|[^,\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}])*$/u, 'invalid'),
  z.overwrite((tag) => tag.replaceAll(/\s+/gu, ' ')),
)

/** Each tag once, as it was written first. */
export function eachOnce(tags: readonly string[]): string[] {
  const byKey = new Map<string, string>()
  for (const tag of tags) if (!byKey.has(tagKey(tag))) byKey.set(tagKey(tag), tag)
  return [...byKey.values()]
}

export const Tags = z.array(Tag).check(z.overwrite(eachOnce), z.maxLength(tagLimits.tags, 'too_long'))

export const listVideoTags = endpoint({
  name: 'listVideoTags',
  method: 'GET',
  path: '/videos/tags',
  summary: 'Tags of the videos of an organization, those of most videos first, with the number of videos',
  access: only(adminRoles, 'content:read'),
  /** A superadmin names the organization; everybody else is in one. */
  query: z.object({ organizationId: z.optional(Id) }),
  reply: z.object({ items: z.array(z.object({ tag: z.string(), videos: z.number() })) }),
  cacheSeconds: 60,
})
