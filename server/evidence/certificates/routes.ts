import type { FastifyInstance } from 'fastify'
import { canonical } from '#contract/platform/text/canonical.ts'
import * as contract from '#contract/evidence/certificates.ts'
import type { Mount } from '#server/platform/http/mount.ts'
import type { Services } from '#server/platform/http/services.ts'
import { visibilityOf } from '#server/platform/http/visibility.ts'
import { certificateSigner, issue } from './issue.ts'
import { drawn, fileName } from './pdf.ts'
import {
  findCertifiable,
  findCertificates,
  readCertificate,
  readStored,
  requireSeen,
  type StoredCertificate,
} from './queries.ts'
import { receipts } from './receipt.ts'
import { signingKeys } from './signing-keys.ts'
import { verifyPage } from './verify-page.ts'

/** Serves certificates of what somebody has watched, for the console, for the person, and for whoever verifies one. */
export function certificateRoutes(app: FastifyInstance, mount: Mount, services: Services): void {
  const { keys } = services

  mount(contract.readCertificateKey, async () => {
    const { id, publicKey, pem } = certificateSigner(keys)
    const known = await signingKeys(services.db)
    const former = known.filter(({ keyId }) => keyId !== id)
    return {
      algorithm: 'Ed25519' as const,
      keyId: id,
      publicKey: publicKey.toString('base64url'),
      pem,
      former,
    }
  })

  mount(contract.issueCertificate, async ({ tx, caller, params: { orgId, userId }, body, request }) => {
    const visibility = visibilityOf(caller, orgId)
    const about = { visibility, userId, videoId: body.videoId }
    const id = await issue(tx, { keys, by: { caller, request }, about, isOwn: false })
    return readCertificate(tx, { visibility, userId }, id)
  })

  mount(contract.listCertificates, async ({ tx, caller, params: { orgId, userId }, query, request }) => {
    const of = { visibility: visibilityOf(caller, orgId), userId }
    await requireSeen(tx, of)
    return findCertificates(tx, { of, query, request })
  })

  mount(contract.listCertifiable, async ({ tx, caller, params: { orgId, userId } }) => {
    const of = { visibility: visibilityOf(caller, orgId), userId }
    await requireSeen(tx, of)
    return { items: await findCertifiable(tx, of) }
  })

  mount(contract.downloadCertificate, async ({ tx, caller, params, query: { format } }) => {
    const of = { visibility: visibilityOf(caller, params.orgId), userId: params.userId }
    await requireSeen(tx, of)
    const stored = await readStored(tx, { of, id: params.certificateId })
    return format === 'json' ? jsonFile(stored) : drawn(services, stored)
  })

  const { read, take } = receipts(services)
  mount(contract.readReceipt, ({ body }) => read(body))
  mount(contract.takeCertificate, ({ body, request }) => take(body, request))

  verifyPage(app, services)
}

function jsonFile({ file }: StoredCertificate) {
  return {
    name: `${fileName(file)}.json`,
    type: 'application/json',
    content: (async function* () {
      yield canonical(file)
    })(),
  }
}
