import * as z from 'zod/mini'
import { languages } from '#contract/platform/text/languages.ts'
import { row, type Database } from '../../platform/db/client.ts'
import { isoText } from '../../platform/db/search.ts'
import { sql } from '../../platform/db/sql.ts'
import { sha256 } from '../../platform/keys.ts'
import { isOut } from '../../people.ts'
import { watchesSignedIn } from '../../people.ts'

/** This is the owner of a personal link, with what the link alone says: its own video and the day by which it is due. */
export const Owner = z.object({
  deliveryId: z.string(),
  /** The hash is hexadecimal. */
  linkHash: z.string(),
  userId: z.string(),
  name: z.string(),
  email: z.string(),
  /** This is the address at which they got the link. */
  address: z.string(),
  language: z.nullable(z.enum(languages)),
  organizationId: z.string(),
  organization: z.string(),
  accentColor: z.nullable(z.string()),
  logo: z.nullable(z.object({ key: z.string(), width: z.number(), height: z.number() })),
  timeZone: z.string(),
  usualLanguage: z.enum(languages),
  videoId: z.string(),
  title: z.string(),
  dueAt: z.nullable(z.string()),
  /** The link opens nothing any more for this reason; null means that it still does. */
  linkEnd: z.nullable(z.enum(['revoked', 'stopped', 'ended'])),
  linkRevokedReason: z.nullable(z.string()),
  /** It stands on a card, and the PIN of the card opens the rest. */
  hasPin: z.boolean(),
  /** Their organization lets only signed-in people watch. */
  asksSignIn: z.boolean(),
})
export type Owner = z.infer<typeof Owner>

/** Returns whether a text has the form of the secret in a personal link, which is 256 bits in base64url. */
export const isSecret = (text: unknown): text is string =>
  typeof text === 'string' && /^[\w-]{43}$/.test(text)

export const findBySecret = (db: Database, secret: string): Promise<Owner | undefined> =>
  findByHash(db, sha256(secret))

/**
 * Finds the owner of a link by its hash. The page is public, so no tenant is known before. It is undefined also where the organization is
 * not open any more.
 */
export function findByHash(db: Database, linkHash: Buffer): Promise<Owner | undefined> {
  return row(
    db.single,
    Owner,
    sql`select d.id as "deliveryId", encode(d.link_hash, 'hex') as "linkHash", u.id as "userId", u.name, lower(btrim(u.email)) as email, d.address,
        u.language, o.id as "organizationId", o.name as organization, o.accent_color as "accentColor",
        case when l.key is not null then json_build_object('key', l.key, 'width', l.width, 'height', l.height) end as logo,
        o.time_zone as "timeZone", o.language as "usualLanguage", v.id as "videoId", v.title, ${isoText(sql`t.due_at`)} as "dueAt",
        case when d.link_revoked_at is not null then 'revoked'
          when ${isOut('u')} then 'stopped'
          when t.links_end_at <= now() then 'ended' end as "linkEnd", d.link_revoked_reason as "linkRevokedReason",
        exists (select from cards c where c.organization_id = d.organization_id and c.delivery_id = d.id) as "hasPin",
        ${watchesSignedIn('o')} as "asksSignIn"
      from deliveries d join transmissions t on t.id = d.transmission_id
        join organizations o on o.id = d.organization_id and o.deleted_at is null and o.state = 'active'
        join users u on u.id = d.user_id and u.organization_id = d.organization_id
        join videos v on v.id = t.video_id and v.organization_id = d.organization_id and v.deleted_at is null
        left join pictures l on l.key = o.logo
      where d.link_hash = ${linkHash}::bytea limit 1`,
  )
}
