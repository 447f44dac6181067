import type { FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import type { CertificateBody, CertificateFile } from '#contract/evidence/certificate-format.ts'
import { certificateFormat, certificateFormats } from '#contract/evidence/certificate-format.ts'
import { Certificate, CertifiableVideo, type listCertificates } from '#contract/evidence/certificates.ts'
import type { ParsedQuery } from '#contract/endpoint.ts'
import { languages, type Language } from '#contract/platform/text/languages.ts'
import { hasRow, requireRow, row, rows, type Tx } from '#server/platform/db/client.ts'
import { showsPersons } from '#server/directory/organizations/privacy.ts'
import { dayOnly } from '#server/platform/db/search.ts'
import { all, isoText } from '#server/platform/db/search.ts'
import { refuse } from '#server/platform/errors.ts'
import { readList } from '#server/platform/http/lists/list.ts'
import { seesUser, type Visibility } from '#server/platform/http/visibility.ts'
import { StoredLogo } from '#server/documents/logo.ts'
import { sql, type SQL } from '../../platform/db/sql.ts'

type Of = { visibility: Visibility; userId: string }

/** Refuses somebody whom the reader does not see. */
export async function requireSeen(tx: Tx, { visibility, userId }: Of): Promise<void> {
  const found = await hasRow(
    tx,
    sql`select 1 from users u where ${all([
      sql`u.organization_id = ${visibility.organizationId} and u.id = ${userId} and u.deleted_at is null`,
      seesUser(visibility, sql`u.id`),
    ])}`,
  )
  if (!found) throw refuse('not_found')
}

const Line = z.extend(z.omit(Certificate, { share: true, completedAt: true, passed: true, isErased: true }), {
  body: z.nullable(z.string()),
})
type Line = z.infer<typeof Line>

const columns = sql`c.id, c.number::int as number, ${isoText(sql`c.issued_at`)} as "issuedAt",
  (select i.name from users i where i.id = c.issued_by) as "issuedBy", json_build_object('id', v.id, 'title', v.title) as video,
  encode(c.hash, 'hex') as hash, c.body`
const source = sql`certificates c join videos v on v.id = c.video_id`

function ofPerson({ visibility, userId }: Of): SQL {
  return sql`c.organization_id = ${visibility.organizationId} and c.user_id = ${userId}`
}

function toCertificate({ body, ...line }: Line): Certificate {
  const text = body === null ? null : (JSON.parse(body) as CertificateBody)
  return {
    ...line,
    share: text?.viewing?.share ?? null,
    completedAt: text?.completedAt ?? null,
    passed: text?.quiz?.passed ?? null,
    isErased: text === null,
  }
}

export async function readCertificate(tx: Tx, of: Of, id: string): Promise<Certificate> {
  const found = await requireRow(
    tx,
    Line,
    sql`select ${columns} from ${source} where ${ofPerson(of)} and c.id = ${id}`,
  )
  return toCertificate(found)
}

type ListRequest = { of: Of; query: ParsedQuery<typeof listCertificates>; request: FastifyRequest }

export async function findCertificates(tx: Tx, { of, query, request }: ListRequest) {
  const page = await readList(tx, {
    query,
    request,
    Row: Line,
    columns,
    from: source,
    where: all([ofPerson(of), query.videoId !== undefined && sql`c.video_id = ${query.videoId}`]),
    order: { by: sql`c.issued_at`, id: sql`c.id`, type: 'timestamptz', descending: true },
  })
  return { ...page, items: page.items.map(toCertificate) }
}

/** Finds the videos that can be certified, by the same condition as in facts.ts. */
export function findCertifiable(tx: Tx, { visibility, userId }: Of): Promise<CertifiableVideo[]> {
  return rows(
    tx,
    CertifiableVideo,
    sql`select id, title, ${isoText(sql`case when p.shows then last_at else ${dayOnly(sql`completed_at`)} end`)} as "lastAt",
        ${isoText(sql`case when p.shows then completed_at else ${dayOnly(sql`completed_at`)} end`)} as "completedAt"
      from (select ${showsPersons(sql`${visibility.organizationId}::uuid`)} as shows) p, (select distinct on (v.id) v.id, v.title, w.last_at, w.completed_at
        from viewer_videos w join videos v on v.id = w.video_id join video_versions n on n.id = w.version_id
        where w.organization_id = ${visibility.organizationId} and w.user_id = ${userId}
          and (w.plays > 0 or w.covered_ms > 0 or w.completed_at is not null)
        order by v.id, n.number desc, w.completed_at) newest
      where p.shows or completed_at is not null order by last_at desc limit 200`,
  )
}

/** Its pages are drawn in `language`, which is that of the person whose certificate it is. */
export type StoredCertificate = { file: CertificateFile; logo: StoredLogo | null; language: Language }

const CertificateRow = z.object({
  body: z.nullable(z.string()),
  hash: z.string(),
  format: z.number(),
  keyId: z.string(),
  /** It is null where the secret was changed before such keys were kept. */
  publicKey: z.nullable(z.instanceof(Buffer)),
  signature: z.instanceof(Buffer),
  language: z.enum(languages),
  logo: z.nullable(z.omit(StoredLogo, { data: true })),
  picture: z.nullable(z.instanceof(Buffer)),
})

/** Reads a certificate as it was signed. One that was erased is gone. */
export async function readStored(tx: Tx, { of, id }: { of: Of; id: string }): Promise<StoredCertificate> {
  const found = await row(
    tx,
    CertificateRow,
    sql`select c.body, encode(c.hash, 'hex') as hash, c.format, c.key_id as "keyId", k.public_key as "publicKey", c.signature,
        p.data as picture,
        coalesce(u.language, o.language) as language,
        case when p.key is not null then json_build_object('key', p.key, 'width', p.width, 'height', p.height) end as logo
      from certificates c join organizations o on o.id = c.organization_id
        left join users u on u.organization_id = c.organization_id and u.id = c.user_id left join pictures p on p.key = o.logo
        left join signing_keys k on k.key_id = c.key_id
      where ${ofPerson(of)} and c.id = ${id}`,
  )
  if (!found || found.body === null) throw refuse('not_found')
  const { body, hash, format, keyId, publicKey, signature, logo, picture, language } = found
  return {
    file: {
      format: certificateFormats[format - 1] ?? certificateFormat,
      body: JSON.parse(body) as CertificateBody,
      hash,
      keyId,
      publicKey: publicKey?.toString('base64url') ?? '',
      signature: signature.toString('base64url'),
    },
    logo: logo && picture && { ...logo, data: picture },
    language,
  }
}
