import * as z from 'zod/mini'
import { plural } from '#contract/platform/text/format.ts'
import { hasRow, rows, type Tx } from '../platform/db/client.ts'
import { readCount } from '../platform/db/rows.ts'
import { sql } from '../platform/db/sql.ts'
import { audit, auditMany, ofInstallation } from '../platform/http/audit.ts'
import { secretMarks, type Keys } from '../platform/keys.ts'
import { fromRows, type Ending } from '../platform/endings.ts'
import { endingsOfIdentity } from '../identity/secret.ts'
import { endingsOfCards } from '../cards/pin.ts'
import { endingsOfSchedules } from '../reports/schedules/addresses.ts'
import { endingsOfLinks, linkAnew } from '../transmissions/recipients/link.ts'
import { endingsOfReturns } from '../transmissions/returns/record.ts'
import { endingsOfEvents } from '../events/addresses.ts'
import { endingsOfWebhooks } from '../webhooks/settings.ts'

/** All that is sealed with the secret, or that only it can make or verify again. */
const endings: readonly Ending[] = [
  ...endingsOfIdentity,
  ...endingsOfReturns,
  ...endingsOfWebhooks,
  ...endingsOfEvents,
  ...endingsOfCards,
  ...endingsOfSchedules,
  {
    name: 'viewing',
    count: fromRows(sql`play_sessions where last_at > now() - interval '24 hours'`),
    says: (n) =>
      `Open pages of videos (${plural(n, 'sitting', 'sittings')} in the last day): whoever watches opens the link again. Devices on which a code for “Your training” was typed ask for it again.`,
  },
  ...endingsOfLinks,
]

type Counted = { ending: Ending; n: number }

export async function whatEnds(tx: Tx): Promise<Counted[]> {
  const counted: Counted[] = []
  for (const ending of endings) counted.push({ ending, n: await readCount(tx, ending.count) })
  return counted
}

/** One line for each thing of which there is any. */
export const sentencesOf = (counted: readonly Counted[]): string[] =>
  counted.filter(({ n }) => n > 0).flatMap(({ ending, n }) => ending.says(n) || [])

/** Nobody may go on with the secret that is lost. */
export const isServed = (tx: Tx): Promise<boolean> =>
  hasRow(
    tx,
    sql`select 1 from pg_stat_activity where datname = current_database() and usename = current_user and pid <> pg_backend_pid()`,
  )

/** Takes away what ends with the former secret, and writes down which it is now. All of it, or nothing. */
export async function endWithLost(tx: Tx, keys: Keys): Promise<void> {
  const counted = await whatEnds(tx)
  await noteApps(tx)
  for (const { ends = [] } of endings) for (const statement of ends) await tx.execute(statement)
  const links = await linkAnew(tx, keys)
  const [mark = ''] = secretMarks(keys)
  await tx.execute(
    sql`insert into secret_mark (mark) values (${mark}) on conflict (id) do update set mark = excluded.mark, since = now()`,
  )
  const after = Object.fromEntries(counted.map(({ ending: { name }, n }) => [name, n]))
  await audit(tx, 'system', { ...ofInstallation, action: 'secret.lost', after: { ...after, links } })
}

const Owner = z.object({ id: z.string(), organizationId: z.nullable(z.string()) })

async function noteApps(tx: Tx): Promise<void> {
  const owners = await rows(
    tx,
    Owner,
    sql`select u.id, u.organization_id as "organizationId" from users u join totp_factors t on t.user_id = u.id`,
  )
  await auditMany(
    tx,
    'system',
    owners.map(({ id, organizationId }) => ({
      organizationId,
      action: 'user.app_lost' as const,
      entity: 'user',
      entityId: id,
    })),
  )
}
