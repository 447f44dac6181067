import type { FastifyInstance } from 'fastify'
import {
  createKey,
  createSystemKey,
  listKeys,
  listSystemKeys,
  readKey,
  readSystemKey,
  revokeKey,
  revokeSystemKey,
  rotateKey,
  rotateSystemKey,
  updateKey,
  updateSystemKey,
} from '#contract/service-accounts.ts'
import type { Mount } from '../platform/http/mount.ts'
import { changeKey, makeKey, revoke, rotate } from './change.ts'
import { findKey, findKeys } from './queries.ts'

export function serviceAccountsRoutes(_app: FastifyInstance, mount: Mount): void {
  mount(listKeys, ({ tx, params, query, request }) => findKeys(tx, { home: params.orgId, query, request }))
  mount(createKey, ({ params, body, ...by }) => makeKey(by, params.orgId, body))
  mount(readKey, ({ tx, params }) => findKey(tx, params.orgId, params.keyId))
  mount(updateKey, ({ params: { orgId, keyId }, body, ...by }) =>
    changeKey(by, { home: orgId, keyId, input: body }),
  )
  mount(rotateKey, ({ params: { orgId, keyId }, body, ...by }) =>
    rotate(by, { home: orgId, keyId, input: body }),
  )
  mount(revokeKey, async ({ params, ...by }) => {
    await revoke(by, params.orgId, params.keyId)
    return {}
  })

  mount(listSystemKeys, ({ tx, query, request }) => findKeys(tx, { home: null, query, request }))
  mount(createSystemKey, ({ body, ...by }) => makeKey(by, null, body))
  mount(readSystemKey, ({ tx, params }) => findKey(tx, null, params.keyId))
  mount(updateSystemKey, ({ params: { keyId }, body, ...by }) =>
    changeKey(by, { home: null, keyId, input: body }),
  )
  mount(rotateSystemKey, ({ params: { keyId }, body, ...by }) =>
    rotate(by, { home: null, keyId, input: body }),
  )
  mount(revokeSystemKey, async ({ params, ...by }) => {
    await revoke(by, null, params.keyId)
    return {}
  })
}
