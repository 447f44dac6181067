import type { FastifyInstance } from 'fastify'
import * as z from 'zod/mini'
import type { AuditAction } from '#contract/platform/audit-actions.ts'
import { pictureLimits, picturePath } from '#contract/directory/picture-limits.ts'
import * as pictures from '#contract/directory/pictures.ts'
import { row, type Scope, type Tx } from '../../platform/db/client.ts'
import { sql } from '../../platform/db/sql.ts'
import { refuse } from '../../platform/errors.ts'
import { audit } from '../../platform/http/audit.ts'
import type { Caller, Requester } from '../../platform/http/bearer.ts'
import type { Mount } from '../../platform/http/mount.ts'
import type { Services } from '../../platform/http/services.ts'
import { draw, keep, lockOwner, show, type PictureOwner } from './store.ts'

type PicturedThing = PictureOwner & { id: string; organizationId: string | null; action: AuditAction }

const { avatar, logo } = pictureLimits
const asAvatar = { box: avatar, how: 'cut' } as const
const asLogo = { box: logo, how: 'fit' } as const

function logoOf(orgId: string): PicturedThing {
  const where = sql`id = ${orgId}`
  return {
    table: 'organizations',
    where,
    id: orgId,
    organizationId: orgId,
    action: 'organization.logo_changed',
  }
}

function avatarOf({ orgId, userId }: { orgId: string; userId: string }): PicturedThing {
  const where = sql`id = ${userId} and organization_id = ${orgId}`
  return { table: 'users', where, id: userId, organizationId: orgId, action: 'user.avatar_changed' }
}

function ownAvatar({ userId, organizationId }: Caller): PicturedThing {
  return {
    table: 'users',
    where: sql`id = ${userId}`,
    id: userId,
    organizationId,
    action: 'account.avatar_changed',
  }
}

/** Writes the change down without the keys, because whoever knows one can see the picture. */
async function replace(
  tx: Tx,
  by: Requester,
  { of, before, after }: { of: PicturedThing; before: string | null; after: string | null },
) {
  await show(tx, of, { before, after })
  const { organizationId, action, table, id } = of
  await audit(tx, by, {
    organizationId,
    action,
    entity: table === 'users' ? 'user' : 'organization',
    entityId: id,
    before: { picture: before !== null },
    after: { picture: after !== null },
  })
  return { key: after }
}

const Picture = z.object({ type: z.string(), data: z.instanceof(Buffer) })

/** Takes logos of organizations and faces of people in, draws them anew, and shows them to whoever knows the key. */
export function picturesRoutes(app: FastifyInstance, mount: Mount, { db }: Services): void {
  type Put = Requester & {
    scope: Scope
    of: PicturedThing
    data: string
    as: typeof asAvatar | typeof asLogo
  }

  /** Decodes a picture without a connection to the database, because that takes a while. It first looks up whose picture it is. */
  async function put({ scope, of, data, as, ...by }: Put) {
    await db.as(scope, (tx) => lockOwner(tx, of))
    const drawn = await draw(data, { ...as, whose: of.organizationId ?? of.id })
    return db.as(
      scope,
      async (tx) => {
        const before = await lockOwner(tx, of)
        return replace(tx, by, { of, before, after: await keep(tx, of.organizationId, drawn) })
      },
      by.caller.userId,
    )
  }

  async function remove(tx: Tx, by: Requester, of: PicturedThing) {
    const before = await lockOwner(tx, of)
    return before === null ? { key: null } : replace(tx, by, { of, before, after: null })
  }

  mount(pictures.putLogo, ({ params, body: { data }, ...by }) =>
    put({ ...by, of: logoOf(params.orgId), data, as: asLogo }),
  )
  mount(pictures.deleteLogo, ({ tx, params, ...by }) => remove(tx, by, logoOf(params.orgId)))

  mount(pictures.putAvatar, ({ params, body: { data }, ...by }) =>
    put({ ...by, of: avatarOf(params), data, as: asAvatar }),
  )
  mount(pictures.deleteAvatar, ({ tx, params, ...by }) => remove(tx, by, avatarOf(params)))

  mount(pictures.putOwnAvatar, ({ body: { data }, ...by }) =>
    put({ ...by, of: ownAvatar(by.caller), data, as: asAvatar }),
  )
  mount(pictures.deleteOwnAvatar, ({ tx, ...by }) => remove(tx, by, ownAvatar(by.caller)))

  // This does not go through `mount`, because the answer is the picture, and nobody has to be signed in. A picture never changes under its
  // key.
  app.get<{ Params: { key: string } }>(picturePath(':key'), async ({ params: { key } }, reply) => {
    const picture = /^[\w-]{22}$/.test(key)
      ? await row(db.single, Picture, sql`select type, data from pictures where key = ${key}`)
      : undefined
    if (!picture) throw refuse('not_found')
    return reply
      .type(picture.type)
      .header('cache-control', 'private, max-age=31536000, immutable')
      .header('x-content-type-options', 'nosniff')
      .header('content-security-policy', "default-src 'none'; frame-ancestors 'none'; sandbox")
      .send(picture.data)
  })
}
