import * as z from 'zod/mini'
import { picturePath } from '#contract/directory/picture-limits.ts'
import type { MailBrand } from '../documents/mail/page.ts'
import { row, type Tx } from '../platform/db/client.ts'
import { sql } from '../platform/db/sql.ts'
import type { Env } from '../platform/env.ts'
import type { Services } from '../platform/http/services.ts'

export const productBrand = (env: Env): MailBrand => ({
  name: env.productName,
  logo: null,
  accentColor: null,
  isProduct: true,
})

const Found = z.object({
  name: z.string(),
  accentColor: z.nullable(z.string()),
  senderName: z.nullable(z.string()),
  logo: z.nullable(z.object({ key: z.string(), width: z.number(), height: z.number() })),
})

export type Sender = { brand: MailBrand; senderName: string | null }

/** As whom an organization writes, and how that looks; without one it is the product. */
export async function senderOfMails(
  tx: Tx,
  services: Pick<Services, 'env' | 'publicUrl'>,
  organizationId: string | null,
): Promise<Sender> {
  const found =
    organizationId === null
      ? undefined
      : await row(
          tx,
          Found,
          sql`select o.name, o.accent_color as "accentColor", o.policies->>'senderName' as "senderName",
              case when l.key is not null then json_build_object('key', l.key, 'width', l.width, 'height', l.height) end as logo
            from organizations o left join pictures l on l.key = o.logo where o.id = ${organizationId}`,
        )
  if (!found) return { brand: productBrand(services.env), senderName: null }
  const { senderName, logo, ...brand } = found
  const src = logo && { ...logo, src: `${services.publicUrl()}${picturePath(logo.key)}` }
  return { senderName, brand: { ...brand, logo: src, isProduct: false } }
}
