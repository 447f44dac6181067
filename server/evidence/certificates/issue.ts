import { createHash, randomBytes, randomUUIDv7 } from 'node:crypto'
import * as z from 'zod/mini'
import { canonical } from '#contract/platform/text/canonical.ts'
import {
  certificateFormat,
  certificateFormats,
  chainOrigin,
  signedText,
  type CertificateBody,
  type CertificateFile,
} from '#contract/evidence/certificate-format.ts'
import { row, type Tx } from '#server/platform/db/client.ts'
import { lock } from '#server/platform/db/locks.ts'
import { isoText } from '#server/platform/db/search.ts'
import { refuse } from '#server/platform/errors.ts'
import { audit, type Actor } from '#server/platform/http/audit.ts'
import type { Keys } from '#server/platform/keys.ts'
import { sql } from '../../platform/db/sql.ts'
import { readFacts, type About, type Certifiable, type CertificateFacts } from './facts.ts'

export type Issue = { keys: Keys; by: Exclude<Actor, 'system'>; about: About; isOwn: boolean }

/**
 * Returns the id of the certificate that states what is recorded now: the newest one while nothing has changed since, else a new one at the
 * end of the organization's chain. Refuses `not_found` for a person whom the reader does not see, `conflict` where nothing was watched,
 * `evidence_pending` where what was watched is not founded well enough yet, and `evidence_too_weak` where it never will be.
 */
export async function issue(tx: Tx, { keys, by, about, isOwn }: Issue): Promise<string> {
  await tx.execute(sql`select ${lock('certificateChain', about.visibility.organizationId)}`)
  const found = await readFacts(tx, about)
  if (found === undefined) throw refuse('not_found')
  if (found === null) throw refuse('conflict', { reason: { code: 'nothing_recorded' } })
  requireFounded(found)
  const { facts } = found
  const present = await newestOf(tx, about)
  if (present && essenceOf(present.body) === essenceOf(facts)) return present.id
  const file = await append(tx, keys, facts)
  await write(tx, file, isOwn ? null : (by.caller?.userId ?? null))
  await audit(tx, by, {
    organizationId: about.visibility.organizationId,
    action: 'certificate.issue',
    entity: 'user',
    entityId: about.userId,
    after: { certificateId: file.body.id, number: file.body.number, videoId: about.videoId },
  })
  return file.body.id
}

/** Refuses what is not founded well enough. Nobody gets a certificate of what is contradicted, whatever the organization chose. */
function requireFounded({ parts, least }: Certifiable): void {
  if (parts.some(({ reason }) => reason === 'record_behind'))
    throw refuse('evidence_pending', { retryAfter: 15 })
  const isWeak = parts.some(
    ({ state }) => state === 'contradicted' || (least === 'proven' && state !== 'proven'),
  )
  if (isWeak) throw refuse('evidence_too_weak')
}

/**
 * Returns what a certificate says about the viewing. It leaves out how many reports got lost on the way, which may still change afterwards.
 */
function essenceOf(facts: CertificateFacts): string {
  const { organization, person, video, threshold, completedAt, viewing, quiz, confirmations = [] } = facts
  const seen = viewing && {
    covered: viewing.covered,
    evidence: viewing.evidence,
    secondSource: viewing.secondSource ?? null,
  }
  return canonical({ organization, person, video, threshold, completedAt, quiz, seen, confirmations })
}

const CertificateRow = z.object({ id: z.string(), body: z.string() })

async function newestOf(tx: Tx, { visibility, userId, videoId }: About) {
  const found = await row(
    tx,
    CertificateRow,
    sql`select id, body from certificates where organization_id = ${visibility.organizationId} and user_id = ${userId}
      and video_id = ${videoId} and body is not null order by number desc limit 1`,
  )
  return found && { id: found.id, body: JSON.parse(found.body) as CertificateBody }
}

const Last = z.object({ number: z.number(), hash: z.string(), now: z.string() })

/** Makes the next certificate of the chain, whose lock the caller holds. */
async function append(tx: Tx, keys: Keys, facts: CertificateFacts): Promise<CertificateFile> {
  const last = await row(
    tx,
    Last,
    sql`select coalesce(max(number), 0)::int as number, ${isoText(sql`clock_timestamp()`)} as now,
        coalesce((array_agg(encode(hash, 'hex') order by number desc))[1], ${chainOrigin}) as hash
      from certificates where organization_id = ${facts.organization.id}`,
  )
  const body: CertificateBody = {
    ...facts,
    id: randomUUIDv7(),
    number: (last?.number ?? 0) + 1,
    previous: last?.hash ?? chainOrigin,
    salt: randomBytes(16).toString('hex'),
    issuedAt: last?.now ?? new Date().toISOString(),
  }
  return signed(keys, body)
}

export const certificateSigner = (keys: Keys) => keys.signer('certificate')
/** Returns the ids of the keys of the present secret and of the one before. */
export const certificateKeyIds = (keys: Keys): string[] => keys.signers('certificate').map(({ id }) => id)

function signed(keys: Keys, body: CertificateBody): CertificateFile {
  const signer = certificateSigner(keys)
  const hash = hashOf(body.previous, bodyHashOf(canonical(body))).toString('hex')
  return {
    format: certificateFormat,
    body,
    hash,
    keyId: signer.id,
    publicKey: signer.publicKey.toString('base64url'),
    signature: signer.sign(signedText({ format: certificateFormat, hash })).toString('base64url'),
  }
}

function bodyHashOf(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

export function hashOf(previous: string, bodyHash: Buffer): Buffer {
  return createHash('sha256').update(Buffer.from(previous, 'hex')).update(bodyHash).digest()
}

async function write(tx: Tx, file: CertificateFile, issuedBy: string | null): Promise<void> {
  const { body, format, hash, keyId, signature } = file
  const text = canonical(body)
  const previous = body.previous === chainOrigin ? null : body.previous
  await tx.execute(sql`
    insert into certificates (id, organization_id, number, user_id, video_id, version_id, issued_at, issued_by, body, body_hash,
      previous_hash, hash, format, key_id, signature)
    values (${body.id}, ${body.organization.id}, ${body.number}, ${body.person.id}, ${body.video.id}, ${body.video.versionId},
      ${body.issuedAt}, ${issuedBy}, ${text}, decode(${bodyHashOf(text).toString('hex')}, 'hex'), decode(${previous}, 'hex'),
      decode(${hash}, 'hex'),
      ${certificateFormats.indexOf(format) + 1}, ${keyId}, decode(${Buffer.from(signature, 'base64url').toString('hex')}, 'hex'))`)
}
